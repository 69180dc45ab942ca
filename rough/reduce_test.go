package rough

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Table 1 of "Debugging SPMD programs", words replaced by numbers.
var weather = Table{
	Attributes: []string{"a1", "a2", "a3", "a4"},
	Rows: []Row{
		{0, []int{0, 0, 0, 0}, 0}, // sunny hot high false: N
		{1, []int{0, 0, 0, 1}, 0}, // sunny hot high true: N
		{2, []int{1, 0, 0, 0}, 1}, // overcast hot high false: P
		{3, []int{0, 1, 1, 0}, 1}, // sunny cool low false: P
	},
}

// Table 2: the Geo-ST program. Attributes are L1 miss rate, L2 miss rate, disk,
// network, instructions.
var geoST = Table{
	Attributes: []string{"a1", "a2", "a3", "a4", "a5"},
	Rows: []Row{
		{0, []int{0, 0, 0, 0, 0}, 0},
		{1, []int{0, 0, 0, 0, 1}, 1},
		{2, []int{0, 0, 0, 0, 1}, 1},
		{3, []int{1, 0, 0, 0, 2}, 2},
		{4, []int{0, 1, 0, 0, 3}, 3},
		{5, []int{1, 1, 0, 1, 4}, 4},
	},
}

func reduce(t interface {
	Helper()
	Fatal(...any)
}, table Table) *Result {
	t.Helper()
	r, err := Reduce(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPaperTables(t *testing.T) {
	for _, c := range []struct {
		name    string
		table   Table
		core    []int
		reducts [][]int
	}{
		{"table 1", weather, []int{0}, [][]int{{0, 1}, {0, 2}}},
		{"table 2", geoST, []int{4}, [][]int{{4}}},
	} {
		r := reduce(t, c.table)
		if !slices.Equal(r.Core, c.core) || !reflect.DeepEqual(r.Reducts, c.reducts) {
			t.Errorf("%s: core %v, reducts %v, want %v and %v", c.name, r.Core, r.Reducts, c.core, c.reducts)
		}
		if !r.Complete || !r.Exact || !slices.Equal(r.Chosen, c.reducts[0]) || r.InexplicablePairs != 0 {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// Figure 2: the matrix of table 1.
func TestPaperMatrix(t *testing.T) {
	classes, err := Collapse(weather)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMatrix(classes)
	if err != nil {
		t.Fatal(err)
	}
	same := Entry{Same: true}
	want := [4][4]Entry{
		{same, same, {Attributes: SetOf(0)}, {Attributes: SetOf(1, 2)}},
		{same, same, {Attributes: SetOf(0, 3)}, {Attributes: SetOf(1, 2, 3)}},
		{{Attributes: SetOf(0)}, {Attributes: SetOf(0, 3)}, same, same},
		{{Attributes: SetOf(1, 2)}, {Attributes: SetOf(1, 2, 3)}, same, same},
	}
	for i := range want {
		for j := range want[i] {
			if got := m.At(i, j); got != want[i][j] {
				t.Errorf("entry %d,%d is %+v, want %+v", i, j, got, want[i][j])
			}
		}
	}
	if occ := reduce(t, weather).Occurrences; !slices.Equal(occ, []int64{2, 2, 2, 2}) {
		t.Errorf("occurrences %v, want 2 each", occ)
	}
}

// Of two reducts of equal length the one that occurs more often is chosen,
// counting rows and not only distinct ones: against row 0 the others differ in
// {0}, {1,2}, {0,1} and twice {0,2}, so 1 occurs twice and 2 three times.
func TestChoiceByOccurrence(t *testing.T) {
	r := reduce(t, Table{Attributes: []string{"a1", "a2", "a3"}, Rows: []Row{
		{0, []int{0, 0, 0}, 0},
		{1, []int{1, 0, 0}, 1},
		{2, []int{0, 1, 1}, 1},
		{3, []int{1, 1, 0}, 1},
		{4, []int{1, 0, 1}, 1},
		{5, []int{1, 0, 1}, 1},
	}})
	if !reflect.DeepEqual(r.Reducts, [][]int{{0, 2}, {0, 1}}) || !slices.Equal(r.Occurrences, []int64{4, 2, 3}) {
		t.Errorf("reducts %v, occurrences %v", r.Reducts, r.Occurrences)
	}
}

func TestInexplicable(t *testing.T) {
	r := reduce(t, Table{Attributes: []string{"a"}, Rows: []Row{
		{10, []int{1}, 0}, {11, []int{1}, 0}, {12, []int{1}, 1}, {13, []int{2}, 2}, {14, []int{1}, 3},
	}})
	want := []Pair{{10, 12}, {10, 14}, {12, 14}}
	if !slices.Equal(r.Inexplicable, want) || r.InexplicablePairs != 3 {
		t.Errorf("inexplicable %v (%d), want %v", r.Inexplicable, r.InexplicablePairs, want)
	}
	if !slices.Equal(r.Chosen, []int{0}) {
		t.Errorf("chosen %v: the attribute still tells row 13 from the others", r.Chosen)
	}
}

func TestNothingToExplain(t *testing.T) {
	for name, table := range map[string]Table{
		"no rows":       {Attributes: []string{"a"}},
		"one decision":  {Attributes: []string{"a"}, Rows: []Row{{0, []int{1}, 7}, {1, []int{2}, 7}}},
		"no attributes": {Rows: []Row{{0, nil, 0}, {1, nil, 1}}},
	} {
		r := reduce(t, table)
		if len(r.Chosen) != 0 || len(r.Core) != 0 || !r.Exact || len(r.Reducts) != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestRefuses(t *testing.T) {
	if _, err := Reduce(t.Context(), Table{Attributes: make([]string, MaxAttributes+1)}); err == nil {
		t.Error("too many attributes accepted")
	}
	if _, err := Reduce(t.Context(), Table{Attributes: []string{"a"}, Rows: []Row{{0, []int{1, 2}, 0}}}); err == nil {
		t.Error("ragged row accepted")
	}
	if _, err := NewMatrix(make([]Class, MatrixLimit+1)); err == nil {
		t.Error("huge matrix accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Reduce(ctx, geoST); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
}

func randomTable(t *rapid.T, rows, attributes int) Table {
	values := rapid.IntRange(2, 4).Draw(t, "values")
	decisions := rapid.IntRange(1, 4).Draw(t, "decisions")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	table := Table{Attributes: make([]string, attributes)}
	for r := range rows {
		row := Row{ID: 100 + r, Decision: rng.IntN(decisions)}
		for range attributes {
			row.Values = append(row.Values, rng.IntN(values))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// discerns tells whether s tells apart every two rows that can be told apart,
// by the definition.
func discerns(table Table, s Set) bool {
	for i, x := range table.Rows {
		for _, y := range table.Rows[:i] {
			differ, told := false, false
			for a := range x.Values {
				if x.Values[a] != y.Values[a] {
					differ = true
					told = told || s.Has(a)
				}
			}
			if x.Decision != y.Decision && differ && !told {
				return false
			}
		}
	}
	return true
}

// On small tables all subsets can be tried.
func TestReduceEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const attributes = 6
		table := randomTable(t, rapid.IntRange(0, 12).Draw(t, "rows"), attributes)
		var want [][]int
		core := SetOf(0, 1, 2, 3, 4, 5)
		for bits := range uint64(1 << attributes) {
			s := Set{bits}
			if !discerns(table, s) {
				continue
			}
			minimal := true
			for _, a := range s.Attributes() {
				minimal = minimal && !discerns(table, s.without(a))
			}
			if minimal {
				want = append(want, s.Attributes())
				core = core.minus(core.minus(s))
			}
		}
		r := reduce(t, table)
		byText := func(a, b []int) int { return slices.Compare(a, b) }
		got := slices.Clone(r.Reducts)
		slices.SortFunc(got, byText)
		slices.SortFunc(want, byText)
		if !reflect.DeepEqual(got, want) || !r.Complete {
			t.Fatalf("reducts %v, want %v", got, want)
		}
		if !slices.Equal(r.Core, core.Attributes()) {
			t.Fatalf("core %v, want %v", r.Core, core.Attributes())
		}
		for _, reduct := range want {
			if byRule(SetOf(r.Chosen...), SetOf(reduct...), r.Occurrences) > 0 {
				t.Fatalf("chosen %v though %v is better; occurrences %v", r.Chosen, reduct, r.Occurrences)
			}
		}

		// The ways for large tables must come to the same length and number.
		classes, _ := Collapse(table)
		clauses, _ := allClauses(context.Background(), classes)
		first, _ := shortest(context.Background(), clauses, r.Occurrences)
		second, _ := newIndex(classes, attributes).shortest(context.Background(), r.Occurrences)
		for _, s := range []Set{first, second} {
			if s.Len() != len(r.Chosen) || total(s, r.Occurrences) != total(SetOf(r.Chosen...), r.Occurrences) {
				t.Fatalf("search found %v, the disjunctive form %v", s.Attributes(), r.Chosen)
			}
		}
	})
}

// The matrix counts what occurrences counts without it.
func TestOccurrencesEqualMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, rapid.IntRange(0, 40).Draw(t, "rows"), 5)
		classes, _ := Collapse(table)
		m, err := NewMatrix(classes)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int64, 5)
		inexplicable := int64(0)
		for i := range classes {
			for j := range i {
				e := m.At(i, j)
				if e.Inexplicable {
					inexplicable++
				}
				for _, a := range e.Attributes.Attributes() {
					want[a] += int64(len(classes[i].IDs) * len(classes[j].IDs))
				}
			}
		}
		r := reduce(t, table)
		if !slices.Equal(r.Occurrences, want) || r.InexplicablePairs != inexplicable {
			t.Fatalf("occurrences %v, %d inexplicable; matrix %v, %d", r.Occurrences, r.InexplicablePairs, want, inexplicable)
		}
	})
}

// Whatever was found, by whichever way, is a reduct.
func checkReduct(t *testing.T, table Table, r *Result) {
	t.Helper()
	classes, _ := Collapse(table)
	in := newIndex(classes, len(table.Attributes))
	s := SetOf(r.Chosen...)
	if lost := in.lost(in.groups(s), 1); len(lost) > 0 {
		t.Errorf("%v loses a pair that differs in %v", r.Chosen, lost[0].Attributes())
	}
	for _, a := range r.Chosen {
		if len(in.lost(in.groups(s.without(a)), 1)) == 0 {
			t.Errorf("%v does not need %d", r.Chosen, a)
		}
	}
}

// Sixty attributes must not explode, and a planted short reduct must be found
// for what it is.
func TestSixtyAttributes(t *testing.T) {
	for _, c := range []struct {
		name                    string
		rows, values, decisions int
		planted                 int
		exact                   bool
	}{
		{"noise", 60, 3, 5, 0, false},
		{"planted pair", 300, 4, 0, 2, true},
		{"many rows", 5000, 4, 0, 2, true},
		{"binary noise", 200, 2, 10, 0, false},
	} {
		rng := rand.New(rand.NewPCG(6, 60))
		table := Table{Attributes: make([]string, 60)}
		for r := range c.rows {
			row := Row{ID: r}
			for range 60 {
				row.Values = append(row.Values, rng.IntN(c.values))
			}
			if c.planted > 0 {
				row.Decision = row.Values[17]*10 + row.Values[42]
			} else {
				row.Decision = rng.IntN(c.decisions)
			}
			table.Rows = append(table.Rows, row)
		}
		start := time.Now()
		r := reduce(t, table)
		t.Logf("%s: %v, %d distinct, chosen %v of %d, exact %v, complete %v", c.name, time.Since(start), r.Distinct, r.Chosen, len(r.Reducts), r.Exact, r.Complete)
		checkReduct(t, table, r)
		if c.exact && !r.Exact {
			t.Errorf("%s: not exact", c.name)
		}
		if c.planted > 0 && !slices.Equal(r.Chosen, []int{17, 42}) {
			t.Errorf("%s: chosen %v, want [17 42]", c.name, r.Chosen)
		}
	}
}

// A hundred thousand rows: few distinct, and all distinct.
func TestManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	few := Table{Attributes: make([]string, 6)}
	all := Table{Attributes: make([]string, 6)}
	for r := range 100_000 {
		kind := rng.IntN(5)
		few.Rows = append(few.Rows, Row{r, []int{kind, kind / 2, rng.IntN(2), 0, rng.IntN(3), kind % 2}, kind})
		all.Rows = append(all.Rows, Row{r, []int{r, kind, r / 2, rng.IntN(1000), 3, -r}, kind})
	}
	r := reduce(t, few)
	if !slices.Equal(r.Chosen, []int{0}) || !r.Exact || r.Distinct != 5*2*3 {
		t.Errorf("few distinct: chosen %v, exact %v, %d distinct", r.Chosen, r.Exact, r.Distinct)
	}
	// A reduct of one attribute is asked for; that each of 0, 1 and 5 is one
	// makes the number of pairs they tell apart decide, and they are equal.
	r = reduce(t, all)
	if len(r.Chosen) != 1 || !r.Exact || r.Distinct != 100_000 {
		t.Errorf("all distinct: chosen %v, exact %v, %d distinct", r.Chosen, r.Exact, r.Distinct)
	}
	checkReduct(t, all, r)
}

func BenchmarkReduce(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	table := Table{Attributes: make([]string, 6)}
	for r := range 100_000 {
		kind := rng.IntN(5)
		table.Rows = append(table.Rows, Row{r, []int{kind, kind / 2, rng.IntN(2), 0, rng.IntN(3), kind % 2}, kind})
	}
	for b.Loop() {
		if _, err := Reduce(b.Context(), table); err != nil {
			b.Fatal(err)
		}
	}
}
