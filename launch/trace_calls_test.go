package launch

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"auspex/simulate/loggp"
	"auspex/trace"
)

// rareCalls are ways to wait for another rank, each twice as messages (to be begun and
// waited for) or as the call says.
var rareCalls = []struct {
	name, text string
	openMPI    bool // it has the call
	want       map[string]int64
}{
	{"Isendrecv", `MPI_Isendrecv(a, 1, MPI_INT, o, 1, b, 1, MPI_INT, o, 1, w, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);`, false,
		map[string]int64{"isend": 2, "irecv": 2, "wait": 4}},
	{"persistent collective", `MPI_Allreduce_init(a, b, 1, MPI_INT, MPI_SUM, w, MPI_INFO_NULL, &q); for (int i = 0; i < 2; i++) { MPI_Start(&q); MPI_Wait(&q, MPI_STATUS_IGNORE); } MPI_Request_free(&q);`, true,
		map[string]int64{"isend": 4, "irecv": 4, "wait": 8}},
	{"partitioned", `if (!me) { MPI_Psend_init(a, 2, 1, MPI_INT, 1, 3, w, MPI_INFO_NULL, &q); MPI_Start(&q); MPI_Pready(0, q); MPI_Pready(1, q); } else { MPI_Precv_init(b, 2, 1, MPI_INT, 0, 3, w, MPI_INFO_NULL, &q); MPI_Start(&q); } MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Request_free(&q);`, false,
		map[string]int64{"isend": 2, "irecv": 2, "wait": 4}},
	{"Comm_idup", `MPI_Comm_idup(w, &c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Barrier(c); MPI_Comm_free(&c);`, true,
		map[string]int64{"isend": 2, "irecv": 2, "wait": 4, "barrier": 2}},
	{"Comm_create_group", `MPI_Group g; MPI_Comm_group(w, &g); MPI_Comm_create_group(w, g, 9, &c); MPI_Sendrecv(a, 1, MPI_INT, o, 1, b, 1, MPI_INT, o, 1, c, MPI_STATUS_IGNORE); MPI_Comm_free(&c);`, true,
		map[string]int64{"isend": 2, "irecv": 2, "wait": 4, "sendRecv": 2}},
	{"intercommunicator", `MPI_Comm one; MPI_Comm_split(w, me, 0, &one); MPI_Intercomm_create(one, 0, w, o, 7, &c); MPI_Sendrecv(a, 1, MPI_INT, 0, 1, b, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE); MPI_Comm_free(&c); MPI_Comm_free(&one);`, true,
		map[string]int64{"comm_split": 2, "isend": 2, "irecv": 2, "wait": 4, "sendRecv": 2}},
	{"collectives of two groups", `MPI_Comm one; MPI_Comm_split(w, me, 0, &one); MPI_Intercomm_create(one, 0, w, o, 7, &c); MPI_Bcast(a, 1, MPI_INT, me ? 0 : MPI_ROOT, c); MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, me ? MPI_ROOT : 0, c); MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, c); MPI_Comm_free(&c); MPI_Comm_free(&one);`, true,
		map[string]int64{"comm_split": 2, "isend": 2 + 1 + 1 + 2, "irecv": 2 + 1 + 1 + 2, "wait": 4 + 2 + 2 + 4}},
	{"Testsome", `MPI_Irecv(b, 1, MPI_INT, o, 1, w, r); MPI_Isend(a, 1, MPI_INT, o, 1, w, r + 1); for (int d = 0; d < 2;) { MPI_Testsome(2, r, &k, at, MPI_STATUSES_IGNORE); d += k > 0 ? k : 0; }`, true,
		map[string]int64{"isend": 2, "irecv": 2, "wait": 4}},
	{"Request_get_status", `MPI_Irecv(b, 1, MPI_INT, o, 1, w, &q); MPI_Send(a, 1, MPI_INT, o, 1, w); for (k = 0; !k;) MPI_Request_get_status(q, &k, MPI_STATUS_IGNORE); MPI_Wait(&q, MPI_STATUS_IGNORE);`, true,
		map[string]int64{"send": 2, "irecv": 2, "wait": 2}},
	{"neighbours", `int n = 2, yes = 1; MPI_Cart_create(w, 1, &n, &yes, 0, &c); if (me) usleep(100000); MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Comm_free(&c);`, true,
		map[string]int64{"comm_split": 2, "isend": 4, "irecv": 4, "wait": 8}},
}

// TestTraceOfRareCalls: who waits for whom is in the trace, however it is done.
func TestTraceOfRareCalls(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		var text strings.Builder
		text.WriteString("#include <mpi.h>\n#include <stdlib.h>\n#include <unistd.h>\n#ifdef OPEN_MPI\n#include <mpi-ext.h>\n#define MPI_Allreduce_init MPIX_Allreduce_init\n#endif\n" +
			"int main(int argc, char **argv)\n{\n    int a[4] = {0}, b[4], me, k, at[2];\n    MPI_Request q, r[2];\n    MPI_Comm c, w = MPI_COMM_WORLD;\n" +
			"    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(w, &me);\n    int o = 1 - me;\n    switch (atoi(argv[1])) {\n")
		open := m.name == "Open MPI"
		for i, c := range rareCalls {
			if !open || c.openMPI {
				text.WriteString("    case " + fmt.Sprint(i) + ": { " + c.text + " break; }\n")
			}
		}
		text.WriteString("    }\n    MPI_Finalize();\n    return 0;\n}\n")
		dir := write(t, map[string]string{"rare.c": text.String()})
		exe := filepath.Join(dir, "rare")
		if out, err := command(m.cc, "-std=gnu99", "-g", "-w", filepath.Join(dir, "rare.c"), "-o", exe); err != nil {
			t.Skip(out) // an MPI before version 4
		}
		for i, c := range rareCalls {
			if open && !c.openMPI {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				var out bytes.Buffer
				file := filepath.Join(t.TempDir(), "rare.trace")
				r := Runner{Command: m.ranks("2", exe, fmt.Sprint(i)), Dir: t.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
				result, err := r.Run(context.Background())
				if err != nil || result.Status != 0 {
					t.Fatalf("%v\n%s", err, out.String())
				}
				tr, err := trace.Open(context.Background(), file, 0)
				if err != nil {
					t.Fatalf("%v; notes %q", err, result.Experiment.Notes)
				}
				stat, err := trace.Summarize(context.Background(), tr)
				if err != nil {
					t.Fatal(err)
				}
				for kind, n := range stat.Kinds {
					if want := c.want[kind]; n != want && kind != "compute" && kind != "sleep" && kind != "location" && kind != "init" && kind != "finalize" {
						t.Errorf("%d of %s, want %d (%v)", n, kind, want, stat.Kinds)
					}
				}
				for kind := range c.want {
					if stat.Kinds[kind] == 0 {
						t.Errorf("no %s", kind)
					}
				}
				if waited := tr.InCalls()["MPI_Wait"]; waited > 0.05 {
					t.Errorf("%g s in MPI_Wait are untold", waited)
				}
				if _, err := loggp.Run(context.Background(), tr, loggp.Options{Network: loggp.Ideal()}); err != nil {
					t.Error(err)
				}
			})
		}
	})
}
