package input

import (
	"strings"

	"auspex/model"
)

// KindOf guesses a region's kind from its name, for tools that do not record
// it. Function is the answer for everything not known.
func KindOf(name string) model.Kind {
	lower := strings.ToLower(strings.TrimSpace(name))
	for _, p := range kindPrefixes {
		if strings.HasPrefix(lower, p.prefix) {
			return p.kind
		}
	}
	if strings.Contains(lower, "barrier") && (strings.Contains(lower, "omp") || strings.Contains(lower, "gomp") || strings.Contains(lower, "kmp")) {
		return model.Barrier
	}
	return model.Function
}

var kindPrefixes = []struct {
	prefix string
	kind   model.Kind
}{
	{"mpi_", model.MPI}, {"pmpi_", model.MPI}, {"mpi::", model.MPI},
	{"nccl", model.Comm}, {"rccl", model.Comm}, {"c10d::", model.Comm}, {"gloo:", model.Comm},
	{"shmem_", model.Comm}, {"gasnet_", model.Comm}, {"nvshmem", model.Comm},
	{"!$omp barrier", model.Barrier}, {"!$omp implicit barrier", model.Barrier}, {"!$omp ibarrier", model.Barrier},
}

// ScorepKind tells a region's kind from the paradigm and role that Score-P
// gives it; Cube and OTF2 spell them alike but for case and blanks.
func ScorepKind(paradigm, role, name string) model.Kind {
	paradigm = strings.ToLower(paradigm)
	role = strings.ReplaceAll(strings.ToLower(role), "_", " ")
	switch {
	case paradigm == "mpi" && !strings.Contains(strings.ToLower(name), "mpi"):
		return KindOf(name) // a function of the program, whatever its tool calls it
	case paradigm == "mpi", strings.HasPrefix(name, "MPI_"): // a name that MPI keeps for itself: EZTrace calls it a function of the user
		return model.MPI
	case paradigm == "shmem":
		return model.Comm
	case role == "barrier", role == "implicit barrier":
		return model.Barrier
	case role == "loop":
		return model.Loop
	case role == "kernel":
		return model.Kernel
	case strings.HasPrefix(role, "file io"):
		return model.IO
	case paradigm == "user" && role != "artificial":
		return model.User
	}
	return KindOf(name)
}
