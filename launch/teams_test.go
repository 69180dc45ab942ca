package launch

import (
	"path/filepath"
	"slices"
	"testing"

	"auspex/model"
)

// libgomp ends its workers and makes new ones when a team has another size than the
// one before and after each team inside another: they share a few records. A team
// that is opened inside another stands below it, whichever thread opened it.
func TestTeamsInTeams(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"teams.c": `#include <omp.h>
static volatile double sink;
static void work(int n)
{
    double x = 0;
    for (int i = 0; i < n; i++)
        x += i * 0.5;
    sink = x;
}
int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int k = 0; k < 40; k++) {
#pragma omp parallel num_threads(3)
        {
            work(1000);
#pragma omp parallel num_threads(2)
            work(1000);
        }
#pragma omp parallel num_threads(1 + k % 4)
        work(1000);
    }
    return 0;
}
`})
	exe := filepath.Join(dir, "teams")
	mustCompile(t, "gcc", "-O1", "-fopenmp", filepath.Join(dir, "teams.c"), "-o", exe)
	r, _ := measure(t, exe)
	e := r.Experiment
	// At most six threads live at once; a few more records may be needed while those
	// that end are not free yet.
	if r.Status != 0 || len(e.Units) > 60 {
		t.Fatalf("status %d, %d units", r.Status, len(e.Units))
	}
	column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == "calls" })
	calls, paths := map[string]float64{}, model.Paths(e.Regions)
	for row := range e.Summaries.Rows() {
		calls[paths[e.Summaries.Region[row]]] += e.Summaries.Values[column][row]
	}
	for path, want := range map[string]float64{
		"OpenMP parallel@main#0":                                       120,
		"OpenMP parallel@main#0/OpenMP barrier":                        120,
		"OpenMP parallel@main#0/OpenMP parallel@main#1":                240,
		"OpenMP parallel@main#0/OpenMP parallel@main#1/OpenMP barrier": 240,
		"OpenMP parallel@main#2":                                       100,
	} {
		if got := calls["teams/main/loop@14/"+path]; got != want {
			t.Errorf("%s: %g calls, want %g", path, got, want)
		}
	}
	if t.Failed() {
		t.Log(calls)
	}
}
