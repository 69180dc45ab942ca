package trace

import (
	"encoding/binary"
	"math"
	"slices"
)

// Folding looks for loops in the stream of actions as it comes. The items seen
// so far form a list in which a finished loop is a single item; every new item
// is tried as the end of (1) one more iteration of a loop already in the list,
// then (2) the second iteration of a new loop. Items are equal when their ids
// are; a compute's flops are no part of its id, so that a loop folds although
// its computing differs, and the values are then kept in order as a series.
const (
	maxPeriod     = 4096    // items in the body of a loop
	maxCandidates = 8       // earlier equal items tried as the end of the first iteration
	maxLoops      = 8       // latest loops tried for one more iteration
	dryAfter      = 128     // tries in vain before they become fewer
	maxItems      = 1 << 20 // items kept for folding before the older half is final
)

// item is an action or a whole loop.
type item struct {
	id     int32   // equal items have equal ids; -1 for a loop still growing
	prev   int32   // the previous item with the same id
	loop   int32   // index of its repeat, -1 for an action
	series int32   // index of a compute's values where they differ, or -1
	value  float64 // the compute's flops otherwise
}

// repeat is a loop: its body and how often it ran.
type repeat struct {
	count  uint64
	body   []item
	ops    int64 // actions of one iteration
	varied bool  // some compute in it is a series
	given  bool  // by Repeat
}

// Builder makes one rank's Program from its actions, folding loops on the way.
// It needs memory for what does not repeat only.
type Builder struct {
	rank    int32
	items   []item
	repeats []repeat
	loops   []int32 // indices of loop items in items, ascending
	series  [][]float64
	ids     map[string]int32
	files   map[string]uint64
	codes   []string // code of each action id, "" for loops
	latest  []int32  // latest item of each id
	plain   int32    // id of a compute that says nothing but its flops, -1 if there was none
	actions int64
	steps   int64   // of these, without locations
	dry     int     // tries to find a loop in vain
	known   int     // loops that Repeat is in
	cores   float64 // that computation has work for, as the list says; 0 for one
	out     Program
	scratch []byte
	// Means keeps only mean and variance of computes that differ between the
	// iterations of a loop, instead of every value.
	Means bool
}

// NewBuilder returns a Builder for one rank.
func NewBuilder(rank int) *Builder {
	return &Builder{rank: int32(rank), ids: map[string]int32{}, plain: -1, files: map[string]uint64{}, out: Program{int32(rank), &folded{}}}
}

// next makes the Builder, whose Program has been taken, ready for another rank.
func (b *Builder) next(rank int) {
	clear(b.ids)
	clear(b.files)
	*b = Builder{
		rank: int32(rank), ids: b.ids, files: b.files, items: b.items[:0], repeats: b.repeats[:0], loops: b.loops[:0],
		codes: b.codes[:0], latest: b.latest[:0], plain: -1, scratch: b.scratch[:0], Means: b.Means,
		out: Program{int32(rank), &folded{code: b.out.code[:0]}},
	}
}

// Add appends an action.
func (b *Builder) Add(a *Action) { b.add(a) }

// Steps is how many actions were added so far, locations left out and what Repeat
// repeats counted once.
func (b *Builder) Steps() int64 { return b.steps }

// same appends an action that add has given an id, other than a compute.
func (b *Builder) same(id int32) {
	b.actions++
	b.cores = 0
	b.push(item{id: id, loop: -1, series: -1})
}

// teamUnits is how exactly cores are kept, in parts of one.
const teamUnits = 256

// team tells how many cores the computation that follows has work for.
func (b *Builder) team(cores float64) {
	if cores = math.Round(cores*teamUnits) / teamUnits; !(cores > 1) {
		cores = 0
	}
	if cores == b.cores {
		return
	}
	b.cores = cores
	b.scratch = appendAction(b.scratch[:0], &Action{Kind: team, Type: DefaultType, Type2: DefaultType}, b.rank, 0)
	id, ok := b.ids[string(b.scratch)]
	if !ok {
		code := string(b.scratch)
		id = b.newID(code, code)
	}
	b.push(item{id: id, loop: -1, series: -1, value: cores * teamUnits})
}

// add appends an action and returns its id.
func (b *Builder) add(a *Action) int32 {
	it := item{loop: -1, series: -1}
	switch a.Kind {
	case Compute:
		b.team(a.Cores)
	case Location:
	default:
		b.cores = 0
	}
	simple := false
	if a.Kind == Compute && a.Variance == 0 {
		it.value = a.Value
		simple = a.Type == DefaultType && a.Type2 == DefaultType && a.Comm == 0
		if simple && b.plain >= 0 {
			b.actions++
			b.steps++
			it.id = b.plain
			b.push(it)
			return it.id
		}
		plain := *a
		plain.Value = 0
		b.scratch = appendAction(b.scratch[:0], &plain, b.rank, 0)
	} else {
		b.scratch = appendAction(b.scratch[:0], a, b.rank, b.file(a))
	}
	id, ok := b.ids[string(b.scratch)]
	if !ok {
		code := string(b.scratch)
		id = b.newID(code, code)
		b.out.note(a)
	}
	it.id = id
	if simple {
		b.plain = id
	}
	if b.actions++; a.Kind != Location {
		b.steps++
	}
	b.push(it)
	return id
}

// file finds a location's name in the program's table, adding it on need.
func (b *Builder) file(a *Action) uint64 {
	if a.Kind != Location {
		return 0
	}
	i, ok := b.files[a.File]
	if !ok {
		own := b.out.own()
		i = uint64(len(own.files))
		own.files = append(own.files, a.File)
		b.files[a.File] = i
	}
	return i
}

func (b *Builder) newID(key, code string) int32 {
	id := int32(len(b.codes))
	b.codes = append(b.codes, code)
	b.latest = append(b.latest, -1)
	b.ids[key] = id
	return id
}

func (b *Builder) push(it item) {
	if len(b.items) >= maxItems && b.known == 0 {
		b.settle(len(b.items) / 2)
	}
	if n := len(b.items); n > 0 && b.items[n-1].id < 0 {
		b.close(n - 1)
	}
	b.link(it)
	if b.known > 0 {
		return
	}
	if len(b.loops) > 0 && b.extendLoop() {
		b.dry = 0
		return
	}
	// Where nothing has repeated for long, look less often: a loop is found all
	// the same, only a few items later.
	if b.dry < dryAfter || len(b.items)%8 == 0 {
		if b.newLoop() {
			b.dry = 0
		} else {
			b.dry++
		}
	}
}

// link puts an item with a known id at the end of the list.
func (b *Builder) link(it item) {
	it.prev = b.latest[it.id]
	b.latest[it.id] = int32(len(b.items))
	b.items = append(b.items, it)
}

// close gives a loop that has stopped growing the id of its count and body.
func (b *Builder) close(i int) {
	it := &b.items[i]
	r := &b.repeats[it.loop]
	key := append(b.scratch[:0], 0xff) // no action's code starts so
	key = binary.AppendUvarint(key, r.count)
	for _, x := range r.body {
		key = binary.AppendUvarint(key, uint64(x.id))
	}
	if r.given { // and as it is: its iterations are not to become a series
		key = binary.AppendUvarint(append(key, 0xff), uint64(it.loop))
	}
	b.scratch = key
	id, ok := b.ids[string(key)]
	if !ok {
		id = b.newID(string(key), "")
	}
	it.id, it.prev = id, b.latest[id]
	b.latest[id] = int32(i)
}

// truncate drops the items from n on.
func (b *Builder) truncate(n int) {
	for i := len(b.items) - 1; i >= n; i-- {
		if id := b.items[i].id; id >= 0 {
			b.latest[id] = b.items[i].prev
		}
	}
	b.items = b.items[:n]
	for len(b.loops) > 0 && int(b.loops[len(b.loops)-1]) >= n {
		b.loops = b.loops[:len(b.loops)-1]
	}
}

// extendLoop folds the last items into a loop right before them.
func (b *Builder) extendLoop() bool {
	n := len(b.items)
	for k := len(b.loops) - 1; k >= 0 && k >= len(b.loops)-maxLoops; k-- {
		at := int(b.loops[k])
		r := &b.repeats[b.items[at].loop]
		if len(r.body) != n-1-at || !sameIDs(r.body, b.items[at+1:]) {
			continue
		}
		for i := range r.body {
			b.merge(&r.body[i], r.count, &b.items[at+1+i], 1)
		}
		b.truncate(at + 1)
		r = &b.repeats[b.items[at].loop]
		r.count++
		r.varied = varied(b.repeats, r.body)
		it := &b.items[at]
		if it.id >= 0 { // it grows again
			b.latest[it.id] = it.prev
			it.id = -1
		}
		return true
	}
	return false
}

// newLoop folds the last items with an equal run right before them, if there is
// one.
func (b *Builder) newLoop() bool {
	n := len(b.items)
	j := b.items[n-1].prev
	for range maxCandidates {
		k := n - 1 - int(j)
		if j < 0 || k > maxPeriod || 2*k > n {
			return false
		}
		if k > 1 && b.items[n-2].id != b.items[j-1].id {
			j = b.items[j].prev
			continue
		}
		first, second := b.items[n-2*k:n-k], b.items[n-k:]
		if !sameIDs(first, second) {
			j = b.items[j].prev
			continue
		}
		body := append([]item(nil), first...)
		for i := range body {
			b.merge(&body[i], 1, &second[i], 1)
		}
		b.truncate(n - 2*k)
		r := repeat{count: 2, body: body, varied: varied(b.repeats, body), ops: b.ops(body)}
		b.repeats = append(b.repeats, r)
		b.loops = append(b.loops, int32(len(b.items)))
		b.items = append(b.items, item{id: -1, prev: -1, loop: int32(len(b.repeats) - 1), series: -1})
		return true
	}
	return false
}

func sameIDs(a, b []item) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].id != b[i].id {
			return false
		}
	}
	return true
}

func varied(repeats []repeat, body []item) bool {
	for _, x := range body {
		if x.series >= 0 || x.loop >= 0 && repeats[x.loop].varied {
			return true
		}
	}
	return false
}

// merge joins the values of an item that ran n times with those of an equal
// one that ran m times after it.
func (b *Builder) merge(x *item, n uint64, y *item, m uint64) {
	if x.loop >= 0 {
		rx, ry := &b.repeats[x.loop], &b.repeats[y.loop]
		for i := range rx.body {
			b.merge(&rx.body[i], n*rx.count, &ry.body[i], m*ry.count)
		}
		rx.varied = varied(b.repeats, rx.body)
		return
	}
	if x.series < 0 && y.series < 0 && x.value == y.value {
		return
	}
	if x.series < 0 {
		b.series = append(b.series, nil)
		x.series = int32(len(b.series) - 1)
		for range n {
			b.series[x.series] = append(b.series[x.series], x.value)
		}
	}
	if y.series >= 0 {
		b.series[x.series] = append(b.series[x.series], b.series[y.series]...)
		b.series[y.series] = nil
		return
	}
	for range m {
		b.series[x.series] = append(b.series[x.series], y.value)
	}
}

// tail returns the actions of one iteration when the list ends in a loop whose
// iterations are equal in every value, and 0 otherwise.
func (b *Builder) tail() int64 {
	if n := len(b.items); n > 0 && b.items[n-1].id < 0 {
		if r := &b.repeats[b.items[n-1].loop]; !r.varied {
			return r.ops
		}
	}
	return 0
}

// again adds n more iterations of the loop the list ends in.
func (b *Builder) again(n uint64) {
	r := &b.repeats[b.items[len(b.items)-1].loop]
	r.count += n
	b.actions += int64(n) * r.ops
}

// settle writes the first n items out for good.
func (b *Builder) settle(n int) {
	for i := range b.items[:n] {
		b.emit(&b.items[i])
	}
	rest := append([]item(nil), b.items[n:]...)
	for i := range b.latest {
		b.latest[i] = -1
	}
	b.items, b.loops = b.items[:0], b.loops[:0]
	for _, it := range rest {
		if it.loop >= 0 {
			b.loops = append(b.loops, int32(len(b.items)))
		}
		if it.id >= 0 {
			b.link(it)
		} else {
			b.items = append(b.items, it)
		}
	}
}

// emit writes one item's code.
func (b *Builder) emit(it *item) {
	if it.loop >= 0 {
		r := &b.repeats[it.loop]
		b.out.code = append(b.out.code, opRepeat)
		b.out.code = binary.AppendUvarint(b.out.code, r.count)
		for i := range r.body {
			b.emit(&r.body[i])
		}
		b.out.code = append(b.out.code, opEnd)
		r.body = nil
		return
	}
	code := b.codes[it.id]
	if k := Kind(code[0]); k != Compute && k != team || code[1]&maskVariance != 0 {
		b.out.code = append(b.out.code, code...)
		return
	}
	// The code of a compute and of a team ends in the one byte of its zero value.
	at := len(b.out.code)
	b.out.code = append(b.out.code, code[:len(code)-1]...)
	mask := &b.out.code[at+1]
	*mask &^= maskInteger
	switch {
	case it.series < 0:
		if integral(it.value) {
			*mask |= maskInteger
		}
		b.out.code = appendValue(b.out.code, it.value)
	case b.Means:
		mean, variance := meanVariance(b.series[it.series])
		*mask |= maskVariance
		b.out.code = binary.LittleEndian.AppendUint64(b.out.code, math.Float64bits(mean))
		b.out.code = binary.LittleEndian.AppendUint64(b.out.code, math.Float64bits(variance))
	default:
		*mask |= maskSeries
		own := b.out.own()
		b.out.code = binary.AppendUvarint(b.out.code, uint64(len(own.series)))
		own.series = append(own.series, encodeSeries(b.series[it.series]))
		b.series[it.series] = nil
	}
}

// Program ends the rank and returns its folded actions. The Builder may not be
// used after.
func (b *Builder) Program() Program {
	for i := range b.items {
		b.emit(&b.items[i])
	}
	return Program{b.rank, &folded{Actions: b.actions, code: slices.Clone(b.out.code), tables: b.out.tables, noted: b.out.noted}}
}

func encodeSeries(values []float64) []byte {
	whole := true
	for _, v := range values {
		whole = whole && integral(v)
	}
	if whole {
		out := []byte{seriesInteger}
		for _, v := range values {
			out = binary.AppendUvarint(out, uint64(v))
		}
		return out
	}
	out := []byte{seriesFloat}
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// meanVariance is Welford's running mean and variance.
func meanVariance(values []float64) (mean, variance float64) {
	var m2 float64
	for i, v := range values {
		d := v - mean
		mean += d / float64(i+1)
		m2 += d * (v - mean)
	}
	return mean, m2 / float64(max(len(values), 1))
}
