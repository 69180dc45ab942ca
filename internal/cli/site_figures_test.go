package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"auspex/internal/testclickhouse"
	"auspex/model"
	"auspex/site"
)

// TestSiteFigures pushes $AUSPEX_SITE_PUSHES experiments of $AUSPEX_SITE_VALUES
// values and tells how fast that is, and how long the commands take that ask
// about all of them.
func TestSiteFigures(t *testing.T) {
	pushes, _ := strconv.Atoi(os.Getenv("AUSPEX_SITE_PUSHES"))
	values, _ := strconv.Atoi(os.Getenv("AUSPEX_SITE_VALUES"))
	if pushes == 0 || values == 0 {
		t.Skip("set AUSPEX_SITE_PUSHES and AUSPEX_SITE_VALUES; scripts/site does")
	}
	server := testclickhouse.Start(t)
	if _, err := server.SQL("CREATE DATABASE auspex"); err != nil {
		t.Fatal(err)
	}
	place := site.Scheme + server.Host + "/auspex"
	s, err := site.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	total := 0
	var pushing time.Duration
	for from := 0; from < pushes; from += pushBatch {
		var items []site.Item
		for i := from; i < min(from+pushBatch, pushes); i++ {
			items = append(items, site.Item{Experiment: bulk(i, values)})
		}
		start := time.Now()
		done, err := s.Push(t.Context(), items)
		if err != nil {
			t.Fatal(err)
		}
		pushing += time.Since(start)
		for _, p := range done {
			total += p.Values
		}
	}
	rate := float64(total) / pushing.Seconds()
	t.Logf("%d experiments, %d values: pushed in %.1f s, %.0f values/s; with making them %.1f s", pushes, total, pushing.Seconds(), rate, time.Since(begin).Seconds())
	if rate < 500_000 {
		t.Errorf("%.0f values/s, below 500,000", rate)
	}
	for _, c := range []struct {
		most float64
		args []string
	}{
		{0.5, []string{"ls"}},
		{2, []string{"site", "query", "(time_share is high) AND (imbalance is high) LIMIT 100", "--days", "36500"}},
		{2, []string{"site", "query", "wtime is very high WHERE region ~ '*r1*' ORDER BY wtime LIMIT 100", "--days", "36500"}},
		{2, []string{"site", "query", "lost_share is high", "--program", "bulk7", "--days", "36500"}},
		{2, []string{"query", "bulk-77", "wtime is high BY unit"}},
		{2, []string{"site", "history", "bulk0", "main/r3"}},
		{2, []string{"site", "lost", "--days", "36500"}},
	} {
		for _, again := range []string{"first", "again"} {
			start := time.Now()
			text := said(append(c.args, "--json", "--store", place)...)
			took := time.Since(start).Seconds()
			t.Logf("%.3f s (%s): auspex %s", took, again, strings.Join(c.args, " "))
			text, ok := strings.CutSuffix(text, "[status 0]")
			if !ok || !json.Valid([]byte(text)) {
				t.Fatalf("%.1000s", text)
			}
			if took > c.most && again == "again" {
				t.Errorf("auspex %s takes %.3f s, more than %g", strings.Join(c.args, " "), took, c.most)
			}
		}
	}
}

// bulk makes an experiment of so many values: 10 metrics, 20 regions.
func bulk(i, values int) *model.Experiment {
	const metrics, regions = 10, 20
	e := &model.Experiment{Header: model.Header{Name: fmt.Sprint("bulk-", i), Program: fmt.Sprint("bulk", i%20), Created: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Minute), Format: "csv", Runs: 1}}
	for m := range metrics {
		e.Metrics = append(e.Metrics, model.Metric{Name: fmt.Sprint("m", m), Scope: model.Exclusive})
	}
	e.Metrics[0] = model.Metric{Name: "wtime", Unit: "s", Scope: model.Exclusive}
	e.Regions = append(e.Regions, model.Region{Name: "main", Kind: "function", Parent: model.NoParent})
	for r := 1; r < regions; r++ {
		e.Regions = append(e.Regions, model.Region{Name: fmt.Sprint("r", r), Kind: "function", Parent: 0})
	}
	random := rand.New(rand.NewPCG(uint64(i), 1))
	e.Summaries.Values = make([][]float64, metrics)
	for u := range max(1, values/metrics/regions) {
		e.Units = append(e.Units, model.Unit{Node: fmt.Sprint("n", u/8), Process: u})
		for r := range regions {
			e.Summaries.Unit, e.Summaries.Region = append(e.Summaries.Unit, int32(u)), append(e.Summaries.Region, int32(r))
			for m := range metrics {
				e.Summaries.Values[m] = append(e.Summaries.Values[m], random.Float64()*float64(r+1))
			}
		}
	}
	e.UnitCount, e.RegionCount, e.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	return e
}
