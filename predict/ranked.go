package predict

import (
	"strings"

	"auspex/depend"
	"auspex/source"
)

// work knows which branches may keep some ranks from a loop.
type work struct {
	graph  *depend.Graph
	next   map[int][]depend.Edge
	under  map[*source.Stmt][]place // branches around each loop
	ranked map[place]bool           // branches that may go another way on another rank
}

type place struct {
	file string
	line int
}

func newWork(program *depend.Program, files []*source.File) *work {
	w := &work{graph: program.Graph(), next: map[int][]depend.Edge{}, under: map[*source.Stmt][]place{}, ranked: map[place]bool{}}
	for _, e := range w.graph.Edges {
		w.next[e.From] = append(w.next[e.From], e)
	}
	for _, f := range files {
		var units func(list []*source.Unit)
		units = func(list []*source.Unit) {
			for _, u := range list {
				u.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
					for _, o := range outer {
						if s.Kind == source.Loop && (o.Kind == source.If || o.Kind == source.Switch) {
							w.under[s] = append(w.under[s], place{f.Name, o.Line})
						}
					}
					return true
				})
				units(u.Units)
			}
		}
		units(f.Units)
	}
	w.rank()
	return w
}

// rank finds the branches that depend on which rank the process is.
func (w *work) rank() {
	var list []int
	seen := map[int]bool{}
	for i := range w.graph.Nodes {
		if n := &w.graph.Nodes[i]; strings.Contains(strings.ToLower(n.Text), "mpi_comm_rank") {
			list = append(list, n.ID)
			seen[n.ID] = true
		}
	}
	for len(list) > 0 {
		id := list[len(list)-1]
		list = list[:len(list)-1]
		if n := &w.graph.Nodes[id]; n.Kind == "test" {
			w.ranked[place{n.File, n.Line}] = true
		}
		for _, e := range w.next[id] {
			if e.Kind != "control" && e.Kind != "call" && !seen[e.To] {
				seen[e.To] = true
				list = append(list, e.To)
			}
		}
	}
}

// alone says on which line it is decided that only some ranks may run a loop, or
// 0. Loops that communicate must be everyone's, for all to stop at once.
func (w *work) alone(l depend.Loop) int {
	for _, p := range w.under[l.Stmt] {
		if w.ranked[p] {
			return p.line
		}
	}
	return 0
}
