package depend

import (
	"math"
	"sort"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// poly is a polynomial with whole coefficients over symbols: a product of
// symbols, sorted and joined by "·", leads to its factor; "" to the constant.
// nil is not known.
type poly map[string]int64

const (
	maxTerms = 32
	maxCoef  = 1 << 40 // beyond it sums and products might wrap
)

func number(n int64) poly {
	if n == 0 {
		return poly{}
	}
	return poly{"": n}
}

func symbol(name string) poly { return poly{name: 1} }

func (p poly) plus(o poly, factor int64) poly {
	if p == nil || o == nil {
		return nil
	}
	sum := poly{}
	for k, c := range p {
		sum[k] = c
	}
	for k, c := range o {
		if c > maxCoef || c < -maxCoef || factor > maxCoef || factor < -maxCoef || c != 0 && abs(factor) > maxCoef/abs(c) {
			return nil
		}
		sum[k] += c * factor
		if sum[k] == 0 {
			delete(sum, k)
		} else if abs(sum[k]) > maxCoef {
			return nil
		}
	}
	if len(sum) > maxTerms {
		return nil
	}
	return sum
}

func (p poly) times(o poly) poly {
	if p == nil || o == nil {
		return nil
	}
	product := poly{}
	for k, c := range p {
		for l, d := range o {
			if abs(c) > maxCoef/max(abs(d), 1) {
				return nil
			}
			symbols := append(factors(k), factors(l)...)
			if len(symbols) > 6 {
				return nil
			}
			sort.Strings(symbols)
			product = product.plus(poly{strings.Join(symbols, "·"): c * d}, 1)
			if product == nil {
				return nil
			}
		}
	}
	return product
}

func factors(k string) []string {
	if k == "" {
		return nil
	}
	return strings.Split(k, "·")
}

// constant gives the value of a polynomial without symbols.
func (p poly) constant() (int64, bool) {
	switch {
	case p == nil:
		return 0, false
	case len(p) == 0:
		return 0, true
	case len(p) == 1:
		c, ok := p[""]
		return c, ok
	}
	return 0, false
}

// split takes a polynomial apart into the factor of one symbol and the rest.
// It fails where the symbol stands in a higher power.
func (p poly) split(name string) (factor, rest poly, ok bool) {
	factor, rest = poly{}, poly{}
	for k, c := range p {
		fs := factors(k)
		n := 0
		var others []string
		for _, f := range fs {
			if f == name {
				n++
			} else {
				others = append(others, f)
			}
		}
		switch n {
		case 0:
			rest[k] = c
		case 1:
			factor[strings.Join(others, "·")] = c
		default:
			return nil, nil, false
		}
	}
	return factor, rest, true
}

// mentions tells whether a symbol occurs.
func (p poly) mentions(name string) bool {
	for k := range p {
		for _, f := range factors(k) {
			if f == name {
				return true
			}
		}
	}
	return false
}

func (p poly) equal(o poly) bool {
	d := p.plus(o, -1)
	return d != nil && len(d) == 0
}

func abs(n int64) int64 {
	if n == math.MinInt64 {
		return math.MaxInt64
	}
	if n < 0 {
		return -n
	}
	return n
}

func gcd(a, b int64) int64 {
	a, b = abs(a), abs(b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
