package fuzzy

import (
	"fmt"
	"math"

	"auspex/expr"
)

// Logic says how degrees are joined by AND and OR. The zero value is
// [Minimum].
//
// Missing degrees never count: an AND with a missing side is missing, since
// nobody knows whether it holds; an OR goes by the sides that are known.
type Logic struct {
	product      bool
	compensatory bool
	gamma        float64
}

// The logics that can be asked for by name.
var (
	Minimum = Logic{}              // AND is the minimum, OR the maximum
	Product = Logic{product: true} // AND is the product, OR the probabilistic sum
)

// DefaultGamma is Zimmermann and Zysno's value, found to agree with how people
// join judgements; FuzzyJ uses it too.
const DefaultGamma = 0.562

// Compensatory makes the compensatory AND of Zimmermann and Zysno, in which a
// good side makes up for a poor one: (Πy)^(1−γ) · (1 − Π(1−y))^γ. At γ = 0 it
// is the product, at 1 the probabilistic sum. OR is the maximum.
func Compensatory(gamma float64) (Logic, error) {
	if !(gamma >= 0 && gamma <= 1) {
		return Logic{}, fmt.Errorf("gamma must be from 0 to 1, not %v", gamma)
	}
	return Logic{compensatory: true, gamma: gamma}, nil
}

// ParseLogic reads min, product, compensatory or compensatory(0.4).
func ParseLogic(src string) (Logic, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return Logic{}, err
	}
	t, gamma := c.Next(), DefaultGamma
	if t.Is("compensatory") && c.Accept("(") {
		if gamma, err = signedNumber(c); err == nil {
			err = c.Expect(")")
		}
		if err != nil {
			return Logic{}, err
		}
	}
	if err := c.End(); err != nil {
		return Logic{}, err
	}
	switch {
	case t.Is("min"):
		return Minimum, nil
	case t.Is("product"):
		return Product, nil
	case t.Is("compensatory"):
		return Compensatory(gamma)
	}
	e := c.Errorf(t, "unknown logic %s", t)
	e.Hint = "known are min, product and compensatory"
	return Logic{}, e
}

// String gives the name that ParseLogic reads.
func (l Logic) String() string {
	switch {
	case l.product:
		return "product"
	case l.compensatory:
		return fmt.Sprintf("compensatory(%v)", l.gamma)
	}
	return "min"
}

// Parts tells how a logic is made: products instead of extremes, or the
// compensatory AND with its gamma.
func (l Logic) Parts() (product, compensatory bool, gamma float64) {
	return l.product, l.compensatory, l.gamma
}

// And joins degrees that must all hold.
func (l Logic) And(ys ...float64) float64 {
	least, all, none := 1.0, 1.0, 1.0
	for _, y := range ys {
		if math.IsNaN(y) {
			return y
		}
		least = min(least, y)
		all *= y
		none *= 1 - y
	}
	switch {
	case l.product:
		return all
	case l.compensatory:
		return math.Pow(all, 1-l.gamma) * math.Pow(1-none, l.gamma)
	}
	return least
}

// Or joins degrees of which one is enough.
func (l Logic) Or(ys ...float64) float64 {
	most, none, known := 0.0, 1.0, false
	for _, y := range ys {
		if math.IsNaN(y) {
			continue
		}
		known = true
		most = max(most, y)
		none *= 1 - y
	}
	switch {
	case !known:
		return math.NaN()
	case l.product:
		return 1 - none
	}
	return most
}

// SideLevel tells what must hold below for a junction to be above level: under
// AND each side, under OR at least one side is above the level it gives. NaN
// means that nothing is known.
func (l Logic) SideLevel(or bool, level float64) float64 {
	switch {
	case or && l.product: // sides below level add up
		return 0
	case !or && l.compensatory:
		if l.gamma == 1 { // then it is an OR
			return math.NaN()
		}
		return 0
	}
	return level
}
