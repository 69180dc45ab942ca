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

// FitRun makes a program of a measured asynchronous or hybrid run. Peers that
// wait for one another tell what handing over a message takes, in the hybrid
// scheme with its own traffic; of asynchronous ones it is that of the synchronous
// run, which o has. The coupling is not fitted: one that met the iterations on a
// fast network, where old messages hardly matter, went wrong on slow ones.
func FitRun(ctx context.Context, p *p2psap.Profile, steps int, coupling float64, o Options) (program *Program, delay float64, err error) {
	program = FromProfile(p)
	program.Steps, program.Coupling = steps, coupling
	delay = o.Delay
	if program.Scheme == p2psap.Hybrid {
		delay, err = FitDelay(ctx, program, o, p.Seconds)
	}
	return program, delay, err
}
