package trace

import "slices"

// Join is a rank's part in a collective or in a message that it receives, where it
// computes beside them.
type Join struct {
	// Ahead is how many stretches of computation before the action the rank was ready.
	Ahead int32
	// Behind is how many joins before it the one is that its queue does first: it
	// begins when that has ended. 0 where the queue was empty.
	Behind int32
	// After is likewise the one whose result it needs, of another queue.
	After int32
	// Seconds is how long it took once all were ready.
	Seconds float64
	// Host is what the rank's host does from the launch of an earlier stretch of
	// computation, counted back by Launched, until it asks for this; 0 for none.
	Launched int32
	Host     []HostWork
}

// HostWork is what a host does in one region, an index of Trace.HostRegions.
type HostWork struct {
	Region  int32
	Seconds float64
}

// Launch is how the host of a rank comes to launch a stretch of what its device
// computes.
type Launch struct {
	// Known: the host's part is known. Gap: the stretch is only the device's waiting
	// for its host, and takes as long as that.
	Known, Gap bool
	// Host is what the host does from the launch before to this one.
	Host []HostWork
	// Waited is how many stretches before this one the one is whose end the host waited
	// for last; 0 for none, -1 for all that was before. Since is what it did then.
	Waited int32
	Since  []HostWork
	// Delay is from the launch to the beginning of what it launches, in seconds.
	Delay float64
}

// Overlaps tells whether some rank computes beside a collective.
func (t *Trace) Overlaps() bool {
	return slices.ContainsFunc(t.Joins, func(list []Join) bool {
		return slices.ContainsFunc(list, func(j Join) bool { return j.Ahead > 0 })
	})
}

// HostSeconds is how long hosts work to launch what their devices do, by region and
// rank; nil where no devices are known.
func (t *Trace) HostSeconds() [][]float64 {
	if t.Launches == nil {
		return nil
	}
	sums := make([][]float64, len(t.HostRegions))
	for i := range sums {
		sums[i] = make([]float64, t.NP())
	}
	for rank, list := range t.Launches {
		for i := range list {
			for _, w := range list[i].Host {
				sums[w.Region][rank] += w.Seconds
			}
		}
	}
	return sums
}
