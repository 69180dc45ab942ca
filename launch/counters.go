package launch

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"auspex/model"
	"auspex/probe/counters"
)

// countersHere chooses the hardware counters, ours by default, and says how the
// runtime is told of them.
func countersHere(names []string) (setting string, err error) {
	if len(names) == 0 {
		names = counters.Default
	}
	p := counters.Read(os.DirFS("/"))
	groups, _, err := p.Choose(names)
	return p.Setting(groups), err
}

// declareCounters adds the metrics of the counters that counted something, and
// tells of those that took turns.
func (c *collector) declareCounters() {
	c.columns.counters = map[string]int{}
	counted := false
	least := map[string]float64{} // share of the time in which a counter counted
	for _, p := range c.processes {
		for i, counter := range p.Counters {
			counted = true
			sum, watched, running := uint64(0), uint64(0), uint64(0)
			for _, t := range p.Threads {
				for _, n := range t.Nodes {
					sum += n.Counters[i]
					watched += n.Watched
					running += n.Running[counter.Group]
				}
			}
			if watched > 0 && running < watched {
				least[counter.Name] = min(share(least, counter.Name), float64(running)/float64(watched))
			}
			if _, known := c.columns.counters[counter.Name]; sum > 0 && !known {
				c.columns.counters[counter.Name] = c.b.Metric(model.NewMetric(counter.Name, counters.PAPI(counter.Name), model.Exclusive))
			}
		}
	}
	if !counted {
		c.notes = append(c.notes, "this machine gave no hardware counters: no instructions, cycles or cache misses")
	}
	c.tellTurns(least)
}

func share(of map[string]float64, name string) float64 {
	if v, ok := of[name]; ok {
		return v
	}
	return 1
}

// tellTurns says which counters were scaled, and by how much.
func (c *collector) tellTurns(least map[string]float64) {
	var words []string
	for name, part := range least {
		if part > 0 {
			words = append(words, fmt.Sprintf("%s %.0f %%", name, math.Floor(100*part)))
		} else {
			words = append(words, name+" never")
		}
	}
	if len(words) > 0 {
		slices.Sort(words)
		c.notes = append(c.notes, "hardware counters took turns and are scaled to the whole time; counted of it: "+strings.Join(words, ", "))
	}
}
