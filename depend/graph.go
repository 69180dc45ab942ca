package depend

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"auspex/source"
)

// Node is a statement, or a part of one, in the dependence graph.
type Node struct {
	ID   int    `json:"id"`
	File string `json:"file"`
	Unit string `json:"unit"`
	Line int    `json:"line"`
	// Kind is entry, exit, statement, test, init or step.
	Kind string `json:"kind"`
	Text string `json:"text"`

	writes, reads []string
}

// Edge says that To depends on From.
type Edge struct {
	From int `json:"from"`
	To   int `json:"to"`
	// Kind is control, data, call, in (what a call hands to a procedure) or
	// out (what a procedure leaves to its caller).
	Kind     string `json:"kind"`
	Variable string `json:"variable,omitempty"`
}

// Graph is a system dependence graph (S. Horwitz, T. Reps, D. Binkley,
// Interprocedural Slicing Using Dependence Graphs, 1990). A call's parameters
// have no nodes of their own: the call stands for them, so that what a
// procedure changes is taken to depend on all it is given.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

var partNames = map[part]string{plainPart: "statement", entryPart: "entry", exitPart: "exit", testPart: "test", initPart: "init", stepPart: "step"}

// Graph builds the dependence graph of all procedures.
func (p *Program) Graph() *Graph {
	b := &grapher{p: p, m: p.memoryOf(), g: &Graph{Nodes: []Node{}, Edges: []Edge{}}, first: map[*proc]int{}, seen: map[Edge]bool{}}
	for _, q := range p.procs {
		b.first[q] = len(b.g.Nodes)
		for _, v := range q.flowGraph().vertices {
			b.g.Nodes = append(b.g.Nodes, b.node(q, v))
		}
	}
	b.summarize()
	for _, q := range p.procs {
		b.data(q)
		b.control(q)
	}
	slices.SortFunc(b.g.Edges, func(x, y Edge) int {
		if x.From != y.From {
			return x.From - y.From
		}
		if x.To != y.To {
			return x.To - y.To
		}
		return strings.Compare(x.Kind+x.Variable, y.Kind+y.Variable)
	})
	return b.g
}

type grapher struct {
	p     *Program
	m     *memory
	g     *Graph
	first map[*proc]int // id of a procedure's vertex 0
	seen  map[Edge]bool
	sums  map[*proc]access
}

func (b *grapher) edge(from, to int, kind, variable string) {
	e := Edge{from, to, kind, variable}
	if !b.seen[e] {
		b.seen[e] = true
		b.g.Edges = append(b.g.Edges, e)
	}
}

func (b *grapher) node(q *proc, v *vertex) Node {
	n := Node{ID: len(b.g.Nodes), File: q.place(), Unit: q.unit.Name, Kind: partNames[v.part]}
	switch {
	case v.part == entryPart:
		n.Line, n.Text = q.unit.Line, q.unit.Name
	case v.part == exitPart:
		n.Line, n.Text = q.unit.EndLine, "end of "+q.unit.Name
	case len(v.exprs) > 0:
		n.Line = v.exprs[0].Line
		n.Text = clip(string(q.file.Text[v.exprs[0].Start:v.exprs[len(v.exprs)-1].End]))
	case v.counts != nil:
		n.Line, n.Text = v.stmt.Line, v.counts.Name
	default:
		n.Line, n.Text = v.stmt.Line, clip(string(q.file.Text[v.stmt.Start:v.stmt.End]))
	}
	fx := q.effectsOf(v.exprs...)
	for i := range fx.refs {
		if r := &fx.refs[i]; r.write {
			n.writes = append(n.writes, r.root, r.shown())
		} else {
			n.reads = append(n.reads, r.root, r.shown())
		}
	}
	if v.counts != nil {
		n.reads = append(n.reads, v.counts.Name)
	}
	return n
}

// access is what a vertex reads and writes.
type access struct {
	reads  map[*object]string
	writes map[*object]string
	kills  map[*object]bool
}

func (b *grapher) accesses(q *proc, v *vertex) access {
	a := access{map[*object]string{}, map[*object]string{}, map[*object]bool{}}
	fx := q.effectsOf(v.exprs...)
	for i := range fx.refs {
		r := &fx.refs[i]
		path := b.m.at(q, r)
		last := path[len(path)-1]
		if r.read {
			for _, o := range path {
				a.reads[o] = r.shown()
			}
		}
		if r.write {
			a.writes[last] = r.shown()
			if len(r.steps) == 0 && !r.maybe && !last.shared && q.own(r.root) {
				a.kills[last] = true
			}
		}
	}
	for _, o := range fx.opaque { // may read and write all that is in it
		o.Walk(func(k *source.Expr) {
			if k != nil && (k.Kind == source.Name || k.Kind == source.Apply) && k.Name != "" {
				at := b.m.variable(q, k.Name)
				a.reads[at], a.writes[at] = k.Name, k.Name
			}
		})
	}
	if v.counts != nil {
		o := b.m.variable(q, v.counts.Name)
		a.reads[o] = v.counts.Name
		if v.part == stepPart {
			a.writes[o] = v.counts.Name
		}
	}
	for _, c := range fx.calls {
		b.callAccess(q, c, &a)
	}
	return a
}

// callAccess adds what a call reads and writes besides the values it is given.
func (b *grapher) callAccess(q *proc, c invocation, a *access) {
	callee := b.p.named[lastPart(c.name)]
	if callee == nil && (q.pureName(c.name) || outside[c.name]) {
		return
	}
	if callee != nil {
		for o, name := range b.summary(callee).writes {
			a.writes[o] = name
		}
		for o, name := range b.summary(callee).reads {
			a.reads[o] = name
		}
		return
	}
	for _, e := range c.args { // an unknown procedure may change what it is given
		if e == nil {
			continue
		}
		for _, target := range q.memoryArgs(invocation{args: []*source.Expr{e}}, []int{0}) {
			if o := b.m.place(q, target); o != nil && target.Kind != source.Literal {
				a.writes[o], a.reads[o] = o.name, o.name
			}
		}
	}
}

// summary is what a procedure reads and writes that is not its own.
func (b *grapher) summary(q *proc) access { return b.sums[q] }

// summarize works the summaries out until calls among procedures, in circles
// too, add nothing more.
func (b *grapher) summarize() {
	b.sums = map[*proc]access{}
	for _, q := range b.p.procs {
		b.sums[q] = access{reads: map[*object]string{}, writes: map[*object]string{}}
	}
	t := &tracker{prog: b.p, m: b.m}
	for grown := true; grown; {
		grown = false
		for _, q := range b.p.procs {
			sum := b.sums[q]
			before := len(sum.reads) + len(sum.writes)
			reads, writes := stain{}, stain{}
			name := map[*object]string{}
			for _, v := range q.flowGraph().vertices {
				a := b.accesses(q, v)
				for o, n := range a.reads {
					reads[o], name[o] = true, n
				}
				for o, n := range a.writes {
					writes[o], name[o] = true, n
				}
			}
			for o := range t.withoutLocals(q, reads) {
				sum.reads[o] = name[o]
			}
			for o := range t.withoutLocals(q, writes) {
				sum.writes[o] = name[o]
			}
			grown = grown || len(sum.reads)+len(sum.writes) > before
		}
	}
}

// data adds the edges from definitions to uses, and those of calls.
func (b *grapher) data(q *proc) {
	f := q.flowGraph()
	base := b.first[q]
	acc := make([]access, len(f.vertices))
	for i, v := range f.vertices {
		acc[i] = b.accesses(q, v)
	}
	// Everything from outside is defined at the entry and used at the exit.
	own := b.summary(q)
	maps.Copy(acc[0].writes, own.reads)
	for _, name := range q.unit.Params {
		acc[0].writes[b.m.variable(q, name)] = name
	}
	maps.Copy(acc[1].reads, own.writes)
	reach := reaching(f, acc)
	for i := range f.vertices {
		for o, name := range acc[i].reads {
			for _, d := range reach[i][o] {
				b.edge(base+d, base+i, "data", name)
			}
		}
		for _, c := range q.effectsOf(f.vertices[i].exprs...).calls {
			b.call(base+i, c)
		}
		if s := f.vertices[i].stmt; s != nil && s.Kind == source.Return && len(f.vertices[i].exprs) > 0 {
			b.edge(base+i, base+1, "data", "result")
		}
	}
}

func (b *grapher) call(at int, c invocation) {
	callee := b.p.named[lastPart(c.name)]
	if callee == nil {
		return
	}
	entry := b.first[callee]
	b.edge(at, entry, "call", "")
	for i, a := range callee.arguments(c.expr) {
		if a != nil && i < len(callee.unit.Params) {
			b.edge(at, entry, "in", callee.unit.Params[i])
		}
	}
	for _, name := range b.summary(callee).writes {
		b.edge(entry+1, at, "out", name)
	}
	b.edge(entry+1, at, "out", "result")
}

// reaching gives for each vertex which definitions of an object may reach it.
func reaching(f *flow, acc []access) []map[*object][]int {
	in := make([]map[*object][]int, len(f.vertices))
	for i := range in {
		in[i] = map[*object][]int{}
	}
	var work []int
	queued := make([]bool, len(f.vertices))
	for i := range f.vertices {
		work = append(work, i)
		queued[i] = true
	}
	add := func(to int, o *object, d int) bool {
		at, found := slices.BinarySearch(in[to][o], d)
		if !found {
			in[to][o] = slices.Insert(in[to][o], at, d)
		}
		return !found
	}
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		queued[i] = false
		for _, next := range f.vertices[i].succ {
			grown := false
			for o, defs := range in[i] {
				if !acc[i].kills[o] {
					for _, d := range defs {
						grown = add(next, o, d) || grown
					}
				}
			}
			for o := range acc[i].writes {
				grown = add(next, o, i) || grown
			}
			if grown && !queued[next] {
				queued[next] = true
				work = append(work, next)
			}
		}
	}
	return in
}

// WriteDot writes the graph for Graphviz, a cluster a procedure.
func (g *Graph) WriteDot(w io.Writer) error {
	var out strings.Builder
	out.WriteString("digraph sdg {\n  node [shape=box, fontname=monospace];\n")
	unit := ""
	for i, n := range g.Nodes {
		if key := n.File + ":" + n.Unit; key != unit || i == 0 {
			if i > 0 {
				out.WriteString("  }\n")
			}
			unit = key
			fmt.Fprintf(&out, "  subgraph cluster_%d {\n    label=%q;\n", n.ID, n.Unit)
		}
		fmt.Fprintf(&out, "    n%d [label=%q];\n", n.ID, fmt.Sprintf("%d: %s", n.Line, n.Text))
	}
	if len(g.Nodes) > 0 {
		out.WriteString("  }\n")
	}
	style := map[string]string{"control": "style=dashed", "data": "color=blue", "call": "style=bold", "in": "color=darkgreen", "out": "color=red"}
	for _, e := range g.Edges {
		fmt.Fprintf(&out, "  n%d -> n%d [%s, label=%q];\n", e.From, e.To, style[e.Kind], e.Variable)
	}
	out.WriteString("}\n")
	_, err := io.WriteString(w, out.String())
	return err
}
