package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/model"
)

// What time in communication is called: that all units have it is not known of
// calls that some do not make.
const (
	// WithoutCore and OffBlocked are said of time off the cores where it was measured
	// whether units were blocked in it.
	WithoutCore   = "ready to run, without a core"
	OffBlocked    = "blocked or asleep"
	CostOrShared  = "what the calls cost, or waiting that all share"
	CostOrWaiting = "what the calls cost, or waiting beyond the imbalance"
	// Scattering is said of imbalance of no region in particular that is noise.
	Scattering = "differences within the noise of the work"
	// Unplaced is said of it where only chance keeps regions from being named.
	Unplaced = "differences of work that samples are too few to place"
)

// leastLine is the share of all work that gets a line of imbalance of its own.
const leastLine = 0.002

// write puts the sums into lines.
func (d *drawing) write() {
	l := d.l
	add := func(k Kind, region Place, seconds float64, words string) {
		if seconds > 0 {
			l.Lines = append(l.Lines, Line{Kind: k, Region: region, Seconds: seconds, Share: seconds / l.whole(), Words: words, Scope: "exclusive", Over: "sum", Unit: "s"})
		}
	}
	group, in := map[*stats]int{}, map[*stats]*joint{}
	for _, x := range d.roles {
		for g, s := range x.groups {
			group[s], in[s] = g, x.in[g]
		}
	}
	small := []float64{}
	for s, seconds := range d.lost {
		// Differences that cancel out with those of another region cost little
		// and are worth a line all the same.
		if apart := d.stretch * (s.most - s.mean()); seconds < leastLine*d.worked && apart < Trouble*l.RunSeconds {
			small = append(small, seconds)
			continue
		}
		spread := Spread{Region: group[s], Slowest: s.slowest, Most: s.most, Mean: s.mean(), Lost: seconds, Alone: seconds / float64(l.Units)}
		if j := in[s]; j != nil {
			spread.Alone = j.alone[spread.Region]
			spread.With = slices.DeleteFunc(slices.Clone(j.groups), func(g int) bool { return g == spread.Region })
		}
		l.Spreads = append(l.Spreads, spread)
	}
	slices.Sort(small) // so that the sum does not depend on the order of a map
	for _, seconds := range small {
		d.unnamed += seconds
	}
	slices.SortFunc(l.Spreads, func(a, b Spread) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Slowest, b.Slowest))
	})
	byRegion := map[int]float64{}
	for _, s := range l.Spreads {
		byRegion[s.Region] += s.Lost
	}
	for region, seconds := range byRegion {
		words := "waiting for those that have more work here"
		if d.Classes[region] == Sending {
			words = "waiting for those that are longer in this call"
		}
		add(Imbalance, Place(d.Paths[region]), seconds, words)
	}
	words := "small differences of work in many regions"
	switch {
	case d.unplaced:
		words = Unplaced
	case l.Scatter:
		words = Scattering
	}
	add(Imbalance, "", d.unnamed, words)
	add(Useful, "", d.useful, "work")
	somewhere := func(k Kind, by []float64, seconds float64, words string) {
		if add(k, d.most(by), seconds, words); seconds > 0 && l.Lines[len(l.Lines)-1].Region == "" {
			l.Lines[len(l.Lines)-1].Under = d.under(by)
		}
	}
	somewhere(Waiting, d.waitedIn, d.waiting, "waiting beyond the imbalance")
	somewhere(Communication, d.costIn, d.communication, d.costWords())
	somewhere(IO, d.diskIn, d.inOut, "input and output")
	add(SharedCores, "", d.shared, d.sharedWords())
	add(StartEnd, "", d.ends, "before the first and after the last region, and in starting and ending")
	add(Idle, "", d.unused, d.idleWords())
	if d.joining > 0 {
		words := "main threads, off the cores while theirs run"
		if d.helping {
			words = "threads that sleep while others have the cores"
		}
		add(Idle, "", d.joining, words)
		l.Lines[len(l.Lines)-1].Joining = true
	}
	slices.SortStableFunc(l.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Region, b.Region))
	})
}

// most is the region with at least half of it.
func (d *drawing) most(by []float64) Place {
	sum, best := 0.0, 0
	for r, v := range by {
		sum += v
		if v > by[best] {
			best = r
		}
	}
	if len(by) == 0 || by[best] < sum/2 || sum == 0 {
		return ""
	}
	return Place(d.Paths[best])
}

// nearlyAll of a run is in the functions that everything is called from: to name them says
// nothing.
const nearlyAll = 0.8

// under is the innermost region with at least half of it inside.
func (d *drawing) under(by []float64) Place {
	total, all := 0.0, 0.0
	inside, time := map[string]float64{}, map[string]float64{}
	for r, path := range d.Paths {
		wall := 0.0
		for u := range d.Wall.Units {
			wall += max(0, d.Wall.Row(u)[r])
		}
		all += wall
		part := 0.0
		if r < len(by) {
			part = by[r]
		}
		total += part
		names := model.SplitPath(path)
		for n := 1; n < len(names); n++ {
			at := model.JoinPath(names[:n]...)
			inside[at] += part
			time[at] += wall
		}
	}
	best, depth := "", 0
	for at, part := range inside {
		names := model.SplitPath(at)
		if part >= total/2 && part > 0 && time[at] < nearlyAll*all && !strings.HasPrefix(names[len(names)-1], "<") &&
			(len(names) > depth || len(names) == depth && at < best) {
			best, depth = at, len(names)
		}
	}
	return Place(best)
}

func (d *drawing) costWords() string {
	if d.doubted > d.communication/2 {
		return CostOrWaiting
	}
	return CostOrShared
}

func (d *drawing) sharedWords() string {
	if d.l.Crowded {
		return fmt.Sprintf("%d units shared %d cores", d.Wall.Units, d.Cores)
	}
	if d.Blocked != nil && d.blocked <= (1-crowded)*d.shared {
		return WithoutCore
	}
	if d.Blocked != nil && d.blocked >= crowded*d.shared {
		return OffBlocked
	}
	return "wall time without CPU time: blocked, asleep or waiting for a core"
}

func (d *drawing) idleWords() string {
	switch {
	case d.slept > d.unused/2 && d.Blocked == nil:
		return "off the cores nearly all of the time"
	case d.slept > d.unused/2:
		return "blocked or asleep nearly all of the time"
	case d.outsideAll > d.unused/2:
		return "outside of any region"
	}
	return "with nothing to do"
}
