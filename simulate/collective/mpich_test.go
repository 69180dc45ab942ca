package collective

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"auspex/trace"
)

// MPICH's own decisions on both sides of every threshold (MPICH 3.x and 4.x,
// default control variables), and what the algorithm must then send for n ranks
// and m bytes, from Thakur, Rabenseifner and Gropp (2005).
func TestMPICHDecisions(t *testing.T) {
	const kib = 1024
	for _, c := range []struct {
		kind     trace.Kind
		n        int
		m        int64 // to or from each, or in all
		unit     int64
		want     string
		messages int
		bytes    int64
	}{
		{trace.Barrier, 8, 0, 1, "barrierBruck", 8 * 3, 0},
		{trace.Barrier, 6, 0, 1, "barrierBruck", 6 * 3, 0},

		{trace.Bcast, 8, 12*kib - 1, 1, "bcastBinomial", 7, 7 * (12*kib - 1)},
		{trace.Bcast, 7, 1024 * kib, 1, "bcastBinomial", 6, 6 * 1024 * kib},
		// Scattering hands half of the data down each of log₂ n levels.
		{trace.Bcast, 8, 12 * kib, 1, "bcastScatterDoubling", 7 + 8*3, 3*12*kib/2 + 7*12*kib},
		{trace.Bcast, 8, 512*kib - 8, 1, "bcastScatterDoubling", 7 + 8*3, 3*(512*kib-8)/2 + 7*(512*kib-8)},
		{trace.Bcast, 8, 512 * kib, 1, "bcastScatterRing", 7 + 8*7, 3*512*kib/2 + 7*512*kib},
		{trace.Bcast, 12, 12 * kib, 1, "bcastScatterRing", 11 + 12*11, 0},

		{trace.Reduce, 8, 2 * kib, 8, "reduceBinomial", 7, 7 * 2 * kib},
		{trace.Reduce, 8, 2*kib + 64, 8, "reduceRabenseifner", 8*3 + 7, 7*(2*kib+64) + 3*(2*kib+64)/2},
		{trace.Reduce, 8, 7 * kib, kib, "reduceBinomial", 7, 7 * 7 * kib}, // fewer elements than ranks
		{trace.Allreduce, 8, 2 * kib, 8, "allreduceDoubling", 8 * 3, 8 * 3 * 2 * kib},
		{trace.Allreduce, 8, 2*kib + 64, 8, "allreduceRabenseifner", 8 * 6, 2 * 7 * (2*kib + 64)},
		{trace.Allreduce, 8, 7 * kib, kib, "allreduceDoubling", 8 * 3, 8 * 3 * 7 * kib},

		// Bruck's algorithm sends n/2 blocks in each of log₂ n steps.
		{trace.Alltoall, 8, 256, 1, "alltoallBruck", 8 * 3, 8 * 3 * 4 * 256},
		{trace.Alltoall, 7, 256, 1, "alltoallBlocks", 7 * 6, 7 * 6 * 256},
		{trace.Alltoall, 8, 257, 1, "alltoallBlocks", 8 * 7, 8 * 7 * 257},
		{trace.Alltoall, 8, 32 * kib, 1, "alltoallBlocks", 8 * 7, 8 * 7 * 32 * kib},
		{trace.Alltoall, 8, 32*kib + 1, 1, "alltoallPair", 8 * 7, 8 * 7 * (32*kib + 1)},
		{trace.Alltoall, 6, 32*kib + 1, 1, "alltoallRing", 6 * 5, 6 * 5 * (32*kib + 1)},

		{trace.Gather, 8, 100, 1, "gatherBinomial", 7, 3 * 4 * 100},
		{trace.Scatter, 8, 100, 1, "scatterBinomial", 7, 3 * 4 * 100},

		{trace.Allgather, 8, 64*kib - 1, 1, "allgatherDoubling", 8 * 3, 8 * 7 * (64*kib - 1)},
		{trace.Allgather, 8, 64 * kib, 1, "allgatherRound", 8 * 7, 8 * 7 * 64 * kib},
		{trace.Allgather, 10, 8*kib - 1, 1, "allgatherBruck", 10 * 4, 10 * 9 * (8*kib - 1)},
		{trace.Allgather, 10, 8 * kib, 1, "allgatherRound", 10 * 9, 10 * 9 * 8 * kib},
		{trace.Allgatherv, 8, 64*kib - 1, 1, "allgathervDoubling", 8 * 3, 8 * 7 * (64*kib - 1)},
		{trace.Allgatherv, 8, 64 * kib, 1, "allgathervRound", 8 * 7 * 2, 8 * 7 * 64 * kib}, // in pieces of 32 KiB
		{trace.Allgatherv, 10, 8*kib - 1, 1, "allgathervBruck", 10 * 4, 10 * 9 * (8*kib - 1)},
		{trace.Allgatherv, 10, 8 * kib, 1, "allgathervRound", 10 * 9, 10 * 9 * 8 * kib},

		{trace.ReduceScatter, 8, 64*kib - 8, 8, "reduceScatterHalving", 8 * 3, 8 * 7 * (64*kib - 8)},
		{trace.ReduceScatter, 8, 64 * kib, 8, "reduceScatterPair", 8 * 7, 8 * 7 * 64 * kib},
		{trace.Alltoallv, 8, 100, 1, "alltoallvBlocks", 8 * 7, 8 * 7 * 100},
		{trace.Gatherv, 8, 100, 1, "gathervLinear", 7, 7 * 100},
		{trace.Scatterv, 8, 100, 1, "scattervLinear", 7, 7 * 100},
	} {
		calls := make([]Call, c.n)
		for i := range calls {
			k := Call{Kind: c.kind, Me: i, Size: c.n, Unit: c.unit, Send: c.m, Recv: c.m, Counts: &Counts{}}
			for range c.n {
				k.Sends, k.Recvs = append(k.Sends, c.m), append(k.Recvs, c.m)
			}
			calls[i] = k
		}
		a, err := mpichAlgorithm(&calls[0])
		if err != nil {
			t.Fatal(err)
		}
		name := runtime.FuncForPC(reflect.ValueOf(a).Pointer()).Name()
		if name = name[strings.LastIndexByte(name, '.')+1:]; name != c.want {
			t.Errorf("%s of %d bytes on %d ranks: %s, want %s", c.kind, c.m, c.n, name, c.want)
			continue
		}
		all, err := pairUp(calls, mpichAlgorithm)
		if err != nil {
			t.Fatal(err)
		}
		if all.messages != c.messages || c.bytes > 0 && all.bytes != c.bytes {
			t.Errorf("%s of %d bytes on %d ranks: %d messages and %d bytes, want %d and %d",
				c.kind, c.m, c.n, all.messages, all.bytes, c.messages, c.bytes)
		}
	}
}
