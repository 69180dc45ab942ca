package kept

import (
	"strings"

	"auspex/analyze"
	"auspex/model"
)

// stretchOf is how much longer than its CPU time the computation of each
// process took, since it had to share a core; nil where the two were not both
// measured, or there are other processes than ranks.
func stretchOf(d *analyze.Dataset, ranks int) ([]float64, error) {
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
	walls, cpus := make([]float64, ranks), make([]float64, ranks)
	for u, unit := range d.Units {
		if unit.Thread != 0 {
			continue
		}
		if unit.Process < 0 || unit.Process >= ranks {
			return nil, nil
		}
		for r := range d.Regions {
			if !d.Communication[r] {
				walls[unit.Process] += wall.At(u, r)
				cpus[unit.Process] += cpu.At(u, r)
			}
		}
	}
	out := make([]float64, ranks)
	for i := range out {
		if out[i] = 1; cpus[i] > 0 {
			out[i] = max(walls[i]/cpus[i], 1)
		}
	}
	return out, nil
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
			switch name := region.Name; {
			case name == "MPI_Init", name == "MPI_Init_thread", name == "MPI_Finalize", strings.HasPrefix(name, "MPI_File_"):
				total += wall.At(u, r)
			}
		}
	}
	return total / float64(max(ranks, 1)), nil
}
