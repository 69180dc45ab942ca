package scaling

import (
	"slices"

	"auspex/account"
	"auspex/analyze"
)

// Smallest is the reference: the run on the smallest number of processes, or the
// mean of those on it, so that the answer does not depend on which is named first.
func (s *Scaling) Smallest() Run { return s.on(s.Runs[0].Count) }

// Largest is the run on the largest number, or the mean of those on it.
func (s *Scaling) Largest() Run {
	r := s.on(s.Runs[len(s.Runs)-1].Count)
	s.rateRun(&r, s.Smallest())
	return r
}

// on is the mean of the runs on a number of processes.
func (s *Scaling) on(count int) Run {
	var runs []Run
	for _, r := range s.Runs {
		if r.Count == count {
			runs = append(runs, r)
		}
	}
	mean := runs[0]
	if len(runs) == 1 {
		return mean
	}
	n := float64(len(runs))
	average := func(of func(*Run) *analyze.Real) {
		sum := analyze.Real(0)
		for i := range runs {
			sum += *of(&runs[i]) // missing in one is missing
		}
		*of(&mean) = sum / analyze.Real(n)
	}
	for _, of := range []func(*Run) *analyze.Real{
		func(r *Run) *analyze.Real { return &r.RunSeconds },
		func(r *Run) *analyze.Real { return &r.Parallel },
		func(r *Run) *analyze.Real { return &r.LoadBalance },
		func(r *Run) *analyze.Real { return &r.Communication },
		func(r *Run) *analyze.Real { return &r.Serialization },
		func(r *Run) *analyze.Real { return &r.Transfer },
		func(r *Run) *analyze.Real { return &r.StartEnd },
	} {
		average(of)
	}
	for _, of := range []func(*Run) *float64{
		func(r *Run) *float64 { return &r.useful },
		func(r *Run) *float64 { return &r.cpu },
		func(r *Run) *float64 { return &r.instructions },
		func(r *Run) *float64 { return &r.cycles },
	} {
		sum := 0.0
		for i := range runs {
			sum += *of(&runs[i])
		}
		*of(&mean) = sum / n
	}
	mean.regions, mean.busiest, mean.kinds = map[string]float64{}, map[string]float64{}, map[string]account.Class{}
	for _, r := range runs {
		for name, seconds := range r.regions {
			mean.regions[name] += seconds / n
			mean.busiest[name] += r.busiest[name] / n
			mean.kinds[name] = r.kinds[name]
		}
	}
	return mean
}

// noteFactors tells of what else differs between the runs: a number that grows with
// the processes is the problem's size where the work grows, and nothing else may be.
func (s *Scaling) noteFactors(sets map[string]*analyze.Dataset) {
	var given []*analyze.Dataset
	for _, r := range s.Runs {
		given = append(given, sets[r.Name])
	}
	for _, name := range analyze.VaryingFactors(given) {
		f := Factor{Name: name}
		counts, grows := true, true
		for i, d := range given {
			value := d.FactorValue(name)
			f.Values = append(f.Values, value)
			number, ok := value.(float64)
			r := s.Runs[i]
			counts = counts && ok && slices.Contains([]int{r.Ranks, r.Threads, r.Ranks * r.Threads}, int(number))
			if before, is := f.Values[max(0, i-1)].(float64); i > 0 && r.Count > s.Runs[i-1].Count {
				grows = grows && ok && is && number > before
			}
		}
		if counts || grows && s.Kind == Weak {
			continue
		}
		s.Factors = append(s.Factors, f)
		s.Uncertain = true
	}
}
