package otf2

import timed "auspex/events"

// lockKey names a lock: numbers are those of one rank.
type lockKey struct {
	rank int32
	id   uint64
}

// lock is who had a lock last, and until when.
type lock struct {
	holder   int32
	released int64
}

// maxLocks bounds what a broken archive may name.
const maxLocks = 1 << 16

func (r *timer) lockOf(loc int32, text []byte) lockKey {
	return lockKey{r.t.header.Locations[loc].Rank, uint64(fieldNumber(text, "Lock: "))}
}

// acquire ends a wait for a lock. Score-P enters a region for the critical
// section or the call that sets the lock, and tells of the lock when it is had:
// what lies between is waiting, for the one that let go of it meanwhile.
func (r *timer) acquire(loc int32, l *timedLocation, at int64, text []byte) error {
	if l.call > 0 || at <= l.last || len(l.stack) == 0 {
		return nil
	}
	r.span = timed.Span{Loc: loc, Kind: timed.Lock, Path: r.paths.Of(timed.Path{Name: l.path}), Root: -1, Peer: -1, Begin: l.last, End: at}
	if last, had := r.locks[r.lockOf(loc, text)]; had && last.released > l.last && last.holder != loc {
		r.span.Peer = last.holder
	}
	l.last = at
	if err := r.visit(&r.span); err != nil {
		return visitError{err}
	}
	return nil
}

func (r *timer) release(loc int32, at int64, text []byte) {
	if r.locks == nil || len(r.locks) >= maxLocks {
		r.locks = map[lockKey]lock{}
	}
	r.locks[r.lockOf(loc, text)] = lock{loc, at}
}
