package launch

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"auspex/model"
	"auspex/probe"
)

// pruned is the share of all samples below which a function that is known by
// samples alone is left to its caller: so few say little, and trees of
// thousands of such functions help nobody.
const pruned = 0.001

// sampled is what one thread's samples say: how much of the time of a node
// belongs to which spot.
type sampled struct {
	node   int
	at     *spot
	weight uint64
}

// samples finds the spots of a thread's sampled stacks; owner says for each node
// whose time its own is. Those that show a thread waiting for others in OpenMP's
// library, or in what that calls, say nothing of where it computes.
func (c *callTree) samples(p *probe.Process, t probe.Thread, nodes []*spot, owner []int) []sampled {
	var list []sampled
	stands := make([]stand, len(t.Steps))
	idle := make([]bool, len(t.Steps))
	for k, s := range t.Steps {
		place := nodes[s.Place]
		from, measured := stand{at: place, python: place}, ""
		if s.Parent >= 0 {
			from = stands[s.Parent]
		} else {
			measured = enclosing(p, t, s.Place)
		}
		if s.PC == probe.LostFrom {
			from.lost = true
			stands[k] = from
		} else if f, ok := t.OfPython(s); ok {
			stands[k] = c.python(from, f)
		} else {
			a := addressOf(p, s.PC)
			stands[k] = c.frame(p, place, from, a, measured)
			base := filepath.Base(a.object)
			idle[k] = ofOpenMP(base) || s.Parent >= 0 && idle[s.Parent] && ofLanguages.MatchString(base)
			if len(c.names.at(a)) == 0 && !idle[k] && !c.forPython(p, from, a) {
				c.blind[a.object] += s.Count
			}
			if s.Count > 0 {
				c.weighPlain(a, s.Count)
			}
		}
		if s.Count > 0 && !idle[k] && p.Regions[t.Nodes[s.Place].Region].Kind != probe.Barrier {
			list = append(list, sampled{owner[s.Place], stands[k].at, s.Count})
			for up := stands[k].at; up != nil; up = up.parent {
				up.weight += s.Count
			}
		}
	}
	return list
}

// weighPlain counts samples in code that was compiled without optimisation, by file.
func (c *callTree) weighPlain(a address, samples uint64) {
	if file, ok := c.names.object(a.object).Unoptimised(a.at); ok {
		if c.plain == nil {
			c.plain = map[string]uint64{}
		}
		c.plain[file] += samples
	}
}

// enclosing is the function whose frame the outermost step of a stack stands in:
// the innermost one measured at a node, or in which a loop is. It is "" where stacks
// begin outside of the program's functions.
func enclosing(p *probe.Process, t probe.Thread, node int) string {
	for i := node; i >= 0; i = t.Nodes[i].Parent {
		switch r := p.Regions[t.Nodes[i].Region]; r.Kind {
		case probe.Function:
			return r.Name
		case probe.Loop:
			if function, _, ok := cutLast(r.Name, "/"); ok {
				return function // which may have no probe itself
			}
		case probe.Parallel, probe.Barrier, probe.Program:
			if i == node {
				return ""
			}
			return "?" // no function has this name: nothing of the frame is gone into
		}
	}
	return ""
}

// noFile is the object of addresses at which nothing was loaded from a file.
const noFile = "unknown"

// addressOf finds the object around an address.
func addressOf(p *probe.Process, pc uint64) address {
	var found []probe.Object
	for _, o := range p.Objects {
		if pc >= o.Start && pc < o.End && !slices.ContainsFunc(found, func(f probe.Object) bool { return f.Path == o.Path && f.Bias == o.Bias }) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 0:
		return address{noFile, pc}
	case 1:
		return address{found[0].Path, pc - found[0].Bias}
	}
	return address{inTurn(found), pc}
}

// either stands between the names of objects that lay at an address one after the
// other. The runtime keeps them apart as long as it can.
const either = " or "

func inTurn(objects []probe.Object) string {
	var names []string
	for _, o := range objects {
		names = append(names, filepath.Base(o.Path))
	}
	slices.Sort(names)
	return strings.Join(names, either)
}

// isInTurn tells such names from paths of files.
func isInTurn(object string) bool {
	return strings.Contains(object, either) && !strings.Contains(object, "/")
}

// kept is the spot itself, or the nearest around it that stays in the tree.
func (s *spot) kept(all uint64) *spot {
	for s.parent.parent != nil && !s.exact && float64(s.weight) < pruned*float64(all) {
		s = s.parent
	}
	return s
}

// tellSamples notes what is not known of the samples.
func (c *collector) tellSamples() {
	var taken, broken, dropped uint64
	blind := c.tree.blind
	for _, p := range c.processes {
		for _, t := range p.Threads {
			taken += t.Samples
			broken += t.Broken
			dropped += t.Dropped
		}
	}
	if broken > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d of %d samples could not be unwound to the end: the innermost functions are kept, but not all of their callers", broken, taken))
	}
	if dropped > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d of %d samples are lost: other threads were just taking room for theirs, or there was no more", dropped, taken))
	}
	c.tellPlain(taken)
	var objects []string
	for object, n := range blind {
		if 20*n >= taken && n >= 5 {
			objects = append(objects, object)
		}
	}
	sort.Strings(objects)
	for _, object := range objects {
		if object == noFile {
			c.notes = append(c.notes, fmt.Sprintf("%.0f %% of the samples are in code that no file holds: it was made while the program ran (a JIT), and has no names", 100*float64(blind[object])/float64(taken)))
			continue
		}
		if isInTurn(object) {
			c.notes = append(c.notes, fmt.Sprintf("%.0f %% of the samples are at addresses at which %s lay in turn, as the program opened and closed them: which of them it was is not known", 100*float64(blind[object])/float64(taken), strings.ReplaceAll(object, either, " and ")))
			continue
		}
		remedy := "build it without strip and -s"
		if ofSystem(object) {
			remedy = "install its debug symbols"
		}
		c.notes = append(c.notes, fmt.Sprintf("%s has no symbols for %.0f %% of the samples: %s to see which functions they are in", filepath.Base(object), 100*float64(blind[object])/float64(taken), remedy))
	}
}

// tellPlain says how much of the time is in code that was compiled without optimisation,
// where that is a tenth of all samples at least.
func (c *collector) tellPlain(taken uint64) {
	plain := c.tree.plain
	files, sum := slices.Collect(maps.Keys(plain)), uint64(0)
	for _, n := range plain {
		sum += n
	}
	if sum < 20 || 10*sum < taken {
		return
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(plain[b], plain[a]), cmp.Compare(a, b))
	})
	const shown = 3
	names, more := []string{}, ""
	for _, file := range files[:min(shown, len(files))] {
		names = append(names, filepath.Base(file))
	}
	if n := len(files) - shown; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	c.notes = append(c.notes, fmt.Sprintf("%.0f %% of the samples are in code that was compiled without optimisation (-O0, or no -O at all), of %s%s: built with -O2 the program may spend its time elsewhere",
		100*float64(sum)/float64(taken), strings.Join(names, ", "), more))
}

// place puts every spot that stays into the experiment, parents first.
func (c *collector) place(s *spot) int {
	if s.parent == nil {
		return model.NoParent
	}
	if s.index < 0 {
		r := s.region
		r.Parent = c.place(s.parent)
		s.index = c.b.Region(r)
	}
	return s.index
}

// blocked is how long a thread had given its core up at a node, by itself: asleep, at
// a lock, for another process. No sample shows where, as they come by CPU time. What
// is next to nothing stays where samples are.
func blocked(n probe.Node) float64 {
	b := min(n.Blocked, n.Wall-n.CPU)
	if b < 0.01*n.Wall {
		return 0
	}
	return b
}

// tellsBlocked tells whether the kernel said of all threads of a process when they
// were blocked: the runtime then begins with a tick of it.
func tellsBlocked(p *probe.Process) bool {
	return p.Sampling > 0 && !slices.ContainsFunc(p.Threads, func(t probe.Thread) bool { return !(t.Nodes[0].Blocked > 0) })
}

// coreWait is how long a thread could have run at a node and had no core, as far as
// that is known: calls too short to be looked at count as CPU time.
func coreWait(n probe.Node) float64 { return max(0, n.Wall-n.CPU-n.Blocked) }

// fewQueued is the share of all time that has to have been without a core to be
// kept: on a quiet machine it is next to nothing.
const fewQueued = 0.01

// entered tells which nodes a thread has been in, or in one below: of a task that it
// made for others it has the place only.
func entered(t probe.Thread) []bool {
	been := make([]bool, len(t.Nodes))
	for j := len(t.Nodes) - 1; j >= 0; j-- {
		n := t.Nodes[j]
		been[j] = been[j] || n.Parent < 0 || n.Calls > 0 || n.Wall > 0
		if been[j] && n.Parent >= 0 {
			been[n.Parent] = true
		}
	}
	return been
}

// thread adds what a thread counted, and shares out the time of each node by
// the samples that were taken there.
func (c *collector) thread(p *probe.Process, u threadTree) {
	t := u.thread
	unit := c.b.Unit(model.Unit{Node: p.Host, Process: p.Rank, Thread: t.ID})
	total := make([]uint64, len(t.Nodes))
	for _, s := range u.samples {
		total[s.node] += s.weight
	}
	been, waits := entered(t), make([]float64, len(t.Nodes))
	tells := c.columns.coreWait >= 0 && tellsBlocked(p)
	for j, n := range t.Nodes {
		if !been[j] {
			continue
		}
		if tells && p.Regions[n.Region].Kind != probe.Barrier { // how long it slept there is not known
			waits[j] = coreWait(n)
		}
		if p.Regions[n.Region].Kind == probe.Frame {
			if u.nodes[j].exact {
				c.b.Enter(unit, c.place(u.nodes[j]))
			}
			continue
		}
		kind := p.Regions[n.Region].Kind
		if b := blocked(n); b > 0 && p.Sampling > 0 && kind != probe.MPICall && kind != probe.FileCall && kind != probe.Barrier && kind != probe.Pause {
			c.b.Add(unit, c.place(u.nodes[j].child(model.Region{Name: model.Blocked, Kind: model.Block})), c.columns.wall, b)
			n.Wall -= b
			t.Nodes[j].Wall = n.Wall
		}
		if total[j] > 0 {
			// Samples share out what is not in calls for files, which have none.
			n.Wall, n.CPU = min(n.IOTime, n.Wall), min(n.IOTime, n.CPU)
			t.Nodes[j].Wall -= n.Wall
			t.Nodes[j].CPU -= n.CPU
		}
		c.values(p, unit, c.place(u.nodes[j]), n, kind == probe.MPICall)
		if waits[j] > 0 && total[j] == 0 {
			c.b.Add(unit, c.place(u.nodes[j]), c.columns.coreWait, waits[j])
		}
	}
	slices.SortStableFunc(u.samples, func(a, b sampled) int { return a.node - b.node })
	for _, s := range u.samples {
		n, share := t.Nodes[s.node], float64(s.weight)/float64(total[s.node])
		at := c.place(s.at.kept(c.tree.top.weight))
		c.b.Add(unit, at, c.columns.wall, n.Wall*share)
		c.b.Add(unit, at, c.columns.cpu, n.CPU*share)
		if waits[s.node] > 0 {
			c.b.Add(unit, at, c.columns.coreWait, waits[s.node]*share)
		}
		if c.columns.samples >= 0 {
			c.b.Add(unit, at, c.columns.samples, float64(s.weight))
		}
	}
}
