package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/simulate"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// setting is what a replay is to be like.
type setting struct {
	work               loggp.Work
	network            loggp.Network
	latency, bandwidth float64   // factors, for platforms
	algorithms         []Change  // of collectives, for platforms
	eager              int64     // -1 as it is
	perNode            int       // 0 as it is
	given              []given   // by region; nil where nobody is given anything
	steps              []bool    // by region: evened out in each step; nil where none is
	left               []float64 // of each function that samples found; nil where none is changed
	even               bool      // without noise
	late               []float64 // of each rank, where some are
	sooner             float64   // that all are done with starting and ending
}

// setting turns changes into one.
func (c *Case) setting(changes []Change) (setting, error) {
	s := setting{network: c.network, latency: 1, bandwidth: 1, eager: -1}
	s.network.Algorithms = maps.Clone(c.network.Algorithms)
	if c.stretch != nil {
		for r := range c.profile.Seconds {
			copy(scaleRow(&s, c, r), c.stretch)
		}
	}
	s.late = slices.Clone(c.late)
	for _, ch := range changes {
		if err := c.apply(&s, ch); err != nil {
			return s, err
		}
	}
	c.lessWork(&s)
	if len(c.late) > 0 { // all wait for the last
		s.sooner = slices.Max(c.late) - slices.Max(s.late)
	}
	return s, nil
}

// endless is how many times as wide the links of a platform are on the ideal
// network: a message takes less than the replay can tell.
const endless = 1e12

func (c *Case) apply(s *setting, ch Change) error {
	switch ch.Kind {
	case Faster, Balance, Remove:
		regions, err := c.regions(ch.Region)
		if err != nil && c.isFunction(ch.Region) {
			return c.scaleFunction(s, ch)
		}
		if err != nil {
			return err
		}
		if ch.Kind == Balance {
			c.balance(s, regions, ch.Region == All)
			return nil
		}
		for _, r := range regions {
			c.scale(s, r, ch)
		}
	case LikeMedian:
		return c.ordinary(s, ch)
	case Cores:
		return c.enough(s)
	case NoNoise:
		s.even = true
		c.evenStops(s)
	case Hosts:
		if s.work.Speed == 0 {
			s.work.Speed = 1
		}
		s.work.Speed *= ch.Factor
	case Ideal:
		s.network = loggp.Ideal()
		s.latency, s.bandwidth = 0, endless
	case Bandwidth:
		s.network.Bandwidth *= ch.Factor
		s.bandwidth *= ch.Factor
	case Latency:
		s.network.Latency *= ch.Factor
		s.network.Overhead *= ch.Factor
		s.latency *= ch.Factor
	case Eager:
		s.network.EagerBelow, s.eager = max(ch.Bytes, 1), ch.Bytes
	case Collective:
		return c.algorithm(s, ch)
	case RanksPerNode:
		if c.platform == nil {
			return fmt.Errorf("%s needs --platform: without one there are no nodes", ch)
		}
		if np := c.trace.NP(); ch.Rank > np {
			return fmt.Errorf("%s: there are only %d ranks", ch, np)
		}
		s.perNode = ch.Rank
	}
	return nil
}

func (c *Case) algorithm(s *setting, ch Change) error {
	if c.platform != nil {
		o := simulate.Defaults()
		s.algorithms = append(s.algorithms, ch)
		return setAlgorithm(&o, ch)
	}
	if slices.Contains(selectors, ch.Word) {
		return fmt.Errorf("%s needs --platform: without one the algorithms %s are known", ch, strings.Join(loggp.AlgorithmNames(), ", "))
	}
	if s.network.Algorithms == nil {
		s.network.Algorithms = map[trace.Kind]string{}
	}
	s.network.Algorithms[ch.Call] = ch.Word
	return nil
}

// setAlgorithm has a platform's collectives chosen by another table, or one of them
// done by an algorithm.
func setAlgorithm(o *simulate.Options, ch Change) error {
	if slices.Contains(selectors, ch.Word) {
		return o.Set("smpi/coll-selector", ch.Word)
	}
	if err := o.Set("auspex/"+strings.ToLower(ch.Call.String()), ch.Word); err != nil {
		return fmt.Errorf("%s: %w, or the decision tables %s", ch, err, strings.Join(selectors, ", "))
	}
	return nil
}

// stretched is how much longer than its CPU time a rank's computation took.
func (c *Case) stretched(rank int) float64 {
	if c.stretch == nil {
		return 1
	}
	return c.stretch[rank]
}

// scaleRow is the factors of a region, which a change may alter.
func scaleRow(s *setting, c *Case, region int) []float64 {
	if s.work.Scale == nil {
		s.work.Scale = make([][]float64, len(c.profile.Seconds))
	}
	if s.work.Scale[region] == nil {
		row := make([]float64, c.ranks)
		for i := range row {
			row[i] = 1
		}
		s.work.Scale[region] = row
	}
	return s.work.Scale[region]
}

// spent is the computation of a region by rank, with the changes so far.
func (c *Case) spent(s *setting, region int) []float64 {
	row := slices.Clone(c.profile.Seconds[region])
	for rank := range row {
		row[rank] += s.of(region).more(rank)
	}
	if s.work.Scale != nil && s.work.Scale[region] != nil {
		for rank, by := range s.work.Scale[region] {
			row[rank] *= by / c.stretched(rank)
		}
	}
	return row
}

// scale changes one region.
func (c *Case) scale(s *setting, region int, ch Change) {
	row := scaleRow(s, c, region)
	for rank := range row {
		switch ch.Kind {
		case Faster:
			row[rank] /= ch.Factor
		case Remove:
			row[rank] = 0
		}
	}
}

// regions finds the regions that a name means: the one of that path, or else all
// whose path ends with it; with a slash at its end also all
// inside of them: f/loop@3, and f:loop@3 where f itself is no region.
func (c *Case) regions(name string) ([]int, error) {
	var exact, ending []int
	whole, inside := strings.CutSuffix(name, "/")
	for i, n := range c.profile.Regions {
		switch {
		case name == All:
			ending = append(ending, i)
		case inside && (strings.Contains("/"+n+"/", "/"+whole+"/") || strings.Contains("/"+n, "/"+whole+":")):
			ending = append(ending, i)
		case n == name:
			exact = append(exact, i)
		case strings.HasSuffix(n, "/"+name):
			ending = append(ending, i)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	if len(ending) > 0 {
		return ending, nil
	}
	var known []string
	for i, n := range c.profile.Regions {
		if sum(c.profile.Seconds[i]) > 0 {
			known = append(known, n)
		}
	}
	for _, p := range c.functions {
		known = append(known, p.name)
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("the trace has no region %q: no rank computes anything", name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if len(known) > 12 {
		known = append(known[:12], "…")
	}
	return nil, fmt.Errorf("the trace has no region %q; it has %s", name, strings.Join(known, ", "))
}

func sum(values []float64) float64 {
	s := 0.0
	for _, v := range values {
		s += v
	}
	return s
}
