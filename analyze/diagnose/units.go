package diagnose

import (
	"encoding/json"
	"slices"
	"strconv"

	"auspex/analyze"
	"auspex/internal/mistake"
	"auspex/model"
)

// Level says what is compared.
type Level string

// The levels units can be compared at.
const (
	Processes Level = "processes" // threads of a process summed
	Threads   Level = "threads"
	Nodes     Level = "nodes"
)

// CheckLevel refuses other words; empty stands for the default.
func CheckLevel(l Level) error {
	switch l {
	case "", Processes, Threads, Nodes:
		return nil
	}
	return mistake.Refuse("units are %s, %s or %s, not %q", Processes, Threads, Nodes, l)
}

// Name names what is compared: a process by its number, a thread as
// process.thread, a node by its name.
type Name struct {
	Text            string
	Process, Thread int
	number          bool
}

func (n Name) String() string { return n.Text }

// MarshalJSON writes processes as numbers.
func (n Name) MarshalJSON() ([]byte, error) {
	if n.number {
		return []byte(n.Text), nil
	}
	return json.Marshal(n.Text)
}

// grouping puts the stored units together into those that are compared.
type grouping struct {
	level Level
	of    []int // by stored unit; -1 for those that are not compared
	names []Name
	roles []analyze.Role // of the groups
	mixed bool           // there are several roles
}

func groupUnits(d *analyze.Dataset, level Level) (*grouping, error) {
	if err := CheckLevel(level); err != nil {
		return nil, err
	}
	g := &grouping{level: level, of: make([]int, len(d.Units))}
	types, roles, err := d.UnitTypes()
	if err != nil { // nothing is known of units without times
		types, roles = make([]analyze.UnitType, len(d.Units)), make([]analyze.Role, len(d.Units))
	}
	streams := !slices.ContainsFunc(types, func(t analyze.UnitType) bool { return t != analyze.StreamUnit })
	number := map[model.Unit]int{}
	for i, u := range d.Units {
		if types[i] == analyze.StreamUnit && !streams {
			g.of[i] = -1 // an accelerator's stream is not like a processor's thread
			continue
		}
		if level == Threads && roles[i] == analyze.Apart {
			g.of[i] = -1
			continue
		}
		key, name := u, Name{Process: u.Process, Thread: u.Thread}
		switch level {
		case Processes:
			key = model.Unit{Process: u.Process}
			name.Text, name.number = strconv.Itoa(u.Process), true
		case Nodes:
			if u.Node == "" {
				return nil, mistake.Refuse("experiment %q does not record the node of process %s; compare processes or threads", d.Name, u)
			}
			key = model.Unit{Node: u.Node}
			name.Text = u.Node
		default:
			name.Text = strconv.Itoa(u.Process) + "." + strconv.Itoa(u.Thread)
		}
		k, seen := number[key]
		if !seen {
			k = len(g.names)
			number[key] = k
			g.names = append(g.names, name)
			role := analyze.Main
			if level == Threads {
				role = roles[i]
			}
			g.roles = append(g.roles, role)
			g.mixed = g.mixed || role != g.roles[0]
		}
		g.of[i] = k
	}
	return g, nil
}

// helper is the part of what the busiest thread of its process does below which a
// thread does not share the work.
const helper = 0.1

// threadsDiffer tells whether the work of some processes is shared by more threads than
// that of others: their sums say nothing of who is late.
func threadsDiffer(d *analyze.Dataset) bool {
	times, err := d.Times()
	if err != nil {
		return false
	}
	most, threads := map[int]float64{}, map[int]int{}
	for u, unit := range d.Units {
		if times.Judges(u) {
			most[unit.Process] = max(most[unit.Process], times.Useful[u])
		}
	}
	for u, unit := range d.Units {
		if v := times.Useful[u]; times.Judges(u) && v > 0 && v >= helper*most[unit.Process] {
			threads[unit.Process]++
		}
	}
	number := -1
	for _, n := range threads {
		if number >= 0 && n != number {
			return true
		}
		number = n
	}
	return false
}

func (g *grouping) pick(which []int) []Name { return pick(g.names, which) }

// allOf tells the groups that have no units but these.
func (g *grouping) allOf(units []int) []bool {
	these, out := make([]bool, len(g.of)), make([]bool, len(g.names))
	for _, u := range units {
		these[u] = true
	}
	for k := range out {
		out[k] = true
	}
	for u, k := range g.of {
		if k >= 0 {
			out[k] = out[k] && these[u]
		}
	}
	return out
}

// fold sums the units of every group, or averages those known where values do
// not add up. The result is the caller's own.
func (g *grouping) fold(m model.Matrix, additive bool) model.Matrix {
	if len(g.names) == m.Units {
		return m.Clone()
	}
	out := model.NewMatrix(len(g.names), m.Regions, model.Zero)
	var known []int32
	if !additive {
		known = make([]int32, len(out.Data))
	}
	for u := range m.Units {
		if g.of[u] < 0 {
			continue
		}
		at := g.of[u] * m.Regions
		for r, v := range m.Row(u) {
			if v != v {
				continue
			}
			out.Data[at+r] += v
			if known != nil {
				known[at+r]++
			}
		}
	}
	for i, n := range known {
		out.Data[i] = float64(analyze.Ratio(out.Data[i], float64(n)))
	}
	return out
}

// KindsOfUnits gives for every stored unit the number of the kind it was found
// to be of; −1 for none.
func (r *Diagnosis) KindsOfUnits(d *analyze.Dataset) []int {
	number := map[string]int{}
	for k, members := range r.Kinds {
		for _, name := range members {
			number[name.Text] = k
		}
	}
	kinds := slices.Repeat([]int{-1}, len(d.Units))
	g, err := groupUnits(d, r.Level)
	if err != nil {
		return kinds
	}
	for u, group := range g.of {
		if group < 0 {
			continue
		}
		if k, ok := number[g.names[group].Text]; ok {
			kinds[u] = k
		}
	}
	return kinds
}
