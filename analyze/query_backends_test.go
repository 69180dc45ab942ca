package analyze

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"auspex/fuzzy"
	"auspex/internal/testclickhouse"
	"auspex/model"
	"auspex/perfql"
	"auspex/site"
	"auspex/store"
)

// TestBackEndsAnswerAlike stores random experiments in files and pushes them to a
// site, asks random queries of both, and holds the answers equal row by row, in the
// order in which DuckDB and ClickHouse give them; without LIMIT also what is
// computed in memory. It asks 40 queries, or as many as $AUSPEX_QUERIES says, of
// the seeds from $AUSPEX_SEED on.
func TestBackEndsAnswerAlike(t *testing.T) {
	queries, err := strconv.Atoi(os.Getenv("AUSPEX_QUERIES"))
	if err != nil {
		queries = 40
	}
	seed, _ := strconv.ParseUint(os.Getenv("AUSPEX_SEED"), 10, 64)
	server := testclickhouse.Start(t)
	if _, err := server.SQL("CREATE DATABASE auspex"); err != nil {
		t.Fatal(err)
	}
	remote, err := site.Open(site.Scheme + server.Host + "/auspex")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for ; queries > 0; seed++ {
		random := rand.New(rand.NewPCG(seed, 2100))
		b := backEnds{random: random, counts: counts, seed: seed}
		b.store(t, remote)
		for range min(queries, 10) {
			b.compare(t)
			queries--
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%v", counts)
	if counts["rows"] < counts["queries"] || counts["empty"] > counts["queries"] {
		t.Errorf("the queries find too little to compare: %v", counts)
	}
}

// backEnds has one random experiment in files and at a site.
type backEnds struct {
	random      *rand.Rand
	counts      map[string]int
	seed        uint64
	here, there *Dataset
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// store draws an experiment. Its values are few and sums of them exact, so that
// there are many ties and the order in which they are added does not matter.
func (b *backEnds) store(t *testing.T, remote *site.Site) {
	t.Helper()
	e := b.draw(t)
	local := store.Open(t.TempDir())
	if err := local.Put(e, false); err != nil {
		t.Fatal(err)
	}
	if _, err := remote.Push(t.Context(), []site.Item{{Experiment: e}}); err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		from *store.Store
		into **Dataset
	}{{local, &b.here}, {store.OpenRemote(remote), &b.there}} {
		stored, err := d.from.Get(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if *d.into, err = Open(stored); err != nil {
			t.Fatal(err)
		}
	}
}

var regionNames = []string{"main", "solve", "MPI_Wait", "mpi_send", "Größe", "a'b", "r[1]", "x*y", "loop@12", `back\slash`, `"quoted"`, "SOLVE", "{x:String}", "std::map<int, a>"}

func (b *backEnds) draw(t *testing.T) *model.Experiment {
	t.Helper()
	r := b.random
	m := model.NewBuilder()
	scope := pick(r, model.Exclusive, model.Exclusive, model.Exclusive, model.Exclusive, model.Inclusive)
	metrics := []int{
		m.Metric(model.NewMetric(model.WallTime, "TIME", scope)), m.Metric(model.NewMetric(model.L2Misses, "PAPI_L2_TCM", model.Exclusive)),
		m.Metric(model.Metric{Name: "calls", Scope: model.Own}), m.Metric(model.Metric{Name: "hit ratio", Unit: "ratio", Missing: model.Absent}),
	}
	for i := range 1 + r.IntN(14) {
		parent := model.NoParent
		if i > 0 {
			parent = r.IntN(i+1) - 1
		}
		name := pick(r, regionNames...)
		m.Region(model.Region{Name: name, Parent: min(parent, m.RegionCount()-1), Kind: pick(r, model.Function, model.Loop, model.MPI)})
	}
	for p := range 1 + r.IntN(5) {
		for thread := range 1 + r.IntN(2) {
			u := m.Unit(model.Unit{Node: pick(r, "n1", "n2", ""), Process: p, Thread: thread})
			for region := range m.RegionCount() {
				if r.IntN(5) == 0 {
					continue // never entered
				}
				for i, metric := range metrics {
					if i > 0 && r.IntN(6) == 0 {
						continue // missing
					}
					v := pick(r, 0, 0.125, 0.5, 1, 2, 2.5, 3, 4, 6, 9, 40)
					if i == 1 {
						v = pick(r, v, 1000*v, 1e6*v, -v)
					}
					m.Set(u, region, metric, v)
				}
			}
			m.Set(u, 0, metrics[0], pick(r, 1.0, 2, 50))
		}
	}
	e, err := m.Build(model.Header{Name: fmt.Sprint("random-", b.seed), Program: "random"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var (
	wordPhrases  = []string{"high", "low", "medium", "not low", "very high", "somewhat high", "more or less low", "high or low", "extremely high", "not very high", "above medium", "below medium"}
	shapePhrases = []string{"S(0, 5)", "Z(1, 4)", "not Z(1, 40)", "very triangle(0, 2, 6)", "slightly S(0, 3)", "above trapezoid(0, 1, 2, 5)", "Pi(2, 2)@5 or singleton(3)", "linear(0, 9) and not very S(2, 8)",
		"gaussian(1, 0.5)", "S(0, 1)", "linear(-1, 1)", "points(0 0, 1 1, 3 0.5, 10 1)", "singleton(2)", "S(1e3, 1e7)"}
	builtIns = []string{"wtime", "wtime", "time_share", "time_share", "imbalance", "imbalance", "lost", "lost", "lost_share", "lost_share", "mpi_share", "wtime.inc", "imbalance.inc"}
	metrics  = []string{"l2_misses", "calls", `"hit ratio"`, "l2_misses/wtime", "wtime/calls", "calls - wtime", "l2_misses/(calls - 3)", `"hit ratio"*2 + calls`, "PAPI_L2_TCM", "TIME/imbalance"}
)

func (b *backEnds) condition(depth int) string {
	r := b.random
	switch kind := r.IntN(6); {
	case depth == 0 || kind < 3:
		if r.IntN(2) == 0 {
			return pick(r, builtIns...) + " is " + pick(r, pick(r, wordPhrases...), pick(r, shapePhrases...))
		}
		return pick(r, pick(r, builtIns...), pick(r, metrics...)) + " is " + pick(r, shapePhrases...)
	case kind < 4:
		return "NOT (" + b.condition(depth-1) + ")"
	case kind < 5:
		return "(" + b.condition(depth-1) + ") AND (" + b.condition(depth-1) + ")"
	}
	return "(" + b.condition(depth-1) + ") OR (" + b.condition(depth-1) + ")"
}

func (b *backEnds) filter(depth int) string {
	r := b.random
	if depth > 0 && r.IntN(3) == 0 {
		return pick(r, "", "NOT ") + "(" + b.filter(depth-1) + pick(r, " AND ", " OR ") + b.filter(depth-1) + ")"
	}
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	return pick(r,
		"region "+pick(r, "=", "!=")+" "+quoted(pick(r, regionNames...)), "region ~ "+quoted(pick(r, "*o*", "MPI_*", "*mpi*", "main*", "?????", "*[a-m]", "*[!e]", "main/*/*", "*ß*", "*'*", `*\**`, "[*", "*")),
		"region IN "+quoted(pick(r, regionNames...))+", "+quoted(pick(r, regionNames...)), "kind "+pick(r, "= mpi", "!= function", "IN loop, mpi"), "node = n1", "node ~ 'N?'", "node != n2",
		"process IN 0..1", "process < 2", "process >= 1", "thread = 0", "process NOT IN 1, 3", "thread != 0")
}

func (b *backEnds) text() string {
	r := b.random
	text := b.condition(2)
	if r.IntN(2) == 0 {
		text += " WHERE " + b.filter(2)
	}
	text += " BY " + pick(r, "region", "region", "unit", "summary")
	text += pick(r, "", "", " WITH DEGREE > 0.25", " WITH DEGREE >= 0.5", " WITH DEGREE >= 0", " WITH DEGREE >= 1")
	if r.IntN(3) > 0 {
		var keys []string
		for range 1 + r.IntN(3) {
			keys = append(keys, pick(r, "degree", "region", "unit", pick(r, builtIns...), pick(r, metrics...))+pick(r, "", " ASC", " DESC"))
		}
		text += " ORDER BY " + strings.Join(keys, ", ")
	}
	return text
}

// compare draws a query and asks it twice, with LIMIT and without.
func (b *backEnds) compare(t *testing.T) {
	t.Helper()
	words := ShippedWords()
	compensatory, err := fuzzy.Compensatory(0.5)
	if err != nil {
		t.Fatal(err)
	}
	logics := []fuzzy.Logic{fuzzy.Minimum, fuzzy.Minimum, fuzzy.Product, compensatory}
	words.Logic = pick(b.random, logics...)
	for { // until its words have a meaning in the experiment
		text := b.text()
		if _, _, _, err := b.ask(text, words, b.here, false); err != nil {
			b.counts["meaningless"]++
			if b.counts["meaningless"] > 100*(1+b.counts["queries"]) {
				t.Fatalf("%s: %v", text, err)
			}
			continue
		}
		b.counts["queries"]++
		b.hold(t, text, words)
		b.hold(t, fmt.Sprintf("%s LIMIT %d", text, 1+b.random.IntN(5)), words)
		return
	}
}

// ask gives an answer as it comes, tree tells whether it was computed in memory
// because the site has no such column.
func (b *backEnds) ask(text string, words Words, d *Dataset, inMemory bool) (rows []perfql.Row, q *perfql.Query, tree bool, err error) {
	if q, err = perfql.Parse(text); err != nil {
		return nil, nil, false, err
	}
	s := &search{query: q, words: words, engine: sharedEngine, here: func(*Dataset) bool { return inMemory }}
	source := &querySource{d: d, runtime: func() (float64, error) { return d.runtime(context.Background(), s.engine) }}
	source.time, _ = d.TimeMetric()
	bound, err := perfql.Bind(q, words.Vocabulary, words.Logic, source.experiment())
	if err != nil {
		return nil, q, false, err
	}
	rows, err = s.answer(context.Background(), source, bound)
	return rows, q, source.needsTree(bound.Columns()), err
}

func (b *backEnds) hold(t *testing.T, text string, words Words) {
	t.Helper()
	want, q, tree, err := b.ask(text, words, b.here, false)
	if err != nil {
		t.Fatalf("seed %d, DuckDB: %s: %v", b.seed, text, err)
	}
	got, _, _, err := b.ask(text, words, b.there, false)
	if err != nil {
		t.Fatalf("seed %d, ClickHouse: %s: %v", b.seed, text, err)
	}
	b.counts["rows"] += len(want)
	if len(want) == 0 {
		b.counts["empty"]++
	}
	if tree { // the site's values, ordered here as those of several experiments are
		b.counts["over the tree"]++
		if q.Limit > 0 {
			return
		}
		got, want = ranked(q, got), ranked(q, want)
	}
	b.alike(t, "ClickHouse", text, q, got, want)
	if q.Limit > 0 {
		return // of ties at the end, memory keeps the first by name and SQL the first by number
	}
	memory, _, _, err := b.ask(text, words, b.here, true)
	if err != nil {
		t.Fatalf("seed %d, in memory: %s: %v", b.seed, text, err)
	}
	b.alike(t, "memory", text, q, ranked(q, memory), ranked(q, want))
}

func ranked(q *perfql.Query, rows []perfql.Row) []perfql.Row {
	all := perfql.Ranking{Query: q}
	all.Add(rows...)
	return all.Rows()
}

// alike holds two answers equal, row by row. Where they differ, a number must that
// decides the order, or about a row, by its last digits only: exponentials and
// powers are not the same to the bit in all engines.
func (b *backEnds) alike(t *testing.T, who, text string, q *perfql.Query, got, want []perfql.Row) {
	t.Helper()
	limit := q.Threshold().Value
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			rest := append(append([]perfql.Row{}, got[min(i, len(got)):]...), want[min(i, len(want)):]...)
			for _, row := range rest {
				if !closeTo(row.Degree, limit) {
					t.Errorf("seed %d: %s\n%s gives %d rows, DuckDB %d; one of them is %+v", b.seed, text, who, len(got), len(want), show(row))
					return
				}
			}
			b.counts["decided by rounding"]++
			return
		case got[i].RegionID != want[i].RegionID || got[i].UnitID != want[i].UnitID:
			if !rounding(q, got[i], want[i]) && !closeTo(got[i].Degree, limit) && !closeTo(want[i].Degree, limit) {
				t.Errorf("seed %d: %s\nrow %d: %s gives %s, DuckDB %s", b.seed, text, i, who, show(got[i]), show(want[i]))
			} else {
				b.counts["decided by rounding"]++
			}
			return
		}
		if !sameRow(got[i], want[i]) {
			t.Errorf("seed %d: %s\nrow %d: %s gives %s, DuckDB %s", b.seed, text, i, who, show(got[i]), show(want[i]))
			return
		}
	}
}

func closeTo(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a))
}

// rounding tells whether the order of two rows hangs on the last digits of a
// number.
func rounding(q *perfql.Query, a, b perfql.Row) bool {
	numbers := func(r perfql.Row) (all []float64) {
		for i, k := range q.Order {
			switch k.By {
			case "degree":
				all = append(all, r.Degree)
			case "":
				all = append(all, r.Keys[i])
			default:
				all = append(all, math.NaN())
			}
		}
		if len(q.Order) == 0 {
			all = append(all, r.Degree)
		}
		return all
	}
	x, y := numbers(a), numbers(b)
	for i := range x {
		if !closeTo(x[i], y[i]) {
			return false
		}
		if x[i] != y[i] && !math.IsNaN(x[i]) {
			return true
		}
	}
	return false
}

func sameRow(a, b perfql.Row) bool {
	if !closeTo(a.Degree, b.Degree) || (a.Region == nil) != (b.Region == nil) || (a.Unit == nil) != (b.Unit == nil) ||
		a.Region != nil && a.Region.Path != b.Region.Path || a.Unit != nil && *a.Unit != *b.Unit {
		return false
	}
	for i := range a.Values {
		if !closeTo(a.Values[i], b.Values[i]) {
			return false
		}
	}
	return len(a.Values) == len(b.Values)
}

func show(r perfql.Row) string {
	var b strings.Builder
	if r.Region != nil {
		fmt.Fprintf(&b, "%s ", r.Region.Path)
	}
	if r.Unit != nil {
		fmt.Fprintf(&b, "%+v ", *r.Unit)
	}
	fmt.Fprintf(&b, "degree %v, keys %v,", r.Degree, r.Keys)
	for i, s := range r.Shown {
		fmt.Fprintf(&b, " %s %v", s.Text, r.Values[i])
	}
	return b.String()
}
