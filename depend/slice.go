package depend

import "slices"

// control adds the edges from branches to what they decide: a vertex depends
// on a branch if one way from the branch always comes to it and another may
// not (J. Ferrante, K. Ottenstein, J. Warren, 1987). What depends on no branch
// depends on the procedure's entry.
func (b *grapher) control(q *proc) {
	f := q.flowGraph()
	base := b.first[q]
	after := postDominators(f)
	decided := make([]bool, len(f.vertices))
	for _, v := range f.vertices {
		if len(v.succ) < 2 {
			continue
		}
		for _, s := range v.succ {
			// From s up the tree of post-dominators, as far as v's own.
			for at := s; at >= 0 && at != after[v.id]; at = after[at] {
				if at != v.id || v.part == testPart {
					b.edge(base+v.id, base+at, "control", "")
				}
				decided[at] = decided[at] || at != v.id
				if at == after[at] {
					break
				}
			}
		}
	}
	for i := range f.vertices {
		if i > 1 && !decided[i] {
			b.edge(base, base+i, "control", "")
		}
	}
}

// postDominators gives each vertex the nearest one that all its ways to the
// exit pass, -1 where there is none (K. Cooper, T. Harvey, K. Kennedy, A
// Simple, Fast Dominance Algorithm, 2001).
func postDominators(f *flow) []int {
	n := len(f.vertices)
	number := make([]int, n) // in postorder of the reversed graph
	for i := range number {
		number[i] = -1
	}
	var order []int
	visited := make([]bool, n)
	type step struct{ at, next int }
	stack := []step{{1, 0}}
	visited[1] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if pred := f.vertices[top.at].pred; top.next < len(pred) {
			p := pred[top.next]
			top.next++
			if !visited[p] {
				visited[p] = true
				stack = append(stack, step{p, 0})
			}
			continue
		}
		number[top.at] = len(order)
		order = append(order, top.at)
		stack = stack[:len(stack)-1]
	}
	after := make([]int, n)
	for i := range after {
		after[i] = -1
	}
	after[1] = 1
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			v := order[i]
			best := -1
			for _, s := range f.vertices[v].succ {
				if after[s] < 0 {
					continue
				}
				if best < 0 {
					best = s
					continue
				}
				a, c := s, best
				for a != c {
					for number[a] < number[c] {
						a = after[a]
					}
					for number[c] < number[a] {
						c = after[c]
					}
				}
				best = a
			}
			if after[v] != best {
				after[v], changed = best, true
			}
		}
	}
	after[1] = -1
	return after
}

// At finds the nodes of a line; with a variable, those that write it, or read
// it where none writes.
func (g *Graph) At(line int, variable string) []int {
	var all, writes, reads []int
	for _, n := range g.Nodes {
		if n.Line != line || n.Kind == "exit" {
			continue
		}
		all = append(all, n.ID)
		if slices.Contains(n.writes, variable) {
			writes = append(writes, n.ID)
		} else if slices.Contains(n.reads, variable) {
			reads = append(reads, n.ID)
		}
	}
	switch {
	case variable == "":
		return all
	case len(writes) > 0:
		return writes
	}
	return reads
}

// Slice gives the part of the graph that nodes depend on, however far back: in
// two passes, first through callers, then down into what is called, so that a
// way into a procedure never leaves it by another call.
func (g *Graph) Slice(from []int) *Graph {
	back := map[int][]Edge{}
	for _, e := range g.Edges {
		back[e.To] = append(back[e.To], e)
	}
	in := map[int]bool{}
	walk := func(start []int, skip func(kind string) bool) []int {
		var reached []int
		work := slices.Clone(start)
		for len(work) > 0 {
			at := work[len(work)-1]
			work = work[:len(work)-1]
			for _, e := range back[at] {
				if !skip(e.Kind) && !in[e.From] {
					in[e.From] = true
					reached = append(reached, e.From)
					work = append(work, e.From)
				}
			}
		}
		return reached
	}
	for _, id := range from {
		in[id] = true
	}
	reached := walk(from, func(kind string) bool { return kind == "out" })
	walk(append(slices.Clone(from), reached...), func(kind string) bool { return kind == "in" || kind == "call" })
	s := &Graph{Nodes: []Node{}, Edges: []Edge{}}
	for _, n := range g.Nodes {
		if in[n.ID] {
			s.Nodes = append(s.Nodes, n)
		}
	}
	for _, e := range g.Edges {
		if in[e.From] && in[e.To] {
			s.Edges = append(s.Edges, e)
		}
	}
	return s
}
