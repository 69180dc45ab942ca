package analyze

import (
	"slices"
	"strings"

	"auspex/account"
	"auspex/model"
)

// UnitType is what a unit is.
type UnitType string

// The types of units.
const (
	ProcessUnit UnitType = "process"
	ThreadUnit  UnitType = "thread" // of a processor
	StreamUnit  UnitType = "stream" // of an accelerator
)

// Role is what a unit is for, among those of its type.
type Role int

// The roles of units. Workers that do different things have numbers from
// Worker on.
const (
	// Apart is a thread of teams inside other teams, of which it may be another one in
	// the next, or of several threads that lived one after the other: it is compared
	// with nobody.
	Apart  Role = account.Apart
	Main   Role = iota - 1 // of its process
	Helper                 // one that does next to nothing but wait
	Worker                 // beside a main one
)

// alikeness says which units may be compared: those of equal type and role.
type alikeness struct {
	types []UnitType
	roles []Role
}

const (
	streamShare = 0.5 // at least of a stream's time is kernels and their communication
	helperShare = 0.9 // of a helper's time is waiting
)

// UnitTypes gives the type and the role of every unit. Only units that have
// both in common are to be compared.
func (d *Dataset) UnitTypes() ([]UnitType, []Role, error) {
	t, err := d.Times()
	if err != nil {
		return nil, nil, err
	}
	return t.alike.types, t.alike.roles, nil
}

// alikeness finds type and role of every unit from where its time is.
func (d *Dataset) alikeness(exclusive model.Matrix) alikeness {
	a := alikeness{types: make([]UnitType, len(d.Units)), roles: make([]Role, len(d.Units))}
	first := map[int]int{} // by process: its first unit that is no stream
	several := false
	threads, told := d.Factor(model.ProcessorThreads)
	for u, unit := range d.Units {
		total, kernels, onDevice, waits := 0.0, 0.0, 0.0, 0.0
		for r, v := range exclusive.Row(u) {
			if !(v > 0) {
				continue
			}
			total += v
			switch d.Regions[r].Kind {
			case model.Kernel:
				kernels += v
				onDevice += v
			case model.Comm:
				onDevice += v
			}
			if d.Classes[r] == account.Waits {
				waits += v
			}
		}
		switch {
		case told && float64(unit.Thread) >= threads.Number, !told && kernels > 0 && onDevice >= streamShare*total:
			if a.types[u] = StreamUnit; 2*kernels < onDevice {
				a.roles[u] = Worker // it communicates, beside one that computes
			}
			continue
		case waits >= helperShare*total && total > 0:
			a.roles[u] = Helper
		}
		a.types[u] = ProcessUnit
		if main, ok := first[unit.Process]; !ok {
			first[unit.Process] = u
			a.roles[u] = Main
		} else {
			several = several || main != u
			if a.roles[u] != Helper {
				a.roles[u] = Worker
			}
		}
	}
	if several {
		d.passing(a)
		d.purposes(exclusive, a, d.teams(a))
	}
	for u, t := range a.types {
		if several && t == ProcessUnit {
			a.types[u] = ThreadUnit
		}
	}
	return a
}

// passing sets threads apart that several lived in, one after the other: the program
// was entered more than once in them.
func (d *Dataset) passing(a alikeness) {
	root := slices.IndexFunc(d.Regions, func(r model.Region) bool { return r.Parent == model.NoParent && r.Kind == model.Block })
	if root < 0 || !d.Has(model.Calls) {
		return
	}
	calls, err := d.Matrix(model.Calls)
	if err != nil {
		return
	}
	for u, unit := range d.Units {
		if unit.Thread > 0 && calls.At(u, root) > 1 {
			a.roles[u] = Apart
		}
	}
}

// teams are the parallel regions in which each unit is a thread of the outermost team
// that it is in. Threads that are in teams inside others only have their role here.
func (d *Dataset) teams(a alikeness) []map[int]bool {
	teams := make([]map[int]bool, len(d.Units))
	calls, err := d.Matrix(model.Calls)
	if err != nil {
		return teams
	}
	var parallel []int
	threads := map[int]int{} // in each parallel region
	for r, region := range d.Regions {
		if strings.HasPrefix(region.Name, model.ParallelRegion) {
			parallel = append(parallel, r)
			for u := range d.Units {
				if calls.At(u, r) > 0 {
					threads[r]++
				}
			}
		}
	}
	// outer is whether a team of several threads is around a region, and whether the
	// unit is one of them.
	outer := func(u, r int) (any, own bool) {
		for r = d.Regions[r].Parent; r != model.NoParent; r = d.Regions[r].Parent {
			any = any || threads[r] > 1
			own = own || threads[r] > 0 && calls.At(u, r) > 0
		}
		return any, own
	}
	for u := range d.Units {
		inner := false
		for _, r := range parallel {
			if !(calls.At(u, r) > 0) {
				continue
			}
			any, own := outer(u, r)
			if own {
				continue
			}
			if any {
				inner = true
				continue
			}
			if teams[u] == nil {
				teams[u] = map[int]bool{}
			}
			teams[u][r] = true
		}
		if inner && teams[u] == nil && a.roles[u] != Main && a.types[u] == ProcessUnit {
			a.roles[u] = Apart
		}
	}
	return teams
}

// meet tells whether two threads are in a team together, or not known to be in any.
func meet(a, b map[int]bool) bool {
	for r := range a {
		if b[r] {
			return true
		}
	}
	return len(a) == 0 || len(b) == 0
}

// sameThing is the share of their time at work that two workers spend in regions of
// the same names if they do the same.
const sameThing = 0.1

// nameless tells regions whose names do not say what a thread does there: the program
// itself, and code without symbols, <libname.so>.
func (d *Dataset) nameless(r int) bool {
	region := &d.Regions[r]
	return region.Kind == model.Block && (region.Parent == model.NoParent || strings.HasPrefix(region.Name, "<"))
}

// purpose is what a worker does: its time at work by the names of regions, of nameless
// ones by their paths.
type purpose struct {
	named, nameless map[string]float64
	total           float64
}

func (d *Dataset) purpose(exclusive []float64) purpose {
	p := purpose{named: map[string]float64{}, nameless: map[string]float64{}}
	for r, v := range exclusive {
		if !(v > 0) || d.Classes[r] == account.Waits || d.Classes[r] == account.Asleep {
			continue
		}
		p.total += v
		if d.nameless(r) {
			p.nameless[d.Paths[r]] += v
		} else {
			p.named[d.Regions[r].Name] += v
		}
	}
	return p
}

// same tells whether two workers do the same. That they are in code without names says
// so only where they are there for about as long.
func (p purpose) same(o purpose) bool {
	if p.total == 0 || o.total == 0 {
		return true
	}
	common := 0.0
	for name, v := range p.named {
		common += min(v/p.total, o.named[name]/o.total)
	}
	for path, v := range p.nameless {
		if w := o.nameless[path]; v <= account.OtherWork*w && w <= account.OtherWork*v {
			common += min(v/p.total, w/o.total)
		}
	}
	return common >= sameThing
}

// purposes parts workers that do different things, such as the threads of a
// training process, or that are never in a team together: by their numbers, as the
// process with most of them shows.
func (d *Dataset) purposes(exclusive model.Matrix, a alikeness, teams []map[int]bool) {
	of := map[int][]int{}
	most := 0
	for u, unit := range d.Units {
		if a.types[u] == ProcessUnit && a.roles[u] == Worker {
			of[unit.Process] = append(of[unit.Process], u)
			if len(of[unit.Process]) > len(of[most]) {
				most = unit.Process
			}
		}
	}
	var kinds []purpose
	var firsts []int       // the first unit of each
	role := map[int]Role{} // by thread
	for _, u := range of[most] {
		does := d.purpose(exclusive.Row(u))
		at := -1
		for k, other := range kinds {
			if does.same(other) && meet(teams[u], teams[firsts[k]]) {
				at = k
				break
			}
		}
		if at < 0 {
			at = len(kinds)
			kinds, firsts = append(kinds, does), append(firsts, u)
		}
		role[d.Units[u].Thread] = Worker + Role(at)
	}
	for u, unit := range d.Units {
		if r, ok := role[unit.Thread]; ok && a.types[u] == ProcessUnit && a.roles[u] == Worker {
			a.roles[u] = r
		}
	}
}

// groups tells under which region each is counted, and how they are called.
// Regions stand for themselves, unless threads do the same under different
// roots, or a tool split functions over so many paths that none has 5 % of the
// time while a function does: then those of one name are one. Regions that
// were only sampled count for the measured one around them, which is where
// everything else was counted.
func (d *Dataset) groups(exclusive, calls model.Matrix, types []UnitType) (groups []int, names []string, byName bool) {
	names = d.Paths
	sums := make([]float64, len(d.Regions))
	whole := 0.0
	for u := range exclusive.Units {
		for r, v := range exclusive.Row(u) {
			sums[r] += v
		}
	}
	of, largestPath, largestName := map[string]float64{}, 0.0, 0.0
	for r, v := range sums {
		whole += v
		if d.Classes[r] != account.Work {
			continue
		}
		name := d.CalledName(r)
		of[name] += v
		largestPath = max(largestPath, v)
		largestName = max(largestName, of[name])
	}
	const heavy = 0.05
	split := largestPath < heavy*whole && largestName >= heavy*whole
	if !split && !d.severalRoots(exclusive, types) {
		return d.sampled(calls), names, false
	}
	first := map[string]int{}
	groups, names = make([]int, len(d.Regions)), append([]string(nil), d.Paths...)
	for r := range d.Regions {
		name := d.CalledName(r)
		if at, ok := first[name]; ok {
			groups[r] = at
			names[at] = name
		} else {
			first[name] = r
			groups[r] = r
		}
	}
	return groups, names, true
}

// CalledName is how a region is called where those of one name count as one. Time
// blocked is of the function around it: that of another one has nothing to do with it.
func (d *Dataset) CalledName(r int) string {
	region := d.Regions[r]
	if region.Name == model.Blocked && region.Parent != model.NoParent {
		return model.JoinPath(d.Regions[region.Parent].Name, region.Name)
	}
	return model.EscapeName(region.Name)
}

// Around gives every region the one that stands for it where only calls count: itself,
// or, where it was only sampled, the measured one around it.
func (d *Dataset) Around() ([]int, error) {
	var groups []int
	if d.Has(model.Calls) {
		calls, err := d.Matrix(model.Calls)
		if err != nil {
			return nil, err
		}
		groups = d.sampled(calls)
	}
	for r := len(groups); r < len(d.Regions); r++ {
		groups = append(groups, r)
	}
	return groups, nil
}

// sampled gives regions that nobody called the region around them that
// somebody did; nil where there are none.
func (d *Dataset) sampled(calls model.Matrix) []int {
	if calls.Data == nil {
		return nil
	}
	called := make([]bool, len(d.Regions))
	for u := range calls.Units {
		for r, v := range calls.Row(u) {
			called[r] = called[r] || v > 0
		}
	}
	groups, any := make([]int, len(d.Regions)), false
	for r, region := range d.Regions {
		groups[r] = r
		if p := region.Parent; !called[r] && p != model.NoParent && d.Classes[r] == account.Work && (called[p] || groups[p] != p) {
			groups[r], any = groups[p], true
		}
	}
	if !any {
		return nil
	}
	return groups
}

// severalRoots tells whether threads have work of the same name under
// different roots.
func (d *Dataset) severalRoots(exclusive model.Matrix, types []UnitType) bool {
	threads := false
	for _, t := range types {
		threads = threads || t == ThreadUnit
	}
	if !threads {
		return false
	}
	root := make([]int, len(d.Regions))
	seen := map[string]int{}
	for r, region := range d.Regions {
		if root[r] = r; region.Parent != model.NoParent {
			root[r] = root[region.Parent]
		}
		if other, ok := seen[region.Name]; ok && other != root[r] && d.Classes[r] == account.Work {
			return true
		}
		seen[region.Name] = root[r]
	}
	return false
}
