package accuracy

import (
	"fmt"
	"strconv"
	"testing"
)

const (
	simpleBar    = 1.15 // prediction by one run
	secondBar    = 0.01 // a second platform by the first
	thresholdBar = 0.05 // slowdown (5)
)

// TestCost tells what predictions cost: of a program measured simply, beside a
// run on the same machine; and by the threshold rule, of programs that take a
// minute or more in the lab.
func TestCost(t *testing.T) {
	b := newBench(t, "cost")
	var platforms []string
	for _, n := range networks {
		b.up(n)
		b.calibrate(n, "2")
		platforms = append(platforms, "--platform", calibrated(n, "2")+".toml")
	}
	n := networks[0]
	simple := b.table("cost-simple.csv", 2, "program,run,prediction,second_platform,command")
	for _, p := range programs {
		for i := range b.runs {
			if simple.has(p.name, strconv.Itoa(i+1)) {
				continue
			}
			r := b.ask(append([]string{"--source", p.source, "--np", "2", "--opt", "2", "--method", "simple", "--reference-speed", "1e9",
				"--build", p.build, "--run", "mpirun.mpich -bind-to core -n {np} " + b.before + p.run[n.name].at("2"), "--validate", "--validate-runs", "1"}, platforms...)...)
			first, second := r.Predictions[0], r.Predictions[1]
			simple.add(p.name, strconv.Itoa(i+1), seconds(first.Obtain+first.Simulation), seconds(second.Simulation), seconds(*first.Command))
		}
		prediction, other, command := simpleCost(b, simple, p.name)
		if prediction > simpleBar*command || other > secondBar*prediction {
			t.Errorf("%s: a prediction costs %.3f runs, a second platform %.4f of that", p.name, prediction/command, other/prediction)
		}
	}
	long := b.table("cost-threshold.csv", 2, "program,arguments,predicted,took,slowdown,gain,turns,of")
	for _, c := range []struct {
		program, run string
		more         []string
	}{
		{"laplace", "./prog 2000 24000", nil},
		{"laplace", "./prog 2000 60000", nil}, // what is measured does not grow with the run, so gain does
		{"intsort", "./prog A 600", []string{"--assume-fixed-communication"}},
	} {
		if long.has(c.program, c.run) {
			continue
		}
		i := 0
		for programs[i].name != c.program {
			i++
		}
		run := "-n {np} " + b.before + c.run
		r := b.ask(append([]string{"--source", programs[i].source, "--np", "2", "--opt", "2", "--method", "threshold", "--reference-speed", "1e9",
			"--build", programs[i].build, "--run", "mpirun.mpich -bind-to core " + run, "--validate", "--validate-runs", "1",
			"--validate-command", fmt.Sprintf("%s lab --name %s run -- mpirun.mpich %s", b.auspex, n.name, run), platforms[0], platforms[1]}, c.more...)...)
		p := r.Predictions[0]
		ran, of := int64(0), int64(0)
		for _, l := range r.Loops {
			for _, cut := range l.Cuts {
				if cut.Iterations > of {
					ran, of = cut.Ran, cut.Iterations
				}
			}
		}
		long.add(c.program, c.run, seconds(p.Predicted), seconds(*p.Measured), fmt.Sprintf("%.4f", p.Slowdown), fmt.Sprintf("%.1f", p.Gain), fmt.Sprint(ran), fmt.Sprint(of))
		if p.Slowdown > thresholdBar {
			t.Errorf("%s %s: slowdown %.3f", c.program, c.run, p.Slowdown)
		}
	}
}

// simpleCost are the medians of what a prediction, one for a second platform, and
// a run took.
func simpleCost(b *bench, done *table, program string) (prediction, second, command float64) {
	var all [3][]float64
	for _, r := range done.rows {
		if r[0] == program {
			for i := range all {
				all[i] = append(all[i], number(b, r[2+i]))
			}
		}
	}
	return median(all[0]), median(all[1]), median(all[2])
}
