package simulate

import (
	"context"
	"errors"

	"auspex/platform"
	"auspex/trace"
)

// mostBuffered is the size of messages beyond which no send is taken to be buffered.
const mostBuffered = 1 << 40

// Buffered replays the trace of a run that came to its end. Where ranks would wait
// for ever because a send waits for its receive, ever larger sends go on at once, as
// they did in that run; the options it ends with say below how many bytes.
func Buffered(ctx context.Context, t *trace.Trace, p *platform.Platform, hosts []int, o Options) (*Result, Options, error) {
	result, err := Run(ctx, t, p, hosts, o, Hooks{})
	var stuck *Deadlock
	for again := err; errors.As(again, &stuck) && o.EagerBelow < mostBuffered; {
		o.EagerBelow = max(2*o.EagerBelow, 1024)
		if result, again = Run(ctx, t, p, hosts, o, Hooks{}); again == nil {
			return result, o, nil
		}
	}
	return result, o, err
}
