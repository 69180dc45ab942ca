package predict

import (
	"fmt"
	"math"
	"slices"

	models "auspex/growth"
)

// How a size changes with the number of processes. A law is looked for that gives
// every run's size to the element; where there is none, a model of growth, which has
// to foretell each run from the others.

// observed is a size in the run of one number of processes.
type observed struct {
	of    grid
	value float64
}

// law is how a size changes: its value anywhere, and how far it was off when each
// run was foretold from the others; 0 where it is exact.
type law struct {
	name  string
	value func(grid) float64
	off   float64
}

// part is a number that sizes are proportional to.
type part struct {
	name string
	of   func(grid) float64
}

// grows tells whether a part is more with more processes, without end.
func (p part) grows() bool {
	return p.of(grid{1 << 20}) > 2*p.of(grid{1 << 10}) || p.name == "log₂ p"
}

// parts are what a size may be a multiple of, the simplest first.
var parts = []part{
	{"constant", func(grid) float64 { return 1 }},
	{"1/p", func(a grid) float64 { return 1 / a.p() }},
	{"p", grid.p},
	{"1/√p", func(a grid) float64 { return 1 / math.Sqrt(a.p()) }},
	{"√p", func(a grid) float64 { return math.Sqrt(a.p()) }},
	{"1/p²", func(a grid) float64 { return 1 / a.p() / a.p() }},
	{"p²", func(a grid) float64 { return a.p() * a.p() }},
	{"p − 1", func(a grid) float64 { return a.p() - 1 }},
	{"(p − 1)/p", func(a grid) float64 { return 1 - 1/a.p() }},
	{"(p − 1)/p²", func(a grid) float64 { return (1 - 1/a.p()) / a.p() }},
	{"log₂ p", func(a grid) float64 { return math.Log2(a.p()) }},
	{"log₂ p/p", func(a grid) float64 { return math.Log2(a.p()) / a.p() }},
	{"p^(−2/3)", func(a grid) float64 { return math.Pow(a.p(), -2.0/3) }},
	{"1/px", func(a grid) float64 { return 1 / a.along(0) }},
	{"1/py", func(a grid) float64 { return 1 / a.along(1) }},
	{"1/pz", func(a grid) float64 { return 1 / a.along(2) }},
	{"1/(px·py)", func(a grid) float64 { return 1 / a.along(0) / a.along(1) }},
	{"1/(py·pz)", func(a grid) float64 { return 1 / a.along(1) / a.along(2) }},
	{"1/(px·pz)", func(a grid) float64 { return 1 / a.along(0) / a.along(2) }},
}

// extents are numbers of processes that something may be divided among.
var extents = []part{
	{"p", grid.p},
	{"px", func(a grid) float64 { return a.along(0) }},
	{"py", func(a grid) float64 { return a.along(1) }},
	{"pz", func(a grid) float64 { return a.along(2) }},
}

func (g grid) p() float64 { return float64(g.size()) }

// along is how many processes there are in a dimension; of one that is not there, 1.
func (g grid) along(d int) float64 {
	if d >= len(g) {
		return 1
	}
	return float64(g[d])
}

// units are the sizes, in bytes, of what is divided among processes.
var units = []float64{8, 4, 1}

// whole tells whether a value is one of whole elements of the largest size that those
// seen are.
func whole(seen []observed, value float64) bool {
	for _, e := range units {
		if !slices.ContainsFunc(seen, func(s observed) bool { return math.Mod(s.value, e) != 0 }) {
			return math.Abs(value/e-math.Round(value/e)) < 1e-6
		}
	}
	return true
}

// findLaw finds the law of a size that runs of different numbers of processes show. A
// law with a second number is only taken where three runs agree on it.
func findLaw(seen []observed, to grid) (law, error) {
	var found []law
	for _, p := range parts {
		l, ok := multiple(p, seen)
		if ok && p.name == "constant" {
			return l, nil
		}
		if ok && whole(seen, l.value(to)) {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		for _, p := range parts[1:] {
			if l, ok := affine(p, seen); ok && whole(seen, l.value(to)) && l.value(to) >= 0 {
				found = append(found, l)
			}
		}
	}
	for _, l := range found {
		if x, y := found[0].value(to), l.value(to); math.Abs(x-y) > 0.5 {
			return law{}, fmt.Errorf("%s follow %s and %s alike, which differ for %s processes (another number of processes would tell)", sizes(seen), found[0].name, l.name, to)
		}
	}
	if len(found) > 0 {
		l := found[0]
		return law{name: l.name, value: func(a grid) float64 { return math.Round(l.value(a)) }}, nil
	}
	if l, ok := nearly(blocks(seen), to); ok {
		return l, nil
	}
	return modelled(seen)
}

// nearly is the middle of what laws give that nearly agree.
func nearly(found []law, to grid) (law, bool) {
	if len(found) == 0 {
		return law{}, false
	}
	low, high := found[0], found[0]
	for _, l := range found {
		if l.value(to) < low.value(to) {
			low = l
		}
		if l.value(to) > high.value(to) {
			high = l
		}
	}
	a, b := low.value(to), high.value(to)
	if a == b {
		return low, true
	}
	name := fmt.Sprintf("%s to %s", low.name, high.name)
	return law{name: name, off: (b - a) / (a + b), value: func(x grid) float64 { return math.Round((low.value(x) + high.value(x)) / 2) }}, (b-a)/(a+b) <= mostOff
}

// sizes lists what was seen.
func sizes(seen []observed) string {
	text := "sizes"
	for i, s := range seen {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %.6g with %.0f", s.value, s.of.p())
	}
	return text
}

// multiple is a law proportional to a part, exactly.
func multiple(p part, seen []observed) (law, bool) {
	first := seen[0]
	by := first.value / p.of(first.of)
	for _, s := range seen[1:] {
		if math.Abs(by*p.of(s.of)-s.value) > 1e-9*math.Abs(s.value) {
			return law{}, false
		}
	}
	return law{name: p.name, value: func(a grid) float64 { return by * p.of(a) }}, !math.IsInf(by, 0) && !math.IsNaN(by)
}

// affine is a constant and a multiple of a part, exactly, found from all runs but the
// largest, which has to follow.
func affine(p part, seen []observed) (law, bool) {
	if len(seen) < 3 {
		return law{}, false
	}
	x0, x1 := p.of(seen[0].of), p.of(seen[len(seen)-2].of)
	by := (seen[len(seen)-2].value - seen[0].value) / (x1 - x0)
	base := seen[0].value - by*x0
	if x0 == x1 {
		return law{}, false
	}
	for _, s := range seen {
		if math.Abs(base+by*p.of(s.of)-s.value) > 1e-9*math.Abs(s.value) {
			return law{}, false
		}
	}
	return law{name: "a + b·" + p.name, value: func(a grid) float64 { return base + by*p.of(a) }}, true
}

// blocks are the laws by which something is divided among the processes or along one
// dimension of their grid, the last block smaller (ceil) or larger (floor), in elements
// of so many bytes.
func blocks(seen []observed) (found []law) {
	for _, of := range extents {
		for _, size := range units {
			up, down := wholes{0, math.Inf(1)}, wholes{0, math.Inf(1)}
			for _, s := range seen {
				n, q := s.value/size, of.of(s.of)
				if n != math.Trunc(n) {
					up, down = wholes{1, 0}, wholes{1, 0}
					break
				}
				up = up.and(wholes{(n-1)*q + 1, n * q})
				down = down.and(wholes{n * q, (n+1)*q - 1})
			}
			found = append(found, rounded("%g·⌈%.0f/%s⌉", math.Ceil, size, up, of)...)
			found = append(found, rounded("%g·⌊%.0f/%s⌋", math.Floor, size, down, of)...)
		}
	}
	return found
}

// rounded are the laws of blocks of the least and the most that may be divided.
func rounded(name string, round func(float64) float64, size float64, n wholes, of part) []law {
	if !n.any() {
		return nil
	}
	divided := func(n float64) law {
		return law{name: fmt.Sprintf(name, size, n, of.name), value: func(a grid) float64 { return size * round(n/of.of(a)) }}
	}
	return []law{divided(n.low), divided(n.high)}
}

// wholes is a range of whole numbers.
type wholes struct{ low, high float64 }

func (w wholes) and(o wholes) wholes { return wholes{max(w.low, o.low), min(w.high, o.high)} }
func (w wholes) any() bool           { return w.low <= w.high && !math.IsInf(w.high, 1) }

// mostOff is by how much a model of growth may be off, when each run is foretold from
// the others, for its sizes to be taken.
const mostOff = 0.1

// modelled is the model of growth of sizes that follow no law exactly.
func modelled(seen []observed) (law, error) {
	var points []models.Point
	for _, s := range seen {
		points = append(points, models.Point{P: s.of.p(), Value: s.value})
	}
	m, err := models.FitTerm(points)
	if err != nil || m.SMAPE > mostOff {
		return law{}, noLaw(seen)
	}
	return law{name: m.String(), off: m.SMAPE, value: func(a grid) float64 { return math.Round(m.Value(a.p())) }}, nil
}

// meanLaw is the law of means over ranks, which need not be whole.
func meanLaw(seen []observed) (law, error) {
	for _, p := range parts {
		if l, ok := multiple(p, seen); ok {
			return l, nil
		}
	}
	return modelled(seen)
}

func noLaw(seen []observed) error {
	return fmt.Errorf("%s processes follow no law that is known, nor a model of growth to %.0f %%", sizes(seen), 100*mostOff)
}
