package fuzzy

import (
	"math"
	"strings"
	"testing"
)

func rules(t *testing.T, texts ...string) []*Rule {
	t.Helper()
	var rs []*Rule
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		rs = append(rs, r)
	}
	return rs
}

func TestRuleText(t *testing.T) {
	for in, want := range map[string]string{
		"IF imbalance IS high AND mpi_share IS high THEN problem IS load_imbalance": "IF (imbalance is high) AND (mpi_share is high) THEN problem is load_imbalance",
		"if (a+b)/c is low or not x is very high then p is q and r is s with .5":    "IF ((a + b)/c is low) OR NOT (x is very high) THEN p is q AND r is s WITH 0.5",
		`IF "solve time" IS high THEN "the problem" IS "slow solver"`:               `IF "solve time" is high THEN "the problem" is "slow solver"`,
		"IF a IS high OR low AND b IS low THEN p IS q":                              "IF (a is high OR low) AND (b is low) THEN p is q",
		"IF NOT (a IS high OR b IS low) THEN p IS q":                                "IF NOT ((a is high) OR (b is low)) THEN p is q",
	} {
		r := rules(t, in)[0]
		if r.String() != want {
			t.Errorf("%s\nprints %s\nwant   %s", in, r, want)
		}
		if again := rules(t, r.String())[0]; again.String() != r.String() {
			t.Errorf("%s came back as %s", r, again)
		}
	}
	for in, want := range map[string]string{
		"imbalance IS high":               "expected IF, found imbalance",
		"IF imbalance high":               "expected IS after the metric imbalance, found high",
		"IF sum(imbalance) IS high":       "there are no functions",
		"IF imbalance > 5":                "conditions are words or shapes",
		"IF a IS high":                    "expected THEN, found the end",
		"IF a IS high THEN":               "expected the name of an output",
		"IF a IS high THEN is":            "expected the name of an output",
		"IF a IS high THEN p":             "expected IS",
		"IF a IS high THEN p IS q WITH 2": "expected a weight",
		"IF a IS high THEN p IS q r":      "unexpected r",
		"IF (a IS high THEN p IS q":       "expected )",
	} {
		if _, err := ParseRule(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRule(%q) = %v, want %q", in, err, want)
		}
	}
}

func TestInferLabels(t *testing.T) {
	rs := rules(t,
		"IF imbalance IS high AND mpi_share IS high THEN problem IS load_imbalance",
		"IF ipc IS low THEN problem IS memory_bound WITH 0.5",
		"IF imbalance IS high THEN problem IS load_imbalance",
		"IF io_time IS high THEN problem IS slow_io",
		"IF io_time IS high OR ipc IS low THEN problem IS waiting",
	)
	values := map[string]float64{"imbalance": 0.6, "mpi_share": 0.3, "ipc": 0.8, "io_time": math.NaN()}
	degree := func(is *Is) float64 { return values[is.Metric.String()] }
	got, err := Infer(rs, Minimum, degree, func(string) *Variable { return nil })
	if err != nil {
		t.Fatal(err)
	}
	want := []Label{{"load_imbalance", 0.6, 2}, {"memory_bound", 0.4, 1}, {"slow_io", 0, 3}, {"waiting", 0.8, 4}}
	labels := got.Outcomes[0].Labels
	if len(got.Outcomes) != 1 || len(labels) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if labels[i] != want[i] {
			t.Errorf("label %d is %+v, want %+v", i, labels[i], want[i])
		}
	}
	if !math.IsNaN(got.Fired[3]) || got.Fired[0] != 0.3 {
		t.Errorf("fired %v", got.Fired)
	}
	if v := got.Outcomes[0].Value(Centroid); !math.IsNaN(v) {
		t.Errorf("a label has the value %v", v)
	}
}

// TestMamdani works out one inference by hand. Outputs are triangles (0,1,2)
// and (1,2,3) over [0, 3], cut at 1/2: both become trapezoids, (0,½,1½,2) and
// (1,1½,2½,3), whose union is symmetric about 1½.
func TestMamdani(t *testing.T) {
	out := &Variable{Name: "severity", Low: 0, High: 3, Terms: []*Term{
		{Name: "low", Set: shape(t, "triangle(0, 1, 2)")},
		{Name: "high", Set: shape(t, "triangle(1, 2, 3)")},
	}}
	outputs := func(name string) *Variable {
		if name == "severity" {
			return out
		}
		return nil
	}
	rs := rules(t, "IF a IS x THEN severity IS low", "IF b IS x THEN severity IS high")
	infer := func(a, b float64, l Logic) *Outcome {
		t.Helper()
		got, err := Infer(rs, l, func(is *Is) float64 {
			if is.Metric.String() == "a" {
				return a
			}
			return b
		}, outputs)
		if err != nil {
			t.Fatal(err)
		}
		return got.Outcomes[0]
	}
	o := infer(0.5, 0.5, Minimum)
	for how, want := range map[Defuzzifier]float64{Centroid: 1.5, Bisector: 1.5, SmallestOfMaximum: 0.5, LargestOfMaximum: 2.5, MeanOfMaximum: 1.5} {
		if got := o.Value(how); !near(got, want, 2e-3) {
			t.Errorf("%s = %v, want %v", how, got, want)
		}
	}
	// Only low, cut at ½: trapezoid (0, ½, 1½, 2), centre 1, highest from ½ to 1½.
	o = infer(0.5, 0, Minimum)
	for how, want := range map[Defuzzifier]float64{Centroid: 1, Bisector: 1, SmallestOfMaximum: 0.5, LargestOfMaximum: 1.5, MeanOfMaximum: 1} {
		if got := o.Value(how); !near(got, want, 2e-3) {
			t.Errorf("low alone: %s = %v, want %v", how, got, want)
		}
	}
	// Scaled instead of cut the triangle keeps its single top.
	o = infer(0.5, 0, Product)
	for how, want := range map[Defuzzifier]float64{Centroid: 1, SmallestOfMaximum: 1, LargestOfMaximum: 1, MeanOfMaximum: 1} {
		if got := o.Value(how); !near(got, want, 2e-3) {
			t.Errorf("scaled: %s = %v, want %v", how, got, want)
		}
	}
	if got := infer(0, math.NaN(), Minimum).Value(Centroid); !math.IsNaN(got) {
		t.Errorf("nothing fired, yet the value is %v", got)
	}
	if _, err := Infer(rules(t, "IF a IS x THEN severity IS purple"), Minimum, func(*Is) float64 { return 1 }, outputs); err == nil {
		t.Error("an unknown term of an output was accepted")
	}
}

func TestDefuzzify(t *testing.T) {
	for _, c := range []struct {
		set    string
		lo, hi float64
		how    Defuzzifier
		want   float64
	}{
		{"triangle(0, 0, 3)", 0, 3, Centroid, 1},                        // a third of the base
		{"triangle(0, 0, 3)", 0, 3, Bisector, 3 * (1 - math.Sqrt(0.5))}, // the small triangle has half the area
		{"S(0, 1)", 0, 4, SmallestOfMaximum, 1},
		{"S(0, 1)", 0, 4, LargestOfMaximum, 4},
		{"singleton(2)", 0, 4, Centroid, 2},
		{"singleton(2)", 0, 4, MeanOfMaximum, 2},
		{"singleton(9)", 0, 4, Centroid, math.NaN()},
	} {
		if got := c.how.Defuzzify(shape(t, c.set), c.lo, c.hi); !near(got, c.want, 2e-3) {
			t.Errorf("%s of %s = %v, want %v", c.how, c.set, got, c.want)
		}
	}
	if d, err := ParseDefuzzifier("Centroid"); err != nil || d != Centroid {
		t.Error(d, err)
	}
	if _, err := ParseDefuzzifier("middle"); err == nil {
		t.Error("an unknown defuzzifier was accepted")
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"IF a IS high THEN p IS q", "IF (a+b)/c is not (x or y) and not z is more or less w then p is q with .5", "IF ((((", "if a is S(0,1)@9 then b is c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		r, err := ParseRule(src)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again.String() != r.String() {
			t.Fatalf("%q prints %q, which parses as %v, %v", src, r, again, err)
		}
	})
}
