package whatif

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"auspex/events"
	"auspex/trace"
)

// Where ranks have as much of a region in all and more of it than the others by turns,
// between the same two collectives of all ranks, evening out what they have in all
// changes nothing. Balancing then evens out what they have in each of these steps.

const (
	movesFrom = 0.1     // share of a region's time that is lost by turns
	movesMost = 4       // times as much as is lost by what ranks have in all
	maxSteps  = 4 << 20 // over all ranks
)

// turn is how the work of some regions goes round.
type turn struct {
	lost  float64 // seconds that steps take longer since in each another rank has most to do; 0 where that is little
	moves bool    // and next to nothing is lost by what ranks have in all
}

// turns keeps what was found out about sets of regions.
type turns struct {
	sync.Mutex
	known map[string]turn
}

// byTurns tells how the work of regions goes round. What differs by chance does not.
func (c *Case) byTurns(regions []int) turn {
	if !c.canTurn() {
		return turn{}
	}
	c.turns.Lock()
	defer c.turns.Unlock()
	return c.turnsOf([][]int{regions})[0]
}

// canTurn tells whether work that goes round can be told at all.
func (c *Case) canTurn() bool {
	return c.phased && c.programs == nil && !c.HandsOut() && c.ranks >= 2
}

// lookForTurns finds out about each of some regions at once: the trace is read as a
// whole for it.
func (c *Case) lookForTurns(regions map[int]bool) {
	if !c.canTurn() {
		return
	}
	var each [][]int
	for _, r := range slices.Sorted(maps.Keys(regions)) {
		if sum(c.profile.Seconds[r]) > 0 && !c.noOnes(c.profile.Regions[r]) {
			each = append(each, []int{r})
		}
	}
	c.turns.Lock()
	defer c.turns.Unlock()
	c.turnsOf(each)
}

// turnsOf is what is known of sets of regions, or else found out; no region is in two
// of them.
func (c *Case) turnsOf(sets [][]int) []turn {
	var unknown [][]int
	for _, set := range sets {
		if _, ok := c.turns.known[fmt.Sprint(set)]; !ok {
			unknown = append(unknown, set)
		}
	}
	if c.turns.known == nil {
		c.turns.known = map[string]turn{}
	}
	for i, own := range c.inSteps(&setting{even: true}, unknown) {
		c.turns.known[fmt.Sprint(unknown[i])] = turnOf(own)
	}
	out := make([]turn, len(sets))
	for i, set := range sets {
		out[i] = c.turns.known[fmt.Sprint(set)]
	}
	return out
}

func turnOf(own [][]float64) turn {
	if len(own) == 0 {
		return turn{}
	}
	longest, all, owners := 0.0, 0.0, 0
	for _, row := range own {
		total := sum(row)
		if total > 0 {
			owners++
		}
		longest, all = max(longest, total), all+total
	}
	if owners < 2 {
		return turn{}
	}
	mean := all / float64(owners)
	steps := make([]float64, len(own[0])) // as long as they take where all have as much in all
	for _, row := range own {
		total := sum(row)
		for k, t := range row {
			if t > 0 {
				steps[k] = max(steps[k], t*mean/total)
			}
		}
	}
	lost := sum(steps) - mean
	if lost < movesFrom*mean {
		return turn{}
	}
	return turn{lost, lost >= movesMost*(longest-mean)}
}

// inSteps is what each rank computes in each step of each of some sets of regions, no
// region being in two of them; nil for a set where there are too many steps.
func (c *Case) inSteps(s *setting, sets [][]int) [][][]float64 {
	if len(sets) == 0 {
		return nil
	}
	of := slices.Repeat([]int{-1}, len(c.profile.Seconds)) // in which set a region is
	all := make([][][]float64, len(sets))
	for i, regions := range sets {
		all[i] = make([][]float64, c.ranks)
		for _, r := range regions {
			of[r] = i
		}
	}
	for rank := range c.ranks {
		value := c.valuer(s, rank)
		c.walk(rank, func(a *trace.Action, region, phase int) {
			if a.Kind != trace.Compute {
				return
			}
			t := value(a, region)
			if of[region] < 0 || phase >= maxSteps/c.ranks {
				return
			}
			own := all[of[region]]
			for len(own[rank]) <= phase {
				own[rank] = append(own[rank], 0)
			}
			own[rank][phase] += t
		})
	}
	for i, own := range all {
		all[i] = c.toTheLast(own)
	}
	return all
}

// toTheLast has all ranks have as many steps; nil where there are too many.
func (c *Case) toTheLast(own [][]float64) [][]float64 {
	most := 0
	for _, row := range own {
		most = max(most, len(row))
	}
	if most >= maxSteps/c.ranks {
		return nil
	}
	for rank := range own {
		own[rank] = append(own[rank], make([]float64, most-len(own[rank]))...)
	}
	return own
}

// everyStep evens regions out in each step.
func (c *Case) everyStep(s *setting, regions []int) {
	if s.steps == nil {
		s.steps = make([]bool, len(c.profile.Seconds))
	}
	for _, r := range regions {
		s.steps[r] = true
	}
}

// stepping is what becomes of regions that are evened out in each step.
type stepping struct {
	mean   []float64   // by step, of those that have some of them
	own    [][]float64 // by rank and step
	owners []bool
}

func (c *Case) stepping(s *setting) *stepping {
	var regions []int
	for r, yes := range s.steps {
		if yes {
			regions = append(regions, r)
		}
	}
	if len(regions) == 0 {
		return nil
	}
	st := &stepping{own: c.inSteps(s, [][]int{regions})[0], owners: make([]bool, c.ranks)}
	for rank, row := range st.own {
		st.owners[rank] = sum(row) > 0
	}
	n := float64(count(st.owners))
	for _, row := range st.own {
		if st.mean == nil {
			st.mean = make([]float64, len(row))
		}
		for k, t := range row {
			st.mean[k] += t / n
		}
	}
	return st
}

// times is how many times as long as it was a rank's part of a step becomes.
func (st *stepping) times(rank, step int) float64 {
	if st == nil || !st.owners[rank] || step >= len(st.mean) || st.own[rank][step] <= 0 {
		return 1
	}
	return st.mean[step] / st.own[rank][step]
}

// more adds to what a rank is given what it is to do in steps in which it had nothing
// of the regions to do.
func (st *stepping) more(rank int, given []float64) []float64 {
	if st == nil || !st.owners[rank] {
		return given
	}
	for k, t := range st.own[rank] {
		if t > 0 || st.mean[k] <= 0 {
			continue
		}
		for len(given) <= k {
			given = append(given, 0)
		}
		given[k] += st.mean[k]
	}
	return given
}

// keepSum has the stops in computation last as long together as they did: the work is
// elsewhere, and as much.
func keepSum(stops, before []trace.Stop) {
	was, is := 0.0, 0.0
	for i := range stops {
		if !stops[i].Within {
			was, is = was+before[i].Seconds, is+stops[i].Seconds
		}
	}
	for i := range stops {
		if !stops[i].Within && is > 0 {
			stops[i].Seconds *= was / is
		}
	}
}

// stepNotes says what balancing evens out where ranks have more than others by turns.
func (c *Case) stepNotes(changes []Change) []string {
	var notes []string
	for _, ch := range changes {
		if ch.Kind != Balance {
			continue
		}
		regions, err := c.regions(ch.Region)
		if err != nil {
			continue
		}
		name := events.Quoted(ch.Region)
		if ch.Region == All {
			name = "all work"
		}
		switch found := c.byTurns(regions); {
		case found.moves:
			notes = append(notes, fmt.Sprintf("ranks have more of %s than the others by turns: balanced is what they have between each two collectives, not only in all", name))
		case found.lost > least*c.Base():
			notes = append(notes, fmt.Sprintf("ranks have more of %s than the others by turns, and some have more in all: balanced is what they have in all", name))
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// besideNote says what balancing evens out where nothing parts the run into steps.
func (c *Case) besideNote(changes []Change) []string {
	if !c.trace.Overlaps() || !slices.ContainsFunc(changes, func(ch Change) bool { return ch.Kind == Balance }) {
		return nil
	}
	return []string{"ranks compute beside collectives: balanced is what they have in all; where the work moves from rank to rank, evening out each step may gain more"}
}
