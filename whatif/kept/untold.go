package kept

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
	"auspex/waits"
)

// untoldOf lists the calls of a run in which ranks wait for others and of which a
// trace holds only how long they took, those with the most time first.
func untoldOf(d *analyze.Dataset) ([]waits.Untold, error) {
	if !d.Has(model.WallTime) {
		return nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, err
	}
	ranks := 0
	seconds := map[string]float64{}
	for u, unit := range d.Units {
		if unit.Thread != 0 {
			continue
		}
		ranks++
		for r, region := range d.Regions {
			if t := wall.At(u, r); t > 0 && waitsUntold(region.Name) {
				seconds[region.Name] += t
			}
		}
	}
	var list []waits.Untold
	for call, s := range seconds {
		list = append(list, waits.Untold{Call: call, Seconds: s / float64(ranks)})
	}
	slices.SortFunc(list, func(a, b waits.Untold) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Call, b.Call))
	})
	return list, nil
}

// waitsUntold tells calls that wait for other ranks and that no event of a trace
// stands for: one-sided communication, files that all open or write together,
// neighbours, and processes that are started or connected to.
func waitsUntold(call string) bool {
	name, ok := strings.CutPrefix(call, "MPI_")
	if !ok {
		return false
	}
	switch {
	case strings.HasPrefix(name, "File_"):
		return strings.Contains(name, "_all") || strings.Contains(name, "_ordered") || name == "File_open" || name == "File_close" || name == "File_sync" || name == "File_set_view" || name == "File_set_size"
	case strings.HasPrefix(name, "Win_"):
		return !strings.HasPrefix(name, "Win_get_") && !strings.HasPrefix(name, "Win_set_")
	}
	for _, part := range []string{"Neighbor_", "Ineighbor_", "Comm_spawn", "Comm_accept", "Comm_connect", "Intercomm_"} {
		if strings.HasPrefix(name, part) {
			return true
		}
	}
	return false
}

// untold is what the mean rank spent in such calls, in seconds.
func (r *Run) untold() float64 {
	sum := 0.0
	for _, u := range r.Untold {
		sum += u.Seconds
	}
	return sum
}

// untoldNote says what a replay does not know of the run; nothing where that is
// less than a thousandth.
func (r *Run) untoldNote() []string {
	if r.untold() < 0.001*r.Seconds {
		return nil
	}
	return []string{fmt.Sprintf("of %.3g s in %s the trace tells only how long they took, not who waited for whom: a replay takes them to stay", r.untold(), waits.UntoldCalls(r.Untold))}
}
