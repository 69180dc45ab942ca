package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"auspex/model"
	"auspex/waits"
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

// The directory that all sources have in common is left off the names of calls, and no
// more than that.
func TestWithoutDirectory(t *testing.T) {
	short := withoutDirectory(&waits.Report{
		Rows:         []waits.Row{{Region: "/home/a/src/io/main.c:3/MPI_Recv", Causes: []waits.Cause{{Region: "main/loop@2"}}}},
		CriticalPath: []waits.OnPath{{Region: "/home/a/src/main.c:3/MPI_Recv/<no core>"}},
	})
	for path, want := range map[string]string{
		"/home/a/src/io/main.c:3/MPI_Recv":        "io/main.c:3/MPI_Recv",
		"/home/a/src/main.c:3/MPI_Recv/<no core>": "main.c:3/MPI_Recv/<no core>",
		"main/loop@2": "main/loop@2",
	} {
		if got := short(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
