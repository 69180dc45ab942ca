package predict

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/launch"
	"auspex/trace"
)

// Traces of more processes than were run are made of those that were, where these let
// one see how. Ranks have roles (all the same, or the first, the last and those between
// in each dimension of a line or grid), and those of a role must make the same calls in
// every run, with partners that are found the same way, and loops that are gone through
// as often as the number of processes says. Communicators are the world or go along some
// dimensions. Sizes of messages follow a law that all runs show, or a model of growth;
// computation is a + b/np or a + b·np, fitted to all runs, or of five and more the model
// of growth that foretells each best from the others.

// least is the number of processes from which a run has one between first and
// last.
const least = 3

// extrapolated makes the traces of np processes of the traces of the counts that
// were run, by the run.
func (w *workshop) extrapolated(measured [][]*taken, np int) ([]*taken, error) {
	var list []*taken
	runs := len(measured[0])
	for _, list := range measured {
		runs = min(runs, len(list))
	}
	for run := range runs {
		start := time.Now()
		var traces []*trace.Trace
		cost := 0.0
		for _, runs := range measured {
			traces = append(traces, runs[run].Trace)
			cost += runs[run].seconds
		}
		g, err := newGrowth(traces)
		if err != nil {
			return nil, err
		}
		made, err := g.to(np)
		if err != nil {
			return nil, err
		}
		last := measured[len(measured)-1][run]
		out := &taken{CutTrace: &launch.CutTrace{Trace: made, Cuts: last.Cuts}, inflated: last.inflated, sizesOff: g.off}
		out.seconds = cost + time.Since(start).Seconds()
		list = append(list, out)
		if run == 0 {
			w.note("%s.", g.said(np))
		}
	}
	return list, nil
}

// said tells how a trace was made.
func (g *growth) said(np int) string {
	var counts []string
	for _, r := range g.used {
		counts = append(counts, strconv.Itoa(r.NP()))
	}
	n := len(counts) - 1
	text := fmt.Sprintf("%d processes were not run: their trace is made of those of %s and %s. ", np, strings.Join(counts[:n], ", "), counts[n])
	switch g.cast.kind {
	case everyone:
		text += "All do the same"
	case ends:
		text += "Every process makes the calls of its like there (the first, the last, all between)"
	default:
		text += "Every process makes the calls of its like there (the first, the last, odd ones and even ones between)"
	}
	text += g.laidOut(np)
	if loops := slices.Sorted(maps.Keys(g.loops)); len(loops) > 0 {
		text += "; loops are gone through as often as their number says (" + strings.Join(loops, ", ") + "), if the program does not go about it in another way with more"
	}
	if g.off > 0 {
		text += fmt.Sprintf("; sizes follow no exact law everywhere, those of %s least: they may be off by %.1f %%, which the interval allows for", g.worst, 100*g.off)
	}
	if g.uneven > mostOff {
		text += fmt.Sprintf("; lists of sizes are made the same for all, though sizes in them differ by %.0f %% of their mean", 100*g.uneven)
	}
	if len(g.used) < len(g.runs) && g.runs[0].NP() > 1 {
		text += fmt.Sprintf("; the run of %d does otherwise and shows none of it", g.runs[0].NP())
	}
	return text + fmt.Sprintf("; a process computes for %s", g.work)
}

// laidOut says which grid was seen, where it is no line.
func (g *growth) laidOut(np int) string {
	if len(g.cast.layout(np)) == 1 {
		return ""
	}
	return fmt.Sprintf(" in a grid (%s, then %s)", g.cast.layout(g.last().NP()), g.cast.layout(np))
}

// growth is how a program changes with the number of processes.
type growth struct {
	book *book
	runs []*counted // in ascending order of their processes
	used []*counted // of these, those that do the same
	cast cast
	// masks are the dimensions that communicators go along: see grid.parts.
	masks  []int
	roles  map[int][]*step
	parsed bool // all of them are understood, if perhaps not their sizes
	work   *workLaw
	lists  [][2]float64    // sums of both lists of each call that has some, in order
	uneven float64         // by how much sizes in a list differ, relative to their mean
	sized  map[*step]sized // sizes of each step where the trace is to be made
	off    float64         // how far sizes may be off, relative to them,
	worst  string          // and of which call most
	loops  map[string]bool // how often they are gone through, in words
	most   int             // bytes that the trace may take
}

// newGrowth looks at traces in ascending order of their processes.
func newGrowth(measured []*trace.Trace) (*growth, error) {
	n := len(measured)
	if n < 2 || measured[n-2].NP() < least || measured[n-2].NP() == measured[n-1].NP() {
		return nil, fmt.Errorf("it takes runs with two different numbers of processes from %d on", least)
	}
	g := &growth{book: &book{ids: map[string]int32{}}, most: mostBytes}
	for _, t := range measured {
		run, err := g.book.read(t)
		if err != nil {
			return nil, err
		}
		g.runs = append(g.runs, run)
	}
	return g, nil
}

func (g *growth) last() *counted { return g.runs[len(g.runs)-1] }

// to makes the trace of np processes.
func (g *growth) to(np int) (*trace.Trace, error) {
	if np <= g.last().NP() {
		return nil, fmt.Errorf("%d processes are not more than the %d that were run", np, g.last().NP())
	}
	if np > mostProcesses {
		return nil, fmt.Errorf("%d processes are too many: at most %d can be made of a few", np, mostProcesses)
	}
	g.work = &workLaw{}
	unlawful := g.work.fit(g.runs)
	t, err := g.understand(np)
	if err != nil {
		return nil, err
	}
	return t, unlawful
}

// mostProcesses and mostBytes bound the trace that is made. Lists of sizes grow with the
// square of the processes.
const (
	mostProcesses = 1 << 20
	mostBytes     = 1 << 28
)

var errTooLarge = errors.New("their trace would be too large: lists of sizes grow with the square of their number")

// understand finds what the ranks of np processes would do: without loops and by all
// runs, if that is possible. A run of two, of which each is both the other's left and
// right, may do something of its own.
func (g *growth) understand(np int) (t *trace.Trace, err error) {
	from := slices.IndexFunc(g.runs, func(r *counted) bool { return r.NP() > 1 })
	between := slices.IndexFunc(g.runs, func(r *counted) bool { return r.NP() >= least })
	var first, nearest error
	for _, start := range slices.Compact([]int{from, between}) {
		for _, loops := range []bool{false, true} {
			if g.used = g.runs[start:]; loops && len(g.used) < 3 {
				continue
			}
			for i, c := range casts {
				g.cast = c
				if t, err = g.attempt(np, loops); err == nil {
					return t, g.doubted(t, loops, casts[i+1:])
				}
				if errors.Is(err, errTooLarge) {
					return nil, err
				}
				if g.parsed && nearest == nil {
					nearest = err
				}
				if g.cast.kind == ends && (first == nil || first == errOwnCommunicators) {
					first = err
				}
			}
		}
	}
	if nearest != nil {
		return nil, nearest
	}
	return nil, first
}

// attempt makes the trace of np processes as a cast has it.
func (g *growth) attempt(np int, loops bool) (*trace.Trace, error) {
	if err := g.understandAs(np, loops); err != nil {
		return nil, err
	}
	g.parsed = false // the calls agree; what is wrong now is not their sizes
	return g.program(np)
}

// doubted tells of another grid that the runs fit as well, and in which other calls
// would be made. A line is taken where it does.
func (g *growth) doubted(t *trace.Trace, loops bool, others []cast) error {
	to := g.cast.layout(t.NP())
	for _, c := range others {
		if len(to) == 1 {
			return nil
		}
		other := *g
		other.cast = c
		if u, err := other.attempt(t.NP(), loops); err == nil {
			if where := differ(t, u, waits); where != "" {
				return fmt.Errorf("processes in grids of %s and of %s would do what was run, and not the same (%s); another number of processes may tell", to, c.layout(t.NP()), where)
			}
		}
	}
	return nil
}

var errOwnCommunicators = errors.New("the program has communicators of its own")

// understandAs tells what speaks against a cast.
func (g *growth) understandAs(np int, loops bool) error {
	g.parsed = false
	q := g.cast.layout(g.last().NP())
	masks, ok := q.parts(g.last().Trace)
	for _, run := range g.used {
		ok = ok && g.cast.layout(run.NP()).has(run.Trace, masks)
	}
	if !ok {
		return errOwnCommunicators
	}
	g.masks, g.roles = masks, map[int][]*step{}
	to := g.cast.layout(np)
	if len(to) != len(q) {
		return errors.New("the grid has other dimensions")
	}
	for rank := range np {
		role := g.cast.role(to, rank)
		if _, ok := g.roles[role]; ok {
			continue
		}
		p := parser{book: g.book, many: len(g.used) > 2, loops: loops, known: map[string]*step{}}
		counts := 0
		for _, run := range g.used {
			had := len(p.streams)
			if p.streams = g.streams(p.streams, run, role); len(p.streams) > had {
				counts++
			}
		}
		if counts < 2 || g.cast.like(rank, to, q) < 0 {
			return fmt.Errorf("the processes form a grid of %s, which does not show what one of %s does", q, to)
		}
		steps, err := p.parse()
		if err != nil {
			return err
		}
		g.roles[role] = steps
	}
	g.parsed = true
	return g.resolve(to)
}

// streams adds those of the ranks of a run that have a role.
func (g *growth) streams(list []*stream, run *counted, role int) []*stream {
	of := g.cast.layout(run.NP())
	for rank := range run.NP() {
		if g.cast.role(of, rank) == role {
			list = append(list, &stream{rank: rank, of: of, seats: of.seats(g.masks, rank), calls: run.calls[rank]})
		}
	}
	return list
}

// resolve finds the laws of all sizes.
func (g *growth) resolve(to grid) error {
	g.sized, g.loops, g.off = map[*step]sized{}, map[string]bool{}, 0
	for _, steps := range g.roles {
		for _, s := range steps {
			if err := g.size(s, to); err != nil {
				return err
			}
		}
	}
	return g.sizeLists(to)
}

// size finds the laws of a step's sizes.
func (g *growth) size(s *step, to grid) error {
	if _, known := g.sized[s]; known {
		return nil
	}
	var out sized
	if s.rounds != nil {
		l, err := roundsLaw(s.rounds)
		if err == nil && l.value(to) != math.Round(l.value(to)) {
			err = fmt.Errorf("a loop is gone through %s times, which is no whole number for %s processes", l.name, to)
		}
		if err != nil {
			return err
		}
		out.rounds = int(l.value(to))
		g.loops[l.name] = true
	}
	if s.turns != nil {
		g.loops[s.turns.name] = true
	}
	for _, inner := range s.body {
		if err := g.size(inner, to); err != nil {
			return err
		}
	}
	for i, samples := range s.sizes {
		if len(samples) == 0 {
			continue
		}
		var err error
		if out.sizes[i], err = sizing(samples, to); err != nil {
			return fmt.Errorf("%s, %s: %w", s.call, s.action.Kind, err)
		}
		if off := out.sizes[i].off; off > g.off {
			g.off, g.worst = off, s.action.Kind.String()
		}
	}
	g.sized[s] = out
	return nil
}

// partners are the ranks that an action names.
func partners(a *trace.Action) []*int32 {
	switch a.Kind {
	case trace.SendRecv, trace.Wait, trace.Test:
		return []*int32{&a.Peer, &a.Peer2}
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter, trace.Gatherv, trace.Scatterv,
		trace.Put, trace.Get, trace.Flush, trace.Lock, trace.Unlock:
		return []*int32{&a.Peer}
	}
	return nil
}

func called(a *trace.Action, seats []seat) string {
	text := a.Kind.String()
	if a.Kind == trace.Wait || a.Kind == trace.Test {
		return fmt.Sprintf("%s for a message from %d to %d", text, a.Peer, a.Peer2)
	}
	for _, peer := range partners(a) {
		if *peer >= 0 {
			text += fmt.Sprintf(" with %d", *peer)
		}
		if c := int(a.Comm); a.Kind.Collective() && c < len(seats) && int(*peer) == seats[c].part.size()-1 {
			text += " (the last)"
		}
	}
	return text
}
