package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/trace"
)

// windowCalls are one-sided calls of rank 0 of two, whose window is communicator 1, and
// the actions that they are to a trace.
var windowCalls = []struct{ text, want string }{
	{"MPI_Win_create(b, sizeof b, 4, MPI_INFO_NULL, w, &win); b[0] = 1;", "comm_split 0"},
	{"MPI_Win_fence(0, win); if (!me) MPI_Put(a, 3, MPI_INT, 1, 0, 3, MPI_INT, win); MPI_Win_fence(0, win);", "fence 1; put 1 to 1 count 12; fence 1"},
	{"if (!me) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win); MPI_Get(a, 3, MPI_INT, 1, 0, 3, MPI_INT, win); MPI_Win_flush(1, win); MPI_Win_flush_local(1, win); MPI_Win_unlock(1, win); }",
		"lock 1 to 1 tag 1; get 1 to 1 count 12; flush 1 to 1; flush 1 to 1 tag 1; unlock 1 to 1"},
	{"if (!me) { MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); MPI_Accumulate(a, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, MPI_SUM, win); MPI_Accumulate(a, 3, MPI_INT, 1, 0, 3, MPI_INT, MPI_SUM, win); MPI_Win_unlock(1, win); }",
		"lock 1 to 1; put 1 to 1 count 12; unlock 1 to 1"},
	{"MPI_Win_lock_all(0, win); if (!me) { MPI_Rget(a, 3, MPI_INT, 1, 0, 3, MPI_INT, win, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Fetch_and_op(a, a + 1, MPI_INT, 1, 0, MPI_SUM, win); MPI_Win_flush_all(win); MPI_Compare_and_swap(a, a + 1, a + 2, MPI_INT, 1, 0, win); MPI_Get_accumulate(0, 0, MPI_DATATYPE_NULL, a, 3, MPI_INT, 1, 0, 3, MPI_INT, MPI_NO_OP, win); } MPI_Win_unlock_all(win);",
		"get 1 to 1 count 12; flush 1 to 1 tag 1; put 1 to 1 count 4; get 1 to 1 count 4; flush 1 to -555; put 1 to 1 count 8; get 1 to 1 count 4; put 1 to 1; get 1 to 1 count 12; unlock 1 to -555"},
	{"if (me) { MPI_Win_post(other, 0, win); MPI_Win_wait(win); } else { MPI_Win_start(other, 0, win); MPI_Put(a, 3, MPI_INT, 1, 0, 3, MPI_INT, win); MPI_Win_complete(win); }",
		"irecv 1 to 1 tag 268435714; wait 0 to 1 tag 268435714; put 1 to 1 count 12; flush 1 to -555 tag 1; isend 1 to 1 tag 268435715; wait 0 to 0 tag 268435715"},
	{"MPI_Win_free(&win);", "barrier 1"},
}

// TestTraceOfWindows: what ranks do to one another's windows is in the trace as that.
func TestTraceOfWindows(t *testing.T) {
	var text strings.Builder
	text.WriteString("#include <mpi.h>\nint main(int argc, char **argv)\n{\n    static int a[4], b[4];\n    int me;\n    MPI_Request q;\n    MPI_Win win;\n    MPI_Comm w = MPI_COMM_WORLD;\n    MPI_Group all, other;\n" +
		"    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(w, &me);\n    int o = 1 - me;\n    MPI_Comm_group(w, &all);\n    MPI_Group_incl(all, 1, &o, &other);\n")
	var want []string
	for _, c := range windowCalls {
		text.WriteString("    " + c.text + "\n    MPI_Barrier(w);\n")
		want = append(want, c.want)
	}
	text.WriteString("    MPI_Finalize();\n    return 0;\n}\n")
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"window.c": text.String()})
		exe := filepath.Join(dir, "window")
		mustCompilePlain(t, m.cc, "-g", "-std=gnu99", filepath.Join(dir, "window.c"), "-o", exe)
		tr := traceOf(t, m.ranks("2", exe))
		if got := actionsIn(tr, 0); !slices.Equal(got, want) {
			t.Errorf("%q\nwant\n%q", got, want)
		}
		for _, call := range []string{"Put", "Win_fence", "Win_start", "Win_complete", "Win_wait"} {
			if places := callsIn(t, tr); !slices.ContainsFunc(places, func(p string) bool { return strings.HasSuffix(p, "/MPI_"+call) }) {
				t.Errorf("no call of MPI_%s in %q", call, places)
			}
		}
	})
}

// TestWindowsFromFortran: windows and groups are integers there.
func TestWindowsFromFortran(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		need(t, m.fc)
		dir := write(t, map[string]string{"window.f90": `program window
  use mpi
  integer :: a(8), b(8), ierr, win, me
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  a = 0
  call MPI_Win_create(b, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Put(a, 2, MPI_DOUBLE_PRECISION, 1 - me, 0_MPI_ADDRESS_KIND, 2, MPI_DOUBLE_PRECISION, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
`})
		exe := filepath.Join(dir, "window")
		mustCompilePlain(t, m.fc, "-g", filepath.Join(dir, "window.f90"), "-o", exe)
		want := []string{"comm_split 0; fence 1; put 1 to 1 count 16; fence 1; barrier 1"}
		if got := actionsIn(traceOf(t, m.ranks("2", exe)), 0); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// actionsIn are what a rank exchanges before each barrier of the world and its end.
func actionsIn(t *trace.Trace, rank int) []string {
	var all, list []string
	var a trace.Action
	for c := t.Cursor(rank); c.Next(&a); {
		text := fmt.Sprint(a.Kind, " ", a.Comm)
		switch a.Kind {
		case trace.Barrier, trace.Finalize:
			if a.Comm == 0 {
				if len(list) > 0 {
					all = append(all, strings.Join(list, "; "))
				}
				list = nil
				continue
			}
		case trace.Init, trace.Location, trace.Compute, trace.Sleep:
			continue
		case trace.Isend, trace.Irecv, trace.Wait, trace.Put, trace.Get, trace.Lock, trace.Unlock, trace.Flush:
			text += fmt.Sprint(" to ", a.Peer)
			if a.Kind != trace.Put && a.Kind != trace.Get && a.Kind != trace.Unlock && a.Tag != 0 {
				text += fmt.Sprint(" tag ", a.Tag)
			}
			if (a.Kind == trace.Put || a.Kind == trace.Get) && a.Count > 0 {
				text += fmt.Sprint(" count ", a.Count)
			}
		}
		list = append(list, text)
	}
	return all
}
