package predict

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// accurate skips a test that wants the machine for itself. One command measures
// all: AUSPEX_ACCURACY=1 go test ./predict -run 'Accuracy|Cost' -v -timeout 2h
func accurate(t *testing.T) {
	t.Helper()
	if os.Getenv("AUSPEX_ACCURACY") == "" {
		t.Skip("takes long and wants an idle machine: set AUSPEX_ACCURACY=1")
	}
}

// example is a request for one of the example programs.
func example(t *testing.T, name, build, run string) Request {
	t.Helper()
	r := request(t, nil)
	dir, err := filepath.Abs(filepath.Join("..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	r.Source, r.Build, r.Run = dir, build, run
	return r
}

// Sequential Laplace at every level, by both methods: within 5 %.
func TestAccuracyLaplace(t *testing.T) {
	accurate(t)
	need(t, "gcc")
	for _, method := range []Method{Simple, Threshold} {
		r := example(t, "laplace", "gcc -O{opt} laplace.c -o laplace -lm", "./laplace 1000 2000")
		r.Levels, r.Method, r.Validate = []string{"0", "1", "2", "3", "s"}, method, 5
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Predictions {
			t.Logf("%-9s -O%s predicted %.3f s, measured %.3f s, error %+.1f %%, slowdown %.3f, gain %.1f", p.Method, p.Opt, p.Predicted, *p.Measured, 100**p.Error, p.Slowdown, p.Gain)
			if math.Abs(*p.Error) > 0.05 {
				t.Errorf("-O%s, %s: off by %+.1f %%", p.Opt, method, 100**p.Error)
			}
		}
	}
}

// The simple method costs hardly more than a run; a second topology next to
// nothing.
func TestCostSimple(t *testing.T) {
	accurate(t)
	need(t, "mpicc.mpich", "mpirun.mpich")
	r := example(t, "intsort", "mpicc.mpich -O{opt} intsort.c -o intsort", "mpirun.mpich -n {np} ./intsort A 20")
	r.Counts, r.Levels, r.Validate = []int{2}, []string{"2"}, 3
	r.Platforms = append(r.Platforms, cluster(t, 8, "1Gf"))
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	first, second := report.Predictions[0], report.Predictions[1]
	ratio := first.total() / *first.Command
	t.Logf("a run %.3f s, its prediction %.3f s: %.3f times as long; the second topology %.1e of the first", *first.Command, first.total(), ratio, second.Simulation/first.total())
	if ratio > 1.15 {
		t.Errorf("the prediction costs %.3f runs", ratio)
	}
	if second.Simulation > 0.01*first.total() {
		t.Errorf("the second topology costs %.3f of the first", second.Simulation/first.total())
	}
}

// The threshold rule on programs that take a minute or more: slowdown at most
// 0.05.
func TestCostThreshold(t *testing.T) {
	accurate(t)
	for _, test := range []struct {
		name, build, run string
		np               int
		fixed            bool
	}{
		{"laplace", "gcc -O{opt} laplace.c -o laplace -lm", "./laplace 1500 30000", 1, false},
		{"laplace", "mpicxx.mpich -std=c++11 -O{opt} laplace_mpi.cpp -o laplace_mpi", "mpirun.mpich -n {np} ./laplace_mpi 2000 30000", 2, false},
		{"intsort", "mpicc.mpich -O{opt} intsort.c -o intsort", "mpirun.mpich -n {np} ./intsort A 400", 2, true},
	} {
		r := example(t, test.name, test.build, test.run)
		r.Counts, r.Levels, r.Method, r.Validate, r.AssumeFixed = []int{test.np}, []string{"2"}, Threshold, 1, test.fixed
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Error(err)
			continue
		}
		p := report.Predictions[0]
		t.Logf("%s on %d: a run %.1f s, its prediction %.2f s, slowdown %.4f, gain %.0f", test.run, p.NP, *p.Measured, p.total(), p.Slowdown, p.Gain)
		if p.Slowdown > 0.05 {
			t.Errorf("%s: slowdown %.3f", test.run, p.Slowdown)
		}
		if *p.Measured < 60 {
			t.Logf("%s took only %.1f s", test.run, *p.Measured)
		}
	}
}
