package kept

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/events"
	"auspex/model"
)

// alike are calls that a trace has an event of another call for, beyond those that
// package events takes for one kind.
var alike = map[string][]string{
	"MPI_Recv":       {"MPI_Mprobe", "MPI_Probe", "MPI_Improbe", "MPI_Iprobe"},
	"MPI_Wait":       {"MPI_Waitall", "MPI_Waitsome", "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Request_get_status", "MPI_Scan", "MPI_Exscan", "MPI_Comm_create_group", "MPI_Intercomm_create", "MPI_Intercomm_merge"},
	"MPI_Comm_split": {"MPI_Comm_dup", "MPI_Comm_split_type", "MPI_Comm_create", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent", "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"},
	"MPI_Put":        {"MPI_Rput", "MPI_Accumulate", "MPI_Raccumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"},
	"MPI_Get":        {"MPI_Rget"},
	"MPI_Win_flush":  {"MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all"},
	"MPI_Win_unlock": {"MPI_Win_unlock_all"},
}

// apart tells calls that a trace has messages for: collectives that do not block.
func apart(call string) bool {
	rest, ok := strings.CutPrefix(call, "MPI_I")
	if !ok {
		return false
	}
	kind, ok := events.CallKind("MPI_" + rest)
	return ok && kind.Collective()
}

// dominates is the share of the time of all calls that an event may stand for from
// which one of them is meant.
const dominates = 0.9

// called is how long a run's calls of MPI took, by name.
type called struct {
	all  map[string]float64
	from map[string]map[string]float64 // by the function that calls, or file and line
}

func callsOf(d *analyze.Dataset) (called, error) {
	calls := called{map[string]float64{}, map[string]map[string]float64{}}
	if !d.Has(model.WallTime) {
		return calls, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return calls, err
	}
	for r, region := range d.Regions {
		if !strings.HasPrefix(region.Name, "MPI_") {
			continue
		}
		seconds := 0.0
		for u := range d.Units {
			seconds += wall.At(u, r)
		}
		calls.all[region.Name] += seconds
		for _, place := range placesOf(d.Regions, region) {
			if calls.from[place] == nil {
				calls.from[place] = map[string]float64{}
			}
			calls.from[place][region.Name] += seconds
		}
	}
	return calls, nil
}

// placesOf are what a trace may call the place of a call.
func placesOf(regions []model.Region, call model.Region) []string {
	var places []string
	if call.Parent != model.NoParent {
		places = append(places, regions[call.Parent].Name)
	}
	if call.File != "" {
		places = append(places, fmt.Sprintf("%s:%d", filepath.Base(call.File), call.Line))
	}
	return places
}

// name names a call of a trace as the program does, by the calls that are made there
// where that is known.
func (c called) name(path string) string {
	if call, ok := events.WithoutCore(path); ok {
		return c.name(call) + "/" + events.NoCore
	}
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		there := c.from[path[:at]]
		name := asCalled(path, there)
		if _, made := there[path[at+1:]]; made || name != path {
			return name
		}
	}
	return asCalled(path, c.all)
}

// asCalled names a call of a trace as the program does: an event stands for several
// calls, and where the program makes none of its name, the one that took nearly all
// of the time is meant, or else one of the two that took longest.
func asCalled(path string, calls map[string]float64) string {
	at := strings.LastIndexByte(path, '/') + 1
	name := path[at:]
	if _, made := calls[name]; made || !strings.HasPrefix(name, "MPI_") {
		return path
	}
	kind, known := events.CallKind(name)
	var could []string
	all := 0.0
	for call, seconds := range calls {
		other, ok := events.CallKind(call)
		starts := apart(call) && (name == "MPI_Isend" || name == "MPI_Irecv")
		if known && ok && kind == other || starts || slices.Contains(alike[name], call) {
			could, all = append(could, call), all+seconds
		}
	}
	slices.SortFunc(could, func(x, y string) int { return cmp.Or(cmp.Compare(calls[y], calls[x]), cmp.Compare(x, y)) })
	switch {
	case len(could) == 0:
		return path
	case len(could) > 1 && calls[could[0]] < dominates*all:
		return path[:at] + could[0] + " or " + could[1]
	}
	return path[:at] + could[0]
}
