package training

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// lanes is the table by operation and lane; a lane is one data-parallel rank in
// one step. All data-parallel ranks and steps do the same operations.
type lanes struct {
	steps []int // numbers, in order
	data  int   // lanes of a step
	start [][]float64
	time  [][]float32 // of transfers, from the last start of their group
}

var errNoSteps = errors.New("no step in which every worker did every operation")

// stepClass is the steps in which the same workers did the same operations.
type stepClass struct {
	rows  int
	steps []int32
}

// usualSteps is the share of the steps from which on a class is no exception.
const usualSteps = 0.1

// spread makes lanes of the rows. Steps in which a worker lacks an operation, or
// does one that it does in hardly any other step, are left out; so are
// operations and ranks that only those have.
func (o *Operations) spread() (*lanes, int, error) {
	o.dropUnknown()
	class, err := o.wholeSteps()
	if err != nil {
		return nil, 0, err
	}
	at := make([]int, len(o.steps))
	for i := range at {
		at[i] = -1
	}
	slices.SortFunc(class.steps, func(a, b int32) int { return cmp.Compare(o.steps[a], o.steps[b]) })
	for i, step := range class.steps {
		at[step] = i
	}
	o.keep(func(r opRow) bool { return at[r.step] >= 0 })
	l := &lanes{data: o.data}
	for _, step := range class.steps {
		l.steps = append(l.steps, o.steps[step])
	}
	n := len(class.steps) * o.data
	for range o.ops {
		l.start = append(l.start, make([]float64, n))
		l.time = append(l.time, make([]float32, n))
	}
	for _, rows := range o.rows {
		for _, r := range rows {
			if r.step != dropped && at[r.step] >= 0 {
				lane := at[r.step]*o.data + int(r.data)
				l.start[r.op][lane], l.time[r.op][lane] = r.start, r.time
			}
		}
	}
	return l, len(o.steps) - len(class.steps), nil
}

// dropUnknown drops operations of which it is not known what waits for them.
func (o *Operations) dropUnknown() {
	for _, rows := range o.rows {
		for i := range rows {
			if r := &rows[i]; r.step != dropped && !isKnown(o.kinds[o.ops[r.op].kind]) {
				r.step = dropped
			}
		}
	}
}

// wholeSteps finds the steps to look at: of the classes in which all ranks do
// the same, the one with the most operations that is no exception.
func (o *Operations) wholeSteps() (*stepClass, error) {
	type step struct {
		sum  uint64 // of its rows, in whatever order
		rows int
	}
	sums := make([]step, len(o.steps))
	for _, rows := range o.rows {
		for _, r := range rows {
			if r.step != dropped {
				sums[r.step].sum += scramble(uint64(r.op)<<32 | uint64(r.data))
				sums[r.step].rows++
			}
		}
	}
	byStep := map[step]*stepClass{}
	var classes []*stepClass
	for i, s := range sums {
		if byStep[s] == nil {
			byStep[s] = &stepClass{rows: s.rows}
			classes = append(classes, byStep[s])
		}
		byStep[s].steps = append(byStep[s].steps, int32(i))
	}
	common := func(c *stepClass) bool { return float64(len(c.steps)) >= usualSteps*float64(len(o.steps)) }
	slices.SortStableFunc(classes, func(a, b *stepClass) int {
		switch {
		case common(a) && common(b):
			return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(len(b.steps), len(a.steps)))
		case common(a) != common(b):
			return len(b.steps) - len(a.steps)
		}
		return cmp.Or(cmp.Compare(len(b.steps), len(a.steps)), cmp.Compare(b.rows, a.rows))
	})
	for _, c := range classes[:min(len(classes), 16)] {
		if ops, data := o.extent(c.steps[0]); c.rows > 0 && c.rows == ops*data {
			return c, nil
		}
	}
	return nil, errNoSteps
}

// scramble spreads the bits of a number (the finalizer of MurmurHash3).
func scramble(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// extent is how many operations and data-parallel ranks a step has.
func (o *Operations) extent(step int32) (ops, data int) {
	seenOp, seenData := make([]bool, len(o.ops)), make([]bool, o.data)
	for _, rows := range o.rows {
		for _, r := range rows {
			if r.step == step {
				seenOp[r.op], seenData[r.data] = true, true
			}
		}
	}
	count := func(seen []bool) (n int) {
		for _, s := range seen {
			if s {
				n++
			}
		}
		return n
	}
	return count(seenOp), count(seenData)
}

// keep drops the operations, ranks and stages that no row of some has, and
// numbers the others anew.
func (o *Operations) keep(wanted func(opRow) bool) {
	ops, data, stages := newRenumbering(len(o.ops)), newRenumbering(o.data), newRenumbering(o.stages)
	for _, rows := range o.rows {
		for _, r := range rows {
			if r.step != dropped && wanted(r) {
				ops.use(r.op)
				data.use(r.data)
				stages.use(o.ops[r.op].stage)
			}
		}
	}
	if ops.all() && data.all() && stages.all() {
		return
	}
	ops.number()
	data.number()
	stages.number()
	for _, rows := range o.rows {
		for i := range rows {
			r := &rows[i]
			if r.step == dropped {
				continue
			}
			if ops[r.op] < 0 || data[r.data] < 0 {
				r.step = dropped
				continue
			}
			r.op, r.data = ops[r.op], data[r.data]
		}
	}
	o.ops = kept(o.ops, ops)
	for i := range o.ops {
		o.ops[i].stage = stages[o.ops[i].stage]
	}
	o.dataLabels, o.stageLabels = kept(o.dataLabels, data), kept(o.stageLabels, stages)
	o.data, o.stages = len(o.dataLabels), len(o.stageLabels)
	workers := map[[2]int]int{}
	for w, rank := range o.workers {
		if d, s := data[w[0]], stages[w[1]]; d >= 0 && s >= 0 {
			workers[[2]int{int(d), int(s)}] = rank
		}
	}
	o.workers = workers
}

// renumbering is the new number of each old one, -1 for those not used.
type renumbering []int32

func newRenumbering(n int) renumbering { return slices.Repeat(renumbering{-1}, n) }

func (r renumbering) use(i int32) { r[i] = 0 }

func (r renumbering) all() bool { return !slices.Contains(r, -1) }

func (r renumbering) number() {
	next := int32(0)
	for i := range r {
		if r[i] >= 0 {
			r[i] = next
			next++
		}
	}
}

func kept[T any](list []T, by renumbering) []T {
	var out []T
	for i, v := range list {
		if by[i] >= 0 {
			out = append(out, v)
		}
	}
	return out
}

// describe names a row for people.
func (o *Operations) describe(r opRow) string {
	op := o.ops[r.op]
	return fmt.Sprintf("step %d has %s %d of data-parallel rank %d on stage %d", o.steps[r.step], o.kinds[op.kind], op.seq, r.data, op.stage)
}
