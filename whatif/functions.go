package whatif

import (
	"fmt"
	"slices"

	"auspex/events"
)

// Function is a function that samples found within a region of the trace: a program
// that was not compiled for it has few regions, or one, and its trace knows no others.
type Function struct {
	Name, Region string
	Shares       []float64 // of what each rank computes in the region
}

// part is one of them, by the region's number.
type part struct {
	name   string
	region int
	shares []float64
}

// sampled asks for the functions within the regions that the trace has computation of.
func (c *Case) sampled(functions func(regions map[string]bool) ([]Function, error)) error {
	if functions == nil {
		return nil
	}
	known := map[string]bool{}
	for r, name := range c.profile.Regions {
		if sum(c.profile.Seconds[r]) > 0 {
			known[name] = true
		}
	}
	found, err := functions(known)
	if err != nil {
		return err
	}
	for _, f := range found {
		r := slices.Index(c.profile.Regions, f.Region)
		if _, err := c.regions(f.Name); err == nil || r < 0 || len(f.Shares) != c.ranks {
			continue // a region of that name is what it means
		}
		c.functions = append(c.functions, part{f.Name, r, f.Shares})
	}
	return nil
}

// isFunction tells whether a name means functions within regions.
func (c *Case) isFunction(name string) bool {
	return slices.ContainsFunc(c.functions, func(p part) bool { return p.name == events.LastName(name) })
}

// scaleFunction changes a function wherever samples found it. Its share of a region's
// computation is taken to be the same in all stretches of it.
func (c *Case) scaleFunction(s *setting, ch Change) error {
	if ch.Kind == Balance {
		return fmt.Errorf("%q is a function that samples found, and when each rank was in it is not known: balance the region around it, or compile with auspex cc", ch.Region)
	}
	if s.left == nil {
		s.left = slices.Repeat([]float64{1}, len(c.functions))
	}
	for i, p := range c.functions {
		if p.name != events.LastName(ch.Region) {
			continue
		}
		row, before := scaleRow(s, c, p.region), c.leftOf(s, p.region)
		if ch.Kind == Remove {
			s.left[i] = 0
		} else {
			s.left[i] /= ch.Factor
		}
		for rank, after := range c.leftOf(s, p.region) {
			if before[rank] > 0 {
				row[rank] *= after / before[rank]
			}
		}
	}
	return nil
}

// leftOf is what changes of functions leave of a region's computation, by rank.
func (c *Case) leftOf(s *setting, region int) []float64 {
	out := slices.Repeat([]float64{1}, c.ranks)
	if s.left == nil {
		return out
	}
	for i, p := range c.functions {
		if p.region == region {
			for rank, share := range p.shares {
				out[rank] -= share * (1 - s.left[i])
			}
		}
	}
	for rank := range out {
		out[rank] = max(out[rank], 0)
	}
	return out
}

// inFunction is how long ranks compute in one of the functions.
func (c *Case) inFunction(p part, ranks []int) float64 {
	t := 0.0
	for _, rank := range ranks {
		t += p.shares[rank] * c.profile.Seconds[p.region][rank]
	}
	return t
}

// allRanks are all of them.
func (c *Case) allRanks() []int {
	out := make([]int, c.ranks)
	for rank := range out {
		out[rank] = rank
	}
	return out
}

// inFunctions are the functions of a region, where its ranks compute most of the time
// in them.
func (c *Case) inFunctions(region int) []part {
	var of []part
	all := 0.0
	for _, p := range c.functions {
		if p.region == region {
			of, all = append(of, p), all+c.inFunction(p, c.allRanks())
		}
	}
	if all <= sum(c.profile.Seconds[region])/2 {
		return nil
	}
	return of
}

// mostlyIn names the function in which ranks compute for most of their time in a
// region, with the changes so far, or else the region.
func (c *Case) mostlyIn(region int, ranks []int, s *setting) string {
	best, name, all := 0.0, "", 0.0
	left := c.leftOf(s, region)
	for _, rank := range ranks {
		all += left[rank] * c.profile.Seconds[region][rank]
	}
	for i, p := range c.functions {
		if p.region != region {
			continue
		}
		t := c.inFunction(p, ranks)
		if s.left != nil {
			t *= s.left[i]
		}
		if t > best {
			best, name = t, p.name
		}
	}
	if best <= all/2 {
		return c.profile.Regions[region]
	}
	return name
}

// functionNotes says what is taken of functions that samples found.
func (c *Case) functionNotes(changes []Change) []string {
	for _, ch := range changes {
		if _, err := c.regions(ch.Region); (ch.Kind == Faster || ch.Kind == Remove) && err != nil {
			return []string{"functions are known by samples: of what a rank computes, each is taken to have the same share throughout"}
		}
	}
	return nil
}
