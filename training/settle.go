package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"auspex/internal/figure"
)

// maxPlaces bounds the memory in which rows that are there twice are looked for.
const maxPlaces = 1 << 34

// Settle puts a table in order once all operations are added: sequence numbers
// that it does not give are counted by start, what is there twice counts once,
// and ranks and stages are numbered without gaps.
func (o *Operations) Settle() error {
	if o.dataLabels != nil {
		return nil
	}
	o.dataLabels, o.stageLabels = upTo(o.data), upTo(o.stages)
	o.sequence()
	if err := o.once(); err != nil {
		return err
	}
	o.keep(func(opRow) bool { return true })
	for w, rank := range o.workers {
		if rank == Unknown {
			o.workers[w] = w[0]*o.stages + w[1]
		}
	}
	for _, kind := range o.kinds {
		if !isKnown(kind) {
			o.notes = append(o.notes, fmt.Sprintf("operations of the kind %q count for the profile only: it is not known what waits for them", kind))
		}
	}
	return nil
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// isKnown tells the kinds whose place in a step is known.
func isKnown(kind string) bool {
	return isTransfer(kind) || slices.Contains([]string{forwardCompute, backwardCompute, optimizerStep, betweenSteps}, kind)
}

// sequence numbers operations whose sequence number the table does not give, by
// their start.
func (o *Operations) sequence() {
	var rows []*opRow
	for _, list := range o.rows {
		for i := range list {
			if o.ops[list[i].op].seq <= Unknown {
				rows = append(rows, &list[i])
			}
		}
	}
	worker := func(a, b *opRow) int {
		x, y := o.ops[a.op], o.ops[b.op]
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.data, b.data), cmp.Compare(x.kind, y.kind), cmp.Compare(x.stage, y.stage))
	}
	slices.SortFunc(rows, func(a, b *opRow) int {
		return cmp.Or(worker(a, b), cmp.Compare(a.start, b.start), cmp.Compare(a.time, b.time), cmp.Compare(a.op, b.op))
	})
	seq := int32(0)
	var last opRow
	for i, r := range rows {
		same := i > 0 && worker(r, &last) == 0
		if same && r.start == last.start && r.time == last.time && r.op == last.op {
			r.step = dropped // there twice
			continue
		}
		if seq++; !same {
			seq = 0
		}
		last = *r
		info := o.ops[r.op]
		rows[i].op = o.operation(opKey{info.kind, seq, info.stage})
		o.chunksOf(rows[i].op, Operation{Step: o.steps[r.step], Data: int(r.data), Chunk: int(info.chunk), Whole: int(info.whole)})
	}
}

// once drops rows that are there twice. Where their times differ, the later
// counts: a job that was restarted did some of its steps again.
func (o *Operations) once() error {
	places := uint64(len(o.ops)) * uint64(o.data) * uint64(len(o.steps))
	if places > maxPlaces {
		return fmt.Errorf("%d different operations of %d data-parallel ranks in %d steps are too many", len(o.ops), o.data, len(o.steps))
	}
	seen := make([]uint64, places/64+1)
	place := func(r *opRow) uint64 {
		return (uint64(r.step)*uint64(o.data)+uint64(r.data))*uint64(len(o.ops)) + uint64(r.op)
	}
	twice := map[uint64]*opRow{}
	for _, rows := range o.rows {
		for i := range rows {
			if rows[i].step == dropped {
				continue
			}
			p := place(&rows[i])
			if seen[p/64]&(1<<(p%64)) != 0 {
				twice[p] = nil
			}
			seen[p/64] |= 1 << (p % 64)
		}
	}
	if len(twice) == 0 {
		return nil
	}
	same, again := 0, 0
	for _, rows := range o.rows {
		for i := range rows {
			r := &rows[i]
			if r.step == dropped {
				continue
			}
			p := place(r)
			other, isTwice := twice[p]
			switch {
			case !isTwice:
			case other == nil:
				twice[p] = r
			case other.start == r.start && other.time == r.time:
				r.step = dropped
				same++
			case o.shared:
				return fmt.Errorf("%s twice, with different times, as several ranks share its stage: keep one of them", o.describe(*r))
			case other.start > r.start:
				r.step = dropped
				again++
			default:
				other.step = dropped
				twice[p] = r
				again++
			}
		}
	}
	if same > 0 {
		o.notes = append(o.notes, fmt.Sprintf("%d rows are there twice and count once", same))
	}
	if again > 0 {
		o.notes = append(o.notes, fmt.Sprintf("%d operations are there again with other times, as of a job that was restarted: the last of each counts", again))
	}
	return nil
}

// Unit scales the times of a table. Names tells for starts and for durations
// how many of their units make a second, 0 where the table does not say: then
// sizes tell, as a step of training takes between milliseconds and an hour.
func (o *Operations) Unit(perSecond [2]float64) {
	latest, span, busy := o.sizes()
	start, time := perSecond[0], perSecond[1]
	if start == 0 {
		start = unitOf(latest, span)
	}
	if time == 0 {
		time = start
		// Workers compute for a good part of a step, whatever the unit.
		for _, scale := range []float64{1, 1e-3, 1e-6, 1e-9, 1e3, 1e6, 1e9} {
			if share := busy / span / scale; span > 0 && share >= 0.0015 && share <= 1.5 {
				time = start * scale
				break
			}
		}
	}
	if start == 1 && time == 1 {
		return
	}
	for _, rows := range o.rows {
		for i := range rows {
			rows[i].start /= start
			rows[i].time = float32(float64(rows[i].time) / time)
		}
	}
	if perSecond[0] == 0 || perSecond[1] == 0 {
		o.notes = append(o.notes, fmt.Sprintf("the table does not name the unit of its times: starts are taken to be in %s, durations in %s", unitName(start), unitName(time)))
	}
}

// longestStep is the longest that a step takes, in seconds, where dates tell the
// unit.
const longestStep = 86400

// unitOf guesses how many units make a second: by the date where starts count
// from 1970, else by the length of a step.
func unitOf(latest, span float64) float64 {
	dated := 0.0
	switch {
	case latest > 1e17:
		dated = 1e9
	case latest > 1e14:
		dated = 1e6
	case latest > 1e11:
		dated = 1e3
	case latest > 5e8:
		dated = 1
	}
	switch {
	case dated > 0 && span <= longestStep*dated:
		return dated
	case span <= 3600:
		return 1
	case span <= 3e5:
		return 1e3
	case span <= 1e9:
		return 1e6
	}
	return 1e9
}

func unitName(perSecond float64) string {
	switch perSecond {
	case 1:
		return "seconds"
	case 1e3:
		return "milliseconds"
	case 1e6:
		return "microseconds"
	case 1e9:
		return "nanoseconds"
	}
	return "1/" + figure.Number(perSecond, 6) + " s"
}

// sizes is the latest start, how far the starts of a step lie apart, and how
// long a worker computes in a step, of the median step and in the table's units.
func (o *Operations) sizes() (latest, span, busy float64) {
	type step struct{ first, last, busy float64 }
	steps := make([]step, len(o.steps))
	for i := range steps {
		steps[i] = step{math.Inf(1), math.Inf(-1), 0}
	}
	latest = math.Inf(-1)
	for _, rows := range o.rows {
		for _, r := range rows {
			s := &steps[r.step]
			s.first, s.last = min(s.first, r.start), max(s.last, r.start)
			latest = max(latest, r.start)
			if kind := o.kinds[o.ops[r.op].kind]; kind == forwardCompute || kind == backwardCompute {
				s.busy += float64(r.time)
			}
		}
	}
	var spans, busies []float64
	for _, s := range steps {
		spans = append(spans, s.last-s.first)
		busies = append(busies, s.busy/float64(max(len(o.workers), 1)))
	}
	return latest, middleOf(spans), middleOf(busies)
}
