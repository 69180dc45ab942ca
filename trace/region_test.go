package trace

import (
	"slices"
	"testing"
)

// TestRegions: computation is of the region that is told for it; a line of a file is that of
// the call after it, and where nothing is told the call itself names it.
func TestRegions(t *testing.T) {
	compute, send := Action{Kind: Compute, Value: 1}, Action{Kind: Send, Type: Byte, Peer: 0, Count: 1}
	place := func(file string, line int32) Action { return Action{Kind: Location, File: file, Tag: line} }
	for _, c := range []struct {
		name    string
		actions []Action
		want    []string // of computation
		calls   bool
	}{
		{"regions, and lines of calls", []Action{place("main/solve", 0), compute, place("a.c", 7), send, place("main/solve", 0), compute}, []string{"main/solve", "main/solve"}, false},
		{"SMPI's lines", []Action{place("a.c", 7), compute, place("a.c", 7), send, place("a.c", 9), compute, place("a.c", 9), send}, []string{"before a.c:7", "before a.c:9"}, false},
		{"after a call, and nothing told", []Action{place("a.c", 7), send, compute}, []string{"a.c:7"}, false},
		{"before all that is told", []Action{compute, place("a.c", 7), send}, []string{"program"}, false},
		{"nothing told", []Action{compute, send, compute}, []string{"before send", "at the end"}, true},
	} {
		b := NewBuilder(0)
		for i := range c.actions {
			b.Add(&c.actions[i])
		}
		tr := &Trace{Programs: []Program{b.Program()}}
		table := NewRegions(tr)
		var got []string
		var a Action
		for at := table.Walk(tr, 0); ; {
			region, ok := at.Next(&a)
			if !ok {
				break
			}
			if a.Kind == Compute {
				got = append(got, table.Names[region])
			}
		}
		if !slices.Equal(got, c.want) || tr.NamedByCalls() != c.calls {
			t.Errorf("%s: %q, by calls %v", c.name, got, tr.NamedByCalls())
		}
	}
}
