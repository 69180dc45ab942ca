package collective

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"auspex/trace"
)

// What ranks send each other is what those of Open MPI 4.1.4 do, as its monitoring
// (mpirun --mca pml_monitoring_enable 2) has counted it: ranks, collective, bytes to
// or from each, or in all, then sender>receiver:messages:bytes. Elements have eight
// bytes, or four where there are no more.
func TestOpenMPISendsThat(t *testing.T) {
	kinds := map[string]trace.Kind{
		"allreduce": trace.Allreduce, "reduce": trace.Reduce, "bcast": trace.Bcast, "barrier": trace.Barrier, "alltoall": trace.Alltoall, "alltoallv": trace.Alltoallv,
		"allgather": trace.Allgather, "allgatherv": trace.Allgatherv, "gather": trace.Gather, "scatter": trace.Scatter, "reducescatter": trace.ReduceScatter,
	}
	file, err := os.ReadFile("testdata/openmpi-4.1.4.txt")
	if err != nil {
		t.Fatal(err)
	}
	other := 0 // collectives that SimGrid's algorithms do in another way
	for line := range strings.Lines(string(file)) {
		var n int
		var kind string
		var bytes int64
		if _, err := fmt.Sscan(line, &n, &kind, &bytes); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, pair := range strings.Fields(line)[3:] {
			want[pair] = true
		}
		if got := sent(t, OpenMPI, kinds[kind], n, bytes); !maps.Equal(got, want) {
			t.Errorf("%d ranks, %s of %d bytes: %v, want %v", n, kind, bytes, got, want)
		}
		if n&(n-1) == 0 && !maps.Equal(sent(t, OMPI, kinds[kind], n, bytes), want) {
			other++
		}
	}
	if other == 0 {
		t.Error("SimGrid's algorithms send the same; there is no need of others")
	}
}

// sent is what each rank sends to each in a collective, as the file has it.
func sent(t *testing.T, s Selector, kind trace.Kind, n int, bytes int64) map[string]bool {
	type traffic struct{ messages, bytes int64 }
	all := map[string]bool{}
	for me := range n {
		c := Call{Kind: kind, Me: me, Size: n, Unit: min(bytes, 8), Send: bytes, Recv: bytes, Counts: &Counts{}, Place: &Place{Hosts: make([]int32, n)}}
		for range n {
			c.Sends, c.Recvs = append(c.Sends, bytes), append(c.Recvs, bytes)
		}
		a, err := Select(&c, s)
		if err != nil {
			t.Fatal(err)
		}
		var p Plan
		p.writeOut(&c, a)
		to := map[int32]traffic{}
		for _, step := range p.Steps {
			if step.Kind == StepSend || step.Kind == StepIsend || step.Kind == StepExchange {
				to[step.Peer] = traffic{to[step.Peer].messages + 1, to[step.Peer].bytes + step.Bytes}
			}
		}
		for peer, sum := range to {
			all[fmt.Sprintf("%d>%d:%d:%d", me, peer, sum.messages, sum.bytes)] = true
		}
	}
	return all
}
