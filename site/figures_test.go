package site

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"auspex/model"
)

// asked reads a count from the environment, 0 where there is none.
func asked(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

// TestMain lets this program be one that pushes and is killed.
func TestMain(m *testing.M) {
	if place := os.Getenv("AUSPEX_SITE_PUSHER"); place != "" {
		os.Exit(pusher(place, os.Getenv("AUSPEX_SITE_FIRST")))
	}
	os.Exit(m.Run())
}

// pusher pushes experiments one after the other until it is killed.
func pusher(place, first string) int {
	s, err := Open(place)
	if err != nil {
		return 1
	}
	for i := range 1000 {
		if _, err := s.Push(context.Background(), []Item{{run(fmt.Sprintf("killed-%s-%d", first, i), day, float64(i+1)), nil}}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// TestKilledPushes kills processes that push, $AUSPEX_SITE_KILLS times or five:
// all that is visible afterwards is whole.
func TestKilledPushes(t *testing.T) {
	tries := max(asked("AUSPEX_SITE_KILLS"), 5)
	s, server := started(t)
	if _, err := s.Push(t.Context(), nil); err != nil { // the tables
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range tries {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "AUSPEX_SITE_PUSHER="+s.text, "AUSPEX_SITE_FIRST="+strconv.Itoa(i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(250)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
	}
	torn, err := server.SQL(`SELECT name, r, u, v, k FROM (
		SELECT e.name AS name, (SELECT count() FROM auspex.regions) AS all, countIf(1) AS n, any(x.r) AS r, any(y.u) AS u, any(z.v) AS v, any(w.k) AS k
		FROM (SELECT * FROM auspex.experiments FINAL) AS e
		LEFT JOIN (SELECT push, count() AS r FROM auspex.regions GROUP BY push) AS x ON x.push = e.push
		LEFT JOIN (SELECT push, count() AS u FROM auspex.units GROUP BY push) AS y ON y.push = e.push
		LEFT JOIN (SELECT push, count() AS v FROM auspex.values GROUP BY push) AS z ON z.push = e.push
		LEFT JOIN (SELECT push, count() AS k FROM auspex.totals GROUP BY push) AS w ON w.push = e.push
		GROUP BY e.name) WHERE r != 3 OR u != 4 OR v != 24 OR k != 5`)
	if err != nil {
		t.Fatal(err)
	}
	if torn != "" {
		t.Errorf("visible and not whole:\n%s", torn)
	}
	counts, err := server.SQL("SELECT (SELECT count() FROM auspex.experiments FINAL), (SELECT uniqExact(push) FROM auspex.units)")
	t.Logf("%d processes killed; experiments visible and pushes begun: %s, %v", tries, strings.TrimSpace(counts), err)
}

// TestFigures pushes $AUSPEX_SITE_PUSHES experiments of $AUSPEX_SITE_VALUES
// values and tells how fast that, a listing and queries over all of them are.
func TestFigures(t *testing.T) {
	pushes, values := asked("AUSPEX_SITE_PUSHES"), max(asked("AUSPEX_SITE_VALUES"), 2000)
	if pushes == 0 {
		t.Skip("set AUSPEX_SITE_PUSHES and AUSPEX_SITE_VALUES; scripts/site does")
	}
	s, _ := started(t)
	begin := time.Now()
	total := 0
	var pushing time.Duration
	for from := 0; from < pushes; from += 100 {
		var items []Item
		for i := from; i < min(from+100, pushes); i++ {
			items = append(items, Item{bulk(i, values), nil})
			total += items[len(items)-1].Experiment.Summaries.Rows() * 10
		}
		start := time.Now()
		mustPush(t, s, items...)
		pushing += time.Since(start)
	}
	t.Logf("%d experiments, %d values: pushed in %.1f s (%.0f values/s); with making them %.1f s", pushes, total, pushing.Seconds(), float64(total)/pushing.Seconds(), time.Since(begin).Seconds())
	for range 2 {
		start := time.Now()
		headers, err := s.List()
		if err != nil || len(headers) != pushes {
			t.Fatalf("%d headers, %v", len(headers), err)
		}
		t.Logf("ls: %.3f s", time.Since(start).Seconds())
	}
	for range 2 {
		start := time.Now()
		parameters := map[string]string{}
		rows, err := s.Ask(t.Context(), "SELECT experiment, path, s0 / (seconds * units) AS share FROM "+s.Sums([]string{DefaultMetric}, "", day, parameters)+" WHERE share > 0.09 AND most0 * units / s0 > 1.5 ORDER BY share DESC LIMIT 100", parameters)
		if err != nil || !rows.Next() {
			t.Fatalf("no row, %v", err)
		}
		t.Logf("the relation of PERFQL over all: %.3f s", time.Since(start).Seconds())
	}
	for range 2 {
		start := time.Now()
		h, err := s.History(t.Context(), "bulk0", "main/r3", DefaultMetric, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("history of %d runs: %.3f s", len(h.Points), time.Since(start).Seconds())
	}
}

// bulk makes an experiment of so many values: 10 metrics, 20 regions.
func bulk(i, values int) *model.Experiment {
	const metrics, regions = 10, 20
	e := &model.Experiment{Header: model.Header{Name: fmt.Sprint("bulk-", i), Program: fmt.Sprint("bulk", i%20), Created: day.Add(time.Duration(i) * time.Minute), Format: "csv", Runs: 1}}
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
