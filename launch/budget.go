package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"auspex/instrument"
	"auspex/probe"
)

// measuredPlace tells regions apart across processes, whose numbers differ.
type measuredPlace struct {
	name, file string
	line       int
}

func placeOf(r probe.Region) measuredPlace { return measuredPlace{r.Name, r.File, r.Line} }

// switchedOff finds the regions that any process switched off.
func switchedOff(processes []*probe.Process) map[measuredPlace]bool {
	off := map[measuredPlace]bool{}
	for _, p := range processes {
		for _, s := range p.Off {
			off[placeOf(p.Regions[s.Region])] = true
		}
	}
	return off
}

// tooShort are the rules by which the next build leaves out what was switched
// off, in order.
func (c *collector) tooShort() []instrument.Rule {
	var rules []instrument.Rule
	for place := range c.off {
		file := filepath.ToSlash(filepath.Clean(place.file))
		for strings.HasPrefix(file, "../") {
			file = file[len("../"):] // rules know ends of paths
		}
		function, line, _ := strings.Cut(place.name, "/loop@")
		if file != "." && function != "" {
			rules = append(rules, instrument.Without(file, function, line))
		}
	}
	slices.SortFunc(rules, func(a, b instrument.Rule) int { return strings.Compare(a.String(), b.String()) })
	return rules
}

// owners says for each node of a thread whose time its own is. A region that was
// switched off anywhere has time of its own nowhere, or ranks that kept it and
// ranks that did not could not be compared: its time is the caller's, and goes
// back to it as far as samples show it there.
func (c *collector) owners(p *probe.Process, t *probe.Thread) []int {
	owner := make([]int, len(t.Nodes))
	for j, n := range t.Nodes {
		owner[j] = j
		if n.Parent >= 0 && c.off[placeOf(p.Regions[n.Region])] {
			owner[j] = owner[n.Parent]
			up := &t.Nodes[owner[j]]
			up.Wall += n.Wall
			up.CPU += n.CPU
			t.Nodes[j].Wall, t.Nodes[j].CPU = 0, 0
		}
	}
	return owner
}

// tellCost notes what measuring cost, as far as it is known, and what was
// switched off to keep it small.
func (c *collector) tellCost() {
	var calls, messages, teams, files, samples uint64 // messages: calls of MPI
	var probes, inMPI, inTeams, inFiles, walking, all, own, budget float64
	for _, p := range c.processes {
		own += p.Own
		budget = max(budget, p.Budget)
		for _, t := range p.Threads {
			for _, n := range t.Nodes {
				all += n.CPU // what other programs take of the machine is not the run's
				switch p.Regions[n.Region].Kind {
				case probe.Function, probe.Loop, probe.User:
					calls += n.Calls
					probes += float64(n.Calls) * p.Price
				case probe.MPICall:
					messages += n.Calls
					inMPI += float64(n.Calls) * p.CallPrice
				case probe.Parallel:
					if t.ID == 0 { // who opens them pays most
						teams += n.Calls
						inTeams += float64(n.Calls) * p.TeamPrice
					}
				}
			}
			files += t.Files
			inFiles += float64(t.Files) * p.FilePrice
			walking += t.Walking
			samples += t.Taken
		}
	}
	slow := c.fewerSamples()
	if all > 0 && calls+messages+files+samples > 0 {
		others := ""
		if inMPI > 0 {
			others += fmt.Sprintf(", %s of MPI", grouped(messages))
		}
		if inTeams > 0 {
			others += fmt.Sprintf(", %s parallel regions", grouped(teams))
		}
		if inFiles > 0 {
			others += fmt.Sprintf(", %s for files", grouped(files))
		}
		took, beyond := (probes+inMPI+inTeams+inFiles+walking+own)/(all+own), ""
		if budget > 0 && took > budget+0.0005 { // by more than is shown
			beyond = fmt.Sprintf(", more than the %.3g %% of --overhead", 100*budget)
		}
		c.notes = append(c.notes, fmt.Sprintf("measuring took about %.1f %% of the CPU time%s: %s calls of regions%s, %s samples of stacks%s, %.1f ms to start and end; nothing is subtracted",
			100*took, beyond, grouped(calls), others, grouped(samples), slow, 1e3*own))
	}
	c.tellOff()
}

// fewerSamples tells how far samples are apart, where they take too long to be taken as
// often as asked for.
func (c *collector) fewerSamples() string {
	var asked time.Duration
	var taken uint64
	var apart, taking float64
	for _, p := range c.processes {
		asked = max(asked, p.Asked)
		for _, t := range p.Threads {
			taken += t.Taken
			taking += t.Taking
			apart += float64(t.Samples) * p.Sampling.Seconds()
		}
	}
	if taken == 0 || apart/float64(taken) < 1.05*asked.Seconds() {
		return ""
	}
	each := time.Duration(apart / float64(taken) * 1e9).Round(100 * time.Microsecond)
	return fmt.Sprintf(" (one every %v, not every %v: each takes about %.0f µs here)", each, asked, 1e6*taking/float64(taken))
}

func (c *collector) tellOff() {
	ranks := map[measuredPlace][]int{}
	calls := map[measuredPlace]uint64{}
	budget := 0.0
	for _, p := range c.processes {
		budget = max(budget, p.Budget)
		for _, s := range p.Off {
			if k := placeOf(p.Regions[s.Region]); !slices.Contains(ranks[k], p.Rank) {
				ranks[k] = append(ranks[k], p.Rank)
			}
		}
		for _, t := range p.Threads {
			for _, n := range t.Nodes {
				calls[placeOf(p.Regions[n.Region])] += n.Calls
			}
		}
	}
	if len(ranks) == 0 {
		return
	}
	var list []measuredPlace
	for k := range ranks {
		list = append(list, k)
	}
	sort.Slice(list, func(i, j int) bool {
		if calls[list[i]] != calls[list[j]] {
			return calls[list[i]] > calls[list[j]]
		}
		return list[i].name < list[j].name
	})
	const shown = 20
	var words []string
	for i, k := range list {
		if i == shown {
			words = append(words, fmt.Sprintf("and %d more", len(list)-shown))
			break
		}
		words = append(words, fmt.Sprintf("%s (%s:%d) after %s calls on %s", k.name, k.file, k.line, grouped(calls[k]), ranksIn(ranks[k], len(c.processes))))
	}
	c.notes = append(c.notes, fmt.Sprintf("switched off to keep measuring within %.3g %%, their calls being many and short: %s; their calls are counted until then, their time is their callers' or what samples show", 100*budget, strings.Join(words, "; ")))
}

// ranksIn writes a list of ranks.
func ranksIn(list []int, all int) string {
	if len(list) == all {
		if all == 1 {
			return "its one process"
		}
		return "all ranks"
	}
	slices.Sort(list)
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	if len(list) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ",")
}

// grouped writes a number with its thousands apart.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
