package p2psap

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// death is how peers are killed: where the first of them stands still meanwhile, and
// whom of n. Where spared, the others have what is needed to go on, whatever the moment;
// otherwise the run may also end with a clear word.
type death struct {
	name, at string
	victims  func(n int) []int
	spared   bool
}

var deaths = []death{
	{"before the first checkpoint", "2", func(n int) []int { return []int{n - 1} }, true},
	{"in the middle", "23", func(n int) []int { return []int{n - 1} }, true},
	{"the first of all", "23", func(int) []int { return []int{0} }, true},
	{"a coordinator", "23", func(n int) []int { return []int{n / 2} }, true},
	{"when it has converged", "converged", func(n int) []int { return []int{n - 1} }, true},
	{"after the end", "end", func(n int) []int { return []int{n - 1} }, true},
	{"the first of all after the end", "end", func(int) []int { return []int{0} }, true},
	{"two far apart", "23", func(n int) []int { return []int{0, n / 2} }, true},
	{"one and a holder of its checkpoint", "23", func(int) []int { return []int{0, 1} }, false},
	{"one and all holders of its checkpoint", "23", func(n int) []int { return []int{n - 1, 0, 1}[:min(n, 3)] }, false},
	{"all", "23", func(n int) (all []int) {
		for r := range n {
			all = append(all, r)
		}
		return all
	}, false},
}

// killedRun runs peers of which some are killed at once, and waits for the end.
func killedRun(t *testing.T, program string, scheme Scheme, n int, d death) (text string, out *Outcome, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	hold, victims := filepath.Join(t.TempDir(), "hold"), d.victims(n)
	var mu sync.Mutex
	process := map[int]*os.Process{}
	var said lines
	o := Options{Clusters: []int{n / 2, n / 2}, Scheme: scheme, Restarts: len(victims), Patience: 2 * time.Minute, Out: &said, Err: &said,
		Command: []string{program, "1e-9", "-1", "0", "checkpoint"},
		Env:     []string{"MEAN_HOLD=" + hold, "MEAN_HOLD_AT=" + d.at, fmt.Sprintf("MEAN_HOLD_ONLY=%d", victims[0]), "MEAN_LAST=0"},
		Started: func(rank, incarnation int, p *os.Process) {
			mu.Lock()
			defer mu.Unlock()
			if incarnation == 0 {
				process[rank] = p
			}
		}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = Run(ctx, o)
	}()
	waitForFile(t, fmt.Sprintf("%s.%d", hold, victims[0]))
	mu.Lock()
	for _, rank := range victims {
		process[rank].Kill()
	}
	mu.Unlock()
	if err := os.WriteFile(hold, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	<-done
	if ctx.Err() != nil {
		t.Fatalf("no end within five minutes:\n%s", said.String())
	}
	return said.String(), out, err
}

// Peers that are killed, one or several at once and at whatever moment, change no
// answer; where what is needed to go on has died with them, the run says so and
// ends.
func TestDeaths(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	for _, d := range deaths {
		for _, n := range []int{2, 4, 8} {
			for _, scheme := range []Scheme{Synchronous, Asynchronous, Hybrid} {
				t.Run(fmt.Sprintf("%s/%d/%s", d.name, n, scheme), func(t *testing.T) {
					text, out, err := killedRun(t, program, scheme, n, d)
					if !d.spared && err != nil && (strings.Contains(text, saysLost) || strings.Contains(text, saysGone) || strings.Contains(text, saysLate)) {
						t.Logf("%v:\n%s", err, text)
						return
					}
					if err != nil || len(out.Replaced) != len(d.victims(n)) {
						t.Fatalf("%v, %+v\n%s", err, out, text)
					}
					checkMean(t, scheme, text, n, 1e-9)
				})
			}
		}
	}
}

// saysLost is what the library says where messages are needed that nobody has.
const saysLost = "messages that it needs again are no longer held by any peer"

// checkMean wants what the peers of testdata/mean.c tell to be the solution, and in
// a synchronous run the steps to be those of one process.
func checkMean(t *testing.T, scheme Scheme, text string, n int, tolerance float64) {
	t.Helper()
	want, steps := meanSolution(n, tolerance)
	for r, got := range readMean(t, text, n) {
		if scheme == Synchronous && got.steps != steps {
			t.Errorf("peer %d made %d steps, want %d", r, got.steps, steps)
		}
		if math.Abs(got.x-want[r]) > 2*tolerance/(1-0.8) {
			t.Errorf("%v peer %d: %v, want %v", scheme, r, got.x, want[r])
		}
	}
}

// A peer that is killed when it has finished, while another has not, cannot be
// replaced: nobody waits for it any more. The run says so at once.
func TestDeathAfterFinish(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	for _, victim := range []int{1, 3} { // the first peer, which still runs, is connected to by others; the rest finish with the victim
		hold := filepath.Join(t.TempDir(), "hold")
		var said lines
		began, killed := time.Now(), make(chan time.Time, 1)
		o := Options{Clusters: []int{2, 2}, Scheme: Asynchronous, Restarts: 1, Patience: 2 * time.Minute, Out: &said, Err: &said,
			Command: []string{program, "1e-9"},
			Env:     []string{"MEAN_HOLD=" + hold, "MEAN_HOLD_AT=end", "MEAN_HOLD_ONLY=0"},
			Started: func(rank, incarnation int, p *os.Process) {
				if rank == victim && incarnation == 0 {
					go func() {
						for !strings.Contains("\n"+said.String(), fmt.Sprintf("\n%d ", victim)) {
							time.Sleep(10 * time.Millisecond)
						}
						// P2P_Finish tells the others in less than all messages before took.
						time.Sleep(max(500*time.Millisecond, time.Since(began)))
						p.Kill()
						killed <- time.Now()
					}()
				}
			}}
		_, err := Run(t.Context(), o)
		died := <-killed
		if err == nil || !strings.Contains(said.String(), "was killed after it had finished with the others") {
			t.Errorf("%v\n%s", err, said.String())
		}
		if took := time.Since(died); took > time.Minute {
			t.Errorf("said after %v", took)
		}
	}
}
