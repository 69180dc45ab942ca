package whatif

import (
	"context"
	"fmt"
	"slices"
)

// On an ideal network without a platform no message waits for its receiver, so that its
// gain may be that of buffers and no network's. Where that makes a difference it is said.

// stillWaits says what changes that make the network ideal would bring if messages
// waited for their receivers as they do in the run.
func (c *Case) stillWaits(ctx context.Context, changes []Change, ideal *outcome) ([]string, error) {
	if c.platform != nil || c.network.EagerBelow <= 0 || !slices.ContainsFunc(changes, func(ch Change) bool { return ch.Kind == Ideal }) {
		return nil, nil
	}
	s, err := c.setting(changes)
	if err != nil || s.network.EagerBelow > 0 { // told how
		return nil, err
	}
	if c.trace.Longest() < c.network.EagerBelow {
		return nil, nil // none of them would
	}
	s.network.EagerBelow = c.network.EagerBelow
	o, err := c.replaySetting(ctx, s, changes)
	if err != nil {
		return nil, err
	}
	held := c.predicted(o)
	if held-c.predicted(ideal) < least*c.Base() {
		return nil, nil
	}
	return []string{fmt.Sprintf("on the ideal network no message waits for its receiver; where those of %d KiB and more still did, it would take %s", c.network.EagerBelow>>10, seconds(held))}, nil
}

// idealWaits says it of the ideal network alone.
func (c *Case) idealWaits(ctx context.Context) ([]string, error) {
	changes := []Change{{Kind: Ideal}}
	ideal, err := c.tried(ctx, changes)
	if err != nil {
		return nil, err
	}
	return c.stillWaits(ctx, changes, ideal)
}
