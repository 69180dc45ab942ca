package paraver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"auspex/events"
	"auspex/internal/figure"
)

// message takes 3:sender:logical:physical:receiver:logical:physical:size:tag.
// The logical times are those of the calls, the physical ones those of the
// data. The record stands at the physical time of its send, so that mostly both
// calls are still to end; where one has gone by, the first reading remembers the
// message for the second.
func (r *reader) message(f *fields) error {
	from, err := r.where(f)
	if err != nil {
		return err
	}
	send, err := r.time(f)
	if err != nil {
		return err
	}
	if _, err = r.time(f); err != nil {
		return err
	}
	to, err := r.where(f)
	if err != nil {
		return err
	}
	posted, err := r.time(f)
	if err != nil {
		return err
	}
	done, err := r.time(f)
	if err != nil {
		return err
	}
	size, ok1 := f.next()
	tag, ok2 := f.next()
	if !ok1 || !ok2 || size < 0 {
		return errors.New("a communication without a size or tag")
	}
	tag &= 0x7fffffff
	locations := r.t.header.Locations
	// Messages between ranks are matched by their ranks and tag, in order.
	put := func(at int32, h timedHalf) error {
		l := &r.locs[at]
		if len(l.halves) >= maxHalves {
			return errors.New("more messages under way than can be")
		}
		l.halves = append(l.halves, h)
		return nil
	}
	sent := timedHalf{send, events.Half{Side: events.Sent, Peer: locations[to].Rank, Tag: int32(tag), Bytes: size, Posted: send}}
	// A large message leaves when its receiver is ready, and its send may have
	// ended then.
	if send >= r.locs[from].last || !r.gone(from, sent) {
		if err := put(from, sent); err != nil {
			return err
		}
	}
	got := timedHalf{max(done, posted), events.Half{Side: events.Received, Peer: locations[from].Rank, Tag: int32(tag), Bytes: size, Posted: posted}}
	// Where the receiver's clock is behind the sender's, its call has gone by.
	if got.at > r.locs[to].last {
		return put(to, got)
	}
	if !r.gone(to, got) {
		return errors.New("more messages that arrive before they are sent than can be")
	}
	return nil
}

// gone remembers a half whose call has gone by; false where there are too many.
func (r *reader) gone(loc int32, h timedHalf) bool {
	early := r.t.early[loc]
	if r.t.roots.known {
		_, found := slices.BinarySearchFunc(early, h.at, func(e timedHalf, at int64) int { return cmp.Compare(e.at, at) })
		return found
	}
	if len(early) >= maxHalves {
		return false
	}
	r.t.early[loc] = append(early, h)
	return true
}

// maxHalves bounds how many messages of a location are under way.
const maxHalves = 1 << 20

// end hands over what is left: calls that were not left, and states after the last
// one.
func (r *reader) end() error {
	open := ""
	for i := range r.locs {
		l := &r.locs[i]
		r.t.stated[i] = l.anyState
		if err := r.enter(int32(i), l); err != nil {
			return err
		}
		if l.inCall {
			if open == "" {
				open = fmt.Sprintf("rank %d is still in %s where the trace ends", r.t.header.Locations[i].Rank, r.t.labels.callName(l.call.kind, l.call.value))
			}
			if err := r.leave(int32(i), l, r.ended(l)); err != nil {
				return err
			}
		}
		r.settle(l)
		if err := r.release(l, r.path(nil, l)); err != nil {
			return err
		}
	}
	r.t.header.Incomplete = r.missing(open)
	return nil
}

// ended is when a call ended whose end is not in the file: with its state, or not
// before the last record, which stand in the order of time.
func (r *reader) ended(l *location) int64 {
	switch {
	case l.call.until > 0:
		return l.call.until
	case r.unordered:
		return max(l.record, l.call.begin)
	}
	return max(r.at, l.call.begin)
}

// whole is the share of the time that the first line tells up to which records must
// reach.
const whole = 0.999

// missing says what a trace lacks at its end, nothing where it is whole.
func (r *reader) missing(open string) string {
	if float64(r.reach) < whole*float64(r.t.lasts) {
		return fmt.Sprintf("the records end at %s, and the first line of the trace says %s", figure.Seconds(float64(r.reach)/1e9, 4), figure.Seconds(float64(r.t.lasts)/1e9, 4))
	}
	return open
}

// roots are the roots of each communicator's collectives that have one, in
// order. Extrae tells the root to the root alone, so that the file is read once
// for them before the spans are handed over.
type roots struct {
	known bool
	list  [][]int32
}

// rootOf says which rank the root of a collective is.
func (r *reader) rootOf(loc int32, c *call, s *events.Span) int32 {
	rank := r.t.header.Locations[loc].Rank
	for len(r.rooted) <= int(s.Comm) {
		r.rooted = append(r.rooted, make([]int32, r.t.header.Ranks))
	}
	k := int(r.rooted[s.Comm][rank])
	r.rooted[s.Comm][rank]++
	list := &r.t.roots.list
	for len(*list) <= int(s.Comm) {
		*list = append(*list, nil)
	}
	if !r.t.roots.known && c.root > 0 {
		for len((*list)[s.Comm]) <= k {
			(*list)[s.Comm] = append((*list)[s.Comm], -1)
		}
		(*list)[s.Comm][k] = rank
	}
	if k < len((*list)[s.Comm]) {
		return (*list)[s.Comm][k]
	}
	return -1
}

// findRoots reads the file for the roots, for messages whose calls have gone by
// when they stand in it, and for who has states.
func (t *Trace) findRoots(ctx context.Context) error {
	if t.roots.known {
		return nil
	}
	t.roots.list, t.early = nil, map[int32][]timedHalf{}
	t.stated = make([]bool, len(t.header.Locations))
	if err := t.each(ctx, func(*events.Span) error { return nil }); err != nil {
		return err
	}
	for _, halves := range t.early {
		slices.SortStableFunc(halves, func(a, b timedHalf) int { return cmp.Compare(a.at, b.at) })
	}
	t.joined()
	t.roots.known = true
	return nil
}
