package analyze

import (
	"cmp"
	"slices"
	"strings"

	"auspex/account"
	"auspex/model"
)

// Summary is what `auspex show` tells of an experiment.
type Summary struct {
	Name       string         `json:"name"`
	ID         string         `json:"id"`
	Program    string         `json:"program"`
	Command    string         `json:"command"`
	Created    string         `json:"created"`
	Format     string         `json:"format"`
	Sources    []string       `json:"sources"`
	Units      int            `json:"units"`
	Processes  int            `json:"processes"`
	Threads    int            `json:"threads"` // the most of any process
	Nodes      int            `json:"nodes"`   // 0 where not recorded
	Regions    int            `json:"regions"`
	Runs       int            `json:"runs"`
	Metrics    []string       `json:"metrics"`
	Factors    map[string]any `json:"factors"`
	TimeMetric string         `json:"time_metric"`
	Metric     string         `json:"metric"`      // what the heaviest regions are listed by: time, or what was counted
	Runtime    Real           `json:"runtime"`     // seconds, of the slowest unit
	RunSeconds Real           `json:"run_seconds"` // the same, under the name of the ledger's denominator
	Efficiency Efficiency     `json:"efficiency"`
	// Sleepers are threads that slept nearly all the time: efficiency is said of the others.
	Sleepers int `json:"sleepers,omitempty"`
	// Ledger is the account of units × run time, of the processes or threads;
	// Others are those of other types of units.
	Ledgered int               `json:"ledger_units"` // whose account it is
	Ledger   []account.Line    `json:"ledger"`
	Others   []*account.Ledger `json:"other_ledgers"`
	By       string            `json:"by"` // whether regions are call paths or names
	Heaviest []RegionTime      `json:"heaviest"`
	// CPU is the CPU time of all units over units × run time; missing where it was
	// not measured beside wall time.
	CPU Real `json:"cpu_utilisation"`
	// AtEnds is the share of the run in which threads wait at the ends of parallel
	// regions, and of which it is not known how much CPU time they spin away in it.
	AtEnds     Real     `json:"cpu_unknown,omitempty"`
	Covered    Real     `json:"covered"` // share of the run that the heaviest listed take
	Incomplete string   `json:"incomplete,omitempty"`
	Warnings   []string `json:"warnings"`
	// InTurns: see OfRanks.
	InTurns bool `json:"-"`
}

// RegionTime is the exclusive time of one region over the units.
type RegionTime struct {
	Region    string     `json:"region"`
	Kind      model.Kind `json:"kind"`
	File      string     `json:"file,omitempty"`
	Line      int        `json:"line,omitempty"`
	Mean      Real       `json:"mean"`
	Max       Real       `json:"max"`
	Imbalance Real       `json:"max_over_mean"`
	Share     Real       `json:"share"` // mean over units, of the run time
	Units     int        `json:"units"` // that spent time in it
}

// Summarise describes an experiment and its heaviest regions, at most top of
// them.
func Summarise(d *Dataset, top int) (*Summary, error) {
	s := &Summary{
		Name: d.Name, ID: d.ID, Program: d.Program, Command: d.Command, Format: d.Format, Sources: d.Sources,
		Created: d.Created.Format("2006-01-02T15:04:05Z07:00"), Units: len(d.Units), Regions: len(d.Regions), Runs: d.Runs,
		Metrics: []string{}, Factors: map[string]any{}, Heaviest: []RegionTime{}, By: d.ByWord(), Covered: Missing, CPU: Missing, Incomplete: d.Incomplete, Warnings: []string{},
		Ledger: []account.Line{}, Others: []*account.Ledger{}, Runtime: Missing, RunSeconds: Missing, Efficiency: Efficiency{LoadBalance: Missing, Communication: Missing, Parallel: Missing},
	}
	s.Processes, s.Threads, s.Nodes = CountUnits(d.Units)
	for _, m := range d.Metrics {
		s.Metrics = append(s.Metrics, m.Column())
	}
	for _, f := range d.Factors {
		s.Factors[f.Name] = f.Value()
	}
	s.Warnings = append(s.Warnings, d.Notes...)
	t, err := d.Times()
	if err != nil {
		s.Warnings = append(s.Warnings, err.Error()+": no efficiency and no region times")
		return s, s.count(d, top)
	}
	s.Metric = t.Metric
	s.TimeMetric, s.Runtime, s.RunSeconds, s.Efficiency = t.Metric, Real(t.Runtime), Real(t.Runtime), t.Efficiency()
	s.Sleepers = t.Sleepers()
	ledgers, err := d.Ledgers()
	if err != nil {
		return nil, err
	}
	s.Ledger = lines(ledgers)
	ends, err := d.StartEnd()
	if err != nil {
		return nil, err
	}
	if ends > 0 {
		left := Real(1 - ends)
		s.Efficiency.StartEnd = &left
	}
	if len(ledgers) > 0 {
		s.Ledgered = ledgers[0].Units
	}
	if len(ledgers) > 1 {
		s.Others = ledgers[1:]
	}
	if s.CPU, err = d.utilisation(t); err != nil {
		return nil, err
	}
	if s.AtEnds, err = d.atEnds(t); err != nil {
		return nil, err
	}
	regions, err := regionTimes(d, t)
	if err != nil {
		return nil, err
	}
	s.list(regions, top)
	return s, nil
}

// OfRanks leaves out the efficiency of a training job whose units are not its ranks:
// the threads and devices of a rank launch for one another and wait in turns, which is
// no loss.
func (s *Summary) OfRanks() {
	if s.InTurns = len(s.Others) > 0 || s.Threads > 1; s.InTurns {
		s.Efficiency = Efficiency{LoadBalance: Missing, Communication: Missing, Parallel: Missing}
	}
}

// list keeps the heaviest of the regions.
func (s *Summary) list(regions []RegionTime, top int) {
	s.Heaviest = append(s.Heaviest, regions[:min(top, len(regions))]...)
	s.Covered = 0
	for _, r := range s.Heaviest {
		s.Covered += r.Share
	}
}

// count lists the regions of an experiment without times by what was counted.
func (s *Summary) count(d *Dataset, top int) error {
	metric, own, whole, err := d.counted()
	if err != nil {
		return nil // nothing that adds up
	}
	s.Metric = metric
	var rows []RegionTime
	for r, region := range d.Regions {
		if own.Sums[r] <= 0 {
			continue
		}
		mean := own.Sums[r] / float64(len(d.Units))
		rows = append(rows, RegionTime{
			Region: d.Paths[r], Kind: region.Kind, File: region.File, Line: region.Line, Units: int(own.Units[r]),
			Mean: Real(mean), Max: Real(own.Most[r]), Imbalance: Ratio(own.Most[r], mean), Share: Ratio(mean, whole),
		})
	}
	slices.SortStableFunc(rows, func(a, b RegionTime) int { return cmp.Compare(b.Mean, a.Mean) })
	s.list(rows, top)
	return nil
}

// counted is the main metric of an experiment without times, of every region and
// of the unit that has most.
func (d *Dataset) counted() (name string, own Spread, whole float64, err error) {
	if name, err = d.MainMetric(); err != nil {
		return "", Spread{}, 0, err
	}
	metric, err := d.Resolve(name)
	if err != nil {
		return "", Spread{}, 0, err
	}
	if own, err = d.RegionSpread(metric.Name + ScopeEnding(metric, model.Exclusive)); err != nil {
		return "", Spread{}, 0, err
	}
	totals, err := d.UnitTotals(metric)
	if err != nil {
		return "", Spread{}, 0, err
	}
	_, whole = Extremes(totals)
	return metric.Name, own, whole, nil
}

// utilisation is how busy the units kept their processors.
func (d *Dataset) utilisation(t *Times) (Real, error) {
	if t.Metric != model.WallTime || !d.Has(model.CPUTime) {
		return Missing, nil
	}
	metric, err := d.Resolve(model.CPUTime)
	if err != nil {
		return Missing, err
	}
	busy, err := d.UnitTotals(metric)
	if err != nil {
		return Missing, err
	}
	return Ratio(Total(busy), t.Runtime*float64(len(d.Units))), nil
}

// atEnds is for what share of the run threads waited at the ends of parallel regions
// without CPU time that was measured: their clocks are not looked at there.
func (d *Dataset) atEnds(t *Times) (Real, error) {
	ends := make([]bool, len(d.Regions)) // those that do not count
	any := false
	for r, region := range d.Regions {
		end := region.Kind == model.Barrier && region.Parent != model.NoParent && strings.HasPrefix(d.Regions[region.Parent].Name, model.ParallelRegion)
		ends[r], any = !end, any || end
	}
	if !any || t.Metric != model.WallTime || !d.Has(model.CPUTime) {
		return 0, nil
	}
	there := map[string]float64{}
	for _, name := range []string{model.WallTime, model.CPUTime} {
		m, err := d.Matrix(name + ".exc")
		if err != nil {
			return 0, err
		}
		units := &Rows{By: ByUnit, d: d, size: len(d.Units)}
		there[name] = Total(units.fold(m, ends, summed))
	}
	if there[model.CPUTime] > 0 {
		return 0, nil
	}
	return Ratio(there[model.WallTime], t.Runtime*float64(len(d.Units))), nil
}

// CountUnits counts processes, the threads of the largest of them, and nodes, as
// far as they were recorded.
func CountUnits(units []model.Unit) (processes, threads, nodes int) {
	perProcess, nodeNames := map[int]int{}, map[string]bool{}
	for _, u := range units {
		perProcess[u.Process]++
		threads = max(threads, perProcess[u.Process])
		if u.Node != "" {
			nodeNames[u.Node] = true
		}
	}
	return len(perProcess), threads, len(nodeNames)
}

// regionTimes lists the regions that took time, the heaviest first.
func regionTimes(d *Dataset, t *Times) ([]RegionTime, error) {
	spent, err := d.spentTimes(t)
	if err != nil {
		return nil, err
	}
	var rows []RegionTime
	for r, region := range d.Regions {
		if spent.sums[r] <= 0 {
			continue
		}
		average := spent.sums[r] / float64(len(d.Units))
		row := RegionTime{
			Region: d.Paths[r], Kind: region.Kind, File: region.File, Line: region.Line,
			Mean: Real(average), Max: Real(spent.most[r]), Imbalance: Ratio(spent.most[r], average),
			Share: Ratio(average, t.Runtime), Units: int(spent.entered[r]),
		}
		if t.averaged {
			row.Max, row.Imbalance = Missing, Missing
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b RegionTime) int { return cmp.Compare(b.Mean, a.Mean) })
	return rows, nil
}

// spent is the exclusive time of every region over the units.
type spent struct{ sums, most, entered []float64 }

func (d *Dataset) spentTimes(t *Times) (spent, error) {
	n := len(d.Regions)
	all, err := d.vector("time spent", func() ([]float64, error) {
		exclusive, err := d.Matrix(t.Metric + "." + string(model.Exclusive))
		if err != nil {
			return nil, err
		}
		all := make([]float64, 3*n)
		sums, most, entered := all[:n], all[n:2*n], all[2*n:]
		for u := range d.Units {
			for r, v := range exclusive.Row(u) {
				if v != v {
					continue
				}
				sums[r] += v
				if most[r] = max(most[r], v); v > 0 {
					entered[r]++
				}
			}
		}
		return all, nil
	})
	if err != nil {
		return spent{}, err
	}
	return spent{all[:n], all[n : 2*n], all[2*n:]}, nil
}
