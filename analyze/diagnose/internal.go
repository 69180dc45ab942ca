package diagnose

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/cluster"
	"auspex/model"
	"auspex/rough"
)

// Internal are the problems that all units have: regions that are dear by
// themselves. Regions are put into five classes by k-means over time share ×
// cycles per instruction, as AutoAnalyzer, the successor of "Debugging SPMD
// programs", does; over the time share alone where there are no counters.
type Internal struct {
	By         string           `json:"by"`
	Regions    []InternalRegion `json:"regions"` // those of class high and very high, the dearest first
	CCCR       []string         `json:"cccr"`
	Attributes []string         `json:"attributes"` // that set the cores apart from the other regions
	Counts     analyze.Degrees  `json:"classes"`    // how many regions each class has
	// Function is the function with most time of its own on all its call paths
	// together, none of which need be dear.
	Function *DearFunction `json:"function,omitempty"`
}

// DearFunction is a function by all its call paths.
type DearFunction struct {
	Name  string       `json:"name"`
	Share analyze.Real `json:"time_share"` // of the run, without what it calls
	Paths int          `json:"paths"`
	File  string       `json:"file,omitempty"`
	Line  int          `json:"line,omitempty"`
}

// InternalRegion is a region that is dear by itself.
type InternalRegion struct {
	Region string       `json:"region"`
	Self   bool         `json:"-"` // the own time of the region around level 1
	Class  string       `json:"class"`
	Core   bool         `json:"core"` // none of its parts is as dear
	Value  analyze.Real `json:"value"`
	Share  analyze.Real `json:"time_share"` // of the run, by wall time where that was measured
	CPI    analyze.Real `json:"cycles_per_instruction"`
	File   string       `json:"file,omitempty"`
	Line   int          `json:"line,omitempty"`
}

// severityClasses are the words for the classes of regions.
var severityClasses = []string{"very_low", "low", "medium", "high", "very_high"}

// criticalClass is the least class of a critical region.
const criticalClass = 3

// leastCostly is the share of the run from which on a region is costly: classes only
// set regions beside one another, and the dearest of those that cost nothing is none.
const leastCostly = 0.05

func (s *study) internal(ctx context.Context, all []measured) (Internal, error) {
	in := Internal{By: "time share", Regions: []InternalRegion{}, CCCR: []string{}, Attributes: []string{}}
	program := s.program()
	spent, err := s.wholeWall()
	if err != nil {
		return in, err
	}
	regions := s.searched()
	if program <= 0 || len(regions) == 0 {
		return in, nil
	}
	in.Function = s.dearFunction(regions, spent, program)
	cpi := cyclesPerInstruction(all)
	if cpi != nil {
		in.By = "time share × cycles per instruction"
	}
	found := s.places(regions, spent, cpi, program)
	class, err := classesOf(ctx, found)
	if err != nil {
		return in, err
	}
	of := make([]int, len(s.d.Regions)) // by region, -1 where not searched
	for r := range of {
		of[r] = -1
	}
	in.Counts = analyze.Degrees{Names: severityClasses, Of: make([]analyze.Real, len(severityClasses))}
	for i, r := range regions {
		of[r] = class[i]
		in.Counts.Of[class[i]]++
	}
	core := make([]bool, len(found))
	for i, x := range found {
		if class[i] < criticalClass {
			continue
		}
		core[i] = x.Self || !slices.ContainsFunc(s.top.nested[regions[i]], func(part int) bool { return of[part] >= criticalClass })
		x.Class, x.Core = severityClasses[class[i]], core[i]
		in.Regions = append(in.Regions, x)
	}
	slices.SortStableFunc(in.Regions, func(a, b InternalRegion) int { return cmp.Compare(b.Value, a.Value) })
	for _, r := range in.Regions {
		if r.Core && !r.Self {
			in.CCCR = append(in.CCCR, r.Region)
		}
	}
	in.Attributes, err = s.internalCauses(ctx, all, regions, core[:len(regions)])
	return in, err
}

// places describes the regions, and after them what the region around level 1 does
// itself: beside that its parts may be little.
func (s *study) places(regions []int, spent, cpi []float64, program float64) []InternalRegion {
	describe := func(r int, whole, spent float64) InternalRegion {
		x := InternalRegion{Region: s.d.Paths[r], Value: analyze.Ratio(whole, program), Share: analyze.Ratio(spent, program), CPI: analyze.Missing,
			File: s.d.Regions[r].File, Line: s.d.Regions[r].Line}
		if cpi != nil {
			x.CPI = analyze.Real(cpi[r])
			x.Value *= x.CPI
		}
		return x
	}
	var out []InternalRegion
	for _, r := range regions {
		out = append(out, describe(r, s.time.whole[r], spent[r]))
	}
	if r := s.top.parent; r != model.NoParent {
		around := describe(r, s.own(s.time.whole, r), s.own(spent, r))
		around.Region, around.Self = around.Region+string(model.PathSeparator)+ownTime, true
		out = append(out, around)
	}
	return out
}

// own is what a region takes without its parts.
func (s *study) own(inclusive []float64, r int) float64 {
	own := inclusive[r]
	for _, part := range s.top.nested[r] {
		own -= inclusive[part]
	}
	return max(0, own)
}

// classesOf divides places into the five classes; what costs the run little is in no
// critical one.
func classesOf(ctx context.Context, places []InternalRegion) ([]int, error) {
	values := make([]float64, len(places))
	for i, x := range places {
		values[i] = float64(x.Value)
	}
	class, err := severityClass(ctx, values)
	for i := range class {
		if places[i].Share < leastCostly {
			class[i] = min(class[i], criticalClass-1)
		}
	}
	return class, err
}

// dearFunction finds the function with most time of its own on all its call paths, from
// what regions took with all that is nested in them.
func (s *study) dearFunction(regions []int, spent []float64, program float64) *DearFunction {
	of := map[string]*DearFunction{}
	names := analyze.FlatNames(s.d.Regions)
	var most *DearFunction
	for _, r := range append(s.trunk(), regions...) {
		own := s.own(spent, r)
		region := s.d.Regions[r]
		name := names[r]
		if analyze.IsPart(region) { // loops of other functions have its line, too
			name += ":" + region.Name[strings.Index(region.Name, analyze.LoopAt):]
		}
		f := of[name]
		if f == nil {
			f = &DearFunction{Name: name, File: region.File, Line: region.Line}
			of[name] = f
		} else if f.File != region.File || f.Line != region.Line {
			f.File, f.Line = "", 0
		}
		f.Share += analyze.Ratio(own, program)
		f.Paths++
		if most == nil || f.Share > most.Share {
			most = f
		}
	}
	return most
}

// trunk are the functions around what was searched, without the program: they have
// time of their own.
func (s *study) trunk() []int {
	var out []int
	for r := s.top.parent; r != model.NoParent; r = s.d.Regions[r].Parent {
		if region := s.d.Regions[r]; region.Parent != model.NoParent || region.Kind != model.Block {
			out = append(out, r)
		}
	}
	return out
}

// program is what shares are shares of: the run of all units where it was measured,
// else what is compared.
func (s *study) program() float64 {
	if s.ledger != nil && s.ledger.RunSeconds > 0 && s.time.metric.Unit == "s" {
		return float64(s.ledger.Units) * s.ledger.RunSeconds
	}
	return analyze.Total(s.time.total)
}

// wholeWall is what each region took, with what is nested in it, of all units that the
// run is counted by: wall time where that was measured, since ranks that wait without a
// core wait all the same; else what is compared.
func (s *study) wholeWall() ([]float64, error) {
	apart := slices.Contains(s.units.of, -1) // threads that are compared with nobody took time, too
	if s.time.metric.Unit != "s" || s.time.metric.Name == model.WallTime && !apart || s.ledger == nil || !s.d.Has(model.WallTime) {
		return s.time.whole, nil
	}
	wall, err := s.d.Resolve(model.WallTime)
	if err != nil {
		return nil, err
	}
	exclusive, err := s.d.Matrix(wall.Name + analyze.ScopeEnding(wall, model.Exclusive))
	if err != nil {
		return nil, err
	}
	if types, _, err := s.d.UnitTypes(); err == nil && apart {
		return inclusive(s.d, without(exclusive, types, analyze.StreamUnit)), nil
	}
	return inclusive(s.d, s.units.fold(exclusive, true)), nil
}

// without is a matrix without the units of a type.
func without(m model.Matrix, types []analyze.UnitType, not analyze.UnitType) model.Matrix {
	out := m.Clone()
	for u, t := range types {
		if t == not {
			clear(out.Row(u))
		}
	}
	return out
}

// searched lists level 1 and everything below it where time was spent.
func (s *study) searched() []int {
	var out []int
	inside := make([]bool, len(s.d.Regions))
	for r, region := range s.d.Regions {
		inside[r] = region.Parent == s.top.parent || region.Parent != model.NoParent && inside[region.Parent]
		if inside[r] && s.time.whole[r] > 0 {
			out = append(out, r)
		}
	}
	return out
}

// cyclesPerInstruction of every region, over all units; of a region without
// counts it is the whole program's. It is nil without counters.
func cyclesPerInstruction(all []measured) []float64 {
	cycles, instructions := find(all, model.Cycles), find(all, model.Instructions)
	if cycles == nil || instructions == nil {
		return nil
	}
	whole := analyze.Quotients([]float64{slices.Max(cycles.regions)}, []float64{slices.Max(instructions.regions)})[0]
	if !(whole > 0) {
		return nil
	}
	out := analyze.Quotients(cycles.regions, instructions.regions)
	for r, v := range out {
		if !(v > 0) {
			out[r] = whole
		}
	}
	return out
}

func find(all []measured, name string) *measured {
	for i := range all {
		if all[i].metric.Name == name {
			return &all[i]
		}
	}
	return nil
}

// severityClass divides values into the five classes. Where there are fewer
// distinct values they are spread over the classes from the lowest to the
// highest; a single value is in the middle.
func severityClass(ctx context.Context, values []float64) ([]int, error) {
	p, err := cluster.KMeans(ctx, cluster.Points{Data: values, N: len(values), Dim: 1}, len(severityClasses))
	if err != nil {
		return nil, err
	}
	out := slices.Clone(p.Labels)
	steps, found := len(severityClasses)-1, p.Centres.N-1
	for i := range out {
		if found == 0 {
			out[i] = steps / 2
		} else {
			out[i] = (out[i]*steps + found/2) / found
		}
	}
	return out, nil
}

// internalCauses asks which metrics set the dear regions apart, by rough sets
// over regions: the classes of each metric, and whether a region is a core. A
// metric counts only where every core has more of it than the others have.
func (s *study) internalCauses(ctx context.Context, all []measured, regions []int, core []bool) ([]string, error) {
	if !slices.Contains(core, true) || !slices.Contains(core, false) {
		return []string{}, nil
	}
	table := rough.Table{Rows: make([]rough.Row, len(regions))}
	for i := range regions {
		table.Rows[i].ID = i
		if core[i] {
			table.Rows[i].Decision = 1
		}
	}
	instructions := find(all, model.Instructions)
	for _, m := range all {
		if m.metric.Name == model.Cycles && instructions != nil || len(table.Attributes) == rough.MaxAttributes {
			continue // part of the decision
		}
		name, values := m.metric.Name, m.regions
		if instructions != nil && perInstruction(name) {
			name, values = name+"/"+model.Instructions, analyze.Quotients(values, instructions.regions)
		}
		values = pick(values, regions)
		if slices.ContainsFunc(values, math.IsNaN) || !moreThanOthers(values, core) {
			continue
		}
		classes, err := severityClass(ctx, values)
		if err != nil {
			return nil, err
		}
		table.Attributes = append(table.Attributes, name)
		for i := range table.Rows {
			table.Rows[i].Values = append(table.Rows[i].Values, classes[i])
		}
	}
	result, err := rough.Reduce(ctx, table)
	if err != nil {
		return nil, err
	}
	return pick(table.Attributes, result.Chosen), nil
}

// moreThanOthers tells whether each of those marked has more than the others
// have in the mean.
func moreThanOthers(values []float64, marked []bool) bool {
	least, sum, n := math.Inf(1), 0.0, 0.0
	for i, v := range values {
		if marked[i] {
			least = min(least, v)
		} else {
			sum += v
			n++
		}
	}
	return least > sum/n
}
