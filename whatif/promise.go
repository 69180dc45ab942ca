package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Promise is what changes should bring, kept until they are made.
type Promise struct {
	Made        time.Time  `json:"made"`
	Changes     []string   `json:"changes"`
	BaseSeconds float64    `json:"base_seconds"`
	NewSeconds  float64    `json:"new_seconds"`
	Interval    [2]float64 `json:"interval"`
	Bound       bool       `json:"bound"`
	// Regions is the greatest computation of a rank in each region, before and
	// as promised.
	Regions []PromisedRegion `json:"regions"`
}

// PromisedRegion is a region's greatest time over ranks.
type PromisedRegion struct {
	Region   string  `json:"region"`
	Before   float64 `json:"before"`
	Promised float64 `json:"promised"`
}

// Promise makes a promise of an answer.
func (c *Case) Promise(a *Answer, changes []Change) (*Promise, error) {
	s, err := c.setting(changes)
	if err != nil {
		return nil, err
	}
	p := &Promise{Made: time.Now().UTC().Truncate(time.Second), Changes: a.Changes, BaseSeconds: a.BaseSeconds, NewSeconds: a.NewSeconds, Interval: a.Interval, Bound: a.Bound, Regions: []PromisedRegion{}}
	was, will := c.longer(nil), c.longer(&s)
	for r, row := range c.profile.Seconds {
		before, after := 0.0, 0.0
		for rank, t := range row {
			before = max(before, t*was[rank])
			after = max(after, s.work.Seconds(int32(r), rank, 1e9*t/c.stretched(rank))*will[rank])
		}
		if before > 0.001*a.BaseSeconds {
			p.Regions = append(p.Regions, PromisedRegion{c.profile.Regions[r], before, after})
		}
	}
	return p, nil
}

// Kept says how a promise turned out.
type Kept struct {
	*Promise
	CameSeconds float64 `json:"came_seconds"`
	Kept        bool    `json:"kept"`  // it came within the interval
	Error       float64 `json:"error"` // came over promised, less 1
	// Differ are the regions that did not follow, the farthest off first.
	Differ []RegionCame `json:"differ"`
	Words  string       `json:"words"`
	astray float64      // seconds that all regions together took more than promised
}

// RegionCame is a region that took another time than promised.
type RegionCame struct {
	PromisedRegion
	Came float64 `json:"came"`
}

// matters is the share of the run from which on a region that did not follow is
// named.
const matters = 0.01

// Check holds a promise against what came: the run's time, and the greatest time
// of each region by the end of its path.
func (p *Promise) Check(came float64, regions map[string]float64) *Kept {
	k := &Kept{Promise: p, CameSeconds: came, Kept: came >= p.Interval[0] && came <= p.Interval[1], Differ: []RegionCame{}}
	if p.NewSeconds > 0 {
		k.Error = came/p.NewSeconds - 1
	}
	for _, r := range p.Regions {
		took := timeOf(regions, r.Region)
		k.astray += took - r.Promised
		if math.Abs(took-r.Promised) > matters*max(came, p.NewSeconds) {
			k.Differ = append(k.Differ, RegionCame{r, took})
		}
	}
	slices.SortStableFunc(k.Differ, func(a, b RegionCame) int {
		return cmp.Compare(math.Abs(b.Came-b.Promised), math.Abs(a.Came-a.Promised))
	})
	k.Words = k.words()
	return k
}

// timeOf finds a region's time; a profile's paths begin with the program.
func timeOf(regions map[string]float64, name string) float64 {
	if t, ok := regions[name]; ok {
		return t
	}
	most := 0.0
	for path, t := range regions {
		if _, rest, ok := strings.Cut(path, "/"); ok && rest == name {
			most = max(most, t)
		}
	}
	return most
}

func (k *Kept) words() string {
	what := strings.Join(k.Changes, " ")
	text := fmt.Sprintf("Promised for %s: %s (%s to %s) instead of %s. It came to %s", what, seconds(k.NewSeconds), seconds(k.Interval[0]), seconds(k.Interval[1]), seconds(k.BaseSeconds), seconds(k.CameSeconds))
	if k.Kept {
		return text + ": the promise was kept."
	}
	text += fmt.Sprintf(", %.1f %% %s than promised: it was not kept.", 100*math.Abs(k.Error), moreOrLess(k.Error))
	for _, d := range k.Differ { // one that did not follow the other way explains nothing
		if (d.Came > d.Promised) == (k.Error > 0) {
			return text + fmt.Sprintf(" `%s` did not follow: %s promised, %s came.", d.Region, seconds(d.Promised), seconds(d.Came))
		}
	}
	if missed := k.CameSeconds - k.NewSeconds; k.astray*missed > missed*missed/2 {
		return text + fmt.Sprintf(" No single region is far off, but together they took %s %s than promised.", seconds(math.Abs(k.astray)), moreOrLess(k.astray))
	}
	return text + fmt.Sprintf(" No region took much %s than promised, so the difference is in communication, start or end.", moreOrLess(k.Error))
}

func moreOrLess(e float64) string {
	if e > 0 {
		return "more"
	}
	return "less"
}
