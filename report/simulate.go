package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"auspex/analyze"
	"auspex/platform"
	"auspex/replay"
	"auspex/simulate"
	"auspex/trace"
)

// SecondOpinion is what SimGrid answers to the same replay.
type SecondOpinion struct {
	SimulatedSeconds float64 `json:"simulated_seconds"`
	WallSeconds      float64 `json:"wall_seconds"`
	Note             string  `json:"note,omitempty"` // why they may differ
}

// Simulation writes the outcome of a replay.
func (p *Page) Simulation(r *simulate.Result, wall float64, second *SecondOpinion, bounds *simulate.Bounds) {
	p.Paragraph(SimulationWords(r))
	p.Line("%s replayed in %s", plural(int(r.Actions), "action"), Seconds(analyze.Real(wall)))
	if second != nil {
		p.Line("SimGrid says %s (relative difference %.1e) after %s: %.0f times as long", exactSeconds(second.SimulatedSeconds),
			difference(r.Seconds, second.SimulatedSeconds), Seconds(analyze.Real(second.WallSeconds)), second.WallSeconds/wall)
		if second.Note != "" {
			p.Line("%s", second.Note)
		}
	}
	p.bounds(bounds)
	if r.Open > 0 {
		p.Paragraph(fmt.Sprintf("Left open at the end, with nobody to send: %s. Like MPI_Finalize, the replay does not wait.", plural(r.Open, "receive")))
	}
	if r.Unreceived > 0 {
		p.Line("Sent, but received by nobody: %s.", plural(r.Unreceived, "message"))
	}
	p.outcome(r)
}

// bounds tells what the run takes at least and at most, reckoned without a replay.
func (p *Page) bounds(b *simulate.Bounds) {
	switch {
	case b == nil:
		return
	case b.Upper > 0:
		p.Paragraph(fmt.Sprintf("Without a replay: at least %s, at most %s, whatever is on its way at the same time (LogGP).", seconds(b.Lower), seconds(b.Upper)))
	default:
		p.Paragraph(fmt.Sprintf("Without a replay: at least %s (LogGP); there is no upper bound, since ranks ask for messages over and over.", seconds(b.Lower)))
	}
}

// KeptSimulation writes a replay that was kept.
func (p *Page) KeptSimulation(k *replay.Record) {
	r := &simulate.Result{Seconds: k.SimulatedSeconds, Actions: k.Actions, Ranks: k.Ranks, Links: k.Links}
	p.Paragraph(SimulationWords(r))
	p.Line("%s replayed on %s", plural(int(r.Actions), "action"), k.Platform)
	p.outcome(r)
}

// outcome writes what ranks and links did.
func (p *Page) outcome(r *simulate.Result) {
	p.Heading("Ranks")
	var rows [][]string
	for _, rank := range shownRanks(r.Ranks) {
		t := r.Ranks[rank]
		seconds := func(v float64) string { return Seconds(analyze.Real(v)) }
		rows = append(rows, []string{
			fmt.Sprint(rank), seconds(t.Finish), seconds(t.Compute), seconds(t.Send), seconds(t.Recv), seconds(t.Wait), seconds(t.Collective), seconds(t.Sleep),
		})
	}
	p.table([]column{number("rank"), number("finish"), number("compute"), number("send"), number("receive"), number("wait"), number("collective"), number("sleep")}, rows)
	if len(r.Ranks) > len(rows) {
		p.Line("… of %s; --json has all", plural(len(r.Ranks), "rank"))
	}
	p.links(r)
	p.criticalPath(r)
}

const shownRows = 16

// shownRanks are all ranks, or the first and last to finish of many.
func shownRanks(ranks []simulate.RankTime) []int {
	order := make([]int, len(ranks))
	for i := range order {
		order[i] = i
	}
	if len(ranks) <= shownRows {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[b].Finish, ranks[a].Finish) })
	return slices.Concat(order[:shownRows/2], order[len(order)-shownRows/2:])
}

func (p *Page) links(r *simulate.Result) {
	if len(r.Links) == 0 {
		return
	}
	p.Heading("Busiest links")
	var rows [][]string
	for _, l := range busiest(r.Links, shownRows/2) {
		rows = append(rows, []string{l.Name, Quantity(analyze.Real(l.Bytes), "bytes") + "B", Percent(analyze.Real(l.Utilisation)), bar(l.Utilisation, 20)})
	}
	p.table([]column{region("link"), number("carried"), number("used"), words("")}, rows)
}

// busiest are so many links of which most was used, the busiest first.
func busiest(links []simulate.LinkUse, n int) []simulate.LinkUse {
	var top []simulate.LinkUse
	for _, l := range links {
		i := len(top)
		for i > 0 && top[i-1].Utilisation < l.Utilisation {
			i--
		}
		if i < n {
			top = slices.Insert(top[:min(len(top), n-1)], i, l)
		}
	}
	return top
}

func (p *Page) criticalPath(r *simulate.Result) {
	if len(r.CriticalPath) == 0 {
		return
	}
	p.Heading("Critical path")
	var rows [][]string
	for i, s := range r.CriticalPath {
		if i == 2*shownRows {
			break
		}
		what := fmt.Sprintf("rank %d works", s.Rank)
		if s.From >= 0 {
			what = fmt.Sprintf("rank %d waits for %s bytes from rank %d", s.Rank, grouped(int(s.Bytes)), s.From)
		}
		rows = append(rows, []string{exactSeconds(s.Begin), Seconds(analyze.Real(s.End - s.Begin)), what})
	}
	p.table([]column{number("from"), number("for"), words("")}, rows)
	if len(r.CriticalPath) > len(rows) {
		p.Line("… %s in all; --json has them", plural(len(r.CriticalPath), "stretch"))
	}
}

// mentionedPauses is the share of the time from which pauses are worth a word.
const mentionedPauses = 0.001

// muchDone is the share of the ranks' time after their end that is worth telling.
const muchDone = 0.01

// SimulationWords says how long and why.
func SimulationWords(r *simulate.Result) string {
	var compute, communication, pauses, done float64
	for _, t := range r.Ranks {
		done += r.Seconds - t.Finish
		compute += t.Compute
		communication += t.Send + t.Recv + t.Wait + t.Collective
		pauses += t.Sleep
	}
	words := fmt.Sprintf("The program takes %s on this platform with %s.", exactSeconds(r.Seconds), plural(len(r.Ranks), "rank"))
	if whole := r.Seconds * float64(len(r.Ranks)); whole > 0 {
		words += fmt.Sprintf(" %s of the ranks' time is computation, %s communication and waiting",
			Percent(analyze.Real(compute/whole)), Percent(analyze.Real(communication/whole)))
		if pauses >= mentionedPauses*whole {
			words += ", " + Percent(analyze.Real(pauses/whole)) + " pauses"
		}
		words += "."
		if done > muchDone*whole {
			words += fmt.Sprintf(" For %s of it ranks have come to their end, and others have not.", Percent(analyze.Real(done/whole)))
		}
	}
	busiest := simulate.LinkUse{}
	for _, l := range r.Links {
		if l.Utilisation > busiest.Utilisation {
			busiest = l
		}
	}
	if busiest.Utilisation > 0.5 {
		words += fmt.Sprintf(" The link %s is busy %s of the time.", busiest.Name, Percent(analyze.Real(busiest.Utilisation)))
	}
	return words
}

// exactSeconds has microseconds, and below a millisecond as many digits as other times.
func exactSeconds(v float64) string {
	if 0 < v && v < 1e-3 {
		return seconds(v)
	}
	return fmt.Sprintf("%.6f s", v)
}

func difference(a, b float64) float64 {
	if a == b {
		return 0
	}
	return max(a-b, b-a) / max(a, b)
}

// Platform writes what was understood of a platform.
func (p *Page) Platform(d *platform.Description) {
	p.Paragraph(fmt.Sprintf("%s with %s, %s, %s.", plural(d.Hosts, "host"), plural(d.Cores, "core"), plural(d.Links, "link"), plural(d.Routers, "router")))
	p.fields([][2]string{
		{"speed", rangeText(d.Speed, "f/s")},
		{"links", rangeText(d.Bandwidth, "B/s")},
		{"latency", secondsRange(d.Latency)},
		{"routes", fmt.Sprintf("%s pairs checked, %d without a route, the longest crosses %s", grouped(d.PairsChecked), d.PairsCut, plural(d.LongestRoute, "link"))},
	})
	for _, cut := range d.CutExamples {
		p.Line("  no route: %s", cut)
	}
	for _, w := range d.Warnings {
		p.Paragraph("note: " + w)
	}
	p.Heading("Zones")
	var rows [][]string
	for _, z := range d.Zones {
		rows = append(rows, []string{fmt.Sprintf("%*s%s", 2*z.Depth, "", z.Name), z.Routing, grouped(z.Hosts), grouped(z.Routers), grouped(z.Routes)})
	}
	p.table([]column{words("zone"), words("routing"), number("hosts"), number("routers"), number("routes")}, rows)
}

func rangeText(r platform.Range, unit string) string {
	low, high := Quantity(analyze.Real(r.Min), ""), Quantity(analyze.Real(r.Max), "")
	if low == high {
		return low + unit
	}
	return low + unit + " to " + high + unit
}

func secondsRange(r platform.Range) string {
	low, high := Seconds(analyze.Real(r.Min)), Seconds(analyze.Real(r.Max))
	if low == high {
		return low
	}
	return low + " to " + high
}

// Route writes the links between two hosts.
func (p *Page) Route(from, to string, plat *platform.Platform, route platform.Route) {
	p.Line("%s → %s: %s, latency %s", from, to, plural(len(route.Links), "link"), Seconds(analyze.Real(route.Latency)))
	var rows [][]string
	for _, l := range route.Links {
		link := plat.Links[l]
		rows = append(rows, []string{link.Name(), Quantity(analyze.Real(link.Bandwidth), "") + "B/s", Seconds(analyze.Real(link.Latency)), link.Sharing.String()})
	}
	p.table([]column{words("link"), number("bandwidth"), number("latency"), words("sharing")}, rows)
}

// TraceStat writes what a trace does.
func (p *Page) TraceStat(s *trace.Stat) {
	p.Paragraph(fmt.Sprintf("%s, %s actions, %s bytes in folded form.", plural(s.Ranks, "rank"), grouped(int(s.Actions)), grouped(s.Bytes)))
	kinds := slices.SortedFunc(maps.Keys(s.Kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Kinds[b], s.Kinds[a]), cmp.Compare(a, b))
	})
	var rows [][]string
	for _, k := range kinds {
		rows = append(rows, []string{k, grouped(int(s.Kinds[k]))})
	}
	p.Heading("Actions")
	p.table([]column{words("action"), number("count")}, rows)
	rows = nil
	for i, pair := range s.Pairs {
		if i == shownRows {
			break
		}
		rows = append(rows, []string{fmt.Sprint(pair.From), fmt.Sprint(pair.To), grouped(int(pair.Messages)), Quantity(analyze.Real(pair.Bytes), "bytes") + "B"})
	}
	if len(rows) > 0 {
		p.Heading("Heaviest pairs")
		p.table([]column{number("from"), number("to"), number("messages"), number("bytes")}, rows)
	}
	least, most := slices.Min(s.Compute), slices.Max(s.Compute)
	p.Heading("Computation by rank")
	computed := fmt.Sprintf("%s to %s flops", Quantity(analyze.Real(least), ""), Quantity(analyze.Real(most), ""))
	if s.Unit == trace.Nanoseconds {
		computed = fmt.Sprintf("%s to %s on the machine of the trace", Quantity(analyze.Real(least/1e9), "s"), Quantity(analyze.Real(most/1e9), "s"))
	}
	p.Line("%s; %sB handed to collectives", computed, Quantity(analyze.Real(s.Collective), ""))
}

// ListedSimulation is what a listing tells of a stored simulation.
type ListedSimulation struct {
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	Platform  string    `json:"platform"`
	Ranks     int       `json:"ranks"`
	Simulated float64   `json:"simulated_seconds"`
}

// SimulationList writes the simulations of a store.
func (p *Page) SimulationList(list []ListedSimulation) {
	p.Heading("Simulations")
	var rows [][]string
	for _, x := range list {
		rows = append(rows, []string{x.Name, day(x.Created), seconds(x.Simulated), fmt.Sprint(x.Ranks), x.Platform})
	}
	p.table([]column{words("name"), words("created"), number("takes"), number("ranks"), region("platform")}, rows)
}
