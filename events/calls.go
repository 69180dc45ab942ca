package events

import (
	"strings"

	"auspex/trace"
)

// calls are the MPI calls that exchange something, by name without MPI_ and in
// small letters.
var calls = map[string]trace.Kind{
	"send": trace.Send, "ssend": trace.Send, "bsend": trace.Send, "rsend": trace.Send,
	"isend": trace.Isend, "issend": trace.Isend, "ibsend": trace.Isend, "irsend": trace.Isend, "start": trace.Isend, "startall": trace.Isend,
	"recv": trace.Recv, "mrecv": trace.Recv, "irecv": trace.Irecv, "imrecv": trace.Irecv, "sendrecv": trace.SendRecv, "sendrecv_replace": trace.SendRecv,
	"wait": trace.Wait, "waitall": trace.WaitAll, "waitany": trace.Wait, "waitsome": trace.WaitAll,
	"test": trace.Test, "testall": trace.Test, "testany": trace.Test, "testsome": trace.Test,
	"barrier": trace.Barrier, "bcast": trace.Bcast, "reduce": trace.Reduce, "allreduce": trace.Allreduce, "scan": trace.Scan, "exscan": trace.Exscan,
	"alltoall": trace.Alltoall, "alltoallv": trace.Alltoallv, "alltoallw": trace.Alltoallv, "gather": trace.Gather, "scatter": trace.Scatter,
	"allgather": trace.Allgather, "gatherv": trace.Gatherv, "allgatherv": trace.Allgatherv, "scatterv": trace.Scatterv,
	"reduce_scatter": trace.ReduceScatter, "reduce_scatter_block": trace.ReduceScatter,
	"init": trace.Init, "init_thread": trace.Init, "finalize": trace.Finalize,
}

// CallKind says what an MPI call does by its name; false where it exchanges
// nothing that is understood here.
func CallKind(name string) (trace.Kind, bool) {
	low := strings.ToLower(name)
	rest, ok := strings.CutPrefix(low, "mpi_")
	if !ok {
		return Other, false
	}
	k, ok := calls[rest]
	return k, ok
}

// CallName names a kind of call as MPI does.
func CallName(k trace.Kind) string {
	switch k {
	case trace.SendRecv:
		return "MPI_Sendrecv"
	case trace.WaitAll:
		return "MPI_Waitall"
	case trace.ReduceScatter:
		return "MPI_Reduce_scatter"
	case trace.Fence, trace.Flush, trace.Lock, trace.Unlock:
		return "MPI_Win_" + k.String()
	case ThreadBarrier:
		return "barrier of threads"
	case Lock:
		return "lock"
	case Other:
		return "MPI"
	case Pause, trace.Sleep: // in the kernel, or in calls that the trace does not know
		return "pause"
	}
	name := k.String()
	return "MPI_" + strings.ToUpper(name[:1]) + name[1:]
}

// WaitsUntold tells calls that wait for other ranks and of which a trace does not
// tell for whom: one-sided communication, files that all open or write together,
// and, where others recorded it or the runtime did once, neighbours, communicators of a
// part of another, and processes that are started or connected to.
func WaitsUntold(call string) bool {
	name, ok := strings.CutPrefix(call, "MPI_")
	if !ok {
		return false
	}
	switch {
	case strings.HasPrefix(name, "File_"):
		return strings.Contains(name, "_all") || strings.Contains(name, "_ordered") || name == "File_open" || name == "File_close" || name == "File_sync" || name == "File_set_view" || name == "File_set_size"
	case strings.HasPrefix(name, "Win_"):
		return !strings.HasPrefix(name, "Win_get_") && !strings.HasPrefix(name, "Win_set_")
	}
	for _, part := range []string{"Neighbor_", "Ineighbor_", "Comm_spawn", "Comm_accept", "Comm_connect", "Comm_create_group", "Intercomm_"} {
		if strings.HasPrefix(name, part) {
			return true
		}
	}
	return false
}

// Connects tells calls that start processes or connect to them.
func Connects(call string) bool {
	switch call {
	case "MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join":
		return true
	}
	return false
}

// WithoutCore is the path of the call in which a rank had no core, where a region is
// that; see NoCore.
func WithoutCore(path string) (call string, ok bool) { return strings.CutSuffix(path, "/"+NoCore) }

// LastName is the end of a path: the call, of a call's.
func LastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// longPath is how many letters of a path a sentence bears.
const longPath = 60

// Quoted is a region's path within a sentence: of a long one the last name, and whose it
// is.
func Quoted(path string) string {
	around, name := parted(path)
	if len(path) <= longPath || around == "" {
		return "`" + path + "`"
	}
	_, caller := parted(around)
	return "`" + name + "` in `" + caller + "`"
}

// parted divides a path before its last name; a slash within a name has a backslash.
func parted(path string) (around, name string) {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' && path[i-1] != '\\' {
			return path[:i], path[i+1:]
		}
	}
	return "", path
}
