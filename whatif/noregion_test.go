package whatif

import (
	"slices"
	"strings"
	"testing"

	"auspex/trace"
)

// TestNoRegion: computation whose region is not told is nothing to be made faster, and
// it is said how much that is where it is much.
func TestNoRegion(t *testing.T) {
	for _, c := range []struct {
		without float64 // seconds
		want    string
	}{
		{2, "the trace tells the regions of a rank's first million events: 67 % of the computation came after them, and changes of regions do not reach it"},
		{0.005, ""},
		{0, ""},
	} {
		tr := &trace.Trace{Name: "long", Nanoseconds: true}
		for rank := range 2 {
			b := trace.NewBuilder(rank)
			for _, part := range []struct {
				region  string
				seconds float64
			}{{"solve", 1 + float64(rank)/10}, {trace.NoRegion, c.without * (1 + float64(rank)/10)}} {
				if part.seconds > 0 {
					b.Add(&trace.Action{Kind: trace.Location, File: part.region})
					b.Add(&trace.Action{Kind: trace.Compute, Value: 1e9 * part.seconds})
				}
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
			tr.Programs = append(tr.Programs, b.Program())
		}
		of, err := New(t.Context(), Setup{Trace: tr, Network: SharedMemory()})
		if err != nil {
			t.Fatal(err)
		}
		l, err := of.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range l.Opportunities {
			if o.Region == trace.NoRegion || strings.Contains(o.Words, trace.NoRegion) {
				t.Errorf("%s is an opportunity", o.Words)
			}
		}
		if !slices.ContainsFunc(l.Opportunities, func(o Opportunity) bool { return o.Region == "solve" }) {
			t.Errorf("nothing is to be won of solve: %+v", l.Opportunities)
		}
		if got := slices.Contains(l.Notes, c.want); got != (c.want != "") {
			t.Errorf("%g s without: %q", c.without, l.Notes)
		}
		a, err := of.Price(t.Context(), []Change{{Kind: Faster, Region: "solve", Factor: 2}})
		if err != nil || strings.Contains(a.Words, trace.NoRegion) || slices.Contains(a.Notes, c.want) != (c.want != "") {
			t.Errorf("%v, %v, %q", err, a.Words, a.Notes)
		}
	}
}
