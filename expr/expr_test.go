package expr

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePrints(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"L2_TCM/L2_TCA", "L2_TCM/L2_TCA"},
		{"a+b*c", "a + b*c"},
		{"(a+b)*c", "(a + b)*c"},
		{"a-(b-c)", "a - (b - c)"},
		{"(a-b)-c", "a - b - c"},
		{"a/(b/c)", "a/(b/c)"},
		{"a/b/c", "a/b/c"},
		{"((a))", "a"},
		{"-a*b", "-a*b"},
		{"-(a*b)", "-(a*b)"},
		{"a--b", "a - -b"},
		{"--a", "--a"},
		{"1e6*x", "1e+06*x"},
		{".5 + 0.25", "0.5 + 0.25"},
		{"wtime.inc/sum#time.duration", "wtime.inc/sum#time.duration"},
		{"a:b%c", "a:b%c"},
		{`"L2 misses (PAPI)"/"a\"b\\c"`, `"L2 misses (PAPI)"/"a\"b\\c"`},
		{`"plain"`, "plain"},
		{`"is" + "Order"`, `"is" + "Order"`},
		{"zeit_für_größe", "zeit_für_größe"},
		{" a\n/\tb ", "a/b"},
	} {
		n, err := Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if got := n.String(); got != c.want {
			t.Errorf("Parse(%q) prints %q, want %q", c.in, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("(", 60000)
	for _, c := range []struct {
		in     string
		offset int
		want   string
	}{
		{"", 0, "expected a metric, a number or (, found the end"},
		{"a +", 3, "found the end"},
		{"a b", 2, "unexpected b"},
		{"(a", 2, "expected ), found the end"},
		{"a)", 1, "unexpected )"},
		{"a $ b", 2, "unexpected character '$'"},
		{"3dpic", 0, "cannot begin with a digit"},
		{`a/"b`, 2, "never closed"},
		{`a/""`, 2, "empty name"},
		{`"a\n"`, 2, "unknown escape"},
		{"a/is", 2, `written "is"`},
		{"1e999", 0, "out of range"},
		{"a.", 1, "unexpected character '.'"},
		{"'text'", 0, "found 'text'"},
		{"a\xff", 1, "unexpected character"},
		{deep, MaxDepth + 1, "nested more than"},
		{strings.Repeat("-", 60000) + "1", MaxDepth + 1, "nested more than"},
		{"a" + strings.Repeat("+a", 1000), 2*MaxDepth - 1, "operators in one chain"},
		{strings.Repeat(" ", MaxLength) + "a", 0, "bytes long"},
		{strings.Repeat("(", 1e6), 0, "bytes long"},
	} {
		_, err := Parse(c.in)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%.20q) = %v, want an *Error", c.in, err)
			continue
		}
		if e.Offset != c.offset || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%.20q): offset %d, %v; want %d, %q", c.in, e.Offset, e, c.offset, c.want)
		}
	}
}

func TestCaret(t *testing.T) {
	_, err := Parse("größe +\n a $ b")
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	want := "line 2, column 4: unexpected character '$'; put unusual names in double quotes\n   a $ b\n     ^"
	if got := e.Caret(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	long := &Error{Source: strings.Repeat("x", 500) + "!" + strings.Repeat("y", 500), Offset: 500, Message: "m"}
	lines := strings.Split(long.Caret(), "\n")
	shown, caret := []rune(lines[1]), []rune(lines[2])
	if shown[len(caret)-1] != '!' {
		t.Errorf("the caret misses its place:\n%s", long.Caret())
	}
}

func TestCursorStopsAtForeignToken(t *testing.T) {
	c, err := NewCursor("L2_TCM/L2_TCA IS high")
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.Expr()
	if err != nil || n.String() != "L2_TCM/L2_TCA" {
		t.Fatal(n, err)
	}
	if !c.AcceptWord("is") || c.Peek().Text != "high" || c.Peek().Pos != 17 {
		t.Errorf("stopped before %+v", c.Peek())
	}
	if c.Next(); c.End() != nil || c.Next().Kind != EOF || c.PeekAt(9).Kind != EOF {
		t.Error("the end was not found")
	}
}

func TestTokens(t *testing.T) {
	toks, err := tokens("process IN 0..7 'it''s' >= a..b")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range toks {
		got = append(got, k.Text)
	}
	want := []string{"process", "IN", "0", "..", "7", "it's", ">=", "a", "..", "b", ""}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	n, err := Parse("(b + a)/b - 2*c")
	if err != nil {
		t.Fatal(err)
	}
	if got := Names(n); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("Names = %v", got)
	}
}

func TestEval(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cols := map[string][]float64{
		"a": {6, 1, 0, nan, 1e308, inf, 5},
		"b": {3, 0, 0, 2, 0.25, 2, inf},
	}
	column := func(name string) ([]float64, error) {
		if c, ok := cols[name]; ok {
			return c, nil
		}
		return nil, errors.New("unknown " + name)
	}
	for _, c := range []struct {
		in   string
		want []float64
	}{
		{"a/b", []float64{2, nan, nan, nan, nan, nan, nan}},
		{"a*b", []float64{18, 0, 0, nan, 1e308 * 0.25, nan, nan}},
		{"1/(a/b)", []float64{.5, nan, nan, nan, nan, nan, nan}},
		{"-a + 2*b", []float64{0, -1, 0, nan, -1e308, nan, nan}},
		{"a", []float64{6, 1, 0, nan, 1e308, nan, 5}},
	} {
		n, err := Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Eval(n, 7, column)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s = %v, want %v", c.in, got, c.want)
		}
	}
	if cols["a"][5] != inf {
		t.Error("Eval changed its input")
	}
	n, _ := Parse("a/zz")
	if _, err := Eval(n, 7, column); err == nil {
		t.Error("an unknown metric was accepted")
	}
	n, _ = Parse("a")
	if _, err := Eval(n, 8, column); err == nil {
		t.Error("a short column was accepted")
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// anyNode draws trees as the parser can make them.
func anyNode(depth int) *rapid.Generator[Node] {
	return rapid.Custom(func(t *rapid.T) Node {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case depth == 0 || kind < 2:
			return &Name{Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")}
		case kind < 3:
			return &Number{Value: rapid.SampledFrom([]float64{0, 1, 0.1, 3, 1e300, 1e-300}).Draw(t, "number")}
		case kind < 4:
			x := anyNode(depth-1).Draw(t, "x")
			return &Negation{X: x, deep: x.depth() + 1}
		}
		x, y := anyNode(depth-1).Draw(t, "x"), anyNode(depth-1).Draw(t, "y")
		return &Binary{Op: rapid.SampledFrom([]byte("+-*/")).Draw(t, "op"), X: x, Y: y, deep: 1 + max(x.depth(), y.depth())}
	})
}

func TestPrintedTreesParseBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := anyNode(6).Draw(t, "tree")
		m, err := Parse(n.String())
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		if !Equal(n, m) {
			t.Fatalf("%s parses as %s", n, m)
		}
	})
}

func TestAnyNameSurvivesQuoting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringN(1, 20, -1).Draw(t, "name")
		n, err := Parse(Quote(name))
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if got := Names(n); len(got) != 1 || got[0] != name {
			t.Fatalf("%q came back as %q", name, got)
		}
	})
}

func TestSuggest(t *testing.T) {
	known := []string{"wtime", "cpu_time", "mpi_time", "imbalance", "L2_TCM", "L2_TCA", "bytes_sent"}
	for _, c := range []struct{ word, want string }{
		{"wtiem", "did you mean wtime?"},
		{"WTIME", "did you mean wtime?"},
		{"imbalence", "did you mean imbalance?"},
		{"L2_TC", "did you mean L2_TCA or L2_TCM?"},
		{"byt", "did you mean bytes_sent?"},
		{"zebra", ""},
		{"", ""},
	} {
		if got := DidYouMean(c.word, known); got != c.want {
			t.Errorf("DidYouMean(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"L2_TCM/L2_TCA", `-("a b" + 1e3)*c.d`, "((", "a..b", `"\`, "1e", "é/ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := Parse(src)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(e.Source) {
				t.Fatalf("%q: bad error %#v", src, err)
			}
			_ = e.Caret()
			return
		}
		m, err := Parse(n.String())
		if err != nil || !Equal(n, m) {
			t.Fatalf("%q prints %q, which parses as %v, %v", src, n, m, err)
		}
	})
}

func BenchmarkEval(b *testing.B) {
	const rows = 1 << 20
	col := make([]float64, rows)
	for i := range col {
		col[i] = float64(i%97 + 1)
	}
	n, err := Parse("a/b")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(rows * 8)
	for b.Loop() {
		if _, err := Eval(n, rows, func(string) ([]float64, error) { return col, nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSubstitute(t *testing.T) {
	n, _ := Parse("-a*b")
	sum, _ := Parse("x + y")
	m := Substitute(n, func(name *Name) Node {
		if name.Name == "a" {
			return sum
		}
		return name
	})
	if m.String() != "-(x + y)*b" || n.String() != "-a*b" {
		t.Errorf("got %s from %s", m, n)
	}
}
