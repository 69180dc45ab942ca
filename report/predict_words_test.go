package report

import (
	"testing"

	"auspex/predict"
)

func TestFillPredictionWords(t *testing.T) {
	row := func(np int, platform string, s float64) predict.Prediction {
		return predict.Prediction{NP: np, Opt: "2", Platform: platform, Predicted: s}
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
