package ingest

import (
	"strings"

	"auspex/model"
)

// kindOf guesses a region's kind from its name, for tools that do not record
// it. Function is the answer for everything not known.
func kindOf(name string) model.Kind {
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
