package analyze

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"auspex/expr"
	"auspex/internal/sample"
	"auspex/model"
	"auspex/perfql"
	"auspex/store"
)

// sharedEngine serves all tests: it holds no data.
var sharedEngine = sync.OnceValues(func() (*store.Engine, error) { return store.NewEngine(context.Background()) })

func ask(t testing.TB, text string, datasets ...*Dataset) *Answer {
	t.Helper()
	answer, err := tryAsking(t, text, datasets...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// tryAsking asks in memory and in the database, which must agree.
func tryAsking(t testing.TB, text string, datasets ...*Dataset) (*Answer, error) {
	t.Helper()
	q, err := perfql.Parse(text)
	if err != nil {
		return nil, err
	}
	var answers [2]*Answer
	for i, here := range []bool{true, false} {
		s := &search{query: q, words: ShippedWords(), engine: sharedEngine, here: func(*Dataset) bool { return here }}
		if answers[i], err = s.run(context.Background(), searched(datasets...)); err != nil {
			return nil, err
		}
	}
	sameAnswer(t, text, answers[0], answers[1])
	return answers[0], nil
}

func sameAnswer(t testing.TB, text string, here, there *Answer) {
	t.Helper()
	key := func(a Answered) string { return fmt.Sprint(a.Experiment, " ", a.regionText(), " ", a.Unit) }
	rows := map[string]Answered{}
	for _, row := range there.Rows {
		rows[key(row)] = row
	}
	if len(here.Rows) != len(there.Rows) || len(rows) != len(there.Rows) {
		t.Errorf("%s: %d rows in memory, %d in the database", text, len(here.Rows), len(there.Rows))
		return
	}
	for _, row := range here.Rows {
		other, ok := rows[key(row)]
		same := func(a, b Real) bool {
			return a.IsMissing() && b.IsMissing() || math.Abs(float64(a-b)) <= 1e-9*max(1, math.Abs(float64(a)))
		}
		if !ok || !same(row.Degree, other.Degree) || row.Node != other.Node {
			t.Errorf("%s: %+v in memory, %+v in the database", text, row, other)
		}
		for name, v := range row.Metrics {
			if !same(v, other.Metrics[name]) {
				t.Errorf("%s: %s of %s is %v in memory, %v in the database", text, name, key(row), v, other.Metrics[name])
			}
		}
	}
}

func (a Answered) regionText() string {
	if a.Region == nil {
		return ""
	}
	return *a.Region
}

// searched opens nothing: the datasets are open.
func searched(datasets ...*Dataset) []Searched {
	var all []Searched
	for _, d := range datasets {
		all = append(all, func() (*Dataset, error) { return d, nil })
	}
	return all
}

// agree compares what the query engine and Rows compute.
func agree(t interface{ Fatalf(string, ...any) }, dir testing.TB, d *Dataset, metric string, by By) {
	node, err := expr.Parse(metric)
	if err != nil {
		t.Fatalf("%v", err)
	}
	rows, err := d.Rows(by)
	if err != nil {
		t.Fatalf("%v", err)
	}
	want, err := rows.Eval(node)
	if err != nil {
		t.Fatalf("%v", err)
	}
	answer := ask(dir, fmt.Sprintf("(%s is not singleton(-1)) BY %s", metric, by), d)
	got := map[string]float64{}
	for _, row := range answer.Rows {
		key := fmt.Sprint(row.Unit)
		if row.Region != nil {
			key = *row.Region + " " + key
		}
		got[key] = float64(row.Metrics[metric])
	}
	for i, w := range want {
		key := fmt.Sprint(nil)
		if rows.Unit != nil {
			key = fmt.Sprint(unitValue(d.Units[rows.Unit[i]]))
		}
		if rows.Region != nil {
			key = d.Paths[rows.Region[i]] + " " + key
		}
		if math.IsNaN(w) || w == -1 {
			continue
		}
		g, there := got[key]
		if !there && w == 0 {
			continue // no unit entered it: the query has no row for it
		}
		if !(math.Abs(g-w) <= 1e-9*(1+math.Abs(w))) {
			t.Fatalf("%s by %s of %s: the query says %v (%v), rows %v\n%s", metric, by, key, g, there, w, answer.SQL)
		}
	}
}

// The query engine and Rows compute the same numbers, for stored metrics, the
// other scope, and the built-in ones.
func TestQueryAgreesWithRows(t *testing.T) {
	t.Parallel()
	dir := t
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.SampledFrom([]model.Scope{model.Exclusive, model.Inclusive}).Draw(t, "scope")
		d := dataset(dir, sample.Random(t, scope))
		metric := rapid.SampledFrom([]string{
			"wtime", "wtime.inc", "wtime.exc", "PAPI_L2_TCM", "hit_ratio", "time_share", "time_share.inc", "imbalance", "mpi_share", "lost", "lost_share", "l2_misses/wtime",
		}).Draw(t, "metric")
		agree(t, dir, d, metric, rapid.SampledFrom([]By{ByRegion, ByUnit, BySummary}).Draw(t, "by"))
	})
}

func TestQueryAgreesWithRowsOnRealData(t *testing.T) {
	for _, path := range []string{"tau-gromacs-scaling/16.ppk", "tau-mpas-128-papi/mpas.ppk"} {
		d := realData(t, path)
		for _, metric := range []string{"wtime", "time_share", "time_share.inc", "imbalance", "mpi_share", "lost_share", "calls/wtime"} {
			for _, by := range []By{ByRegion, ByUnit, BySummary} {
				agree(t, t, d, metric, by)
			}
		}
	}
}

// Without a time metric there are no built-in metrics, but trees all the same.
func TestQueryWithoutTime(t *testing.T) {
	for _, scope := range []model.Scope{model.Exclusive, model.Inclusive} {
		b := model.NewBuilder()
		m := b.Metric(model.NewMetric(model.Instructions, "", scope))
		root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
		child := b.Region(model.Region{Name: "solve", Parent: root})
		u := b.Unit(model.Unit{})
		b.Set(u, root, m, 15)
		b.Set(u, child, m, 10)
		e, err := b.Build(model.Header{Name: "counted"})
		if err != nil {
			t.Fatal(err)
		}
		d := dataset(t, e)
		for _, metric := range []string{"instructions", "instructions.inc", "instructions.exc"} {
			for _, by := range []By{ByRegion, ByUnit, BySummary} {
				agree(t, t, d, metric, by)
			}
		}
		if _, err := tryAsking(t, "(imbalance is high)", d); err == nil {
			t.Error("an imbalance without times")
		}
	}
}

// Of some units the share of all says nothing; that nothing has a value is told.
func TestQueryOfSomeUnitsAndOfNothing(t *testing.T) {
	d := scored(t, 1)
	all, some := ask(t, "wtime is linear(-1, 1000)", d), ask(t, "wtime is linear(-1, 1000) WHERE process = 0", d)
	if all.Rows[0].Share.IsMissing() || !some.Rows[0].Share.IsMissing() {
		t.Errorf("%v of all, %v of some", all.Rows[0].Share, some.Rows[0].Share)
	}
	for text, notes := range map[string]int{"wtime/0 is S(0, 1)": 1, "wtime is S(1e6, 1e7)": 0} {
		q, err := perfql.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := Query(t.Context(), sharedEngine, q, ShippedWords(), searched(d))
		if err != nil || len(answer.Rows) > 0 || len(answer.Warnings) != notes {
			t.Errorf("%s: %+v, %v", text, answer, err)
		}
	}
}
