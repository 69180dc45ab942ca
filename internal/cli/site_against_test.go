package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/model"
	"auspex/site"
	"auspex/store"
)

// plantedRun is a run of a solver whose time scatters by three percent.
func plantedRun(name string, started time.Time, random *rand.Rand, slower float64) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: name, Program: "planted", Created: started, Format: "csv", Runs: 1,
		Metrics: []model.Metric{{Name: "wtime", Unit: "s", Scope: model.Exclusive}}}}
	e.Regions = []model.Region{{Name: "main", Kind: "function", Parent: model.NoParent}, {Name: "solve", Kind: "function", Parent: 0}, {Name: "MPI_Wait", Kind: "mpi", Parent: 1}}
	e.Summaries.Values = make([][]float64, 1)
	for u := range 4 {
		e.Units = append(e.Units, model.Unit{Node: fmt.Sprint("n", u/2), Process: u})
		for r, seconds := range []float64{1, 20 * slower, 2} {
			e.Summaries.Unit, e.Summaries.Region = append(e.Summaries.Unit, int32(u)), append(e.Summaries.Region, int32(r))
			e.Summaries.Values[0] = append(e.Summaries.Values[0], seconds*(1+0.03*random.NormFloat64()))
		}
	}
	e.UnitCount, e.RegionCount, e.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	return e
}

// testAgainst holds runs against last month's at a site: none of those that are
// as always breaks the contract, and all that became slower do. The runs are
// always the same.
func testAgainst(t *testing.T, place string) {
	s, err := site.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(8, 21))
	tonight := time.Date(2026, 5, 20, 3, 0, 0, 0, time.UTC)
	var items []site.Item
	for i := range 25 {
		items = append(items, site.Item{Experiment: plantedRun(fmt.Sprint("planted-", i), tonight.AddDate(0, 0, i-25), random, 1)})
	}
	for i := range 25 { // before the month it was twice as slow: that does not count
		items = append(items, site.Item{Experiment: plantedRun(fmt.Sprint("planted-old-", i), tonight.AddDate(0, -2, -i), random, 2.5)})
	}
	if _, err := s.Push(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	here := store.Open(dir)
	contract := filepath.Join(t.TempDir(), "contract.toml")
	if err := os.WriteFile(contract, []byte("[clause.time]\nregion = \"main/solve\"\nrequire = \"wtime IS NOT very high COMPARED WITH baseline\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(siteVariable, place)
	kept, broken := 0, 0
	const tries = 10
	for i := range tries {
		for name, slower := range map[string]float64{"even": 1, "slow": 2.5} {
			e := plantedRun(fmt.Sprint(name, i), tonight.Add(time.Duration(i)*time.Minute), random, slower)
			if err := here.Put(e, false); err != nil {
				t.Fatal(err)
			}
			text := said("check", e.Name, "--contract", contract, "--against", "site", "--store", dir)
			switch {
			case slower == 1 && strings.HasSuffix(text, "[status 0]"):
				kept++
			case slower > 1 && strings.HasSuffix(text, "[status 1]"):
				broken++
			default:
				t.Errorf("%s: %s", e.Name, text)
			}
		}
	}
	t.Logf("%d of %d runs as always keep the contract, %d of %d slower ones break it", kept, tries, broken, tries)
	text := said("site", "history", "planted", "solve", "--store", place)
	if !strings.Contains(text, "changed:") || !strings.Contains(text, "2026-04-25") {
		t.Errorf("the change of two months: %s", text)
	}
}
