package peers

import (
	"errors"
	"fmt"
	"math"

	"auspex/p2psap"
	"auspex/platform"
)

// Send is a message that a peer sends in each iteration.
type Send struct {
	To    int   `json:"to"`
	Bytes int64 `json:"bytes"`
}

// Program is what peers do in an iteration.
type Program struct {
	Clusters []int         `json:"clusters"`
	Scheme   p2psap.Scheme `json:"-"`
	Peer     []PeerWork    `json:"peers"`
	Steps    int           `json:"steps"` // iterations that a synchronous run takes
	Coupling float64       `json:"coupling"`
	// Awaited is the part of what a peer's links compute for a message that it
	// waits for: the rest comes after.
	Awaited float64 `json:"awaited"`
	State   int64   `json:"state"` // bytes of a checkpoint
	Every   int     `json:"every"` // iterations between checkpoints, 0 for none
}

// PeerWork is one peer's part: seconds of computing in an iteration on a host of
// the reference speed, seconds in calls that are no waiting, and what it sends.
type PeerWork struct {
	Compute  float64 `json:"compute"`
	Overhead float64 `json:"overhead"`
	Handling float64 `json:"handling"` // of a message, by the peer's links: counted on a lab's cores
	Sends    []Send  `json:"sends"`
}

// Options say where and how a program is replayed.
type Options struct {
	Platform *platform.Platform
	// Hosts are the platform's hosts by peer; none deals all hosts out in turn.
	Hosts []int
	// Reference is the speed of the host on which computing was measured, 0 for
	// the first host's.
	Reference float64
	// Cores is how many cores the hosts of a lab are on, host i on core i modulo
	// Cores; 0 where a host's links do not take from what its peer computes with.
	Cores int
	// Limit stops each peer after so many iterations, 0 for where all have
	// converged.
	Limit int
	// Delay is what handing over a message takes beside the network, seconds.
	Delay float64
	// Queue is how many bytes may wait for a link before what may be lost is.
	Queue float64
	// Burst is what a link of some bytes a second that has rested passes at once,
	// as the token buckets of a lab do; nil for nothing.
	Burst func(bandwidth float64) int
	Churn Churn
	Seed  uint64
}

// Churn is how peers come and go: each fails after times that are exponentially
// distributed about Mean seconds (0 for never), and is back Restart seconds
// later.
type Churn struct {
	Mean, Restart float64
}

// Result is one replay.
type Result struct {
	Seconds    float64 `json:"seconds"`
	Iterations []int   `json:"iterations"` // by peer
	Messages   int64   `json:"messages"`
	Bytes      float64 `json:"bytes"`
	Overtaken  int64   `json:"overtaken"`
	Lost       int64   `json:"lost"`
	Failures   int     `json:"failures"`
	Votes      int     `json:"votes"`   // how often peers froze and voted
	Waiting    float64 `json:"waiting"` // seconds, mean of peers
}

// tolerance is the error at which a peer has converged, of 1 at the start, and
// shared the part of a synchronous run's iterations that the error needs which
// peers have in common. The rest of the error is a peer's own, falls whatever the
// others send, and is gone after as many iterations as a synchronous run takes:
// so messages that are a few iterations old cost nothing. With these two and a
// coupling of 0.5 the model takes as many iterations as the obstacle problem
// itself in lockstep with messages of 3 to 46 iterations' age (40³ and 48³
// points, within 5 %), and peers first believe to have converged as early (8 %).
const (
	tolerance = 1e-4
	shared    = 0.8
)

// outset is the common error at the start.
var outset = math.Pow(tolerance, 1-shared)

func (p *Program) peers() int { return len(p.Peer) }

func (p *Program) validate(o *Options) error {
	n, sum := p.peers(), 0
	for _, size := range p.Clusters {
		if size < 1 {
			return errors.New("a cluster has no peers")
		}
		sum += size
	}
	if n == 0 || sum != n {
		return fmt.Errorf("the clusters have %d peers, the program has %d", sum, n)
	}
	if o.Limit == 0 && p.Steps < 1 {
		return errors.New("neither the iterations to make nor those of a synchronous run are known")
	}
	if !(p.Coupling >= 0 && p.Coupling <= 1) {
		return fmt.Errorf("the coupling %g is not between 0 and 1", p.Coupling)
	}
	for i, w := range p.Peer {
		if !(w.Compute >= 0) || !(w.Overhead >= 0) || math.IsInf(w.Compute+w.Overhead, 0) || w.Compute+w.Overhead == 0 {
			return fmt.Errorf("peer %d computes for %g s in an iteration", i, w.Compute)
		}
		for _, s := range w.Sends {
			if s.To < 0 || s.To >= n || s.To == i || s.Bytes < 0 {
				return fmt.Errorf("peer %d sends %d bytes to peer %d of %d", i, s.Bytes, s.To, n)
			}
		}
	}
	if o.Platform == nil || len(o.Platform.Hosts) == 0 {
		return errors.New("the platform has no hosts")
	}
	if o.Cores > 0 {
		for _, c := range o.Platform.Changes {
			if c.Of == platform.HostSpeed {
				return fmt.Errorf("host %s changes its speed: hosts that share a machine's cores cannot", o.Platform.Hosts[c.Index].Name)
			}
		}
	}
	if len(o.Hosts) != 0 && len(o.Hosts) != n {
		return fmt.Errorf("hosts are given for %d of %d peers", len(o.Hosts), n)
	}
	if !(o.Churn.Mean >= 0) || !(o.Churn.Restart >= 0) || !(o.Delay >= 0) || !(o.Queue >= 0) {
		return errors.New("times and sizes must not be negative")
	}
	return nil
}

// Chain is a program of slabs side by side: every peer exchanges as many bytes
// with the one before and the one after it.
func Chain(clusters []int, compute, overhead float64, bytes int64) *Program {
	n := 0
	for _, size := range clusters {
		n += size
	}
	p := &Program{Clusters: clusters, Peer: make([]PeerWork, n)}
	for i := range p.Peer {
		w := PeerWork{Compute: compute, Overhead: overhead}
		if i > 0 {
			w.Sends = append(w.Sends, Send{i - 1, bytes})
		}
		if i < n-1 {
			w.Sends = append(w.Sends, Send{i + 1, bytes})
		}
		p.Peer[i] = w
	}
	return p
}
