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

func TestWaitsUntold(t *testing.T) {
	for call, want := range map[string]bool{
		"MPI_Win_fence": true, "MPI_Win_lock_all": true, "MPI_Win_complete": true, "MPI_File_write_all": true, "MPI_File_read_at_all": true, "MPI_File_open": true,
		"MPI_Neighbor_alltoallv": true, "MPI_Comm_accept": true, "MPI_Comm_create_group": true,
		"MPI_Win_get_group": false, "MPI_Put": false, "MPI_File_write": false, "MPI_File_get_size": false, "MPI_Allreduce": false, "MPI_Comm_split": false, "fence": false,
	} {
		if got := events.WaitsUntold(call); got != want {
			t.Errorf("%s: %v", call, got)
		}
	}
}

// A path of a whole stack is not what a sentence is for.
func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"main/solve": "`main/solve`",
		"prog/main/run/step/a_function_of_a_long_name/another/OpenMP parallel@x+0x1":  "`OpenMP parallel@x+0x1` in `another`",
		"prog/main/run/step/a_function_of_a_long_name/operator\\/<int>/dot\\/product": "`dot\\/product` in `operator\\/<int>`",
		"/MPI_File_write_at_of_a_name_that_is_longer_than_a_sentence_bears_it":        "`/MPI_File_write_at_of_a_name_that_is_longer_than_a_sentence_bears_it`",
	} {
		if got := events.Quoted(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
