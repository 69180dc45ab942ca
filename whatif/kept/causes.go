package kept

import (
	"context"
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze/diagnose"
	"auspex/events"
	"auspex/waits"
	"auspex/whatif"
)

// gainsNothing is the share of the run below which a replay gains nothing.
const gainsNothing = 0.002

// replayCauses replays the run without each cause that a diagnosis found: only
// what gains something is a cause. Where the trace does not tell why the run took as
// long as it did, where ranks pause, of which it does not tell the regions, where
// one hands out work, or where threads of a rank differ, which it replays as one, its
// replay judges nothing.
func replayCauses(ctx context.Context, c *whatif.Case, found *diagnose.Diagnosis) []*float64 {
	if !c.Explained() || c.Pauses() || c.HandsOut() || found.Level == diagnose.Threads {
		return nil
	}
	gains := make([]*float64, len(found.Causes))
	for i := range found.Causes {
		region := found.Causes[i].Region
		if _, rest, ok := strings.Cut(region, "/"); ok {
			region = rest // a trace's paths begin inside the program
		}
		answer, err := c.Price(ctx, []whatif.Change{{Kind: whatif.Balance, Region: region + "/"}})
		if err != nil {
			continue // the trace knows other regions
		}
		gain := max(answer.Gain, 0)
		gains[i] = &gain
	}
	return gains
}

// Waited tells whether communication and waiting cost a part of a run that is worth a
// word: only then its trace is asked which of the two it is, and for what.
func Waited(found *diagnose.Diagnosis) bool {
	share := 0.0
	for _, line := range found.Ledger {
		if line.Kind == account.Communication || line.Kind == account.Waiting {
			share += line.Share
		}
	}
	return share >= account.Trouble
}

// wholeOf is what shares of a diagnosis are shares of: units × run time, though a trace
// holds one thread of each rank.
func wholeOf(found *diagnose.Diagnosis, ranks int, seconds float64) float64 {
	if found.Counts {
		return float64(ranks) * seconds
	}
	return float64(found.Ledgered) * float64(found.Runtime)
}

// waitsOf sums waits up by what they were for, as shares of the whole.
func waitsOf(report *waits.Report, whole float64) *diagnose.Waits {
	w := &diagnose.Waits{Share: report.Waited / whole, NoCore: report.NoCore / whole}
	type cause struct {
		seconds float64
		ranks   []int
	}
	causes := map[string]*cause{}
	for _, row := range report.Rows {
		if row.Pattern == waits.WrongOrder {
			w.WrongOrder += row.Seconds / whole
		}
		for _, c := range row.Causes {
			if _, ok := events.WithoutCore(c.Region); ok {
				w.NoCore += c.Seconds / whole
				continue
			}
			of := causes[c.Region]
			if of == nil {
				of = &cause{}
				causes[c.Region] = of
			}
			of.seconds += c.Seconds
			for _, rank := range c.Late() {
				if !slices.Contains(of.ranks, rank) {
					of.ranks = append(of.ranks, rank)
				}
			}
		}
	}
	for region, of := range causes {
		if of.seconds > report.Waited/2 {
			w.Region, w.Ranks = region, of.ranks
		}
	}
	return w
}
