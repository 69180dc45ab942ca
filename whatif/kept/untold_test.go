package kept

import "testing"

func TestWaitsUntold(t *testing.T) {
	for call, want := range map[string]bool{
		"MPI_Win_fence": true, "MPI_Win_lock_all": true, "MPI_Win_complete": true, "MPI_File_write_all": true, "MPI_File_read_at_all": true, "MPI_File_open": true,
		"MPI_Neighbor_alltoallv": true, "MPI_Comm_accept": true,
		"MPI_Win_get_group": false, "MPI_Put": false, "MPI_File_write": false, "MPI_File_get_size": false, "MPI_Allreduce": false, "MPI_Comm_split": false, "fence": false,
	} {
		if got := waitsUntold(call); got != want {
			t.Errorf("%s: %v", call, got)
		}
	}
}
