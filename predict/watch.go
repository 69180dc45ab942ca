package predict

import (
	"context"
	"fmt"

	"auspex/simulate"
)

// Watcher is asked for a timeline before a level, count and platform is
// replayed to be watched, and told where the ranks ran and what came out. That
// replay is one of its own: the prediction's cost does not hold it.
type Watcher func(p *Platform, opt string, np int) (simulate.Timeline, func(hosts []int, r *simulate.Result) error)

// watch replays the first trace once more for the watcher.
func (w *workshop) watch(ctx context.Context, p *Platform, t *taken, opt string, np int, reference float64) error {
	if w.Watch == nil {
		return nil
	}
	timeline, tell := w.Watch(p, opt, np)
	hosts := p.place(np)
	result, err := simulate.Run(ctx, t.Trace, p.Platform, hosts, options(p, reference), simulate.Hooks{Timeline: timeline})
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return tell(hosts, result)
}
