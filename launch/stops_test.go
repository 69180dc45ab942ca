package launch

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"auspex/trace"
)

// TestStopsOf: what the runtime wrote of an event goes to the actions it became, in
// order; what is nonsense is left out.
func TestStopsOf(t *testing.T) {
	var raw []byte
	for _, s := range []struct {
		event, within uint32
		ns, rest      float32
	}{{0, 1, 5e8, 1e9}, {2, 0, 1e9, 0}, {2, 1, 2e9, 0}, {3, 0, float32(math.NaN()), 0}, {3, 1, -1, 0}, {5, 0, 5e8, 0}} {
		raw = binary.LittleEndian.AppendUint32(raw, s.event)
		raw = binary.LittleEndian.AppendUint32(raw, s.within)
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(s.ns))
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(s.rest))
	}
	s := &stops{raw: append(raw, 1, 2, 3)}
	for event := range 7 {
		s.of(event, trace.Stop{Action: int64(10 * event)})
		s.of(event, trace.Stop{Action: int64(10*event + 1), Within: true, Outside: event == 0})
	}
	want := []trace.Stop{{Action: 1, Within: true, Outside: true, Seconds: 0.5, Rest: 1}, {Action: 20, Seconds: 1}, {Action: 21, Within: true, Seconds: 2}, {Action: 50, Seconds: 0.5}}
	if !reflect.DeepEqual(s.list, want) {
		t.Errorf("%+v", s.list)
	}
	(*stops)(nil).of(0, trace.Stop{}) // where nothing is known
	if got := stopsOf([]rankNotes{{stops: s}, {stops: &stops{}}}); len(got) != 2 || got[1] != nil {
		t.Errorf("%v", got)
	}
	for _, other := range []*stops{nil, {cut: true}} {
		if got := stopsOf([]rankNotes{{stops: s}, {stops: other}}); got != nil {
			t.Errorf("not known of all, and yet %v", got)
		}
	}
}

// TestStopsOfCalls: a call that is several events stops once for all of them; one that
// only sends and spins waits for its receiver, and stops for nothing.
func TestStopsOfCalls(t *testing.T) {
	var raw []byte
	for _, s := range []struct {
		event, within uint32
		ns, rest      float32
	}{{2, 3, 1e9, 1e9}, {3, 1, 2e9, 1e9}, {4, 1, 3e9, 0}} {
		raw = binary.LittleEndian.AppendUint32(raw, s.event)
		raw = binary.LittleEndian.AppendUint32(raw, s.within)
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(s.ns))
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(s.rest))
	}
	s := &stops{raw: raw}
	for event := range 5 {
		s.of(event, trace.Stop{Action: int64(10 * event)})
		s.begins(became{int64(10*event + 1), event != 1})
		s.of(event, trace.Stop{Action: int64(10*event + 1), Within: true})
	}
	want := []trace.Stop{{Action: 21, Within: true, Before: 20, Seconds: 1, Rest: 1}, {Action: 41, Within: true, Seconds: 3}}
	if !reflect.DeepEqual(s.list, want) {
		t.Errorf("%+v", s.list)
	}
}

// TestStopsBefore: a stop before an event is of all regions that computed since the
// event before, each by its part; without computation it is the call's.
func TestStopsBefore(t *testing.T) {
	var raw []byte
	for _, event := range []uint32{0, 2} {
		raw = binary.LittleEndian.AppendUint32(raw, event)
		raw = binary.LittleEndian.AppendUint32(raw, 0)
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(2e9))
		raw = binary.LittleEndian.AppendUint32(raw, 0)
	}
	s := &stops{raw: raw}
	s.before(0, 0, []float64{3e8, 1e8})
	s.before(1, 3, []float64{1e8})
	s.before(2, 5, nil)
	want := []trace.Stop{{Action: 0, Seconds: 1.5}, {Action: 1, Seconds: 0.5}, {Action: 5, Seconds: 2}}
	if !reflect.DeepEqual(s.list, want) {
		t.Errorf("%+v", s.list)
	}
	(*stops)(nil).before(0, 0, nil) // where nothing is known
}

// TestOneCore: two ranks that compute at once on one core wait for it.
func TestOneCore(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		// Whoever ends first had the core for 0.2 s, in which the other had it for
		// less than that; and that one then needs the rest.
		waited, stops := 0.0, stopsOnOneCore(t, m, "    compute();\n")
		for _, list := range stops {
			for _, s := range list {
				if !s.Outside {
					waited += s.Seconds
				}
			}
		}
		if waited < 0.02 {
			t.Errorf("two ranks of 0.2 s on one core waited %g s for it: %v", waited, stops)
		}
	})
}

// TestAskingIsNoStop: a rank that looks for a message on the core that the sender
// computes on is not kept from its work.
func TestAskingIsNoStop(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		for _, s := range stopsOnOneCore(t, m, `    if (me == 1) {
        compute();
        MPI_Send(&me, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Probe(1, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
    }
`)[0] {
			if !s.Within && s.Seconds > 0.05 {
				t.Errorf("the rank that asks waited %g s for a core before action %d", s.Seconds, s.Action)
			}
		}
	})
}

// stopsOnOneCore is how long each of two ranks that share a core waited for it in a
// program that does this between two barriers; compute() takes 0.2 s of a core.
func stopsOnOneCore(t *testing.T, m mpi, between string) trace.Stops {
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip("there is no taskset")
	}
	dir := write(t, map[string]string{"turns.c": `#include <mpi.h>
#include <time.h>

static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void compute(void)
{
    for (double since = used(); used() - since < 0.2;)
        ;
}

int main(int argc, char **argv)
{
    int me, message;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Barrier(MPI_COMM_WORLD);
` + between + `    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`})
	exe := filepath.Join(dir, "turns")
	mustCompile(t, m.cc, "-std=gnu99", "-g", "-O1", filepath.Join(dir, "turns.c"), "-o", exe)
	var out bytes.Buffer
	// Each rank by itself: Open MPI's launcher gives ranks cores of its own choice.
	r := Runner{Command: m.ranks("2", "taskset", "-c", "0", exe), Dir: t.TempDir(), Cache: testCache(), Trace: filepath.Join(dir, "turns.trace"), Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil || result.Status != 0 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if result.Stops == nil {
		t.Skip("this kernel does not tell")
	}
	return result.Stops
}
