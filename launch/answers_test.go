package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"auspex/trace"
)

// runAnswers runs a program on four ranks and returns what it printed, sorted.
func runAnswers(t *testing.T, m mpi, settings []string, program ...string) (dir, printed string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // only one that hangs takes so long
	defer cancel()
	var out bytes.Buffer
	dir = t.TempDir()
	settings = append([]string{"AUSPEX_TRACE_DIR=" + dir, "AUSPEX_TRACE_TIMES=1"}, settings...)
	r := Runner{Command: m.ranks("4", program...), Dir: dir, Cache: testCache(), Settings: settings, Answers: true, Out: &out, Err: &out}
	result, err := r.Run(ctx)
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%v, %v\n%s", err, ctx.Err(), out.String())
	}
	lines := strings.SplitAfter(out.String(), "\n")
	slices.Sort(lines)
	return dir, strings.Join(lines, ""), result.Status
}

// callsOf are what a rank of a trace does, computation left out, and waits: whether there
// is one for a send that was over at once depends on MPI's own name for it.
func callsOf(tr *trace.Trace, rank int) (list []trace.Action) {
	c := tr.Cursor(rank)
	for a := (trace.Action{}); c.Next(&a); a = (trace.Action{}) {
		if a.Kind != trace.Compute && a.Kind != trace.Location && a.Kind != trace.Sleep && a.Kind != trace.Wait {
			a.Counts, a.Counts2 = slices.Clone(a.Counts), slices.Clone(a.Counts2)
			list = append(list, a)
		}
	}
	return list
}

// TestAlone: a rank that runs alone prints what it printed among all ranks, and makes the
// same calls.
func TestAlone(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := t.TempDir()
		c, fortran := filepath.Join(dir, "c"), filepath.Join(dir, "fortran")
		mustCompilePlain(t, m.cc, "-w", "-O1", "-o", c, "testdata/answers.c")
		programs := []string{c}
		if _, err := command(m.fc, "--version"); err == nil {
			mustCompilePlain(t, m.fc, "-w", "-O1", "-o", fortran, "testdata/answers.f90")
			programs = append(programs, fortran)
		}
		for _, program := range programs {
			t.Run(filepath.Base(program), func(t *testing.T) {
				answers := Answers(t.TempDir())
				whole, all, status := runAnswers(t, m, answers.Record([]int{0, 3}, 1<<30), program)
				if status != 0 {
					t.Fatalf("status %d\n%s", status, all)
				}
				tr, _, err := collectTrace(t.Context(), whole)
				if err != nil {
					t.Fatal(err)
				}
				for _, rank := range []int{0, 3} {
					dir, mine, status := runAnswers(t, m, answers.Alone(rank), program)
					if status != 0 {
						t.Fatalf("rank %d alone: status %d, %v\n%s", rank, status, answers.Refused(rank), mine)
					}
					if want := linesOf(all, rank); mine != want || want == "" {
						t.Errorf("rank %d alone printed\n%sand with all ranks\n%s", rank, mine, want)
					}
					alone, err := CollectRank(t.Context(), dir, rank, false)
					if err != nil {
						t.Fatal(err)
					}
					got, want := callsOf(alone, 0), callsOf(tr, rank)
					if !slices.EqualFunc(got, want, sameCall) {
						t.Errorf("rank %d alone made %d calls and with all ranks %d, or others", rank, len(got), len(want))
					}
				}
			})
		}
	})
}

func sameCall(a, b trace.Action) bool {
	return a.Kind == b.Kind && a.Comm == b.Comm && a.Peer == b.Peer && a.Peer2 == b.Peer2 && a.Tag == b.Tag && a.Count == b.Count &&
		slices.Equal(a.Counts, b.Counts) && slices.Equal(a.Counts2, b.Counts2)
}

// linesOf are those that a rank printed: each begins with its number.
func linesOf(all string, rank int) string {
	var mine strings.Builder
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "0"+string(rune('0'+rank))) {
			mine.WriteString(line)
		}
	}
	return mine.String()
}

// departing does in a run what its first argument says, and something else where the file
// of its second argument exists: a program that is not the same from run to run.
const departing = `#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int me, x = 0, again;
    double *much = calloc(1 << 17, 8);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    again = access(argv[2], F_OK) == 0;
    switch (atoi(argv[1])) {
    case 0: if (again) MPI_Barrier(MPI_COMM_WORLD); MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); break;
    case 1: MPI_Bcast(much, 1 + again, MPI_DOUBLE, 0, MPI_COMM_WORLD); break;
    case 2: for (int i = 0; i < 3 + again; i++) MPI_Barrier(MPI_COMM_WORLD); break;
    case 3: for (int i = 0; i < 3 - again; i++) MPI_Barrier(MPI_COMM_WORLD); break;
    case 4: { MPI_Win w; MPI_Win_create(&x, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_free(&w); break; }
    case 5: MPI_Bcast(much, 1 << 17, MPI_DOUBLE, 0, MPI_COMM_WORLD); break;
    case 6: if (again) abort(); break;
    }
    MPI_Finalize();
    return 0;
}
`

// TestRefusedAlone: what a record does not answer is refused with its name, and a program
// that does something else alone ends, also one that dies: nobody waits for it.
func TestRefusedAlone(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"departing.c": departing})
		program, again := filepath.Join(dir, "departing"), filepath.Join(dir, "again")
		mustCompilePlain(t, m.cc, "-std=gnu99", "-o", program, filepath.Join(dir, "departing.c"))
		for _, c := range []struct {
			which, recorded, alone string
		}{
			{"0", "", "call 1 is MPI_Barrier, and was MPI_Bcast"},
			{"1", "", "MPI_Bcast, has other arguments"},
			{"2", "", "call 4, MPI_Barrier, comes after the end"},
			{"3", "", "ends after 2 calls"},
			{"4", "it calls MPI_Win_create", ""},
			{"5", "more than the 0.001 GB", ""},
			{"6", "", "status"},
		} {
			os.Remove(again)
			answers := Answers(t.TempDir())
			if _, printed, status := runAnswers(t, m, answers.Record([]int{1}, 1e6), program, c.which, again); status != 0 {
				t.Fatalf("%s: status %d\n%s", c.which, status, printed)
			}
			if refused(t, answers.Refused(1), c.recorded) {
				continue
			}
			if err := os.WriteFile(again, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			_, printed, status := runAnswers(t, m, answers.Alone(1), program, c.which, again)
			if status == 0 {
				t.Errorf("%s: it came to its end alone\n%s", c.which, printed)
			}
			if c.alone != "status" {
				refused(t, answers.Refused(1), c.alone)
			}
		}
	})
}

// refused tells whether a rank was refused, which is wanted where there are words for it.
func refused(t *testing.T, err error, words string) bool {
	t.Helper()
	if (err != nil) != (words != "") || err != nil && !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %q", err, words)
	}
	return err != nil
}
