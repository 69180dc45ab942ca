package launch

import (
	"testing"

	"auspex/instrument"
)

// Functions without probes are named as such: the rest of their file has some.
func TestLeftAlone(t *testing.T) {
	unparsed := func(name string) *instrument.Candidate {
		return &instrument.Candidate{Name: name, Why: "not parsed: line 3"}
	}
	list := []*instrument.Candidate{{Name: "whole", Possible: true, Chosen: true}, unparsed("a"), {Name: "pure", Why: "PURE"}}
	for _, want := range []string{"a (not parsed: line 3)", "a (not parsed: line 3) and 1 more function", "a (not parsed: line 3) and 2 more functions"} {
		n, first := leftAlone(list)
		if got := first + andMore(n-1); got != want {
			t.Errorf("%q, not %q", got, want)
		}
		list = append(list, unparsed("b"))
	}
}
