package peers

import (
	"context"
	"errors"

	"auspex/p2psap"
)

// FromProfile makes a program of what a run measured. Of a synchronous run the
// iterations give the rate.
func FromProfile(p *p2psap.Profile) *Program {
	program := &Program{Clusters: p.Clusters, Peer: make([]PeerWork, len(p.Peers))}
	program.Scheme, _ = p2psap.ParseScheme(p.Scheme) // the profile was checked
	if program.Scheme == p2psap.Synchronous {
		program.Steps = p.Peers[0].Steps
	}
	for i, peer := range p.Peers {
		w := PeerWork{Compute: peer.Compute, Overhead: peer.Overhead}
		for _, s := range peer.Sends {
			w.Sends = append(w.Sends, Send{s.To, s.Bytes})
		}
		program.Peer[i] = w
	}
	return program
}

// FitDelay finds what handing over a message takes, from how long a measured
// synchronous run took on this platform: computing and the links explain the
// rest. 0 where they explain all of it.
func FitDelay(ctx context.Context, p *Program, o Options, seconds float64) (float64, error) {
	low, high := 0.0, 0.1
	for range 24 {
		o.Delay = (low + high) / 2
		result, err := Run(ctx, p, o)
		if err != nil && !errors.Is(err, ErrNoEnd) {
			return 0, err
		}
		if err == nil && result.Seconds < seconds {
			low = o.Delay
		} else {
			high = o.Delay
		}
	}
	return low, nil
}

// FitRun makes a program of a measured asynchronous or hybrid run, and finds the
// coupling and the delay with which its replay makes as many iterations and
// takes as long as the run. A coupling that is known is kept; below 0 it is not.
// Asynchronous iterations tell the coupling, and the delay is that of the
// synchronous run; hybrid ones, which wait, tell the delay.
func FitRun(ctx context.Context, p *p2psap.Profile, steps int, coupling float64, o Options) (*Program, float64, error) {
	program := FromProfile(p)
	program.Steps, program.Coupling = steps, coupling
	var err error
	for range 3 {
		if coupling < 0 {
			if program.Coupling, err = Fit(ctx, program, o, p.Iterations()); err != nil {
				return nil, 0, err
			}
		}
		if program.Scheme == p2psap.Asynchronous && coupling < 0 {
			break
		}
		if o.Delay, err = FitDelay(ctx, program, o, p.Seconds); err != nil {
			return nil, 0, err
		}
	}
	return program, o.Delay, nil
}
