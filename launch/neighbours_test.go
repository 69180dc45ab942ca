package launch

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/events"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// neighbourCalls exchange w[k] integers more each way in a grid of two by two ranks, its
// second dimension a ring, so that one rank is both neighbours there; the last two in
// graphs in which each rank sends to the next.
const neighbourCalls = `#include <mpi.h>
int main(int argc, char **argv)
{
    static int a[100], b[100];
    int me, size[2] = {2, 2}, ring[2] = {0, 1}, out[4] = {1, 2, 3, 4}, in[4] = {2, 1, 4, 3}, same[4] = {3, 3, 3, 3}, at[4] = {0, 10, 20, 30};
    MPI_Aint far[4] = {0, 40, 80, 120};
    MPI_Datatype ints[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Comm grid, c;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Cart_create(MPI_COMM_WORLD, 2, size, ring, 0, &grid);
    int next = (me + 1) % 4, before = (me + 3) % 4, ends[4] = {2, 4, 6, 8}, edges[8] = {1, 3, 2, 0, 3, 1, 0, 2};
    MPI_Neighbor_allgather(a, 3, MPI_INT, b, 3, MPI_INT, grid); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Neighbor_allgatherv(a, 3, MPI_INT, b, same, at, MPI_INT, grid); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Neighbor_alltoall(a, 3, MPI_INT, b, 3, MPI_INT, grid); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Neighbor_alltoallv(a, out, at, MPI_INT, b, in, at, MPI_INT, grid); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Neighbor_alltoallw(a, out, far, ints, b, in, far, ints, grid); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Ineighbor_alltoallw(a, same, far, ints, b, same, far, ints, grid, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Graph_create(MPI_COMM_WORLD, 4, ends, edges, 0, &c); MPI_Neighbor_alltoall(a, 3, MPI_INT, b, 3, MPI_INT, c); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c); MPI_Neighbor_allgather(a, 3, MPI_INT, b, 3, MPI_INT, c); MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`

// TestTraceOfNeighbours: a collective of neighbours is messages to and from each of
// them, none beyond a border, in the name of the call.
func TestTraceOfNeighbours(t *testing.T) {
	same := []string{"irecv 1 12", "irecv 1 12", "irecv 2 12", "isend 1 12", "isend 1 12", "isend 2 12"}
	ways := []string{"irecv 1 12", "irecv 1 16", "irecv 2 4", "isend 1 12", "isend 1 16", "isend 2 8"}
	want := [][]string{same, same, same, ways, ways, same,
		{"irecv 1 12", "irecv 3 12", "isend 1 12", "isend 3 12"}, {"irecv 3 12", "isend 1 12"}}
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"near.c": neighbourCalls})
		exe := filepath.Join(dir, "near")
		mustCompilePlain(t, m.cc, "-g", "-std=gnu99", filepath.Join(dir, "near.c"), "-o", exe)
		tr := traceOf(t, m.ranks("4", exe))
		if got := messagesIn(tr, 0); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q, want %q", got, want)
		}
		places := callsIn(t, tr)
		for _, name := range []string{"Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw", "Ineighbor_alltoallw"} {
			if !slices.ContainsFunc(places, func(p string) bool { return strings.HasSuffix(p, "/MPI_"+name) }) {
				t.Errorf("no call of MPI_%s in %q", name, places)
			}
		}
	})
}

// TestNeighboursFromFortran: sizes and types come by reference.
func TestNeighboursFromFortran(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		need(t, m.fc)
		dir := write(t, map[string]string{"near.f90": `program near
  use mpi
  integer :: a(8), b(8), ierr, grid, out(2), in(2), at(2)
  call MPI_Init(ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/2/), (/.false./), .false., grid, ierr)
  a = 0; out = (/1, 2/); in = (/2, 1/); at = (/0, 2/)
  call MPI_Neighbor_alltoallv(a, out, at, MPI_DOUBLE_PRECISION, b, in, at, MPI_DOUBLE_PRECISION, grid, ierr)
  call MPI_Finalize(ierr)
end program
`})
		exe := filepath.Join(dir, "near")
		mustCompilePlain(t, m.fc, "-g", filepath.Join(dir, "near.f90"), "-o", exe)
		if got, want := messagesIn(traceOf(t, m.ranks("2", exe)), 0), []string{"irecv 1 8", "isend 1 16"}; len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// traceOf is the trace of a run that ends well.
func traceOf(t *testing.T, command []string) *trace.Trace {
	t.Helper()
	var out bytes.Buffer
	file := filepath.Join(t.TempDir(), "made.trace")
	r := Runner{Command: command, Dir: t.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil || result.Status != 0 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	tr, err := trace.Open(context.Background(), file, 0)
	if err != nil {
		t.Fatalf("%v; notes %q", err, result.Experiment.Notes)
	}
	return tr
}

// messagesIn are the messages that a rank starts before each barrier and its end, with
// peer and size, sorted.
func messagesIn(t *trace.Trace, rank int) [][]string {
	var all [][]string
	var list []string
	var a trace.Action
	for c := t.Cursor(rank); c.Next(&a); {
		switch a.Kind {
		case trace.Isend, trace.Irecv:
			list = append(list, fmt.Sprint(a.Kind, " ", a.Peer, " ", a.Count))
		case trace.Barrier, trace.Finalize:
			if slices.Sort(list); len(list) > 0 {
				all = append(all, list)
			}
			list = nil
		}
	}
	return all
}

// callsIn are the calls that a replay of a trace tells of.
func callsIn(t *testing.T, tr *trace.Trace) []string {
	t.Helper()
	h := &events.Header{}
	o := loggp.Options{Network: loggp.Ideal(), Header: h, Spans: func(*events.Span) error { return nil }}
	if _, err := loggp.Run(context.Background(), tr, o); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, p := range h.Paths {
		list = append(list, p.Name)
	}
	return list
}
