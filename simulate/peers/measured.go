package peers

import (
	"context"
	"errors"
	"math"

	"auspex/p2psap"
)

// FromProfile makes a program of what a run measured. Of a synchronous run the
// iterations give the rate. Where hosts share cores, elapsed time is that of
// others too: then processor time counts, and what a peer's links took is dealt
// out to the messages that came and went.
func FromProfile(p *p2psap.Profile, shared bool) *Program {
	program := &Program{Clusters: p.Clusters, Peer: make([]PeerWork, len(p.Peers)), Awaited: 1}
	program.Scheme, _ = p2psap.ParseScheme(p.Scheme) // the profile was checked
	if program.Scheme == p2psap.Synchronous {
		program.Steps = p.Peers[0].Steps
	}
	for i, peer := range p.Peers {
		w := PeerWork{Compute: peer.Compute, Overhead: peer.Overhead}
		if shared && peer.Moved > 0 {
			w = PeerWork{Compute: peer.CPU, Overhead: peer.Calls, Handling: max(0, peer.Process-peer.CPU-peer.Calls) / peer.Moved}
		}
		for _, s := range peer.Sends {
			w.Sends = append(w.Sends, Send{s.To, s.Bytes})
		}
		program.Peer[i] = w
	}
	return program
}

// FitDelay finds what handing over a message takes, from how long a measured
// synchronous run took on this platform: computing and the links explain the
// rest. 0 where they explain all of it. Where hosts share cores, what their links
// compute for a message may be more than what the message waits for: then the
// part that it does wait for is found, and set in the program.
func FitDelay(ctx context.Context, p *Program, o Options, seconds float64) (float64, error) {
	low, high := 1.0, 2.0
	if o.Cores > 0 {
		low = 0
	}
	for range 24 {
		middle := (low + high) / 2
		p.Awaited, o.Delay = awaited(middle)
		result, err := Run(ctx, p, o)
		if err != nil && !errors.Is(err, ErrNoEnd) {
			return 0, err
		}
		if err == nil && result.Seconds < seconds {
			low = middle
		} else {
			high = middle
		}
	}
	p.Awaited, o.Delay = awaited(low)
	return o.Delay, nil
}

// awaited has both on one scale, to be searched: up to 1 the part, from there on
// tenths of seconds.
func awaited(x float64) (part, delay float64) { return min(x, 1), max(0, x-1) / 10 }

// FromRun makes a program of a measured asynchronous or hybrid run. What it takes
// to hand over a message, and how many iterations are needed, it has from the
// synchronous run: the other schemes wait for their turns and for old messages
// more than for that, and tell little of it.
func FromRun(p *p2psap.Profile, synchronous *Program, shared bool) *Program {
	program := FromProfile(p, shared)
	program.Steps, program.Coupling, program.Awaited = synchronous.Steps, synchronous.Coupling, synchronous.Awaited
	return program
}

// contradicted is how many times as many iterations, or as few, a measured run must
// have made as its replay for its coupling not to be the usual one. Those of the
// obstacle problem in the lab, with 2 to 8 peers, made 0.7 to 1.1 times as many.
const contradicted = 2

// FitCoupling finds how much peers depend on one another, from how many iterations
// they made in an asynchronous run on this platform, in the mean: the more, the more
// of what they compute from old messages is in vain. The program's coupling stays
// where it explains the run.
func FitCoupling(ctx context.Context, p *Program, o Options, iterations float64) (float64, error) {
	makes := func(coupling float64) (float64, error) {
		with := *p
		with.Coupling = coupling
		result, err := Run(ctx, &with, o)
		if errors.Is(err, ErrNoEnd) {
			return math.Inf(1), nil
		}
		if err != nil {
			return 0, err
		}
		sum := 0
		for _, n := range result.Iterations {
			sum += n
		}
		return float64(sum) / float64(len(result.Iterations)), nil
	}
	usual, err := makes(p.Coupling)
	if err != nil || usual < contradicted*iterations && iterations < contradicted*usual {
		return p.Coupling, err
	}
	low, high := 0.0, p.Coupling
	if usual < iterations {
		low, high = p.Coupling, 1
	}
	for range 8 {
		middle := (low + high) / 2
		made, err := makes(middle)
		if err != nil {
			return 0, err
		}
		if made < iterations {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2, nil
}
