package pop_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"auspex/events/paraver"
	"auspex/pop"
)

// What BSC's modelfactors with Dimemas says of three EPOCH traces, in percent
// (../shared/data/paraver-epoch/NOTES.md).
var epoch = []struct {
	ranks                                                    int
	parallel, balance, communication, serialization          float64
	transfer, computation, global, ipc, instruction, freqncy float64
	speedup, seconds, ideal, useful                          float64
}{
	{1, 99.925583, 100, 99.925583, 100, 99.925583, 100, 99.925583, 100, 100, 100, 1, 21.89865914, 21.88475897, 21.88236282},
	{2, 99.378252, 99.760930, 99.616405, 99.842359, 99.773690, 95.500319, 94.906548, 99.916598, 96.748633, 98.792129, 1.899545, 11.52837356, 11.50437009, 11.48415134},
	{8, 95.707736, 98.280683, 97.382042, 98.282015, 99.084296, 81.340933, 77.849566, 93.982492, 94.145829, 91.930815, 6.232603, 3.51356533, 3.48634943, 3.42158167},
}

const epochDir = "../../shared/data/paraver-epoch"

func epochTrace(t testing.TB, ranks int) *paraver.Trace {
	t.Helper()
	path := filepath.Join(epochDir, fmt.Sprintf("epoch_%dproc.prv.gz", ranks))
	if _, err := os.Stat(path); err != nil {
		t.Skip("the EPOCH traces are not here")
	}
	src, err := paraver.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestEpoch holds the factors against BSC's: all of them to five digits, those
// of the ideal replay too, and its run time to as many as are given.
func TestEpoch(t *testing.T) {
	var runs []pop.Run
	for _, want := range epoch {
		r, err := pop.Measure(t.Context(), epochTrace(t, want.ranks))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	kind, factors := pop.Scale(runs)
	if kind != pop.Strong {
		t.Errorf("the runs scale %s", kind)
	}
	for i, want := range epoch {
		f := factors[i]
		exact := func(what string, got *float64, want float64) {
			t.Helper()
			if got == nil || math.Abs(*got-want/100) > 5e-6 {
				t.Errorf("%d ranks: %s is %v, should be %v", f.Ranks, what, show(got), want/100)
			}
		}
		near := func(what string, got *float64, want, most float64) {
			t.Helper()
			if got == nil || math.Abs(*got-want) > most {
				t.Errorf("%d ranks: %s is %v, should be within %g of %g", f.Ranks, what, show(got), most, want)
			}
			t.Logf("%d ranks: %s %v, Dimemas %g", f.Ranks, what, show(got), want)
		}
		exact("parallel", f.Parallel, want.parallel)
		exact("load balance", f.LoadBalance, want.balance)
		exact("communication", f.Communication, want.communication)
		exact("computation scalability", f.Computation, want.computation)
		exact("IPC scalability", f.IPC, want.ipc)
		exact("instruction scalability", f.Instruction, want.instruction)
		exact("frequency scalability", f.Frequency, want.freqncy)
		exact("global", f.Global, want.global)
		exact("speedup", f.Speedup, 100*want.speedup)
		near("serialization", f.Serialization, want.serialization/100, 5e-6)
		near("transfer", f.Transfer, want.transfer/100, 5e-6)
		near("ideal run time", f.Ideal, want.ideal, 1e-8)
	}
}

func show(v *float64) any {
	if v == nil {
		return "missing"
	}
	return *v
}
