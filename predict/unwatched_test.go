package predict

import (
	"maps"
	"slices"
	"testing"

	"auspex/instrument"
	"auspex/launch"
	"auspex/trace"
)

// computing is a trace whose ranks do nothing but compute, for so many ns each.
func computing(ns ...float64) *trace.Trace {
	t := &trace.Trace{Nanoseconds: true}
	for rank, v := range ns {
		b := trace.NewBuilder(rank)
		b.Add(&trace.Action{Kind: trace.Compute, Value: v})
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}

// A loop that was watched to its end is measured again without that, where watching
// it may have cost something.
func TestLoopsThatAreDearToWatch(t *testing.T) {
	p := &plan{cuts: []instrument.LoopCut{{Number: 0, Bound: true}, {Number: 1}, {Number: 2, Communicates: 1}, {Number: 3, Bound: true}}}
	for name, test := range map[string]struct {
		cuts []launch.LoopCut
		want []int
	}{
		"by its bound":                    {[]launch.LoopCut{{Loop: 0, Ran: 1000, Took: 5e8, Why: launch.Moving}}, []int{0}},
		"brief":                           {[]launch.LoopCut{{Loop: 0, Ran: 1000, Took: 5e6, Why: launch.TooShort}}, nil},
		"a question in short iterations":  {[]launch.LoopCut{{Loop: 1, Ran: 2e7, Took: 8e8, Why: launch.Moving}}, []int{1}},
		"a question in long iterations":   {[]launch.LoopCut{{Loop: 1, Ran: 2e4, Took: 8e8, Why: launch.Moving}}, nil},
		"marks in many turns":             {[]launch.LoopCut{{Loop: 2, Ran: 2e4, Took: 8e8, Why: launch.Otherwise}}, []int{2}},
		"cut short":                       {[]launch.LoopCut{{Loop: 0, Ran: 1000, Skipped: 5, Took: 5e8}}, nil},
		"cut short on another rank alone": {[]launch.LoopCut{{Loop: 0, Ran: 10, Skipped: 5, Took: 5e8}, {Rank: 1, Loop: 0, Ran: 15, Took: 5e8, Why: launch.Moving}}, []int{0}},
		"two that are dear together":      {[]launch.LoopCut{{Loop: 0, Ran: 9, Took: 6e6, Why: launch.TooShort}, {Loop: 3, Ran: 9, Took: 6e6, Why: launch.TooShort}}, []int{0, 3}},
	} {
		got := p.dear(&taken{CutTrace: &launch.CutTrace{Trace: computing(1e9, 1e9), Cuts: test.cuts}})
		if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, test.want) {
			t.Errorf("%s: %v, want %v", name, list, test.want)
		}
	}
	if rest := p.without(map[int]bool{0: true, 2: true}); len(rest.cuts) != 2 || rest.cut(0) != nil || rest.cut(3) == nil || len(p.cuts) != 4 {
		t.Errorf("%+v", rest.cuts)
	}
}

// What was seen of a loop that is then no longer watched counts as none that was cut.
func TestLoopsNoLongerWatched(t *testing.T) {
	seen := &taken{CutTrace: &launch.CutTrace{Trace: computing(1e9, 1e9), Cuts: []launch.LoopCut{
		{Loop: 0, Ran: 10, Skipped: 90, Added: 9e8, Spread: 1e8}, {Rank: 1, Loop: 0, Ran: 100, Why: launch.Moving}, {Loop: 1, Ran: 3, Skipped: 4}}}}
	p := &plan{loops: []LoopUse{{Method: Threshold, number: 0}}}
	p.record([]*taken{ranWhole(seen, map[int]bool{0: true})}, "2", 2)
	cuts := p.loops[0].Cuts
	if len(cuts) != 1 || cuts[0].Ran != 100 || cuts[0].Iterations != 100 || cuts[0].Added != 0 || cuts[0].Why == "" {
		t.Errorf("%+v", cuts)
	}
}

// A loop is told as cut short where a rank cut it, whatever became of it elsewhere.
func TestLoopCutOnSomeRanks(t *testing.T) {
	p := &plan{loops: []LoopUse{{Method: Threshold, number: 0}}}
	for _, cuts := range [][]launch.LoopCut{
		{{Loop: 0, Ran: 10, Skipped: 90, Added: 9e8}, {Rank: 1, Loop: 0, Ran: 100, Why: launch.Moving}},
		{{Rank: 1, Loop: 0, Ran: 100, Why: launch.Moving}, {Loop: 0, Ran: 10, Skipped: 90, Added: 9e8}},
	} {
		p.loops[0].Cuts = nil
		p.record([]*taken{{CutTrace: &launch.CutTrace{Trace: computing(1e9, 1e9), Cuts: cuts}}}, "2", 2)
		if c := p.loops[0].Cuts[0]; c.Why != "" || c.Ran != 10 || c.Iterations != 100 || c.Added != 0.9 {
			t.Errorf("%+v", c)
		}
	}
}
