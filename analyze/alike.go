package analyze

import (
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

// The roles of units.
const (
	Main   Role = iota // of its process
	Worker             // beside a main one
	Helper             // one that does next to nothing but wait
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
		case kernels > 0 && onDevice >= streamShare*total:
			a.types[u] = StreamUnit
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
	for u, t := range a.types {
		if several && t == ProcessUnit {
			a.types[u] = ThreadUnit
		}
	}
	return a
}

// groups tells under which region each is counted, and how they are called.
// Regions stand for themselves, unless threads do the same under different
// roots, or a tool split functions over so many paths that none has 5 % of the
// time while a function does: then those of one name are one.
func (d *Dataset) groups(exclusive model.Matrix, types []UnitType) (groups []int, names []string) {
	names = d.Paths
	sums := make([]float64, len(d.Regions))
	whole := 0.0
	for u := range exclusive.Units {
		for r, v := range exclusive.Row(u) {
			sums[r] += v
		}
	}
	byName, largestPath, largestName := map[string]float64{}, 0.0, 0.0
	for r, v := range sums {
		whole += v
		if d.Classes[r] != account.Work {
			continue
		}
		byName[d.Regions[r].Name] += v
		largestPath = max(largestPath, v)
		largestName = max(largestName, byName[d.Regions[r].Name])
	}
	const heavy = 0.05
	split := largestPath < heavy*whole && largestName >= heavy*whole
	if !split && !d.severalRoots(exclusive, types) {
		return nil, names
	}
	first := map[string]int{}
	groups, names = make([]int, len(d.Regions)), append([]string(nil), d.Paths...)
	for r, region := range d.Regions {
		if at, ok := first[region.Name]; ok {
			groups[r] = at
			names[at] = model.EscapeName(region.Name)
		} else {
			first[region.Name] = r
			groups[r] = r
		}
	}
	return groups, names
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
