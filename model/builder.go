package model

import (
	"fmt"
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
	unitOf  map[Unit]int
	regions []Region
	child   map[childKey]int
	metrics []Metric
	columns map[string]int  // by column as given
	taken   map[string]bool // columns as stored, in lower case
	unsound map[int]int     // values that were no finite numbers, by metric

	unit, region []int32
	last         int       // the row used last
	rowOf        *rowTable // nil while the rows are in order
	values       [][]float64
}

type childKey struct {
	parent int
	name   string
}

// NewBuilder makes an empty builder.
func NewBuilder() *Builder {
	return &Builder{
		unitOf:  map[Unit]int{},
		child:   map[childKey]int{},
		columns: map[string]int{},
		taken:   map[string]bool{},
		unsound: map[int]int{},
	}
}

// Unit returns the index of a unit, adding it where it is new.
func (b *Builder) Unit(u Unit) int {
	if i, ok := b.unitOf[u]; ok {
		return i
	}
	given := u
	u.Node = CleanText(u.Node)
	i, ok := b.unitOf[u]
	if !ok {
		i = len(b.units)
		b.units = append(b.units, u)
		b.unitOf[u] = i
	}
	b.unitOf[given] = i
	return i
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
	b.values = append(b.values, nil)
	return len(b.metrics) - 1
}

// MetricAt is the metric of that index as it will be stored.
func (b *Builder) MetricAt(i int) Metric { return b.metrics[i] }

// rowKey orders rows by unit and region.
func rowKey(unit, region int) uint64 { return uint64(unit)<<32 | uint64(uint32(region)) }

func (b *Builder) keyAt(row int) uint64 { return rowKey(int(b.unit[row]), int(b.region[row])) }

// find looks a row up. As long as rows came in order they are searched where
// they stand, the next row first since readers walk along; a table is made with
// the first row that comes out of order.
func (b *Builder) find(key uint64) (row int, ok bool) {
	if b.rowOf != nil {
		return b.rowOf.find(b, key)
	}
	n := len(b.unit)
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
		n := len(b.unit)
		if b.rowOf == nil && row < n {
			b.rowOf = &rowTable{}
		}
		row = n
		b.unit = append(b.unit, int32(unit))
		b.region = append(b.region, int32(region))
		if b.rowOf != nil {
			b.rowOf.add(b)
		}
	}
	b.last = row
	return row
}

// cell returns the place of a value, NaN where nothing was set yet.
func (b *Builder) cell(unit, region, metric int) *float64 {
	row := b.row(unit, region)
	column := b.values[metric]
	for len(column) <= row {
		column = append(column, math.NaN())
	}
	b.values[metric] = column
	return &column[row]
}

// Enter notes that the unit entered the region, with no value of its own.
func (b *Builder) Enter(unit, region int) { b.row(unit, region) }

// Has tells whether a value is there already.
func (b *Builder) Has(unit, region, metric int) bool {
	row, ok := b.find(rowKey(unit, region))
	if !ok || row >= len(b.values[metric]) {
		return false
	}
	v := b.values[metric][row]
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
	rows := len(b.unit)
	if rows == 0 {
		return nil, fmt.Errorf("no values found")
	}
	ordered := b.rowOf == nil
	b.rowOf, b.unitOf = nil, nil // of a million units they are larger than the values
	for m := range b.values {
		for len(b.values[m]) < rows {
			b.values[m] = append(b.values[m], math.NaN())
		}
		for row, v := range b.values[m] {
			if math.Abs(v) > MaxValue {
				return nil, tooLarge(b.metrics[m], v, b.units[b.unit[row]], b.regions[b.region[row]])
			}
		}
	}
	for i := range b.regions {
		if b.regions[i].Kind == "" {
			b.regions[i].Kind = Function
		}
	}
	if b.orderUnits() || !ordered {
		b.orderRows()
	}
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
		Summaries: Summaries{Unit: b.unit, Region: b.region, Values: b.values},
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
	for i, u := range b.unit {
		b.unit[i] = rank[u]
	}
	return true
}

// orderRows sorts the rows by unit and region: counted, since both are small
// numbers, the lesser key first.
func (b *Builder) orderRows() {
	order := make([]int32, len(b.unit))
	for i := range order {
		order[i] = int32(i)
	}
	order = countedOrder(order, b.region, len(b.regions))
	order = countedOrder(order, b.unit, len(b.units))
	b.unit = permuted(b.unit, order)
	b.region = permuted(b.region, order)
	for m := range b.values {
		b.values[m] = permuted(b.values[m], order)
	}
}

// countedOrder sorts an order by keys below limit, and keeps it where they are
// equal.
func countedOrder(order, keys []int32, limit int) []int32 {
	place := make([]int32, limit+1)
	for _, k := range keys {
		place[k+1]++
	}
	for k := range limit {
		place[k+1] += place[k]
	}
	sorted := make([]int32, len(order))
	for _, row := range order {
		k := keys[row]
		sorted[place[k]] = row
		place[k]++
	}
	return sorted
}

func permuted[T any](from []T, order []int32) []T {
	to := make([]T, len(order))
	for i, j := range order {
		to[i] = from[j]
	}
	return to
}
