package events_test

import (
	"testing"

	"auspex/events"
	"auspex/trace"
)

// TestCallName: no name that MPI does not have.
func TestCallName(t *testing.T) {
	for kind, want := range map[trace.Kind]string{trace.Sleep: "pause", trace.CommSplit: "MPI_Comm_split", trace.Allreduce: "MPI_Allreduce", trace.SendRecv: "MPI_Sendrecv", trace.ReduceScatter: "MPI_Reduce_scatter"} {
		if got := events.CallName(kind); got != want {
			t.Errorf("%s is called %s, not %s", kind, got, want)
		}
	}
}
