package kept

import (
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
)

// used is wall and CPU time of each process: in computation, within MPI, and in
// what a trace holds nothing of, starting, ending and files.
type used struct {
	wall, cpu     []float64
	inMPI, spun   []float64
	start, worked []float64
}

// usedBy sums up what each process used; nil where wall and CPU time were not
// both measured, or there are other processes than ranks.
func usedBy(d *analyze.Dataset, ranks int) (*used, error) {
	if !d.Has(model.WallTime) || !d.Has(model.CPUTime) {
		return nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, err
	}
	cpu, err := d.Matrix(model.CPUTime + ".exc")
	if err != nil {
		return nil, err
	}
	of := &used{}
	for _, list := range []*[]float64{&of.wall, &of.cpu, &of.inMPI, &of.spun, &of.start, &of.worked} {
		*list = make([]float64, ranks)
	}
	for u, unit := range d.Units {
		if unit.Thread != 0 {
			continue
		}
		if unit.Process < 0 || unit.Process >= ranks {
			return nil, nil
		}
		for r, region := range d.Regions {
			switch {
			case !d.Communication[r]:
				of.wall[unit.Process] += wall.At(u, r)
				of.cpu[unit.Process] += cpu.At(u, r)
			case !outside(region.Name):
				of.inMPI[unit.Process] += wall.At(u, r)
				of.spun[unit.Process] += cpu.At(u, r)
			default:
				of.start[unit.Process] += wall.At(u, r)
				of.worked[unit.Process] += cpu.At(u, r)
			}
		}
	}
	return of, nil
}

// stretch is how much longer than its CPU time the computation of each process
// took, since it had to share a core.
func (of *used) stretch() []float64 {
	if of == nil {
		return nil
	}
	out := make([]float64, len(of.wall))
	for i := range out {
		if out[i] = 1; of.cpu[i] > 0 {
			out[i] = max(of.wall[i]/of.cpu[i], 1)
		}
	}
	return out
}

// late is how much longer starting and ending took each process because it had
// to share its core: as much longer as its computation did, and no longer than
// it stood still there. The others sleep meanwhile, so that their own time tells
// nothing.
func (of *used) late() []float64 {
	if of == nil {
		return nil
	}
	out := of.stretch()
	for i, stretch := range out {
		out[i] = max(min(of.worked[i]*(stretch-1), of.start[i]-of.worked[i]), 0)
	}
	return out
}

// crowded is from how much longer than their CPU time on the computation of all
// processes says that they shared their cores.
const crowded = 1.1

// stalled is how long the mean process stood still within MPI where all of them
// shared their cores: no network is known to have taken that.
func (of *used) stalled() float64 {
	if of == nil || len(of.wall) == 0 || slices.Min(of.stretch()) < crowded {
		return 0
	}
	still := 0.0
	for i := range of.inMPI {
		still += max(of.inMPI[i]-of.spun[i], 0)
	}
	return still / float64(len(of.inMPI))
}

// stops is how long each process stood still within MPI though it should have
// spun there: as the others do that wait longer than it. Where those sleep, MPI
// waits asleep, and nothing is known of stops.
func (of *used) stops() []float64 {
	if of == nil {
		return nil
	}
	inMPI, spun := 0.0, 0.0
	for i := range of.inMPI {
		inMPI, spun = inMPI+of.inMPI[i], spun+of.spun[i]
	}
	out := make([]float64, len(of.inMPI))
	for i := range out {
		others, busy := inMPI-of.inMPI[i], spun-of.spun[i]
		if n := float64(len(out) - 1); n > 0 && others > 0 && others/n >= of.inMPI[i] {
			out[i] = max(of.inMPI[i]*min(busy/others, 1)-of.spun[i], 0)
		}
	}
	return out
}

// spreadOf is the deviation of repeated runs as a share of the run time, 0 where
// there was one run. Regions of one run may vary together, so deviations are
// added: the wider, safe figure.
func spreadOf(d *analyze.Dataset, seconds float64) (float64, error) {
	if d.Runs < 2 || seconds <= 0 {
		return 0, nil
	}
	m, ok, err := d.Deviation(model.WallTime + ".exc")
	if err != nil || !ok {
		return 0, err
	}
	most := 0.0
	for u := range d.Units {
		sum := 0.0
		for _, v := range m.Row(u) {
			sum += v
		}
		most = max(most, sum)
	}
	return min(most/seconds, 0.1), nil
}

// outsideOf is how long the mean rank was in starting and ending MPI and in its
// input and output, of which a trace holds nothing.
func outsideOf(d *analyze.Dataset) (float64, error) {
	if !d.Has(model.WallTime) {
		return 0, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return 0, err
	}
	total, ranks := 0.0, 0
	for u, unit := range d.Units {
		if unit.Thread != 0 {
			continue
		}
		ranks++
		for r, region := range d.Regions {
			if outside(region.Name) {
				total += wall.At(u, r)
			}
		}
	}
	return total / float64(max(ranks, 1)), nil
}

// outside tells whether a trace holds nothing of a call: starting and ending
// MPI, and its files.
func outside(name string) bool {
	return name == "MPI_Init" || name == "MPI_Init_thread" || name == "MPI_Finalize" || strings.HasPrefix(name, "MPI_File_")
}
