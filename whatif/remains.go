package whatif

import (
	"context"
	"fmt"
)

// longWait is the share of the ranks' time from which on it is said that they wait
// and that nothing in the list ends it.
const longWait = 0.1

// remains says how long ranks wait for one another on an ideal network where the
// changes of a list bring less than half of that: a loss that no region and no rank is
// to blame for in all.
func (c *Case) remains(ctx context.Context, l *List) ([]string, error) {
	if c.ranks < 2 || c.HandsOut() || !c.Explained() {
		return nil, nil
	}
	o, err := c.tried(ctx, []Change{{Kind: Ideal}})
	if err != nil || o.seconds <= 0 {
		return nil, err
	}
	idle := 1 - (sum(o.compute)+sum(o.paused))/o.seconds/float64(c.ranks)
	most := l.LossSeconds
	for _, o := range l.Opportunities {
		if restores(o.change.Kind) {
			most = max(most, c.Base()-o.NewSeconds)
		}
	}
	if idle < longWait || most > idle*o.seconds/2 {
		return nil, nil
	}
	return []string{fmt.Sprintf("even on an ideal network ranks would wait %.0f %% of their time for one another, and no change of this list that keeps the work brings half of that", 100*idle)}, nil
}
