package whatif_test

import (
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestGainsInWords: that gains do not add up is said where they do not.
func TestGainsInWords(t *testing.T) {
	separate := programs(2, func(_ int, b *trace.Builder) {
		compute(b, "A", 3)
		b.Add(&trace.Action{Kind: trace.Barrier})
		compute(b, "B", 1)
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: separate})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		c          *whatif.Case
		said, kept string
	}{
		{c, "After it --faster B=2 would bring another 12.5 %.", "do not add up"},
		{uneven(t, 0), "Gains do not add up:", "another"},
	} {
		l, err := w.c.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(l.Words, w.said) || strings.Contains(l.Words, w.kept) {
			t.Errorf("%s", l.Words)
		}
	}
}

// TestSmallGain: a gain that runs would not show is called that, and none only
// where there is none.
func TestSmallGain(t *testing.T) {
	for _, c := range []struct{ flag, value, said string }{
		{"faster", "B=1.1", "it would take 3.909 s (3.718 s to 4.1 s), 2.3 % less, no more than runs vary."},
		{"faster", "A=2", "37.5 % less. Then"},
		{"balance", "B", ": no gain."},
		{"hosts", "speed=0.5x", "100.0 % more. Then"},
	} {
		ch, err := whatif.ParseChange(c.flag, c.value)
		if err != nil {
			t.Fatal(err)
		}
		a, err := uneven(t, 4).Price(t.Context(), []whatif.Change{ch})
		if err != nil || !strings.Contains(a.Words, c.said) {
			t.Errorf("%s: %s, %v", ch, a.Words, err)
		}
	}
}
