package analyze

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"auspex/account"
	"auspex/model"
)

// FlatName is the name a region has in a flat profile: that of its function; the
// turns of a loop or phase are one: "loop [3]", "ProfilerStep#12".
func FlatName(name string) string {
	inside, bracketed := strings.CutSuffix(name, "]")
	before := strings.TrimRight(inside, "0123456789")
	if before == inside {
		return name // no number, as in most names
	}
	flat, numbered := strings.CutSuffix(before, map[bool]string{true: "[", false: "#"}[bracketed])
	if bracketed {
		flat = strings.TrimRight(flat, " \t\n\f\r")
	}
	if !numbered || flat == "" {
		return name
	}
	return flat
}

// FlatNames are the names that regions have in a flat profile. A loop, loop@12 below
// its function or f:loop@12 where f is no region, is part of its function: loops of many
// functions have the same line, and a function may have the most time in several.
func FlatNames(regions []model.Region) []string {
	names := make([]string, len(regions))
	for r, region := range regions {
		names[r] = FlatName(region.Name)
		if !IsPart(region) {
			continue
		}
		if function, _, inside := strings.Cut(region.Name, ":"+LoopAt); inside {
			names[r] = function
		} else if region.Parent != model.NoParent {
			names[r] = names[region.Parent]
		}
	}
	return names
}

// IsPart tells whether a region is a loop of a function, which is no callee.
func IsPart(region model.Region) bool {
	return region.Kind == model.Loop && strings.Contains(region.Name, LoopAt)
}

// LoopAt begins the name of a loop, before its line or place.
const LoopAt = "loop@"

// folded is a dataset's regions put together by name. Exclusive values add up; of
// inclusive ones only the outermost region of a name on each path counts, so that
// recursion counts once. Values that do not add up are averaged.
type folded struct {
	parent    *Dataset
	header    model.Header
	of        []int  // name of every region of the parent
	outermost []bool // no region around it has its name
	names     int
}

// ByName gives the dataset as a flat profile: a region a function name.
func (d *Dataset) ByName() (*Dataset, error) {
	if d.flat != nil {
		return d, nil
	}
	return d.byNameOnce()
}

func (d *Dataset) foldNames() (*Dataset, error) {
	f := &folded{parent: d, header: d.Header}
	var regions []model.Region
	number := map[string]int{}
	names := FlatNames(d.Regions)
	for r, region := range d.Regions {
		name := names[r]
		k, known := number[name]
		if !known {
			k = len(regions)
			number[name] = k
			kind := region.Kind
			if name != FlatName(region.Name) {
				kind = model.Function
			}
			regions = append(regions, model.Region{Name: name, Kind: kind, File: region.File, Line: region.Line, Parent: model.NoParent})
		} else if IsPart(region) {
			// its function's place stands
		} else if regions[k].File != region.File || regions[k].Line != region.Line {
			regions[k].File, regions[k].Line = "", 0
		}
		f.of = append(f.of, k)
		outermost := true
		for p := region.Parent; p != model.NoParent && outermost; p = d.Regions[p].Parent {
			outermost = f.of[p] != k
		}
		f.outermost = append(f.outermost, outermost)
	}
	f.names = len(regions)
	f.header.RegionCount, f.header.Metrics = f.names, bothScopes(d.Metrics)
	out := &Dataset{
		Header: f.header, Units: d.Units, Regions: regions, Paths: model.Paths(regions), flat: f, stored: f, loaded: map[string]model.Matrix{}, vectors: map[string][]float64{}, kept: func() *digest { return nil },
		timesOnce: d.timesOnce, ledgersOnce: d.ledgersOnce, wholeOnce: sync.OnceValues(f.Load),
		Communication: slices.Repeat([]bool{true}, f.names), Classes: make([]account.Class, f.names),
	}
	for r, k := range f.of {
		out.Communication[k] = out.Communication[k] && d.Communication[r]
		out.Classes[k] = d.Classes[r]
	}
	if err := out.remember(d); err != nil {
		return nil, err
	}
	f.header.SummaryCount = out.SummaryCount
	out.orderOnce = sync.OnceValues(out.treeOrder)
	return out, nil
}

// bothScopes lists the metrics in both scopes: folding needs the tree, which is
// gone afterwards.
func bothScopes(metrics []model.Metric) []model.Metric {
	var both []model.Metric
	for _, m := range metrics {
		scopes := []model.Scope{model.Exclusive, model.Inclusive}
		if m.Scope == model.Own {
			scopes = []model.Scope{model.Own}
		}
		for _, scope := range scopes {
			m.Scope = scope
			if !slices.ContainsFunc(both, func(o model.Metric) bool { return o.Column() == m.Column() }) {
				both = append(both, m)
			}
		}
	}
	return both
}

// fold puts a matrix of the parent together.
func (f *folded) fold(m model.Matrix, metric model.Metric) model.Matrix {
	out := model.NewMatrix(m.Units, f.names, metric.Missing)
	counts := make([]int, f.names)
	for u := range m.Units {
		row := out.Row(u)
		clear(counts)
		for r, v := range m.Row(u) {
			k := f.of[r]
			if v != v || metric.Name == model.Calls && IsPart(f.parent.Regions[r]) || metric.Scope == model.Inclusive && !f.outermost[r] {
				continue
			}
			if counts[k]++; counts[k] == 1 {
				row[k] = 0
			}
			row[k] += v
		}
		if !metric.Additive() {
			for k, n := range counts {
				if n > 0 {
					row[k] /= float64(n)
				}
			}
		}
	}
	return out
}

// Matrix folds one metric.
func (f *folded) Matrix(metric int) (model.Matrix, error) {
	column := f.header.Metrics[metric]
	m, err := f.parent.Load(column)
	if err != nil {
		return m, err
	}
	return f.fold(m, column), nil
}

// Deviation adds the deviations of the paths rather than their variances: they may
// vary together, and this is the wider bound.
func (f *folded) Deviation(metric int) (model.Matrix, error) {
	column := f.header.Metrics[metric]
	m, ok, err := f.parent.Deviation(column.Column())
	if err != nil || !ok {
		return m, errors.Join(err, errNoDeviation)
	}
	return f.fold(m, column), nil
}

var errNoDeviation = errors.New("only values as they were measured have deviations")

// Index lists the names that each unit entered, be it only on the way to others.
func (f *folded) Index() (unit, region []int32, err error) {
	units, regions, err := f.parent.stored.Index()
	if err != nil {
		return nil, nil, err
	}
	entered := make([]bool, f.names)
	for i := 0; i < len(units); {
		clear(entered)
		u := units[i]
		for ; i < len(units) && units[i] == u; i++ {
			for r := int(regions[i]); r != model.NoParent; r = f.parent.Regions[r].Parent {
				entered[f.of[r]] = true
			}
		}
		for k, there := range entered {
			if there {
				unit, region = append(unit, u), append(region, int32(k))
			}
		}
	}
	return unit, region, nil
}

// Load puts the whole experiment into memory.
func (f *folded) Load() (*model.Experiment, error) {
	e := &model.Experiment{Header: f.header, Units: f.parent.Units}
	unit, region, err := f.Index()
	if err != nil {
		return nil, err
	}
	e.Summaries.Unit, e.Summaries.Region = unit, region
	for i := range f.header.Metrics {
		m, err := f.Matrix(i)
		if err != nil {
			return nil, err
		}
		e.Summaries.Values = append(e.Summaries.Values, atRows(m, unit, region))
	}
	return e, nil
}

func atRows(m model.Matrix, unit, region []int32) []float64 {
	values := make([]float64, len(unit))
	for i, u := range unit {
		values[i] = m.At(int(u), int(region[i]))
	}
	return values
}

// Table refuses: what is folded is in no file.
func (f *folded) Table(string) (string, error) {
	return "", fmt.Errorf("experiment %q by name is in no file", f.header.Name)
}

// eachNested goes through the units, with the time in communication and all time
// of one, each with what is nested in a region. The slices are only good during
// the call.
func (d *Dataset) eachNested(visit func(unit int, communication, whole []float64)) error {
	if d.flat != nil {
		nested := model.Metric{Unit: "s", Scope: model.Inclusive, Missing: model.Zero}
		return d.flat.parent.eachNested(func(u int, communication, whole []float64) {
			row := func(values []float64) []float64 {
				return d.flat.fold(model.Matrix{Units: 1, Regions: len(values), Data: values}, nested).Data
			}
			visit(u, row(communication), row(whole))
		})
	}
	t, err := d.Times()
	if err != nil {
		return err
	}
	m, err := d.Matrix(t.Metric + "." + string(model.Exclusive))
	if err != nil {
		return err
	}
	row := func() model.Matrix { return model.NewMatrix(1, m.Regions, model.Zero) }
	communication, whole := row(), row()
	for u := range m.Units {
		copy(whole.Data, m.Row(u))
		for g, v := range m.Row(u) {
			if communication.Data[g] = 0; d.Communication[g] {
				communication.Data[g] = v
			}
		}
		whole.ToInclusive(d.Regions)
		communication.ToInclusive(d.Regions)
		visit(u, communication.Data, whole.Data)
	}
	return nil
}

// communicationTimes are the time in communication and all time, each with what
// is nested in a region.
func (d *Dataset) communicationTimes() (communication, whole model.Matrix, err error) {
	communication, whole = model.NewMatrix(len(d.Units), len(d.Regions), model.Zero), model.NewMatrix(len(d.Units), len(d.Regions), model.Zero)
	err = d.eachNested(func(u int, inside, all []float64) {
		copy(communication.Row(u), inside)
		copy(whole.Row(u), all)
	})
	return communication, whole, err
}

// usefulTime is the time outside communication, or inside, by unit and region.
func (d *Dataset) usefulTime(inside bool) (model.Matrix, error) {
	if d.flat != nil {
		m, err := d.flat.parent.usefulTime(inside)
		if err != nil {
			return m, err
		}
		return d.flat.fold(m, model.Metric{Unit: "s", Scope: model.Exclusive, Missing: model.Zero}), nil
	}
	t, err := d.Times()
	if err != nil {
		return model.Matrix{}, err
	}
	m, err := d.Matrix(t.Metric + "." + string(model.Exclusive))
	if err != nil {
		return m, err
	}
	m = m.Clone()
	for u := range m.Units {
		row := m.Row(u)
		for g := range row {
			if d.Communication[g] != inside {
				row[g] = 0
			}
		}
	}
	return m, nil
}

// tellingShare is the share of the run from which a region is worth a line.
const tellingShare = 0.05

// SplitByPaths tells whether the calling contexts split a function that takes
// 5 % of the run so far that no path of it is the heaviest, or none takes 5 %:
// then names say more.
func (d *Dataset) SplitByPaths() (bool, error) {
	if d.flat != nil {
		return false, nil
	}
	shares, err := d.mainShares()
	if err != nil || len(shares) == 0 {
		return false, nil // without times or counts names say nothing more
	}
	byName := map[string]float64{}
	path := 0
	names := FlatNames(d.Regions)
	for r, name := range names {
		byName[name] += shares[r]
		if shares[r] > shares[path] {
			path = r
		}
	}
	if len(byName) == len(d.Regions) {
		return false, nil
	}
	heaviest := names[path]
	for name, share := range byName {
		if share > byName[heaviest] || share == byName[heaviest] && name < heaviest {
			heaviest = name
		}
	}
	if byName[heaviest] < tellingShare {
		return false, nil
	}
	return shares[path] < tellingShare || byName[names[path]] < byName[heaviest], nil
}

// mainShares are the regions' parts of the main metric.
func (d *Dataset) mainShares() ([]float64, error) {
	if _, err := d.TimeMetric(); err == nil {
		return d.RegionShares()
	}
	_, own, whole, err := d.counted()
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(d.Regions))
	for r := range shares {
		shares[r] = float64(Ratio(own.Sums[r], whole*float64(len(d.Units))))
	}
	return shares, nil
}

// The ways to look at regions.
const (
	Paths = "path" // a region is a call path
	Names = "name" // a region is a function, whoever calls it
)

// By gives the dataset by path or by name. Without a word it is by name where
// paths tell too little; the note says so.
func (d *Dataset) By(word string) (by *Dataset, note string, err error) {
	switch word {
	case Paths:
		return d, "", nil
	case Names:
		by, err = d.ByName()
		return by, "", err
	case "":
		split, err := d.SplitByPaths()
		if err != nil || !split {
			return d, "", err
		}
		by, err = d.ByName()
		return by, byNameNote + "; --by path shows the paths", err
	}
	return nil, "", fmt.Errorf("regions are by %s or by %s, not by %q", Paths, Names, word)
}

// ByAll gives several datasets by path or by name, all in one way. Without a word
// they are by name where the paths of one of them tell too little; the note says so.
func ByAll(all []*Dataset, word string) (by []*Dataset, note string, err error) {
	for _, d := range all {
		if word != "" {
			break
		}
		if _, note, err = d.By(""); err != nil {
			return nil, "", err
		}
		if note != "" {
			word = Names
		}
	}
	for _, d := range all {
		if word == Names {
			if d, err = d.ByName(); err != nil {
				return nil, "", err
			}
		} else if word != "" && word != Paths {
			_, _, err = d.By(word)
			return nil, "", err
		}
		by = append(by, d)
	}
	return by, note, nil
}

// ByWord says how the dataset's regions are to be read.
func (d *Dataset) ByWord() string {
	if d.flat != nil {
		return Names
	}
	return Paths
}

// shares gives the share of the run that a region's own time takes, by path;
// missing where there is no time.
func (d *Dataset) shares() func(path string) Real {
	of := map[string]Real{}
	if shares, err := d.RegionShares(); err == nil {
		for r, path := range d.Paths {
			of[path] = Real(shares[r])
		}
	}
	return func(path string) Real {
		if share, known := of[path]; known {
			return share
		}
		return Missing
	}
}

// RegionShares is the exclusive time of every region as a share of the run: its
// mean over units over the run time.
func (d *Dataset) RegionShares() ([]float64, error) {
	t, err := d.Times()
	if err != nil {
		return nil, err
	}
	spent, err := d.spentTimes(t)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(d.Regions))
	whole := t.Runtime * float64(len(d.Units))
	for r := range shares {
		shares[r] = float64(Ratio(spent.sums[r], whole))
	}
	return shares, nil
}
