package pop_test

import (
	"context"
	"strings"
	"testing"

	"auspex/events"
	"auspex/pop"
	"auspex/trace"
)

// cutTrace is a trace that lost its end.
type cutTrace struct{ header events.Header }

func (c *cutTrace) Header() *events.Header { return &c.header }

func (c *cutTrace) Each(_ context.Context, visit func(*events.Span) error) error {
	c.header.Incomplete = "half is gone"
	for rank := range int32(2) {
		if err := visit(&events.Span{Loc: rank, Kind: trace.Compute, Root: -1, End: 1e9 * int64(1+rank)}); err != nil {
			return err
		}
	}
	return nil
}

// TestIncomplete: an incomplete trace has no serialization and transfer.
func TestIncomplete(t *testing.T) {
	src := &cutTrace{events.Header{Ranks: 2, Locations: []events.Location{{}, {Rank: 1}}, Paths: []events.Path{{Name: "solve"}}, Comms: [][]int32{nil}}}
	r, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if f := pop.Of(r); f.Serialization != nil || f.Transfer != nil || f.LoadBalance == nil || !strings.Contains(strings.Join(f.Notes, ""), "half is gone") {
		t.Errorf("%+v", f)
	}
}
