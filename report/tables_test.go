package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"auspex/model"
)

// A listing shows the factors that tell its experiments apart, not those that
// all share, that few have, or that take a line to say.
func TestFactorsThatTell(t *testing.T) {
	var headers []model.Header
	for i, ranks := range []string{"2", "4", "8"} {
		h := model.Header{Factors: []model.Factor{
			model.NewFactor("ranks", ranks),
			model.NewFactor("machine", "here"),
			model.NewFactor("release", strings.Repeat("x", 30+i)),
		}}
		if i == 0 {
			h.Factors = append(h.Factors, model.NewFactor("seed", "1"))
		}
		headers = append(headers, h)
	}
	got := slices.Sorted(maps.Keys(tellingFactors(headers)))
	if !slices.Equal(got, []string{"ranks"}) {
		t.Errorf("got %v", got)
	}
}
