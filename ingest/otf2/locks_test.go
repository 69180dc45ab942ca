package otf2

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	timed "auspex/events"
	"auspex/model"
)

// threadEvents are two threads of a rank in a critical section, one after the
// other, and in a barrier; a tick is a nanosecond.
const threadEvents = `
ENTER                                  0                    0  Region: "work" <1>
ENTER                                  1                    0  Region: "work" <1>
ENTER                                  0                  100  Region: "critical" <2>
THREAD_ACQUIRE_LOCK                    0                  100  Model: OPENMP, Lock: 7, Acquisition Order: 1
ENTER                                  1                  150  Region: "critical" <2>
THREAD_RELEASE_LOCK                    0                  400  Model: OPENMP, Lock: 7, Acquisition Order: 1
LEAVE                                  0                  400  Region: "critical" <2>
THREAD_ACQUIRE_LOCK                    1                  410  Model: OPENMP, Lock: 7, Acquisition Order: 2
ENTER                                  0                  450  Region: "barrier" <3>
THREAD_RELEASE_LOCK                    1                  500  Model: OPENMP, Lock: 7, Acquisition Order: 2
LEAVE                                  1                  500  Region: "critical" <2>
ENTER                                  1                  600  Region: "barrier" <3>
LEAVE                                  0                  610  Region: "barrier" <3>
LEAVE                                  1                  610  Region: "barrier" <3>
`

func TestLocksAndBarriers(t *testing.T) {
	d := newDefinitions()
	d.ticks = 1e9
	for id, name := range map[uint64]string{1: "work", 2: "critical", 3: "barrier"} {
		d.regions[id] = &region{Region: model.Region{Name: name}, role: strings.ToUpper(name)}
	}
	a := &Timed{d: d, index: map[uint64]int32{0: 0, 1: 1}, comms: map[uint64]int32{}}
	a.header = timed.Header{Ranks: 1, Locations: []timed.Location{{}, {Thread: 1}}, Comms: [][]int32{nil}}
	var got []string
	r := &timer{t: a, paths: timed.NewPaths(&a.header), locs: make([]timedLocation, 2), visit: func(s *timed.Span) error {
		got = append(got, fmt.Sprintf("%d %s %s %d-%d for %d", s.Loc, timed.CallName(s.Kind), a.header.Paths[s.Path].Name, s.Begin, s.End, s.Peer))
		return nil
	}}
	if err := r.read(t.Context(), newRecords(bufio.NewReader(strings.NewReader(threadEvents)))); err != nil {
		t.Fatal(err)
	}
	want := `0 MPI_Compute work 0-100 for -1
1 MPI_Compute work 0-150 for -1
0 MPI_Compute work/critical 100-400 for -1
1 lock work/critical 150-410 for 0
0 MPI_Compute work 400-450 for -1
1 MPI_Compute work/critical 410-500 for -1
1 MPI_Compute work 500-600 for -1
0 barrier of threads work/barrier 450-610 for -1
1 barrier of threads work/barrier 600-610 for -1`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
