package input

import "auspex/model"

// SetSizeFactors records how many processes and threads took part.
func SetSizeFactors(e *model.Experiment) {
	ranks := Processes(e)
	e.SetFactor(model.NumberFactor("ranks", float64(ranks)))
	if threads := (len(e.Units) + ranks - 1) / ranks; threads > 1 {
		e.SetFactor(model.NumberFactor("threads", float64(threads)))
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
