package launch

import (
	"path/filepath"

	"auspex/probe"
)

// place is where an MPI call stands: a file and line, or without debug
// information the function's name.
type place struct {
	file string
	line int
}

// places are the places of each rank's regions, by the regions' numbers.
type places map[int][]place

// readPlaces finds the calls of all ranks whose processes wrote into dir; what
// cannot be read has no places.
func readPlaces(dir string) places {
	files, _ := filepath.Glob(filepath.Join(dir, "*.probe"))
	known := newResolver()
	out := places{}
	for _, file := range files {
		p, err := probe.ReadFile(file)
		if err != nil || p.Rank < 0 {
			continue
		}
		list := make([]place, len(p.Regions))
		for i, r := range p.Regions {
			if r.Object == "" {
				continue
			}
			function, file, line := known.place(r)
			list[i] = place{file, line}
			if file == "" {
				list[i] = place{file: function}
			}
		}
		out[p.Rank] = list
	}
	return out
}
