package simulate

import (
	"context"
	"errors"
	"testing"
)

// TestBuffered: two ranks that both send first come to their end where the sends are
// buffered; two that both receive first never do.
func TestBuffered(t *testing.T) {
	o := Defaults()
	o.EagerBelow = 260
	p := cluster(t, 2)
	send := traceOf(t, "send 1 0 1000;recv 1 0 1000", "send 0 0 1000;recv 0 0 1000")
	if _, err := Run(context.Background(), send, p, oneToOne(2), o, Hooks{}); err == nil {
		t.Fatal("the sends do not wait")
	}
	result, used, err := Buffered(context.Background(), send, p, oneToOne(2), o)
	if err != nil || result.Seconds <= 0 || used.EagerBelow <= 1000 {
		t.Errorf("%v, sends below %d bytes", err, used.EagerBelow)
	}
	receive := traceOf(t, "recv 1 0 1000;send 1 0 1000", "recv 0 0 1000;send 0 0 1000")
	var stuck *Deadlock
	if _, _, err := Buffered(context.Background(), receive, p, oneToOne(2), o); !errors.As(err, &stuck) {
		t.Errorf("two receives end with %v", err)
	}
}
