package cli

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/analyze"
	"auspex/model"
	"auspex/simulate/loggp"
	"auspex/whatif"
)

// bound answers for an experiment that kept no trace, or none of its threads.
func (a *app) bound(t *traced, changes []whatif.Change, top int) error {
	if t.Seconds <= 0 {
		return fmt.Errorf("how long the run of %q took is not known: %s", t.name, cmp.Or(t.Data.Incomplete, "its profile has no time"))
	}
	p, all, first, err := profileOf(t)
	if err != nil {
		return err
	}
	waits, err := hiddenWaits(t)
	if err != nil {
		return err
	}
	b := whatif.NewBound(p, t.Seconds, waits, all)
	b.NoTrace = t.NoTrace
	b.First = first
	if b.Sparse, err = sparse(t.Data); err != nil {
		return err
	}
	if t.Others > 0 {
		b.Why = fmt.Sprintf("since the trace holds one thread and others did %.0f %% of the work", 100*t.Others)
	}
	if len(changes) == 0 {
		l, err := b.Opportunities()
		if err != nil {
			return err
		}
		l.Name = t.name
		l.Notes = append(l.Notes, t.Notes...)
		if a.json {
			return a.printJSON(l)
		}
		a.page().Opportunities(l, top)
		return nil
	}
	answer, err := b.Price(changes)
	if err != nil {
		return err
	}
	answer.Name = t.name
	answer.Notes = append(answer.Notes, t.Notes...)
	return a.tellPrice(t, answer)
}

// profileOf is the computation of an experiment by region and process: of the busiest
// thread of each, with what it paused, of all threads together, and of the first.
func profileOf(t *traced) (p *loggp.Profile, all, first [][]float64, err error) {
	d := t.Data
	metric, err := d.TimeMetric()
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := d.Matrix(metric + ".exc")
	if err != nil {
		return nil, nil, nil, err
	}
	computes := func(r int) bool { return !d.Communication[r] && d.Regions[r].Name != model.Blocked }
	processes := processesOf(d)
	busiest, most := make([]int, len(processes)), make([]float64, len(processes))
	for u, unit := range d.Units {
		sum := 0.0
		for r := range d.Regions {
			if v := m.At(u, r); v > 0 && computes(r) {
				sum += v
			}
		}
		if rank, _ := slices.BinarySearch(processes, unit.Process); sum > most[rank] {
			busiest[rank], most[rank] = u, sum
		}
	}
	p = &loggp.Profile{Pauses: make([]float64, len(processes))}
	for r := range d.Regions {
		if d.Communication[r] {
			continue
		}
		row, together, main := make([]float64, len(processes)), make([]float64, len(processes)), make([]float64, len(processes))
		for u, unit := range d.Units {
			rank, _ := slices.BinarySearch(processes, unit.Process)
			if together[rank] += m.At(u, r); u == busiest[rank] {
				row[rank] = m.At(u, r)
			}
			if unit.Thread == 0 {
				main[rank] = m.At(u, r)
			}
		}
		if !computes(r) {
			for rank, v := range row {
				p.Pauses[rank] += v
			}
			continue
		}
		p.Regions, p.Seconds = append(p.Regions, d.Paths[r]), append(p.Seconds, row)
		p.Counts, all = append(p.Counts, make([]int64, len(processes))), append(all, together)
		first = append(first, main)
	}
	return p, all, first, nil
}

// fewest samples of a region say something of its time: of eight, chance makes five to
// eleven two times in three.
const fewest = 8

// sparse are the regions that only samples know, and too few of them.
func sparse(d *analyze.Dataset) (map[string]bool, error) {
	const samples = model.Samples + "." + string(model.Exclusive)
	if !d.Has(samples) || !d.Has(model.Calls) {
		return nil, nil
	}
	taken, err := d.Matrix(samples)
	if err != nil {
		return nil, err
	}
	entered, err := d.Matrix(model.Calls)
	if err != nil {
		return nil, err
	}
	few := map[string]bool{}
	for r, path := range d.Paths {
		times, probed := 0.0, false
		for u := range d.Units {
			times += max(0, taken.At(u, r))
			probed = probed || entered.At(u, r) > 0
		}
		few[path] = !probed && times < fewest
	}
	return few, nil
}

// hiddenWaits is how long each process may have waited in what counts as its
// computation: while other threads of it communicate, its first one may wait for
// them under the name of a range, as in the backward pass of a training job.
func hiddenWaits(t *traced) ([]float64, error) {
	units, err := analyze.UnitTimes(t.Data)
	if err != nil {
		return nil, err
	}
	processes := processesOf(t.Data)
	waits := make([]float64, len(processes))
	for _, u := range units {
		if u.Thread != 0 {
			rank, _ := slices.BinarySearch(processes, u.Process)
			waits[rank] += float64(u.Communication)
		}
	}
	return waits, nil
}

// processesOf are the numbers of an experiment's processes, in order.
func processesOf(d *analyze.Dataset) []int {
	var processes []int
	for _, u := range d.Units {
		if !slices.Contains(processes, u.Process) {
			processes = append(processes, u.Process)
		}
	}
	slices.Sort(processes)
	return processes
}
