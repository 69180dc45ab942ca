package launch

import (
	"path/filepath"

	"auspex/model"
	"auspex/probe"
)

// place is where an MPI call stands: a file and line, or without debug
// information the function's name.
type place struct {
	file string
	line int
	call string // such as MPI_Wait
}

// places are what is known of each rank's regions.
type places map[int]rankPlaces

// rankPlaces are the places of a rank's calls, by the regions' numbers, and the
// paths of the nodes of its first thread in which it computes, "" for those in
// which it communicates.
type rankPlaces struct {
	calls []place
	nodes []string
}

// readPlaces finds the calls of all ranks whose processes wrote into dir; what
// cannot be read has no places.
func readPlaces(dir string) places {
	files, _ := filepath.Glob(filepath.Join(dir, "*.probe"))
	known := newResolver()
	out := places{}
	tree := callTree{names: known}
	var ranks []*probe.Process
	for _, file := range files {
		if p, err := probe.ReadFile(file); err == nil && p.Rank >= 0 {
			ranks = append(ranks, p)
		}
	}
	known.interpreters = findInterpreters(ranks)
	for _, p := range ranks {
		list := make([]place, len(p.Regions))
		for i, r := range p.Regions {
			if r.Object == "" {
				continue
			}
			function, file, line := known.place(r)
			list[i] = place{file, line, r.Name}
			if file == "" {
				list[i].file = function
			}
		}
		out[p.Rank] = rankPlaces{calls: list, nodes: computing(p, &tree)}
	}
	return out
}

// computing names the nodes of a process's first thread.
func computing(p *probe.Process, tree *callTree) []string {
	if len(p.Threads) == 0 {
		return nil
	}
	t := p.Threads[0]
	tree.begin(p, 0)
	out := make([]string, len(t.Nodes))
	for i, s := range tree.nodes(p, t) {
		if p.Regions[t.Nodes[i].Region].Kind == probe.MPICall {
			continue
		}
		names := s.path()
		if len(names) > 1 {
			names = names[1:] // the program itself
		}
		out[i] = model.JoinPath(names...)
	}
	return out
}
