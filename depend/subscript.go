package depend

// counter is a loop variable and the values it takes: from, from+step, … up to
// to (or down to it); nil where not known.
type counter struct {
	name     string
	from, to poly // to is the last value or beyond it by less than a step
	step     int64
}

// low and high are the bounds of the values whatever the direction.
func (c *counter) low() poly {
	if c.step < 0 {
		return c.to
	}
	return c.from
}

func (c *counter) high() poly {
	if c.step < 0 {
		return c.from
	}
	return c.to
}

// mayMeet tells whether two subscripts can be the same element in two
// different iterations of the outer loop. Each is a polynomial over the outer
// counter, the counters of loops within it, and symbols that do not change
// while the loop runs. inner1 and inner2 are the counters around each access.
//
// It is the GCD test and Banerjee's bounds (U. Banerjee, Dependence Analysis
// for Supercomputing, 1988), the latter over i' = i + δ with the smallest
// δ ≥ 1, in both directions; and for subscripts like i·w + j, where w is a
// symbol, a comparison of w with the extent of j. The answer is true unless
// one of them proves otherwise.
func mayMeet(f, g poly, outer *counter, inner1, inner2 []*counter) bool {
	if f == nil || g == nil {
		return true
	}
	// The counters within are taken with their bounds, and once more as what
	// they begin with and a distance from there: a bound that moves with the
	// outer counter is of use only in the second form.
	for _, fromBegin := range []bool{false, true} {
		if apart(f, g, outer, inner1, inner2, fromBegin) {
			return false
		}
	}
	return true
}

// apart shows that two subscripts are never the same in different iterations.
func apart(f, g poly, outer *counter, inner1, inner2 []*counter, fromBegin bool) bool {
	// The inner counters of the two iterations are variables of their own.
	terms1, f, ok1 := innerTerms(f, inner1, outer, fromBegin)
	terms2, g, ok2 := innerTerms(g, inner2, outer, fromBegin)
	if !ok1 || !ok2 {
		return false
	}
	a, f, ok1 := f.split(outer.name)
	a2, g, ok2 := g.split(outer.name)
	if !ok1 || !ok2 {
		return false
	}
	for _, t := range terms2 {
		t.factor = poly{}.plus(t.factor, -1)
		terms1 = append(terms1, t)
	}
	for _, t := range terms1 {
		if t.factor.mentions(outer.name) {
			return false
		}
	}
	rest := f.plus(g, -1)
	if rest == nil {
		return false
	}
	return gcdExcludes(a, a2, terms1, rest, outer) || boundsExclude(a, a2, terms1, rest, outer)
}

// term is an inner counter with the factor it has in a subscript.
type term struct {
	factor    poly
	low, high poly // nil: not known
	step      int64
	from      poly
}

func anyOf(p poly, counters []*counter) bool {
	for _, c := range counters {
		if p.mentions(c.name) {
			return true
		}
	}
	return false
}

// innerTerms takes the inner counters out of a subscript, the innermost first,
// for what one begins with may be another.
func innerTerms(p poly, inner []*counter, outer *counter, fromBegin bool) ([]term, poly, bool) {
	var terms []term
	for i := len(inner) - 1; i >= 0; i-- {
		c := inner[i]
		factor, rest, ok := p.split(c.name)
		if !ok || anyOf(factor, inner) {
			return nil, nil, false
		}
		p = rest
		if len(factor) == 0 {
			continue
		}
		t := term{factor: factor, low: c.low(), high: c.high(), step: c.step, from: c.from}
		if fromBegin && c.from != nil {
			if p = p.plus(factor.times(c.from), 1); p == nil {
				return nil, nil, false
			}
			t.from = poly{}
			t.low, t.high = t.low.plus(c.from, -1), t.high.plus(c.from, -1)
		}
		// A bound that itself moves with an iteration is no bound here.
		for _, bound := range []*poly{&t.low, &t.high, &t.from} {
			if *bound != nil && (bound.mentions(outer.name) || anyOf(*bound, inner)) {
				*bound = nil
			}
		}
		terms = append(terms, t)
	}
	return terms, p, true
}

// gcdExcludes is the GCD test: a·i − a2·i' + Σ b·j + rest = 0 has no solution
// in whole numbers if the greatest common divisor of the factors does not
// divide the rest. Counters are written from + step·k, so that steps count.
func gcdExcludes(a, a2 poly, terms []term, rest poly, outer *counter) bool {
	ca, ok1 := a.constant()
	cb, ok2 := a2.constant()
	if !ok1 || !ok2 {
		return false
	}
	var g int64
	step := abs(outer.step)
	if a.equal(a2) {
		g = gcd(g, bounded(ca, step)) // a·(i − i') is a multiple of a·step
	} else if outer.from != nil {
		g = gcd(bounded(ca, step), bounded(cb, step))
		rest = rest.plus(outer.from, ca-cb)
	} else {
		g = gcd(gcd(g, ca), cb)
	}
	for _, t := range terms {
		c, ok := t.factor.constant()
		if !ok {
			return false
		}
		if t.from == nil {
			g = gcd(g, c)
			continue
		}
		g = gcd(g, bounded(c, abs(t.step)))
		rest = rest.plus(t.from, c)
	}
	r, ok := rest.constant()
	if !ok {
		// Symbols whose factors the divisor divides change nothing.
		if g == 0 || rest == nil {
			return false
		}
		for k, c := range rest {
			if k != "" && c%g != 0 {
				return false
			}
		}
		r = rest[""]
	}
	if g == 0 {
		return r != 0
	}
	return r%g != 0
}

// bounded multiplies numbers that are to be divisors. Where the product is too
// large it gives 1, which divides everything and so excludes nothing.
func bounded(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if abs(a) > maxCoef/abs(b) {
		return 1
	}
	return a * b
}

// boundsExclude is Banerjee's test: over all values in bounds, is the
// difference of the two subscripts always above or always below 0?
func boundsExclude(a, a2 poly, terms []term, rest poly, outer *counter) bool {
	// Written with i' = i + δ and with i = i' + δ, δ ≥ the step.
	return oneDirection(a, a2, -1, terms, rest, outer) && oneDirection(a, a2, 1, terms, rest, outer)
}

// oneDirection shows that a·i − a2·i' + Σ b·j + rest ≠ 0 where i' − i = δ ≥
// step (sign −1), or i − i' = δ (sign +1).
func oneDirection(a, a2 poly, sign int64, terms []term, rest poly, outer *counter) bool {
	// sign −1: (a − a2)·i − a2·δ.   sign +1: (a − a2)·i' + a·δ.
	base := a.plus(a2, -1)
	delta := a2
	if sign > 0 {
		delta = a
	}
	delta = poly{}.plus(delta, sign)
	if base == nil || delta == nil {
		return false
	}
	list := append([]term{{factor: base, low: outer.low(), high: outer.high()}}, terms...)
	smallest := number(abs(outer.step))
	largest := outer.high().plus(outer.low(), -1)
	list = append(list, term{factor: delta, low: smallest, high: largest})

	low, high := rest, rest // of the whole, as far as known
	for _, t := range list {
		if len(t.factor) == 0 {
			continue
		}
		c, ok := t.factor.constant()
		if !ok {
			return wide(delta, list, rest, abs(outer.step))
		}
		if c > 0 {
			low, high = low.plus(t.low, c), high.plus(t.high, c)
		} else {
			low, high = low.plus(t.high, c), high.plus(t.low, c)
		}
	}
	// Two iterations happen, and so do those of the loops within.
	facts := []poly{largest.plus(smallest, -1)}
	for _, t := range terms {
		facts = append(facts, t.high.plus(t.low, -1))
	}
	return negative(high, facts) || negative(poly{}.plus(low, -1), facts)
}

// negative shows that a polynomial is below 0, by itself or because adding a
// multiple of a fact, which is at least 0, leaves a number that is.
func negative(p poly, facts []poly) bool {
	if n, ok := p.constant(); ok {
		return n < 0
	}
	for _, fact := range facts {
		for symbol, c := range fact {
			times := int64(0)
			if symbol != "" && p[symbol]%c == 0 {
				times = -p[symbol] / c
			}
			if times <= 0 {
				continue
			}
			if n, ok := p.plus(fact, times).constant(); ok && n < 0 {
				return true
			}
		}
	}
	return false
}

// wide shows that w·δ is further from 0 than everything else together, where w
// is not a number: w − Σ|b|·(extent of j) − |rest| is a positive number. The
// loops around both accesses run at least once, so the extents are not
// negative, and w must be positive, too.
func wide(w poly, list []term, rest poly, step int64) bool {
	var left, right poly = poly{}, poly{} // the rest lies in left … right
	left, right = left.plus(rest, 1), right.plus(rest, 1)
	for _, t := range list[:len(list)-1] {
		if len(t.factor) == 0 {
			continue
		}
		c, ok := t.factor.constant()
		if !ok {
			return false
		}
		if c > 0 {
			left, right = left.plus(t.low, c), right.plus(t.high, c)
		} else {
			left, right = left.plus(t.high, c), right.plus(t.low, c)
		}
	}
	if left == nil || right == nil {
		return false
	}
	for _, w := range []poly{w, poly{}.plus(w, -1)} { // w > 0 or −w > 0
		// Both w + left > 0 and w − right > 0 must hold; then w > (right −
		// left)/2 ≥ 0, and for any δ ≥ 1 the sum stays on w's side.
		for _, p := range []poly{w.plus(left, 1), w.plus(right, -1)} {
			n, ok := p.constant()
			if !ok || n <= 0 {
				goto next
			}
		}
		return true
	next:
	}
	return false
}
