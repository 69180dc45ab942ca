package simulate

import (
	"fmt"
	"strings"

	"auspex/internal/figure"
	"auspex/internal/mistake"
	"auspex/trace"
)

// Deadlock is the end of a replay in which ranks wait forever.
type Deadlock struct {
	Time    float64
	Waiting []Waiting
}

// Waiting is one rank that waits and what for.
type Waiting struct {
	Rank   int
	Action trace.Kind
	AtEnd  bool   // it has done all its actions and waits for what it started
	File   string // where, as far as it is known
	Line   int
	For    []string // such as "rank 1 to send with tag 0"
}

func (d *Deadlock) Error() string {
	var b strings.Builder
	who := fmt.Sprintf("%d ranks wait", len(d.Waiting))
	if len(d.Waiting) == 1 {
		who = "1 rank waits"
	}
	fmt.Fprintf(&b, "simulate: deadlock at %s: %s forever", figure.Seconds(d.Time, 6), who)
	for i, w := range d.Waiting {
		if i == 8 {
			fmt.Fprintf(&b, "\n  and %d more", len(d.Waiting)-i)
			break
		}
		where := "in " + w.Action.String()
		if w.AtEnd {
			where = "at its end"
		}
		fmt.Fprintf(&b, "\n  rank %d %s", w.Rank, where)
		if w.Line > 0 {
			fmt.Fprintf(&b, " (%s:%d)", w.File, w.Line)
		}
		b.WriteString(" waits")
		if len(w.For) > 0 {
			fmt.Fprintf(&b, " for %s", strings.Join(w.For, ", "))
		}
	}
	return b.String()
}

// Place is where the first rank waits.
func (d *Deadlock) Place() mistake.Place {
	if len(d.Waiting) == 0 {
		return mistake.Place{}
	}
	return mistake.Place{File: d.Waiting[0].File, Line: d.Waiting[0].Line}
}

// finalized ends the ranks where all have come to their end and only receives are open
// that nobody sends to: MPI_Finalize waits for none, and programs cancel them or just
// forget them. Each ends when it came there. It tells whether that is so.
func (e *engine) finalized() bool {
	for i := range e.ranks {
		if m := e.ranks[i].mode; m != atEnd && m != finished {
			return false
		}
	}
	open := 0
	for i := range e.post.messages {
		m := &e.post.messages[i]
		if m.held == 0 {
			continue
		}
		if m.state == sendPosted && m.tellSource {
			return false
		}
		if m.state == recvPosted && m.tellTarget {
			open++
		}
	}
	for i := range e.ranks {
		if r := &e.ranks[i]; r.mode == atEnd {
			r.mode = finished
			e.times[i].Finish = r.began
		}
	}
	e.open = open
	return true
}

// deadlock describes who waits for whom.
func (e *engine) deadlock() error {
	d := &Deadlock{Time: e.now}
	waits := map[int32][]string{}
	for i := range e.post.messages {
		m := &e.post.messages[i]
		if m.state != sendPosted && m.state != recvPosted || m.held == 0 {
			continue
		}
		what := fmt.Sprintf("tag %d", m.tag)
		if m.tag < 0 {
			what = "the collective's tag"
		}
		if m.tag == trace.AnyTag {
			what = "any tag"
		}
		if m.tellTarget {
			from := fmt.Sprintf("rank %d", m.src)
			if m.src == trace.AnySource {
				from = "any rank"
			}
			waits[m.dst] = append(waits[m.dst], fmt.Sprintf("%s to send with %s", from, what))
		}
		if m.tellSource {
			waits[m.src] = append(waits[m.src], fmt.Sprintf("rank %d to receive with %s", m.dst, what))
		}
	}
	for i := range e.locks {
		for _, m := range e.locks[i].waiting {
			id := e.post.messages[m].src
			waits[id] = append(waits[id], fmt.Sprintf("rank %d's window to be unlocked", e.locks[i].target))
		}
	}
	for i := range e.ranks {
		r := &e.ranks[i]
		if r.mode == finished {
			continue
		}
		w := Waiting{Rank: i, Action: r.kind, AtEnd: r.mode == atEnd, For: waits[int32(i)]}
		if len(w.For) > 4 {
			w.For = append(w.For[:4:4], fmt.Sprintf("%d others", len(w.For)-4))
		}
		if len(d.Waiting) < 8 && r.cursor.Done() > 0 && r.mode != atEnd {
			w.File, w.Line = e.trace.Position(i, r.cursor.Done()-1)
		}
		d.Waiting = append(d.Waiting, w)
	}
	return d
}
