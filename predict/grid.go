package predict

import (
	"fmt"
	"math"
	"strings"

	"auspex/trace"
)

// grid is how ranks are laid out: sizes of the dimensions, the last the fastest, as
// MPI_Cart_create numbers them. A line is a grid of one dimension.
type grid []int

// String is 4×3.
func (g grid) String() string {
	var sizes []string
	for _, n := range g {
		sizes = append(sizes, fmt.Sprint(n))
	}
	return strings.Join(sizes, "×")
}

// at is where in the grid a rank is.
func (g grid) at(rank int) (place [3]int) {
	for d := len(g) - 1; d >= 0; d-- {
		place[d] = rank % g[d]
		rank /= g[d]
	}
	return place
}

func (g grid) rank(place [3]int) int {
	rank := 0
	for d, n := range g {
		rank = rank*n + place[d]
	}
	return rank
}

// offset is how far away a place is in each dimension, the shorter way around.
type offset [3]int32

func (g grid) away(from, to int) offset {
	var off offset
	a, b := g.at(from), g.at(to)
	for d, n := range g {
		step := (b[d] - a[d] + n) % n
		if 2*step > n {
			step -= n
		}
		off[d] = int32(step)
	}
	return off
}

// reach is the rank at an offset.
func (g grid) reach(from int, off offset) int {
	place := g.at(from)
	for d, n := range g {
		place[d] = ((place[d]+int(off[d]))%n + n) % n
	}
	return g.rank(place)
}

// seat is a rank's place in a communicator: the communicator's own grid, the rank's
// number in it, and the first member's in the world.
type seat struct {
	part      grid
	me, first int
}

// sub is the seat of a rank in the part of the grid along some dimensions (bits of
// mask).
func (g grid) sub(mask, rank int) seat {
	place := g.at(rank)
	var mine [3]int
	var s seat
	for d, n := range g {
		if mask>>d&1 == 1 {
			mine[len(s.part)] = place[d]
			s.part = append(s.part, n)
			place[d] = 0
		}
	}
	s.me, s.first = s.part.rank(mine), g.rank(place)
	return s
}

// size is how many ranks the grid has.
func (g grid) size() int {
	n := 1
	for _, d := range g {
		n *= d
	}
	return n
}

// seats are those of a rank in all communicators.
func (g grid) seats(masks []int, rank int) []seat {
	var list []seat
	for _, mask := range masks {
		list = append(list, g.sub(mask, rank))
	}
	return list
}

// layouts are the ways in which programs lay ranks out: a line, grids as square as
// MPI_Dims_create makes them, larger sizes first or last, and groups: so many after each
// other, or so many groups.
var layouts = []func(np int) grid{
	func(np int) grid { return grid{np} },
	func(np int) grid { a, b := square(np); return grid{a, b} },
	func(np int) grid { a, b := square(np); return grid{b, a} },
	func(np int) grid { a, b, c := cube(np); return grid{a, b, c} },
	func(np int) grid { a, b, c := cube(np); return grid{c, b, a} },
	func(np int) grid { return grouped(np, 2) },
	func(np int) grid { g := grouped(np, 2); return grid{g[1], g[0]} },
	func(np int) grid { return grouped(np, 4) },
	func(np int) grid { g := grouped(np, 4); return grid{g[1], g[0]} },
}

// grouped is so many of the same size, where that is possible.
func grouped(np, size int) grid {
	if np%size != 0 {
		return grid{np, 1}
	}
	return grid{np / size, size}
}

// square is two factors as near to each other as there are, the larger first.
func square(n int) (a, b int) {
	for b = int(math.Sqrt(float64(n))); n%b != 0; b-- {
	}
	return n / b, b
}

func cube(n int) (a, b, c int) {
	a, b, c = n, 1, 1
	for z := 1; z*z*z <= n; z++ {
		if n%z != 0 {
			continue
		}
		if x, y := square(n / z); y >= z && x+y+z < a+b+c {
			a, b, c = x, y, z
		}
	}
	return a, b, c
}

// parts are the communicators that a program makes, in order, as the dimensions of
// the grid that each goes along; all of them for the world, which is the first. ok
// is false where one is something else.
func (g grid) parts(t *trace.Trace) (masks []int, ok bool) {
	all := 1<<len(g) - 1
	fits := [][]int{{all}} // masks that no rank has spoken against
	for rank := range t.NP() {
		made := 0
		c := t.Cursor(rank)
		for a := (trace.Action{}); c.Next(&a); {
			if a.Kind == trace.CommDup {
				return nil, false
			}
			if a.Kind != trace.CommSplit {
				continue
			}
			if made++; made == len(fits) {
				if rank > 0 {
					return nil, false
				}
				fits = append(fits, nil)
				for mask := all; mask >= 0; mask-- {
					fits[made] = append(fits[made], mask)
				}
			}
			var left []int
			for _, mask := range fits[made] {
				if s := g.sub(mask, rank); int64(s.me) == a.Count && int32(s.first) == a.Tag {
					left = append(left, mask)
				}
			}
			fits[made] = left
		}
	}
	for _, list := range fits {
		if len(list) == 0 {
			return nil, false
		}
		masks = append(masks, list[0])
	}
	return masks, true
}

// has tells whether a program's communicators are those that go along these dimensions.
func (g grid) has(t *trace.Trace, masks []int) bool {
	for rank := range t.NP() {
		made := 0
		c := t.Cursor(rank)
		for a := (trace.Action{}); c.Next(&a); {
			if a.Kind == trace.CommDup {
				return false
			}
			if a.Kind != trace.CommSplit {
				continue
			}
			if made++; made == len(masks) {
				return false
			}
			if s := g.sub(masks[made], rank); int64(s.me) != a.Count || int32(s.first) != a.Tag {
				return false
			}
		}
	}
	return true
}
