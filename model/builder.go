package model

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Builder assembles an experiment from values in any order.
type Builder struct {
	units   []Unit
	unitOf  indexTable
	renamed map[Unit]int // units given under names that were cleaned
	regions []Region
	child   map[childKey]int
	metrics []Metric
	columns map[string]int  // by column as given
	taken   map[string]bool // columns as stored, in lower case
	unsound map[int]int     // values that were no finite numbers, by metric

	unit, region blocks[int32]
	last         int         // the row used last
	rowOf        *indexTable // nil while the rows are in order
	values       []blocks[float64]
}

type childKey struct {
	parent int
	name   string
}

// NewBuilder makes an empty builder.
func NewBuilder() *Builder {
	return &Builder{
		renamed: map[Unit]int{},
		child:   map[childKey]int{},
		columns: map[string]int{},
		taken:   map[string]bool{},
		unsound: map[int]int{},
	}
}

// seed is of the hashes of units.
var seed = maphash.MakeSeed()

// Unit returns the index of a unit, adding it where it is new.
func (b *Builder) Unit(u Unit) int {
	if i, ok := b.findUnit(u); ok {
		return i
	}
	if i, ok := b.renamed[u]; ok {
		return i
	}
	given := u
	u.Node = CleanText(u.Node)
	if u != given {
		b.renamed[given] = b.Unit(u)
		return b.renamed[given]
	}
	b.units = append(b.units, u)
	b.unitOf.grow(len(b.units), func(i int) uint64 { return maphash.Comparable(seed, b.units[i]) })
	return len(b.units) - 1
}

func (b *Builder) findUnit(u Unit) (i int, ok bool) {
	return b.unitOf.find(maphash.Comparable(seed, u), func(i int) bool { return b.units[i] == u })
}

// Region returns the index of the region of that name below r.Parent, adding
// it where it is new. Of a region already there, an unknown kind, file or
// line is filled in.
func (b *Builder) Region(r Region) int {
	key := childKey{r.Parent, r.Name}
	if i, ok := b.child[key]; ok {
		have := &b.regions[i]
		if have.Kind == "" {
			have.Kind = r.Kind
		}
		if have.File == "" {
			have.File, have.Line = r.File, r.Line
		}
		return i
	}
	r.Name, r.File = CleanText(r.Name), CleanText(r.File)
	if r.Name != key.name {
		i := b.Region(r)
		b.child[key] = i
		return i
	}
	i := len(b.regions)
	b.regions = append(b.regions, r)
	b.child[key] = i
	return i
}

// RegionAt is the region of that index.
func (b *Builder) RegionAt(i int) Region { return b.regions[i] }

// RegionCount is the number of regions added so far.
func (b *Builder) RegionCount() int { return len(b.regions) }

// reserved tells the names of the columns beside the metrics in stored files:
// unit, region, runs, and the deviations of repeated runs. Case does not count,
// since it does not in SQL.
func reserved(column string) bool {
	switch column = strings.ToLower(column); column {
	case "unit", "region", "runs":
		return true
	}
	return strings.HasSuffix(column, ".sd")
}

// Metric returns the index of the metric, adding it where its column is new.
// A name that a stored file cannot have is changed, see MetricAt, and kept as
// the alias.
func (b *Builder) Metric(m Metric) int {
	given := m.Column()
	if i, ok := b.columns[given]; ok {
		return i
	}
	m.Name, m.Alias, m.Unit = CleanText(m.Name), CleanText(m.Alias), CleanText(m.Unit)
	if m.Missing == "" {
		m.Missing = Zero
	}
	name := m.Name
	if reserved(m.Column()) {
		m.Name = name + "_metric"
	}
	for n := 2; b.taken[strings.ToLower(m.Column())]; n++ {
		m.Name = name + "_" + strconv.Itoa(n)
	}
	if m.Name != name && m.Alias == "" {
		m.Alias = name
	}
	b.taken[strings.ToLower(m.Column())] = true
	b.columns[given] = len(b.metrics)
	b.metrics = append(b.metrics, m)
	b.values = append(b.values, blocks[float64]{})
	return len(b.metrics) - 1
}

// MetricAt is the metric of that index as it will be stored.
func (b *Builder) MetricAt(i int) Metric { return b.metrics[i] }

// rowKey orders rows by unit and region.
func rowKey(unit, region int) uint64 { return uint64(unit)<<32 | uint64(uint32(region)) }

func (b *Builder) keyAt(row int) uint64 { return rowKey(int(*b.unit.at(row)), int(*b.region.at(row))) }

// find looks a row up. As long as rows came in order they are searched where
// they stand, the next row first since readers walk along; a table is made with
// the first row that comes out of order.
func (b *Builder) find(key uint64) (row int, ok bool) {
	if b.rowOf != nil {
		return b.rowOf.find(rowHash(key), func(row int) bool { return b.keyAt(row) == key })
	}
	n := b.unit.n
	if n == 0 || key > b.keyAt(n-1) {
		return n, false
	}
	for next := b.last; next < min(n, b.last+2); next++ {
		if b.keyAt(next) == key {
			return next, true
		}
	}
	row = sort.Search(n, func(i int) bool { return b.keyAt(i) >= key })
	return row, row < n && b.keyAt(row) == key
}

// row finds or makes the row of a unit and region.
func (b *Builder) row(unit, region int) int {
	key := rowKey(unit, region)
	row, ok := b.find(key)
	if !ok {
		n := b.unit.n
		if b.rowOf == nil && row < n {
			b.rowOf = &indexTable{}
		}
		row = n
		b.unit.append(int32(unit))
		b.region.append(int32(region))
		if b.rowOf != nil {
			b.rowOf.grow(n+1, func(row int) uint64 { return rowHash(b.keyAt(row)) })
		}
	}
	b.last = row
	return row
}

// cell returns the place of a value, NaN where nothing was set yet.
func (b *Builder) cell(unit, region, metric int) *float64 {
	row := b.row(unit, region)
	column := &b.values[metric]
	for column.n <= row {
		column.append(math.NaN())
	}
	return column.at(row)
}

// Enter notes that the unit entered the region, with no value of its own.
func (b *Builder) Enter(unit, region int) { b.row(unit, region) }

// Has tells whether a value is there already.
func (b *Builder) Has(unit, region, metric int) bool {
	row, ok := b.find(rowKey(unit, region))
	if !ok || row >= b.values[metric].n {
		return false
	}
	v := *b.values[metric].at(row)
	return v == v
}

// Set puts a value in its place. What is no finite number counts as missing,
// and a note says so.
func (b *Builder) Set(unit, region, metric int, v float64) {
	if v != v || math.IsInf(v, 0) {
		b.unsound[metric]++
		v = math.NaN()
	}
	*b.cell(unit, region, metric) = v
}

// Add adds to a value, which starts at zero.
func (b *Builder) Add(unit, region, metric int, v float64) {
	if v != v || math.IsInf(v, 0) {
		b.unsound[metric]++
		return
	}
	c := b.cell(unit, region, metric)
	if *c != *c {
		*c = 0
	}
	*c += v
}

// Build finishes the experiment under the given header. The header's counts
// and metrics are filled in; a missing creation time becomes now.
func (b *Builder) Build(h Header) (*Experiment, error) {
	rows := b.unit.n
	if rows == 0 {
		return nil, fmt.Errorf("no values found")
	}
	ordered := b.rowOf == nil
	b.rowOf, b.unitOf, b.renamed = nil, indexTable{}, nil // not needed any more, and large
	for m := range b.values {
		for b.values[m].n < rows {
			b.values[m].append(math.NaN())
		}
		for row := range rows {
			if v := *b.values[m].at(row); math.Abs(v) > MaxValue {
				return nil, tooLarge(b.metrics[m], v, b.units[*b.unit.at(row)], b.regions[*b.region.at(row)])
			}
		}
	}
	for i := range b.regions {
		if b.regions[i].Kind == "" {
			b.regions[i].Kind = Function
		}
	}
	moved := b.orderUnits()
	summaries := b.summaries(moved || !ordered)
	h.Metrics = b.metrics
	for m, metric := range b.metrics {
		if n := b.unsound[m]; n > 0 {
			h.Notes = append(h.Notes, MissingNote(metric, n))
		}
	}
	h.clean()
	if h.Runs == 0 {
		h.Runs = 1
	}
	if h.Created.IsZero() {
		h.Created = time.Now()
	}
	h.Created = h.Created.UTC().Truncate(time.Second)
	h.UnitCount, h.RegionCount, h.SummaryCount = len(b.units), len(b.regions), rows
	return &Experiment{
		Header: h, Units: b.units, Regions: b.regions,
		Summaries: summaries,
	}, nil
}

// MissingNote says that values of a metric were no numbers, and what becomes
// of them.
func MissingNote(m Metric, n int) string {
	counts := "count as 0"
	if m.Missing == Absent {
		counts = "are left out"
	}
	return "missing (empty or no finite number): " + strconv.Itoa(n) + " of the values of " + m.Column() + "; they " + counts
}

// orderUnits numbers the units by process, thread and node, whatever order
// the files came in, and tells whether that moved any.
func (b *Builder) orderUnits() bool {
	compare := func(a, c Unit) int {
		if a.Process != c.Process {
			return a.Process - c.Process
		}
		if a.Thread != c.Thread {
			return a.Thread - c.Thread
		}
		return strings.Compare(a.Node, c.Node)
	}
	if slices.IsSortedFunc(b.units, compare) {
		return false
	}
	order := make([]int, len(b.units))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return compare(b.units[order[i]], b.units[order[j]]) < 0 })
	units := make([]Unit, len(order))
	rank := make([]int32, len(order))
	for to, from := range order {
		units[to] = b.units[from]
		rank[from] = int32(to)
	}
	b.units = units
	for _, block := range b.unit.all {
		for i, u := range block {
			block[i] = rank[u]
		}
	}
	return true
}

// summaries gives the rows as they are, or sorted by unit and region: counted,
// since both are small numbers, the lesser key first.
func (b *Builder) summaries(sorted bool) (s Summaries) {
	var order []int32
	if sorted {
		order = make([]int32, b.unit.n)
		for i := range order {
			order[i] = int32(i)
		}
		order = countedOrder(order, &b.region, len(b.regions))
		order = countedOrder(order, &b.unit, len(b.units))
	}
	s.Unit, s.Region = b.unit.flat(order), b.region.flat(order)
	for m := range b.values {
		s.Values = append(s.Values, b.values[m].flat(order))
	}
	return s
}

// countedOrder sorts an order by keys below limit, and keeps it where they are
// equal.
func countedOrder(order []int32, keys *blocks[int32], limit int) []int32 {
	place := make([]int32, limit+1)
	for _, block := range keys.all {
		for _, k := range block {
			place[k+1]++
		}
	}
	for k := range limit {
		place[k+1] += place[k]
	}
	sorted := make([]int32, len(order))
	for _, row := range order {
		k := *keys.at(int(row))
		sorted[place[k]] = row
		place[k]++
	}
	return sorted
}
