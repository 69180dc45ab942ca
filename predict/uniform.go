package predict

import (
	"fmt"
	"strings"

	"auspex/depend"
	"auspex/source"
)

// work knows where a program decides how much it does: the headers of loops, and
// branches with loops or calls in them.
type work struct {
	graph   *depend.Graph
	next    map[int][]depend.Edge
	decides map[place]bool
	under   map[*source.Stmt][]place // branches around each loop
	ranked  map[place]bool           // branches that may go another way on another rank
}

type place struct {
	file string
	line int
}

func newWork(program *depend.Program, files []*source.File, procedures map[string]bool) *work {
	w := &work{graph: program.Graph(), next: map[int][]depend.Edge{}, decides: map[place]bool{}, under: map[*source.Stmt][]place{}, ranked: map[place]bool{}}
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
					branch := s.Kind == source.If || s.Kind == source.Switch
					if s.Kind == source.Loop || branch && (heavy(f, &source.Stmt{Body: s.Body}, procedures) || heavy(f, &source.Stmt{Body: s.Else}, procedures)) {
						w.decides[place{f.Name, s.Line}] = true
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

// uneven says how the work of an iteration depends on its number, or "". The
// mean of the first iterations would not be that of all.
func (w *work) uneven(l depend.Loop) string {
	if l.Variable == "" {
		return "it has no counter"
	}
	inside := func(n *depend.Node) bool { return n.File == l.File && n.Unit == l.Unit }
	var list []int
	seen := map[int]bool{}
	for _, id := range w.graph.At(l.Line, l.Variable) {
		if n := &w.graph.Nodes[id]; inside(n) {
			list = append(list, id)
			seen[id] = true
		}
	}
	own := place{l.File, l.Line}
	for len(list) > 0 {
		id := list[len(list)-1]
		list = list[:len(list)-1]
		for _, e := range w.next[id] {
			n := &w.graph.Nodes[e.To]
			if e.Kind == "control" || seen[e.To] || inside(n) && (n.Line < l.Line || n.Line > l.EndLine) {
				continue
			}
			seen[e.To] = true
			here := place{n.File, n.Line}
			if (n.Kind == "test" || n.Kind == "init") && here != own && w.decides[here] {
				return fmt.Sprintf("how much an iteration does depends on %s on line %d", l.Variable, n.Line)
			}
			list = append(list, e.To)
		}
	}
	return ""
}
