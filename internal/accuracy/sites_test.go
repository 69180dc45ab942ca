package accuracy

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"
)

// TestSequential predicts a program of one process by both methods and runs it,
// in turn and often: on a machine that is twice as fast in one second as in the
// next, few long runs tell little. Loops are watched for a second before they are
// cut short, so there runs are longer, and fewer.
func TestSequential(t *testing.T) {
	b := newBench(t, "sequential")
	done := b.table("sequential.csv", 3, "level,method,run,predicted,took")
	one := b.write("one.toml", "[[host]]\nname = \"here\"\nspeed = \"1Gf\"\n", 0o644)
	for _, level := range b.levels {
		for run := range 3 * b.runs {
			for _, method := range methods {
				size := sized{"./prog 1000 {n}", 500, 1500}
				if method == "threshold" {
					size = sized{"./prog 1000 {n}", 1000, 4000}
				}
				if done.has(level, method, strconv.Itoa(run+1)) || method == "threshold" && run >= 2*b.runs {
					continue
				}
				r := b.ask("--source", filepath.Join("examples", "laplace"), "--platform", one, "--np", "1", "--opt", level, "--method", method,
					"--reference-speed", "1e9", "--validate", "--validate-runs", "1",
					"--build", "cc -O{opt} laplace.c -o prog -lm", "--run", b.before+size.at(level))
				p := r.Predictions[0]
				done.add(level, method, strconv.Itoa(run+1), seconds(p.Predicted), seconds(*p.Measured))
			}
		}
		for _, method := range methods {
			predicted, took := alone(b, done, level, method)
			if off := median(predicted)/median(took) - 1; math.Abs(off) > 0.05 {
				t.Errorf("-O%s, %s: off by %.1f %%", level, method, 100*off)
			}
		}
	}
}

var methods = []string{"simple", "threshold"}

// alone are the predictions and the runs of one process.
func alone(b *bench, done *table, level, method string) (predicted, took []float64) {
	for _, r := range done.rows {
		if r[0] == level && r[1] == method {
			predicted, took = append(predicted, number(b, r[3])), append(took, number(b, r[4]))
		}
	}
	return predicted, took
}

// TestTables predicts the integer sort on the two sites of the dPerf paper:
// averages of ten traces.
func TestTables(t *testing.T) {
	b := newBench(t, "tables")
	done := b.table("sites.csv", 3, "site,level,processes,predicted,low,high")
	sites := []string{"examples/platforms/site1.xml", "examples/platforms/site2.xml"}
	for _, level := range b.levels {
		for _, np := range []string{"2", "4", "8", "16"} {
			if done.has(sites[0], level, np) && done.has(sites[1], level, np) {
				continue
			}
			r := b.ask("--source", "examples/intsort", "--platform", sites[0], "--platform", sites[1], "--np", np, "--opt", level, "--method", "simple",
				"--runs", strconv.Itoa(2*b.runs), "--build", "mpicc.mpich -O{opt} intsort.c -o prog", "--run", "mpirun.mpich -n {np} "+b.before+"./prog A 10")
			for _, p := range r.Predictions {
				done.add(p.Platform, level, np, seconds(p.Predicted), seconds(p.Low), seconds(p.High))
			}
		}
	}
}
