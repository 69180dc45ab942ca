package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"auspex/model"
)

// Debian's lmp, as it is, on two ranks: of what it computes, the pair style's
// compute has the most samples, under its own name, with file and line where there is
// debug information. Its input makes that nine
// tenths of the work: the next has a twentieth of its samples.
func TestLAMMPS(t *testing.T) {
	need(t, "lmp", "mpirun.openmpi")
	dir := write(t, map[string]string{"in.lj": `units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 5.0
pair_coeff 1 1 1.0 1.0 5.0
neighbor 0.3 bin
neigh_modify every 1000 delay 1000 check no
fix 1 all nve
run 40
`})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var out bytes.Buffer
	command := append(mpis[1].ranks("2", "lmp"), "-log", filepath.Join(dir, "log"), "-in", filepath.Join(dir, "in.lj"))
	r := Runner{Command: command, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
	result, err := r.Run(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	e := result.Experiment
	column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == model.Samples })
	if column < 0 {
		t.Fatal("no samples")
	}
	samples, regions, debug := map[string]float64{}, map[string]model.Region{}, false
	for row := range e.Summaries.Rows() {
		if n := e.Summaries.Values[column][row]; n > 0 {
			r := e.Regions[e.Summaries.Region[row]]
			samples[r.Name] += n
			regions[r.Name] = r
			debug = debug || strings.HasPrefix(r.Name, "LAMMPS_NS::") && r.File != ""
		}
	}
	heaviest := ""
	for name, n := range samples {
		if heaviest == "" || n > samples[heaviest] {
			heaviest = name
		}
	}
	if !strings.Contains(heaviest, "Pair") || !strings.HasSuffix(heaviest, "::compute") {
		t.Errorf("the heaviest is %s with %g samples: %v", heaviest, samples[heaviest], samples)
	}
	if r := regions[heaviest]; debug && (filepath.Base(r.File) != "pair_lj_cut.cpp" || r.Line == 0) {
		t.Errorf("%s is in %s:%d", heaviest, r.File, r.Line)
	}
}
