package predict

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/simulate"
	"auspex/trace"
)

// groups makes communicators that not all ranks belong to, and uses those that come
// after them: of every second rank by a group and by a colour, then of all.
const groups = `#include <mpi.h>

int main(int argc, char **argv)
{
    static double a[2000], b[2000];
    int me, first = 0;
    MPI_Comm some, even, all;
    MPI_Group world, one;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &one);
    MPI_Comm_create(MPI_COMM_WORLD, one, &some);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2 ? MPI_UNDEFINED : 0, 0, &even);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &all);
    for (int i = 0; i < 10; i++) {
        if (even != MPI_COMM_NULL)
            MPI_Bcast(a, 2000, MPI_DOUBLE, 0, even);
        MPI_Allreduce(a, b, 2000, MPI_DOUBLE, MPI_MAX, all);
    }
    MPI_Finalize();
    return 0;
}
`

// Communicators keep their numbers on ranks that are not in all of them.
func TestCommunicatorsOfSomeRanks(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source, r.Method = tree(t, map[string]string{"p.c": groups}), Simple
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for rank, times := range report.Predictions[0].Ranks {
			if !(times.Collective > 0) {
				t.Errorf("rank %d: %+v", rank, times)
			}
		}
	})
}

// simulate and predict of the same program on the same platform agree: on hosts on which
// computation takes no time, to the last message.
func TestSimulateAgrees(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		p := cluster(t, 4, "1000000000Gf")
		r.Source, r.Method, r.Platforms, r.ReferenceSpeed = tree(t, map[string]string{"p.c": groups}), Simple, []Platform{p}, 1e9
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		taken := traceOf(t, r, Simple)
		file := filepath.Join(t.TempDir(), "run.trace")
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := trace.Write(out, taken); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		read, err := trace.Open(context.Background(), file, 0)
		if err != nil {
			t.Fatal(err)
		}
		options := p.Options
		options.ReferenceSpeed = 1e9
		alone, err := simulate.Run(t.Context(), read, p.Platform, p.place(2), options, simulate.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		idle := 0.0 // where ranks were blocked, which no two runs are alike in
		for _, with := range [][]simulate.RankTime{alone.Ranks, report.Predictions[0].Ranks} {
			for _, rank := range with {
				idle += rank.Sleep
			}
		}
		if got := report.Predictions[0].Predicted; math.Abs(got-alone.Seconds) > 1e-6*got+idle {
			t.Errorf("predicted %v s, simulated %v s", got, alone.Seconds)
		}
	})
}

// What is noted of the run that shows that a program need not be cut short is said:
// it may be the only one.
func TestNotesOfTheWholeRun(t *testing.T) {
	const marked = "    MPI_Barrier(MPI_COMM_WORLD);\n"
	with := strings.Replace(ring, marked, `    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
`, 1)
	for name, source := range map[string]string{"with": with, "without": ring} {
		t.Run(name, func(t *testing.T) {
			m := mpis[0]
			need(t, m.cc, strings.Fields(m.run)[0])
			r := request(t, nil)
			r.Build, r.Run, r.Counts = m.cc+" -O{opt} p.c -o p", m.run+" ./p 20", []int{2}
			r.Source, r.Method, r.Whole, r.Runs = tree(t, map[string]string{"p.c": source}), Auto, 5*time.Minute, 1
			report, err := predictHere(t, context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(strings.Join(report.Notes, "\n"), "MPI's files"); said != (name == "with") {
				t.Errorf("%q", report.Notes)
			}
		})
	}
}

// Which message came first is no difference between runs; who sent it, or how
// much, is, and the words say which.
func TestDifferInWords(t *testing.T) {
	made := func(actions ...trace.Action) *trace.Trace {
		b := trace.NewBuilder(0)
		for _, a := range actions {
			b.Add(&a)
		}
		return &trace.Trace{Programs: []trace.Program{b.Program()}}
	}
	wait := func(from int32) trace.Action { return trace.Action{Kind: trace.Wait, Peer: from} }
	send := func(to int32, bytes int64) trace.Action {
		return trace.Action{Kind: trace.Send, Peer: to, Count: bytes, Type: trace.Byte}
	}
	for _, c := range []struct {
		a, b trace.Action
		want string
	}{
		{wait(1), wait(2), ""},
		{send(1, 8), send(1, 8), ""},
		{send(1, 8), send(2, 8), "call 1 of rank 0 is send of 8 bytes with rank 1 in one run and send of 8 bytes with rank 2 in another"},
		{send(1, 8), wait(1), "call 1 of rank 0 is send of 8 bytes with rank 1 in one run and wait in another"},
		{trace.Action{Kind: trace.Barrier}, send(1, 9), "call 1 of rank 0 is barrier in one run and send of 9 bytes with rank 1 in another"},
	} {
		if got := differ(made(c.a), made(c.b), waits); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
	if got := differ(made(send(1, 8)), made(trace.Action{Kind: trace.Sleep, Value: 1}, send(1, 8)), waits); got != "" {
		t.Errorf("a pause is no call: %q", got)
	}
}
