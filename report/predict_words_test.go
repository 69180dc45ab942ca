package report

import (
	"strings"
	"testing"

	"auspex/predict"
	"auspex/simulate"
)

func TestFillPredictionWords(t *testing.T) {
	row := func(np int, platform string, s float64) predict.Prediction {
		return predict.Prediction{NP: np, Opt: "2", Platform: platform, Predicted: s}
	}
	within := func(p predict.Prediction, low, high float64) predict.Prediction {
		p.Low, p.High = low, high
		return p
	}
	tests := []struct {
		name string
		best int
		rows []predict.Prediction
		want string
	}{
		{"one", 0, []predict.Prediction{row(1, "p/site1.xml", 0.0128)}, "The program takes 12.80 ms on site1 with 1 process at -O2."},
		{"two platforms", 2, []predict.Prediction{row(2, "a.xml", 3), row(2, "b.xml", 8), row(4, "a.xml", 2), row(4, "b.xml", 7)},
			"The program takes 2.000 s on a with 4 processes at -O2, the shortest of 4 predictions. On b it takes at best 7.000 s, 3.5 times as long (4 processes at -O2)."},
		{"intervals that overlap", 1, []predict.Prediction{within(row(2, "a.xml", 3), 2.1, 4), within(row(4, "a.xml", 2), 1.5, 2.5), within(row(8, "a.xml", 4), 3, 5)},
			"The program takes 2.000 s on a with 4 processes at -O2, the shortest of 3 predictions (its interval overlaps with 1 other)."},
		{"names that only folders tell apart", 1, []predict.Prediction{row(2, "x/net.xml", 3), row(2, "y/net.xml", 1.5)},
			"The program takes 1.500 s on y/net.xml with 2 processes at -O2, the shortest of 2 predictions. On x/net.xml it takes at best 3.000 s, 2.0 times as long (2 processes at -O2)."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &predict.Report{Best: test.best, Predictions: test.rows}
			FillPredictionWords(r)
			if r.Words != test.want {
				t.Errorf("%s\nwant %s", r.Words, test.want)
			}
		})
	}
}

// Why slowdown and gain are not known is said only where they are not, and as it is.
func TestWhySlowdownIsUnknown(t *testing.T) {
	one := 1.0
	for _, c := range []struct {
		measured, slowdown *float64
		want               string
	}{{nil, nil, "no run was timed"}, {&one, nil, "another speed"}, {&one, &one, ""}} {
		var b strings.Builder
		r := &predict.Report{Predictions: []predict.Prediction{{NP: 1, Opt: "2", Platform: "a.xml", Predicted: 1, Measured: c.measured, Slowdown: c.slowdown}}}
		(&Page{Out: &b, Width: 100}).Predictions(r)
		for _, words := range []string{"no run was timed", "another speed"} {
			if said := strings.Contains(b.String(), words); said != (words == c.want) {
				t.Errorf("measured %v, slowdown %v: %q is said: %v", c.measured != nil, c.slowdown != nil, words, said)
			}
		}
	}
}

// How a loop settled is drawn where one was cut short: the one with most that was
// reckoned, and from where on its mean was how near.
func TestSettlingIsDrawn(t *testing.T) {
	cut := func(added float64, why string) predict.Cut {
		return predict.Cut{NP: 2, Opt: "2", Ran: 16, Iterations: 100, Added: added, Why: why,
			Curve:  []predict.CurvePoint{{Iterations: 1, Seconds: 0.004}, {Iterations: 4, Seconds: 0.0022}, {Iterations: 16, Seconds: 0.002}},
			Levels: []predict.ErrorLevel{{Epsilon: 0.1, Iterations: 4}}}
	}
	for _, c := range []struct {
		name  string
		loops []predict.LoopUse
		want  string
	}{
		{"none", nil, ""},
		{"one that ran whole", []predict.LoopUse{{File: "a.c", Line: 3, Cuts: []predict.Cut{cut(1, "it was over")}}}, ""},
		{"the larger of two", []predict.LoopUse{{File: "a.c", Line: 3, Cuts: []predict.Cut{cut(1, "")}}, {File: "b.c", Line: 7, Cuts: []predict.Cut{cut(2, "")}}},
			"How the mean iteration of b.c:7 settled, 2 processes at -O2"},
	} {
		var b strings.Builder
		(&Page{Out: &b, Width: 100}).Predictions(&predict.Report{Loops: c.loops, Predictions: []predict.Prediction{{NP: 2, Opt: "2", Platform: "a.xml", Predicted: 1}}})
		if drawn := strings.Contains(b.String(), "How the mean iteration"); drawn != (c.want != "") || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %s", c.name, b.String())
		}
		if c.want != "" && !(strings.Contains(b.String(), "within 10 %") && strings.Contains(b.String(), "2.200 ms")) {
			t.Errorf("%s: %s", c.name, b.String())
		}
	}
}

// More processes that make it much slower are explained by what grew; what grows
// less, or in many parts, is not.
func TestPredictionCliffs(t *testing.T) {
	row := func(np int, s float64, busy float64, each simulate.RankTime) predict.Prediction {
		p := predict.Prediction{NP: np, Opt: "2", Platform: "site1.xml", Predicted: s, Ranks: []simulate.RankTime{each, each}}
		if busy > 0 {
			p.Busiest = &simulate.LinkUse{Name: "campus-0", Utilisation: busy}
		}
		return p
	}
	few := row(8, 0.084, 0.1, simulate.RankTime{Compute: 0.05, Recv: 0.03})
	for _, c := range []struct {
		name string
		more predict.Prediction
		want string
	}{
		{"a slow link", row(16, 1.43, 0.97, simulate.RankTime{Compute: 0.03, Recv: 1.3}),
			"With 16 processes instead of 8 at -O2 on site1 it takes 17.0 times as long, 1.430 s instead of 84.00 ms: a rank spends 1.270 s more receiving in the mean; the link campus-0 is in use for 97 % of the run."},
		{"slow hosts", row(16, 0.5, 0.1, simulate.RankTime{Compute: 0.45, Recv: 0.04}),
			"With 16 processes instead of 8 at -O2 on site1 it takes 6.0 times as long, 500.0 ms instead of 84.00 ms: a rank spends 400.0 ms more computing in the mean."},
		{"nothing in particular", row(16, 0.5, 0, simulate.RankTime{Compute: 0.15, Send: 0.12, Recv: 0.11, Wait: 0.1}),
			"With 16 processes instead of 8 at -O2 on site1 it takes 6.0 times as long, 500.0 ms instead of 84.00 ms."},
		{"no cliff", row(16, 0.16, 0.9, simulate.RankTime{Recv: 0.16}), ""},
	} {
		r := &predict.Report{Predictions: []predict.Prediction{few, c.more}}
		if got := strings.Join(cliffs(r), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
