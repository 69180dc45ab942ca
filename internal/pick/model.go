// Package pick lets a person tick the regions to measure, in a terminal.
//
//  1. New makes a Model of files with the functions and loops in them.
//  2. Model.Press takes a key and Model.Screen gives the lines to show; neither
//     knows of a terminal.
//  3. Run drives a Model on a real one until the person is done, and puts the
//     terminal back as it was whatever happens.
//  4. Model.WriteFilter writes what is ticked as a filter file for auspex cc.
package pick

import (
	"strings"

	"auspex/instrument"
)

// Model is the tree, what in it is ticked, and what of it is on the screen.
type Model struct {
	title  string
	nodes  []node          // the tree in order, parents first
	ticked map[string]bool // by key
	shown  []int           // nodes on view
	cursor int             // in shown
	top    int             // first of shown on the screen
	height int             // lines for the tree, as last drawn

	query   string // what functions and files must hold to be shown
	typing  bool   // keys go into the query
	changed bool   // since the start
	warned  bool   // that changes would be lost
	message string // shown instead of the row's details until the next key
	end     ending
}

type ending int

const (
	open ending = iota
	saved
	left
)

// node is a file, function or loop.
type node struct {
	label   string
	depth   int
	parent  int // -1 for files
	after   int // the first node that is not inside
	open    bool
	key     string // equal for overloads, which no rule tells apart; empty for files
	file    *instrument.Outline
	region  *instrument.Candidate // nil for files
	matches bool                  // the query
}

// New makes a model of files; what is chosen in them is ticked. The title is
// shown above.
func New(title string, files []*instrument.Outline) *Model {
	m := &Model{title: title, ticked: map[string]bool{}}
	for _, f := range files {
		if len(f.Regions) == 0 {
			continue
		}
		at := m.add(node{label: f.File, parent: -1, file: f, open: len(files) == 1})
		for _, r := range f.Regions {
			m.addRegion(f, r, at)
		}
		m.nodes[at].after = len(m.nodes)
	}
	m.defaults()
	m.filter()
	return m
}

func (m *Model) add(n node) int {
	m.nodes = append(m.nodes, n)
	return len(m.nodes) - 1
}

func (m *Model) addRegion(f *instrument.Outline, r *instrument.Candidate, parent int) {
	label := r.Name
	if r.Kind == instrument.LoopRegion {
		_, line := r.Function()
		label = "loop@" + line
	}
	at := m.add(node{label: label, depth: m.nodes[parent].depth + 1, parent: parent, key: f.File + "\x00" + r.Name, file: f, region: r})
	for _, in := range r.Inside {
		m.addRegion(f, in, at)
	}
	m.nodes[at].after = len(m.nodes)
}

// defaults ticks what is chosen without a person.
func (m *Model) defaults() {
	clear(m.ticked)
	for _, n := range m.nodes {
		if n.region != nil && n.region.Chosen {
			m.ticked[n.key] = true
		}
	}
}

// Ticked tells how many regions are.
func (m *Model) Ticked() int { return len(m.ticked) }

// Saved tells whether the person ended by saving.
func (m *Model) Saved() bool { return m.end == saved }

// Done tells whether the person has ended.
func (m *Model) Done() bool { return m.end != open }

// Fail takes an end back because of what went wrong, and shows it.
func (m *Model) Fail(err error) { m.end, m.message = open, err.Error() }

// filter works out which nodes are on view: without a query those whose
// parents are open; with one, the functions that hold it, with their files, and
// the files that hold it.
func (m *Model) filter() {
	current := m.current()
	want := strings.ToLower(m.query)
	for i := range m.nodes {
		n := &m.nodes[i]
		n.matches = want == "" || strings.Contains(strings.ToLower(n.label), want)
	}
	m.shown = m.shown[:0]
	for i := 0; i < len(m.nodes); i++ {
		n := &m.nodes[i]
		visible := true
		switch {
		case n.depth == 0 && want != "":
			visible = n.matches || m.holdsMatch(i)
		case n.depth == 1 && want != "":
			file := &m.nodes[n.parent]
			visible = n.matches || file.matches && file.open
		}
		if visible {
			m.shown = append(m.shown, i)
		}
		// Below files a query looks in, whether they are open or not.
		if !visible && n.depth > 0 || visible && !n.open && (n.depth > 0 || want == "") {
			i = n.after - 1
		}
	}
	m.cursor = 0
	for at, i := range m.shown {
		if i <= current {
			m.cursor = at // the same node, or the last before it
		}
	}
}

// holdsMatch tells whether a function of a file matches.
func (m *Model) holdsMatch(file int) bool {
	for i := file + 1; i < m.nodes[file].after; i = m.nodes[i].after {
		if m.nodes[i].matches {
			return true
		}
	}
	return false
}

// current is the node under the cursor, or -1.
func (m *Model) current() int {
	if m.cursor < len(m.shown) {
		return m.shown[m.cursor]
	}
	return -1
}

// toggle ticks or unticks a node.
func (m *Model) toggle(at int) {
	n := m.nodes[at]
	switch {
	case n.region == nil:
		m.toggleFile(at)
	case !n.region.Possible:
		m.message = "cannot be measured: " + n.region.Why
		return
	case m.ticked[n.key]:
		delete(m.ticked, n.key)
	default:
		m.ticked[n.key] = true
	}
	m.changed, m.warned = true, false
}

// toggleFile unticks all of a file that the query leaves. Where nothing there
// is ticked, it ticks what would be chosen by default, and where that is
// nothing, every function.
func (m *Model) toggleFile(file int) {
	var all, chosen, functions []string
	for i := file + 1; i < m.nodes[file].after; {
		n := m.nodes[i]
		if n.depth == 1 && !n.matches && !m.nodes[file].matches {
			i = n.after
			continue
		}
		i++
		if !n.region.Possible {
			continue
		}
		all = append(all, n.key)
		if n.region.Chosen {
			chosen = append(chosen, n.key)
		}
		if n.depth == 1 {
			functions = append(functions, n.key)
		}
	}
	any := false
	for _, key := range all {
		any = any || m.ticked[key]
		delete(m.ticked, key)
	}
	if any {
		return
	}
	if len(chosen) == 0 {
		chosen = functions
	}
	for _, key := range chosen {
		m.ticked[key] = true
	}
}
