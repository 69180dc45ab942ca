package caliper

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/ingest/input"
	"auspex/model"
)

// caliperProfile collects records, in whatever form they come, until all
// columns are known.
type caliperProfile struct {
	b        *model.Builder
	nested   bool // some region lies below another
	columns  []column
	columnOf map[string]int

	units  []caliperUnit
	unitOf map[caliperUnit]int
	rows   map[[2]int32]int
	keys   [][2]int32
	values [][]float64 // by column and row

	globals []model.Factor // as written: every value a word
	summed  []string       // keys that told records apart and are not kept
	parts   bool           // paths stand in parts; see partsNote
	cut     bool           // the last line is not ended
}

// caliperUnit is a unit as a record names it: rank -1 where it does not.
type caliperUnit struct {
	node   string
	rank   int
	thread string
}

func newProfile() *caliperProfile {
	return &caliperProfile{
		b: model.NewBuilder(), columnOf: map[string]int{}, unitOf: map[caliperUnit]int{}, rows: map[[2]int32]int{},
	}
}

// column returns the index of a column.
func (p *caliperProfile) column(name, unit string) int {
	if i, ok := p.columnOf[name]; ok {
		return i
	}
	p.columns = append(p.columns, newColumn(name, unit))
	p.values = append(p.values, nil)
	p.columnOf[name] = len(p.columns) - 1
	return len(p.columns) - 1
}

// row returns the index of the row of a unit and region.
func (p *caliperProfile) row(unit caliperUnit, region int) int {
	u, ok := p.unitOf[unit]
	if !ok {
		u = len(p.units)
		p.units = append(p.units, unit)
		p.unitOf[unit] = u
	}
	key := [2]int32{int32(u), int32(region)}
	row, ok := p.rows[key]
	if !ok {
		row = len(p.keys)
		p.keys = append(p.keys, key)
		p.rows[key] = row
	}
	return row
}

// region adds a region below another.
func (p *caliperProfile) region(name string, kind model.Kind, parent int) int {
	p.nested = p.nested || parent != model.NoParent
	return p.b.Region(model.Region{Name: name, Kind: kind, Parent: parent})
}

// maxSummed is how many keys that are not kept are named.
const maxSummed = 8

// sumOver notes a key that is not kept, once.
func (p *caliperProfile) sumOver(key string) {
	if len(p.summed) < maxSummed && !slices.Contains(p.summed, key) {
		p.summed = append(p.summed, key)
	}
}

// isIteration tells the counters of a loop's iterations.
func isIteration(key string) bool { return strings.HasPrefix(key, "iteration#") }

// outside is the region of records without a path.
func (p *caliperProfile) outside() int {
	return p.region(model.Outside, model.Function, model.NoParent)
}

// add puts a value in place. Records that only keys told apart which are not
// kept (the iteration of a loop, say) fall on the same place: their values
// are summed, their extremes taken.
func (p *caliperProfile) add(row, column int, v float64) {
	if v != v || math.IsInf(v, 0) {
		return
	}
	list := p.values[column]
	for len(list) <= row {
		list = append(list, math.NaN())
	}
	p.values[column] = list
	have := list[row]
	switch role := p.columns[column].role; {
	case have != have:
		list[row] = v
	case role == leastRole:
		list[row] = min(have, v)
	case role == mostRole:
		list[row] = max(have, v)
	case role == otherRole || role == averageRole:
		list[row] = v
	default:
		list[row] = have + v
	}
}

// finish makes the experiment.
func (p *caliperProfile) finish() (*model.Experiment, error) {
	var header model.Header
	p.describe(&header)
	if p.settleUnits() {
		header.Notes = append(header.Notes, "the profile does not say in which unit its times are; they are taken as seconds, for in microseconds the run would have lasted less than one millisecond")
	}
	columns, crossRanks := p.choose()
	if crossRanks {
		header.Notes = append(header.Notes, p.crossNote())
		header.SetFactor(model.NewFactor(model.AveragedOver, cmp.Or(p.ranks(), "ranks")))
	}
	if p.parts {
		header.Notes = append(header.Notes, partsNote)
	}
	if p.cut {
		header.Incomplete = "the last line is not ended: the file may have been cut short"
	}
	if len(p.summed) > 0 {
		header.Notes = append(header.Notes, "summed over "+strings.Join(p.summed, ", "))
	}
	units := p.placeUnits()
	lost := 0
	for row, key := range p.keys {
		unit := units[key[0]]
		if unit < 0 {
			lost++
			continue
		}
		entered := false
		for _, c := range columns {
			if row >= len(p.values[c.column]) {
				continue
			}
			v := p.values[c.column][row]
			if v != v {
				continue
			}
			entered = true
			if v *= p.columns[c.column].scale; c.additive {
				p.b.Add(unit, int(key[1]), c.metric, v)
			} else {
				p.b.Set(unit, int(key[1]), c.metric, v)
			}
		}
		if !entered {
			p.b.Enter(unit, int(key[1]))
		}
	}
	if lost > 0 {
		header.Notes = append(header.Notes, fmt.Sprintf("%d records do not say of which rank they are and are left out", lost))
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("no metric in this profile")
	}
	return p.b.Build(header)
}

// shortestRun is less than any run that was worth a profile, in microseconds.
const shortestRun = 1000

// settleUnits looks at times whose unit the file does not tell. Caliper counted
// whole microseconds once; newer versions write seconds with fractions.
func (p *caliperProfile) settleUnits() (changed bool) {
	var guessed []int
	most, fractions := 0.0, false
	for i := range p.columns {
		if !p.columns[i].guessed || p.columns[i].role == derivedRole {
			continue
		}
		guessed = append(guessed, i)
		for _, v := range p.values[i] {
			if v == v {
				most = max(most, v)
				fractions = fractions || v != math.Trunc(v)
			}
		}
	}
	if !fractions || most >= shortestRun {
		return false
	}
	for _, i := range guessed {
		p.columns[i].scale = 1
	}
	return len(guessed) > 0
}

// chosenColumn is a column that is kept, and the metric it becomes.
type chosenColumn struct {
	column, metric int
	additive       bool
}

// choose decides which columns to keep. Where a measure is there by process,
// that is it; where it is there only as aggregates over the processes, the
// average stands for it and the others are kept beside it, unless all are
// equal, as they are with one process. Of a measure both exclusive and
// inclusive, the exclusive is kept where a tree gives the other.
func (p *caliperProfile) choose() (chosen []chosenColumn, crossRanks bool) {
	type measure struct {
		base      string
		inclusive bool
	}
	names := input.MetricNames{}
	groups := map[measure][]int{}
	var order []measure
	for i := range p.columns {
		c := &p.columns[i]
		if c.role == derivedRole || len(p.values[i]) == 0 {
			continue
		}
		m := measure{c.base, c.inclusive}
		if groups[m] == nil {
			order = append(order, m)
		}
		groups[m] = append(groups[m], i)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b int) int { return cmp.Compare(p.columns[a].role, p.columns[b].role) })
	}
	for _, m := range order {
		if exclusive := groups[measure{m.base, false}]; p.nested && m.inclusive && len(exclusive) > 0 && p.columns[exclusive[0]].role <= totalRole {
			continue
		}
		main := groups[m][0] // stands for the measure
		role := p.columns[main].role
		for _, i := range groups[m] {
			if i != main && role <= totalRole && p.sameValues(main, i) {
				continue
			}
			metric := names.Claim(p.columns[i].metric(i == main))
			chosen = append(chosen, chosenColumn{i, p.b.Metric(metric), metric.Additive()})
			crossRanks = crossRanks || i != main && (role == averageRole || role == totalRole)
		}
	}
	return chosen, crossRanks
}

func (p *caliperProfile) sameValues(a, b int) bool {
	return slices.EqualFunc(p.values[a], p.values[b], func(v, w float64) bool { return v == w || v != v && w != w })
}

func (p *caliperProfile) crossNote() string {
	ranks := p.ranks()
	if ranks != "" {
		ranks += " "
	}
	return "the profile holds only aggregates over its " + ranks +
		"ranks: they are read as one unit with their averages; load balance and what differs between ranks cannot be determined"
}

// ranks is how many ranks the run had, "" where the profile does not say.
func (p *caliperProfile) ranks() string {
	ranks := ""
	for _, g := range p.globals {
		if g.Name == "jobsize" || g.Name == "mpi.world.size" {
			ranks = g.Word
		}
	}
	return ranks
}

// placeUnits turns units as records named them into units of the model; -1
// for those without a rank where there are several.
func (p *caliperProfile) placeUnits() (units []int) {
	ranks := map[int]bool{}
	fallback := 0
	for _, g := range p.globals {
		if rank, err := strconv.Atoi(g.Word); g.Name == "mpi.rank" && err == nil && rank >= 0 {
			fallback = rank
		}
	}
	for _, u := range p.units {
		if u.rank >= 0 {
			ranks[u.rank] = true
			fallback = u.rank
		}
	}
	threads := map[int]map[string]int{}
	for _, u := range p.units {
		rank := u.rank
		if rank < 0 {
			rank = fallback
			if len(ranks) > 1 {
				units = append(units, -1)
				continue
			}
		}
		if threads[rank] == nil {
			threads[rank] = map[string]int{}
		}
		units = append(units, p.b.Unit(model.Unit{Node: u.node, Process: rank, Thread: threadNumber(threads[rank], u.thread)}))
	}
	return units
}

// threadNumber numbers threads: by the number they bear where it is small, in
// the order met where it is an identifier of the system's.
func threadNumber(known map[string]int, name string) int {
	if name == "" {
		return 0
	}
	if n, ok := known[name]; ok {
		return n
	}
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || n > 1<<16 {
		n = len(known)
	}
	known[name] = n
	return n
}

// maxFactors bounds how much of the metadata becomes factors.
const maxFactors = 64

// describe fills in the header from the profile's globals.
func (p *caliperProfile) describe(h *model.Header) {
	for _, g := range p.globals {
		switch key := strings.ToLower(g.Name); key {
		case "launchdate":
			if seconds, err := strconv.ParseInt(g.Word, 10, 64); err == nil && seconds > 0 && seconds < 1<<40 {
				h.Created = time.Unix(seconds, 0)
			}
		case "cmdline":
			h.Command = strings.ReplaceAll(strings.Trim(g.Word, "[]"), ",", " ")
		case "executablepath", "executable":
			h.Program = path.Base(g.Word)
		case "libraries", "user", "uid", "username", "launchday", "mpi.rank", "cali.channel":
		default:
			word := strings.TrimSpace(g.Word)
			if strings.HasPrefix(key, "spot.") || word == "" || len(word) > input.MaxFactorValue || len(h.Factors) >= maxFactors {
				continue
			}
			h.SetFactor(model.NewFactor(g.Name, word))
		}
	}
	if first, _, _ := strings.Cut(h.Command, " "); h.Program == "" && first != "" {
		h.Program = path.Base(first)
	}
}

// kind tells a region's kind from the attribute it belongs to.
func kind(attribute, name string) model.Kind {
	if kind := input.KindOf(name); kind != model.Function {
		return kind
	}
	switch {
	case attribute == "loop":
		return model.Loop
	case attribute == "annotation" || attribute == "region" || attribute == "phase":
		return model.User
	case attribute == "mpi.function":
		return model.MPI
	case strings.HasPrefix(attribute, "cuda.kernel") || strings.HasPrefix(attribute, "cupti.") || strings.Contains(attribute, "kernel"):
		return model.Kernel
	}
	return model.Function
}

// set notes what an attribute says of the unit; false where it says nothing.
func (u *caliperUnit) set(key, value string) bool {
	switch key {
	case "mpi.rank", "rank":
		if rank, err := strconv.ParseFloat(value, 64); err == nil && rank >= 0 && rank <= math.MaxInt32 {
			u.rank = int(rank)
		}
	case "omp.thread.id", "omp.thread", "thread.id", "thread", "pthread.id":
		u.thread = value
	case "hostname", "nodename", "mpi.hostname", "host":
		u.node = value
	default:
		return false
	}
	return true
}
