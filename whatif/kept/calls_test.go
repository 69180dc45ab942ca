package kept

import "testing"

// TestAsCalled: calls are named as the program makes them.
func TestAsCalled(t *testing.T) {
	calls := map[string]float64{"MPI_Mprobe": 2, "MPI_Mrecv": 0.1, "MPI_Comm_dup": 0.1, "MPI_Ssend": 1, "MPI_Allreduce": 1, "MPI_Waitany": 3, "MPI_Wait": 1}
	for path, want := range map[string]string{
		"solver.c:7/MPI_Recv": "solver.c:7/MPI_Mprobe", "python3.11/MPI_Comm_split": "python3.11/MPI_Comm_dup", "MPI_Send": "MPI_Ssend",
		"a/MPI_Wait": "a/MPI_Wait", "a/MPI_Allreduce": "a/MPI_Allreduce", "a/MPI_Bcast": "a/MPI_Bcast", "a/pause": "a/pause", "main": "main",
	} {
		if got := asCalled(path, calls); got != want {
			t.Errorf("%s is called %s, not %s", path, got, want)
		}
	}
}
