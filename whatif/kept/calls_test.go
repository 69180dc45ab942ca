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

// TestCallsOfAFamily: no call is named that the program does not make.
func TestCallsOfAFamily(t *testing.T) {
	for _, c := range []struct {
		calls      map[string]float64
		path, want string
	}{
		{map[string]float64{"MPI_Ibarrier": 0.1, "MPI_Test": 1}, "a/MPI_Wait", "a/MPI_Test"},
		{map[string]float64{"MPI_Ibarrier": 0.1, "MPI_Test": 1}, "a/MPI_Isend", "a/MPI_Ibarrier"},
		{map[string]float64{"MPI_Startall": 0.1, "MPI_Iallreduce": 0.2, "MPI_Wait": 1}, "a/MPI_Isend", "a/MPI_Iallreduce or MPI_Startall"},
		{map[string]float64{"MPI_Iprobe": 1, "MPI_Mrecv": 0.01}, "MPI_Recv", "MPI_Iprobe"},
		{map[string]float64{"MPI_Comm_create": 1}, "MPI_Comm_split", "MPI_Comm_create"},
		{map[string]float64{"MPI_Isend": 1, "MPI_Iallreduce": 2}, "MPI_Isend", "MPI_Isend"},
	} {
		if got := asCalled(c.path, c.calls); got != c.want {
			t.Errorf("%s of %v is called %s, not %s", c.path, c.calls, got, c.want)
		}
	}
}

// TestCallsOfAPlace: a call has the name that is called there, not one of elsewhere.
func TestCallsOfAPlace(t *testing.T) {
	calls := called{
		all: map[string]float64{"MPI_Wait": 5, "MPI_Waitall": 9, "MPI_Testall": 1, "MPI_Recv": 1},
		from: map[string]map[string]float64{
			"exchange": {"MPI_Waitall": 9, "MPI_Recv": 1}, "poll": {"MPI_Testall": 1}, "solver.c:7": {"MPI_Wait": 5, "MPI_Waitall": 9}, "send": {"MPI_Recv": 1},
		},
	}
	for path, want := range map[string]string{
		"exchange/MPI_Wait": "exchange/MPI_Waitall", "poll/MPI_Wait": "poll/MPI_Testall", "exchange/MPI_Wait/<no core>": "exchange/MPI_Waitall/<no core>",
		"solver.c:7/MPI_Wait": "solver.c:7/MPI_Wait", "elsewhere/MPI_Wait": "elsewhere/MPI_Wait", "send/MPI_Wait": "send/MPI_Wait",
		"exchange/MPI_Recv": "exchange/MPI_Recv", "MPI_Wait": "MPI_Wait",
	} {
		if got := calls.name(path); got != want {
			t.Errorf("%s is called %s, not %s", path, got, want)
		}
	}
}
