package kept

import (
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/events"
	"auspex/model"
)

// alike are calls that a trace has an event of another call for, beyond those that
// package events takes for one kind.
var alike = map[string][]string{
	"MPI_Recv":       {"MPI_Mprobe", "MPI_Probe"},
	"MPI_Comm_split": {"MPI_Comm_dup", "MPI_Comm_split_type", "MPI_Comm_create", "MPI_Comm_create_group", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"},
}

// callsOf is how long a run's calls of MPI took, by name.
func callsOf(d *analyze.Dataset) (map[string]float64, error) {
	if !d.Has(model.WallTime) {
		return nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, err
	}
	calls := map[string]float64{}
	for r, region := range d.Regions {
		if !strings.HasPrefix(region.Name, "MPI_") {
			continue
		}
		for u := range d.Units {
			calls[region.Name] += wall.At(u, r)
		}
	}
	return calls, nil
}

// asCalled names a call of a trace as the program does: an event stands for several
// calls, and where the program makes none of its name, the one that took longest is
// meant.
func asCalled(path string, calls map[string]float64) string {
	at := strings.LastIndexByte(path, '/') + 1
	name := path[at:]
	if _, made := calls[name]; made || !strings.HasPrefix(name, "MPI_") {
		return path
	}
	kind, known := events.CallKind(name)
	best := name
	for call, seconds := range calls {
		other, ok := events.CallKind(call)
		if !(known && ok && kind == other || slices.Contains(alike[name], call)) {
			continue
		}
		if best == name || seconds > calls[best] || seconds == calls[best] && call < best {
			best = call
		}
	}
	return path[:at] + best
}
