package predict

import (
	"slices"

	"auspex/trace"
)

// script is what a rank does, one action after another.
type script []trace.Action

func scriptOf(t *trace.Trace, rank int) (s script) {
	c := t.Cursor(rank)
	for a := (trace.Action{}); c.Next(&a); a = (trace.Action{}) {
		a.Counts, a.Counts2 = slices.Clone(a.Counts), slices.Clone(a.Counts2)
		s = append(s, a)
	}
	return s
}

func (s script) program(rank int) trace.Program {
	b := trace.NewBuilder(rank)
	for i := range s {
		b.Add(&s[i])
	}
	return b.Program()
}

// isCall tells calls from computation, pauses and places in the source.
func isCall(a *trace.Action) bool {
	return a.Kind != trace.Compute && a.Kind != trace.Sleep && a.Kind != trace.Location
}

// call is the place of the first call from a place on, the script's end where there is
// none.
func (s script) call(from int) int {
	for from < len(s) && !isCall(&s[from]) {
		from++
	}
	return from
}

// callBefore is the place of the last call before a place, -1 where there is none.
func (s script) callBefore(at int) int {
	for at--; at >= 0 && !isCall(&s[at]); at-- {
	}
	return at
}

// takes is how long the rank computes and pauses there, in ns.
func (s script) takes(from, to int) (sum float64) {
	for i := range s[from:to] {
		switch a := &s[from+i]; a.Kind {
		case trace.Compute:
			sum += a.Value
		case trace.Sleep:
			sum += a.Value * 1e9
		}
	}
	return sum
}

// since is the place after the last call before one that may have waited for others.
func (s script) since(at int) int {
	for {
		before := s.callBefore(at)
		if before < 0 || s[before].Kind != trace.Send && s[before].Kind != trace.Isend {
			return before + 1
		}
		at = before
	}
}
