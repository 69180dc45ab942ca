package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func predicted(seconds ...float64) *p2pPrediction {
	out := &p2pPrediction{Clusters: []int{2, 2}, Close: []string{}}
	for i, s := range seconds {
		out.Schemes = append(out.Schemes, p2pPredictedScheme{Scheme: []string{"synchronous", "asynchronous", "hybrid"}[i], Seconds: s})
	}
	out.rank()
	return out
}

// A scheme is called the fastest where the others' predictions are so much longer that
// the model's error makes up for it in at most one of twenty, and probably the fastest
// where it does so in at most one of three.
func TestSchemesTooCloseToCall(t *testing.T) {
	for _, c := range []struct {
		seconds []float64
		want    string
	}{
		{[]float64{3, 2, 1}, "The hybrid scheme is the fastest, with a probability of 99 % by how far such predictions were off in the lab."},
		{[]float64{3, 1.1, 1}, "The hybrid scheme is probably the fastest (91 %); it may be the asynchronous one."},
		{[]float64{1.13, 1.1, 1}, "The hybrid scheme is probably the fastest (88 %); it may be the asynchronous or the synchronous one."},
		{[]float64{3, 1.03, 1}, "The hybrid and asynchronous schemes are too close to call: the hybrid one is the fastest with a probability of 66 %."},
		{[]float64{1, 1, 1}, "The synchronous, asynchronous and hybrid schemes are too close to call: the synchronous one is the fastest with a probability of 33 %."},
		// A little more, then a little less than 1.645 standard deviations of the ratio.
		{[]float64{3, math.Exp(1.66 * math.Sqrt2 * modelError), 1}, "The hybrid scheme is the fastest, with a probability of 95 % by how far such predictions were off in the lab."},
		{[]float64{3, math.Exp(1.63 * math.Sqrt2 * modelError), 1}, "The hybrid scheme is probably the fastest (94 %); it may be the asynchronous one."},
	} {
		if got := predicted(c.seconds...).sayFastest(); got != c.want {
			t.Errorf("%v: %s", c.seconds, got)
		}
	}
}

// The name is right where that scheme is the fastest, or where its median lies
// within the runs of the fastest.
func TestNamedRightly(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		predicted          []float64
		asynchronous, both []float64
		want               string
	}{
		{[]float64{9, 1, 2}, []float64{1, 1.1, 1.2}, []float64{2, 2, 2}, "right"},
		{[]float64{9, 1, 2}, []float64{1.1, 1.1, 1.2}, []float64{0.9, 1, 1.15}, "right"},
		{[]float64{9, 1, 2}, []float64{1.3, 1.3, 1.2}, []float64{0.9, 1, 1.15}, "wrong"},
		{[]float64{9, 1, 1.1}, []float64{1, 1.1, 1.2}, []float64{2, 2, 2}, "right"},
		{[]float64{9, 1, 1.02}, []float64{1, 1.1, 1.2}, []float64{2, 2, 2}, "too close to call"},
	} {
		var files []string
		write := func(scheme string, seconds ...float64) {
			for i, s := range seconds {
				file := filepath.Join(dir, fmt.Sprintf("%s-%d.json", scheme, i))
				text := fmt.Sprintf(`{"scheme": %q, "clusters": [2, 2], "seconds": %g, "peers": [{"rank": 0, "steps": 5}, {"rank": 1, "steps": 5}, {"rank": 2, "steps": 5}, {"rank": 3, "steps": 5}]}`, scheme, s)
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
		}
		write("synchronous", 8)
		write("asynchronous", c.asynchronous...)
		out := predicted(c.predicted...)
		if err := out.compare(files); err != nil || out.Named != nil {
			t.Errorf("two schemes of three were run: %v, %v", out.Named, err)
		}
		write("hybrid", c.both...)
		if err := out.compare(files); err != nil {
			t.Fatal(err)
		}
		if out.Named == nil || *out.Named != c.want || out.Schemes[0].Real.Off != c.predicted[0]/8-1 {
			t.Errorf("%+v: named %v", c, out.Named)
		}
	}
	other := predicted(1, 2)
	other.Clusters = []int{4}
	if err := other.compare([]string{filepath.Join(dir, "hybrid-0.json")}); err == nil || !strings.Contains(err.Error(), "clusters") {
		t.Errorf("a run of other clusters: %v", err)
	}
}

// Where each cluster has one peer, the asynchronous and the hybrid scheme are the
// same: one of them is named, and the runs of both are runs of it.
func TestSchemesThatAreTheSame(t *testing.T) {
	out := predicted(3, 1, 1)
	if out.Fastest != nil {
		t.Fatalf("%s is named of two that differ and are equal", *out.Fastest)
	}
	out.Clusters = []int{1, 1}
	out.Close = nil
	out.rank()
	if out.Fastest == nil || *out.Fastest != "asynchronous" || len(out.Close) != 0 {
		t.Fatalf("%s", out.sayFastest())
	}
	var files []string
	for i, run := range []struct {
		scheme  string
		seconds float64
	}{{"synchronous", 3}, {"asynchronous", 1.2}, {"hybrid", 1}, {"hybrid", 1.1}} {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.json", i))
		text := fmt.Sprintf(`{"scheme": %q, "clusters": [1, 1], "seconds": %g, "peers": [{"rank": 0, "steps": 5}, {"rank": 1, "steps": 5}]}`, run.scheme, run.seconds)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if err := out.compare(files); err != nil {
		t.Fatal(err)
	}
	for _, s := range out.Schemes[1:] {
		if s.Real.Runs != 3 || s.Real.Seconds != 1.1 {
			t.Errorf("%s: %+v", s.Scheme, *s.Real)
		}
	}
	if *out.Named != "right" {
		t.Errorf("named %s", *out.Named)
	}
}
