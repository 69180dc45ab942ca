package paraver

import (
	"context"
	"errors"

	"auspex/events"
)

// message takes 3:sender:logical:physical:receiver:logical:physical:size:tag.
// The logical times are those of the calls, the physical ones those of the
// data. The record stands at the time of its send, so that both calls are still
// to end.
func (r *reader) message(f *fields) error {
	from, ok1, err := r.where(f)
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
	to, ok2, err := r.where(f)
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
	size, ok3 := f.next()
	tag, ok4 := f.next()
	if !ok3 || !ok4 || size < 0 {
		return errors.New("a communication without a size or tag")
	}
	if !ok1 || !ok2 {
		return nil
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
	if err := put(from, timedHalf{send, events.Half{Side: events.Sent, Peer: locations[to].Rank, Tag: int32(tag), Bytes: size, Posted: send}}); err != nil {
		return err
	}
	got := timedHalf{max(done, posted), events.Half{Side: events.Received, Peer: locations[from].Rank, Tag: int32(tag), Bytes: size, Posted: posted}}
	if got.at > r.locs[to].last {
		return put(to, got)
	}
	// The receiver's clock is behind the sender's: its call has gone by.
	if r.t.roots.known {
		return nil // the first reading has remembered it
	}
	if len(r.t.early[to]) >= maxHalves {
		return errors.New("more messages that arrive before they are sent than can be")
	}
	r.t.early[to] = append(r.t.early[to], got)
	return nil
}

// maxHalves bounds how many messages of a location are under way.
const maxHalves = 1 << 20

// end hands over what is left: states after the last call.
func (r *reader) end() error {
	for i := range r.locs {
		l := &r.locs[i]
		if err := r.enter(int32(i), l); err != nil {
			return err
		}
		l.inCall = false
		r.settle(l)
		if err := r.release(l, r.path(nil, l)); err != nil {
			return err
		}
	}
	return nil
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

// findRoots reads the file for the roots, and for messages that are received
// before they are sent.
func (t *Trace) findRoots(ctx context.Context) error {
	if t.roots.known {
		return nil
	}
	t.roots.list, t.early = nil, map[int32][]timedHalf{}
	if err := t.each(ctx, func(*events.Span) error { return nil }); err != nil {
		return err
	}
	t.roots.known = true
	return nil
}
