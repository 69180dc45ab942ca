package predict

import (
	"strings"
	"testing"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// TestNoteCores: that parallel regions take longer is said where their host has fewer
// cores than they have work for, and that nobody knows how many it has where that counts.
func TestNoteCores(t *testing.T) {
	for _, c := range []struct {
		work  float64 // cores that a computation has work for
		there int
		own   bool
		want  string
	}{
		{4, 1, false, "work for 4 cores, and its host on p has 1"},
		{4, 2, false, "has 2: they take longer"},
		{4, 4, false, ""},
		{0, 1, false, ""},
		{4, 1, true, "was not measured"},
		{0, 1, true, ""},
	} {
		b := trace.NewBuilder(0)
		b.Add(&trace.Action{Kind: trace.Compute, Value: 1e6, Cores: c.work})
		p := &Platform{Name: "p", Platform: &platform.Platform{Hosts: []platform.Host{{Speed: 1e9, Cores: c.there}}}, Options: simulate.Options{OwnCores: c.own}}
		w := &workshop{noted: map[string]bool{}}
		w.noteCores(p, &trace.Trace{Programs: []trace.Program{b.Program()}}, []int{0})
		said := strings.Join(w.notes, "\n")
		if (c.want == "") != (said == "") || !strings.Contains(said, c.want) {
			t.Errorf("%+v: %q", c, said)
		}
	}
}
