package peers

import (
	"math"
	"sort"

	"auspex/platform"
)

// course is how something of the platform goes over time: what it is from the
// start, and what its profile makes of it.
type course struct {
	base    float64
	profile *platform.Profile // nil for none
}

// at is the value at a moment, and until when it holds.
func (c *course) at(t float64) (value, until float64) {
	if c.profile == nil {
		return c.base, math.Inf(1)
	}
	points := c.profile.Points
	last := points[len(points)-1]
	start, value := 0.0, c.base
	if c.profile.Again >= 0 {
		if period := last.At + c.profile.Again; t >= period {
			start, value = math.Floor(t/period)*period, last.Value
		}
		until = start + last.At + c.profile.Again + points[0].At
	} else {
		until = math.Inf(1)
	}
	// Of several at one date the last holds.
	next := sort.Search(len(points), func(k int) bool { return start+points[k].At > t })
	if next > 0 {
		value = points[next-1].Value
	}
	if next < len(points) {
		until = start + points[next].At
	}
	return value, max(until, math.Nextafter(t, math.Inf(1)))
}

// maxPieces is over how many values one amount of work is followed: where it is
// not done by then it never is.
const maxPieces = 100000

// done is when an amount is worked off that is begun at a moment, with the course
// as its rate: infinity where that never is.
func (c *course) done(from, amount float64) float64 {
	if c.profile == nil {
		return from + amount/c.base
	}
	for range maxPieces {
		rate, until := c.at(from)
		if amount <= rate*(until-from) {
			if amount > 0 {
				from += amount / rate
			}
			return from
		}
		if math.IsInf(until, 1) {
			return until
		}
		amount -= rate * (until - from)
		from = until
	}
	return math.Inf(1)
}

// worked is the amount that is worked off between two moments.
func (c *course) worked(from, to float64) (amount float64) {
	for from < to {
		rate, until := c.at(from)
		until = min(until, to)
		amount += rate * (until - from)
		from = until
	}
	return amount
}

// least is the smallest value above 0 that it ever has.
func (c *course) least() float64 {
	v := c.base
	if c.profile != nil {
		for _, m := range c.profile.Points {
			if m.Value > 0 {
				v = min(v, m.Value)
			}
		}
	}
	return v
}

// courses are those of one quantity, by host or by link.
func courses(p *platform.Platform, of platform.Quantity, count int, base func(i int) float64) []course {
	list := make([]course, count)
	for i := range list {
		list[i].base = base(i)
	}
	for _, c := range p.Changes {
		if c.Of == of {
			list[c.Index].profile = c.Profile
		}
	}
	return list
}
