package fuzzy

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/expr"
	"auspex/internal/mistake"
)

func metric(t testing.TB, text string) expr.Node {
	t.Helper()
	n, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestShippedVocabulary(t *testing.T) {
	v := Shipped()
	for _, x := range v.Variables {
		// Every value of the universe is called something, and each term fits
		// something there entirely.
		for i := range 201 {
			at := x.Low + (x.High-x.Low)*float64(i)/200
			if !x.Covers(at) {
				t.Errorf("%s: no term says anything of %v", x.Name, at)
			}
		}
		before := math.Inf(-1)
		for _, term := range append(slices.Clone(x.Terms), x.Global...) {
			if _, y := term.Set.peak(); y != 1 {
				t.Errorf("%s is %s of nothing", x.Name, term.Name)
			}
		}
		for _, term := range x.Terms {
			at, _ := term.Set.peak()
			if at < x.Low || at > x.High || at < before {
				t.Errorf("%s: the peak of %s, %v, is outside the universe or out of order", x.Name, term.Name, at)
			}
			before = at
		}
		for _, g := range x.Global {
			if g.Name != strings.ToUpper(g.Name) {
				t.Errorf("the global term %s is not in capitals", g.Name)
			}
		}
	}
	severity := v.Variable("dissimilarity")
	if ys := severity.Classify(0.0328); ys[0] != 1 || ys[4] != 0 {
		t.Errorf("0.0328, a balanced code, is %v", ys)
	}
	if ys := severity.Classify(0.783958); ys[0] != 0 || ys[4] != 1 {
		t.Errorf("0.784, an unbalanced code, is %v", ys)
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		metric, phrase string
		quantity, set  string
		message, hint  string
		offset         int
	}{
		{"wtime", "high", "time_share", "S(0.08, 0.3)", "", "", 0},
		{"wtime", "HIGH_EXECUTION_TIME", "time_share", "S(0.08, 0.3)", "", "", 0},
		{"wtime", "high and HIGH_EXECUTION_TIME", "time_share", "S(0.08, 0.3) AND S(0.08, 0.3)", "", "", 0},
		{"wtime.inc", "not very low", "time_share.inc", "not very Z(0.01, 0.08)", "", "", 0},
		{"time_share.exc", "low", "time_share.exc", "Z(0.01, 0.08)", "", "", 0},
		{"time_share", "low", "time_share", "Z(0.01, 0.08)", "", "", 0},
		{"L2_TCM/L2_TCA", "POOR_CACHE_MISS", "L2_TCM/L2_TCA", "S(0.5, 0.9)", "", "", 0},
		{"l2_miss_ratio", "high", "l2_miss_ratio", "S(0.5, 0.9)", "", "", 0},
		{"io_time", "high", "io_share", "S(0.15, 0.5)", "", "", 0},
		{"foo/bar", "POOR_CACHE_MISS", "foo/bar", "S(0.5, 0.9)", "", "", 0},
		{"wtime", "S(10, 20)", "wtime", "S(10, 20)", "", "", 0},
		{"wtime", "high or POOR_CACHE_MISS", "", "", "high is about time_share, but POOR_CACHE_MISS is about wtime", "two statements", 8},
		{"wtime", "high or S(10, 20)", "", "", "high is about time_share, but S(10, 20) is about wtime", "two statements", 8},
		{"wtime", "very hihg", "", "", "unknown term hihg of wtime", "did you mean high?", 5},
		{"wtime", "purple", "", "", "unknown term purple of wtime", "known are low, medium, high", 0},
		{"foo", "high", "", "", "no terms for foo", "define or learn", 0},
		{"foo", "POOR_CACHE_MIS", "", "", "no terms for foo", "did you mean POOR_CACHE_MISS?", 0},
		{"io_time.inc", "high", "", "", "no terms for io_time.inc", "", 0},
	} {
		p, err := ParsePhrase(c.phrase)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Shipped().Resolve(metric(t, c.metric), p, Minimum)
		if c.message != "" {
			var e *expr.Error
			if !errors.As(err, &e) || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) || e.Offset != c.offset {
				t.Errorf("%s is %s: %#v, want %q", c.metric, c.phrase, err, c.message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s is %s: %v", c.metric, c.phrase, err)
			continue
		}
		if m.Metric.String() != c.quantity || m.Set.String() != c.set {
			t.Errorf("%s is %s: %s is %s", c.metric, c.phrase, m.Metric, m.Set)
		}
	}
}

func TestExpand(t *testing.T) {
	all := []string{"wtime", "mpi_time", "l2_misses", "PAPI_L2_TCA", "time_share"}
	known := func(name string) bool { return slices.Contains(all, name) }
	for in, want := range map[string]string{
		"wtime":               "wtime",
		"time_share":          "time_share",
		"mpi_share":           "mpi_time/wtime",
		"2*l2_miss_ratio":     "2*(l2_misses/PAPI_L2_TCA)",
		"wtime/l2_miss_ratio": "wtime/(l2_misses/PAPI_L2_TCA)",
	} {
		if n, err := Shipped().Expand(metric(t, in), known, all); err != nil || n.String() != want {
			t.Errorf("%s expands to %v, %v, want %s", in, n, err, want)
		}
	}
	for in, want := range map[string]string{
		"1 + wtiem": "column 5: unknown metric wtiem; did you mean wtime?",
		"l2_miss":   "column 1: unknown metric l2_miss; did you mean",
		"zebra":     "known are wtime, mpi_time",
		"ipc":       "column 1: ipc was not measured, nor what it is computed from, instructions/cycles",
	} {
		_, err := Shipped().Expand(metric(t, in), known, all)
		var e *expr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", in, err)
			continue
		}
		e.Source = in
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%s: %v, want %s", in, e, want)
		}
	}
}

const example = `# a comment
[variable.solve]
about = "time of the solver"
metric = "solve_time/wtime"
also = ["\"solve time\"/wtime"]
universe = [0, 1]
[variable.solve.terms]
poor = "S(0.5, 0.8)"
fair = "trapezoid(0, 0.2, 0.5, 0.8)"
awful = "very poor"
[variable.solve.global]
SLOW_SOLVER = "poor or awful"

[factor.atoms]
set = "linear"
range = [0, 72]
category = "problem size"

[factor.network]
set = "S@9"
range = [0, 158.20]
category = "communication"
words = { P4 = 42.95, GM = 158.20 }

[factor.cpu_usage]
set = "linear(0, 100)"
range = [0, 100]
controllable = false
`

func TestReadVocabulary(t *testing.T) {
	v, err := ReadVocabulary("v.toml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	x := v.Variable("SOLVE")
	var names []string
	for _, term := range x.Terms {
		names = append(names, term.Name)
	}
	if !slices.Equal(names, []string{"poor", "fair", "awful"}) {
		t.Errorf("terms %v lost their order", names)
	}
	if got := x.Terms[2].Set.Degree(0.65); !near(got, 0.25, 1e-12) { // S is 1/2 there
		t.Errorf("awful of 0.65 = %v", got)
	}
	net := v.Factor("network")
	p4, err := net.Number("p4")
	if err != nil || p4 != 42.95 {
		t.Errorf("P4 is %v, %v", p4, err)
	}
	gm, _ := net.Number("GM")
	if s := net.Similarity(p4, gm); !near(s, 0.1519, 5e-5) {
		t.Errorf("P4 against GM = %v", s)
	}
	if n, err := v.Factor("atoms").Number(" 36 "); err != nil || n != 36 {
		t.Errorf("36 is %v, %v", n, err)
	}
	if _, err := net.Number("GN"); err == nil || !strings.Contains(err.Error(), "did you mean GM?") {
		t.Errorf("GN: %v", err)
	}
	if v.Factor("cpu_usage").Controllable || !net.Controllable {
		t.Error("controllable was read wrongly")
	}

	merged := Shipped().Merge(v)
	if merged.Variable("solve") == nil || merged.Variable("wtime") != nil || merged.Variable("ipc") == nil {
		t.Error("merging lost a variable")
	}
	mine := &Vocabulary{Variables: []*Variable{{Name: "IPC"}}}
	if got := Shipped().Merge(mine); len(got.Variables) != len(Shipped().Variables) || got.Variable("ipc") != mine.Variables[0] {
		t.Error("a user's variable did not replace the shipped one")
	}
}

func TestVocabularyErrors(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(example, old) {
			t.Fatalf("%q is not in the example", old)
		}
		return strings.Replace(example, old, new, 1)
	}
	for _, c := range []struct{ text, want string }{
		{edit("metric = \"solve_time/wtime\"", "metric = \"solve_time/\""), "v.toml:4: metric of solve: column 12: expected a metric"},
		{edit("also =", "aslo ="), "v.toml:5:1: unknown key variable.solve.aslo; did you mean also?"},
		{edit("[0, 1]", "[1, 1]"), "v.toml:6: universe of solve is empty"},
		{edit("[0, 1]", "[0, inf]"), "v.toml:6: universe of solve must be two finite"},
		{edit("[0, 1]", "[0]"), "v.toml:6: universe of solve needs two numbers"},
		{edit("universe = [0, 1]", ""), "v.toml:2: universe of solve is missing"},
		{edit("universe = [0, 1]", "universe = 3"), "v.toml:6:"},
		{edit("S(0.5, 0.8)", "S(0.8, 0.5)"), "v.toml:8: term poor: column 2: S(a, c) needs a < c"},
		{edit("very poor", "very pore"), "v.toml:10: term awful: pore is no term with a shape of its own here; did you mean poor?"},
		{edit("very poor", "very awful"), "v.toml:10: term awful: awful is no term"},
		{edit("fair =", "very ="), "v.toml:9: a term cannot be named very"},
		{edit("fair =", "Poor ="), "v.toml:9: the term Poor is defined twice"},
		{edit("[factor.atoms]\nset = \"linear\"", "[factor.atoms]\nset = \"liner\""), "v.toml:15: set of atoms: column 1: expected a shape, found liner; did you mean linear?"},
		{edit("set = \"S@9\"\n", ""), "v.toml:19: factor network has no set"},
		{edit("GM = 158.20", "GM = nan"), "v.toml:23: GM stands for NaN"},
		{example + "[variable.empty]\nuniverse = [0, 1]\n", "v.toml:29: variable empty has no terms"},
		{example + "[variable.Solve]\nuniverse = [0, 1]\nterms = { a = \"S(0,1)\" }\n", "v.toml:29: the variable Solve is defined twice"},
		{example + "[variable.x]\nuniverse = [0, 1]\nterms = { a = \"S(0,1)\" }\nglobal = { slow_solver = \"a\" }", "v.toml:32: the global term slow_solver is already"},
		{"[variable.x", "v.toml:1:"},
		{"variable = 3", "v.toml:1:"},
		{strings.Repeat("#", maxFile+1), "v.toml: is larger than"},
	} {
		_, err := ReadVocabulary("v.toml", []byte(c.text))
		if place, _ := mistake.Find(err); place.File != "v.toml" || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestWriteVocabulary(t *testing.T) {
	v, err := ReadVocabulary("v.toml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]*Vocabulary{"example": v, "shipped": Shipped()} {
		var b, again bytes.Buffer
		if err := v.WriteTOML(&b); err != nil {
			t.Fatal(err)
		}
		w, err := ReadVocabulary(name, b.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if err := w.WriteTOML(&again); err != nil {
			t.Fatal(err)
		}
		if b.String() != again.String() {
			t.Errorf("%s changed:\n%s\nand\n%s", name, b.String(), again.String())
		}
		if len(w.Variables) != len(v.Variables) || len(w.Factors) != len(v.Factors) {
			t.Errorf("%s lost something", name)
		}
	}
}

func TestLearn(t *testing.T) {
	names := []string{"low", "medium", "high"}
	data := []float64{math.NaN(), 6, 0, 1, 2, 3, 4, 5, math.Inf(1)}
	terms, err := TermsFromQuantiles(names, data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"linear(3, 1)", "triangle(1, 3, 5)", "linear(3, 5)"}
	for i, term := range terms {
		if term.Set.String() != want[i] {
			t.Errorf("%s is %s, want %s", term.Name, term.Set, want[i])
		}
	}
	v, err := LearnedVariable("m", metric(t, "m"), terms, data)
	if err != nil || v.Low != 0 || v.High != 6 {
		t.Errorf("universe [%v, %v], %v", v.Low, v.High, err)
	}
	var b bytes.Buffer
	if err := (&Vocabulary{Variables: []*Variable{v}}).WriteTOML(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadVocabulary("learned", b.Bytes()); err != nil {
		t.Error(err)
	}

	for _, bad := range []func() ([]*Term, error){
		func() ([]*Term, error) { return TermsFromQuantiles(names, []float64{1, 1, 1}) },
		func() ([]*Term, error) { return TermsFromQuantiles(names, []float64{math.NaN()}) },
		func() ([]*Term, error) { return TermsFromCentres([]string{"a"}, []float64{1}) },
		func() ([]*Term, error) { return TermsFromCentres([]string{"a", "a"}, []float64{1, 2}) },
		func() ([]*Term, error) { return TermsFromCentres([]string{"a", "not"}, []float64{1, 2}) },
		func() ([]*Term, error) { return TermsFromCentres([]string{"a", "b"}, []float64{1, math.Inf(1)}) },
		func() ([]*Term, error) { return TermsFromCentres(names, []float64{1, 2}) },
	} {
		if _, err := bad(); err == nil {
			t.Error("terms were learned from nothing")
		}
	}
	if _, err := LearnedVariable("m", metric(t, "m"), terms, []float64{2, 2}); err == nil {
		t.Error("a universe of one value was accepted")
	}
}

func TestLearnedTermsShareEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		centres := rapid.SliceOfNDistinct(rapid.IntRange(-50, 50), 2, 7, rapid.ID[int]).Draw(t, "centres")
		var names []string
		var cs []float64
		for i, c := range centres {
			names, cs = append(names, string(rune('a'+i))), append(cs, float64(c))
		}
		terms, err := TermsFromCentres(names, cs)
		if err != nil {
			t.Fatal(err)
		}
		x := rapid.Float64Range(-60, 60).Draw(t, "x")
		sum := 0.0
		for _, term := range terms {
			sum += term.Set.Degree(x)
		}
		if !near(sum, 1, 1e-9) {
			t.Fatalf("the degrees of %v add up to %v", x, sum)
		}
	})
}

func FuzzReadVocabulary(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("[variable.x]\nuniverse=[0,1]\nterms={a=\"S(0,1)\", b=\"not a\"}"))
	f.Add([]byte("variable.x.terms.'a b' = \"points(0 0)\"\nvariable.x.universe=[0,2]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ReadVocabulary("f", data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := v.WriteTOML(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadVocabulary("again", b.Bytes()); err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
	})
}

func TestTimes(t *testing.T) {
	v, err := ReadVocabulary("own.toml", []byte("[time]\n\"spin_*\" = \"waiting\"\ncheckpoint = \"io\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	merged := (&Vocabulary{Times: []Time{{"spin_*", "work"}}}).Merge(v)
	if len(merged.Times) != 3 || merged.Times[0] != (Time{"spin_*", "waiting"}) || merged.Times[1] != (Time{"checkpoint", "io"}) {
		t.Errorf("%v", merged.Times)
	}
	var b strings.Builder
	if err := v.WriteTOML(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadVocabulary("again.toml", []byte(b.String()))
	if err != nil || !slices.Equal(again.Times, v.Times) {
		t.Errorf("%v, %v from\n%s", again, err, b.String())
	}
	_, err = ReadVocabulary("own.toml", []byte("[time]\nspin = \"waiting\"\nsolve = \"wrok\"\n"))
	if err == nil || err.Error() != `own.toml:3: the time in solve cannot be "wrok"; write one of work, communication, waiting, io, start_end` {
		t.Errorf("%v", err)
	}
}
