package peers

import "math"

// cells is into how many parts the model cuts what a peer has, so that old
// messages harm those next to them first and the others through these, as on a
// grid. With one part no coupling met the measured runs of the obstacle problem
// on two networks; from three to eight the answers differ by a tenth.
const cells = 5

// placeChannels spreads the channels of each peer over its cells: with two, one
// is at either end. What goes to a peer is of the cell that hears from it.
func (r *replay) placeChannels() {
	for i := range r.peer {
		me := &r.peer[i]
		for k := range me.in {
			if len(me.in) > 1 {
				me.in[k].cell = int32(k * (cells - 1) / (len(me.in) - 1))
			}
		}
		for k := range me.out {
			for j := range me.in {
				if me.in[j].from == me.out[k].to {
					me.out[k].cell = me.in[j].cell
				}
			}
		}
	}
}

// relax is an iteration of the model: each cell's error becomes the rate times
// that of its own and, by the coupling, those beside it, in this peer or by the
// newest message in another. Where all are alike, as in a synchronous run, they
// stay so, and fall by the rate. The largest change is returned.
func (r *replay) relax(me *peer) float64 {
	var sum, count [cells]float64
	for k := range me.in {
		c := &me.in[k]
		v := c.newest
		if me.delivering && !c.inOrder {
			v = c.frozen
		}
		sum[c.cell] += v
		count[c.cell]++
	}
	change, before := 0.0, 0.0
	for j, now := range me.cells {
		if j > 0 {
			sum[j] += before
			count[j]++
		}
		if j+1 < cells {
			sum[j] += me.cells[j+1]
			count[j]++
		}
		next := r.rate * ((1-r.program.Coupling)*now + r.program.Coupling*sum[j]/count[j])
		change = max(change, math.Abs(next-now))
		before, me.cells[j] = now, next
	}
	return change
}

// evenly is the same error in all cells.
func evenly(v float64) (list [cells]float64) {
	for i := range list {
		list[i] = v
	}
	return list
}
