package input

import "auspex/model"

// SetSizeFactors records how many processes took part, and threads of the one that had
// most.
func SetSizeFactors(e *model.Experiment) {
	if over, averaged := e.Factor(model.AveragedOver); !averaged {
		e.SetFactor(model.NumberFactor("ranks", float64(Processes(e))))
	} else if over.Numeric { // one unit stands for all of them
		e.SetFactor(model.NumberFactor("ranks", over.Number))
	}
	most, threads := 1, map[int]int{}
	for _, u := range e.Units {
		threads[u.Process]++
		most = max(most, threads[u.Process])
	}
	if most > 1 {
		e.SetFactor(model.NumberFactor("threads", float64(most)))
	}
}

// Processes counts the processes that an experiment's units belong to.
func Processes(e *model.Experiment) int {
	seen := map[int]bool{}
	for _, u := range e.Units {
		seen[u.Process] = true
	}
	return len(seen)
}
