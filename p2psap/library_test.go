package p2psap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built compiles a test program once.
func built(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		tb.Skip("no C compiler")
	}
	out := filepath.Join(tb.TempDir(), name)
	args = append([]string{"-std=gnu11", "-O2", "-Wall", "-Werror", "-o", out}, args...)
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		tb.Fatalf("cc %v: %v\n%s", args, err, text)
	}
	return out
}

// linked compiles a program as users do.
func linked(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skipf("no %s", args[0])
	}
	out := filepath.Join(t.TempDir(), "program")
	command, err := CompilerCommand(t.Context(), t.TempDir(), append(args, "-O2", "-o", out))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(command[0], append(command[1:], "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
	return out
}

// lines is output that several processes write to.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// go test's own limit is the only time in these tests: patience is large.
func runPeers(t *testing.T, o Options) (string, *Outcome, error) {
	t.Helper()
	return startPeers(t, o)()
}

// meanSolution solves what testdata/mean.c iterates, and counts the steps of a
// synchronous iteration.
func meanSolution(n int, tolerance float64) (x []float64, steps int) {
	x = make([]float64, n)
	for change := math.Inf(1); change > tolerance; steps++ {
		next := make([]float64, n)
		change = 0
		for i := range x {
			next[i] = 0.4*(x[(i+n-1)%n]+x[(i+1)%n]) + float64(i+1)
			change = max(change, math.Abs(next[i]-x[i]))
		}
		x = next
	}
	return x, steps
}

type result struct {
	steps, restarts, sent, refused int
	x                              float64
}

func readMean(t *testing.T, text string, n int) []result {
	t.Helper()
	got := make([]result, n)
	found := 0
	for line := range strings.Lines(text) {
		var rank int
		var r result
		if c, _ := fmt.Sscanf(line, "%d %d %f %d %d %d", &rank, &r.steps, &r.x, &r.restarts, &r.sent, &r.refused); c == 6 {
			got[rank], found = r, found+1
		}
	}
	if found != n {
		t.Fatalf("%d of %d peers told their result:\n%s", found, n, text)
	}
	return got
}

func TestSynchronousIsExact(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	for _, clusters := range [][]int{{1}, {2}, {3, 2}} {
		n := 0
		for _, size := range clusters {
			n += size
		}
		if n == 1 {
			continue // a ring of one sends to itself
		}
		text, _, err := runPeers(t, Options{Clusters: clusters, Scheme: Synchronous, Command: []string{program, "1e-9"}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want, steps := meanSolution(n, 1e-9)
		for rank, got := range readMean(t, text, n) {
			if got.steps != steps || math.Abs(got.x-want[rank]) > 1e-11 || got.sent != 2*steps {
				t.Errorf("%v peer %d: %+v, want %d steps to %v and %d messages", clusters, rank, got, steps, want[rank], 2*steps)
			}
		}
	}
}

func TestAsynchronousConverges(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	const tolerance = 1e-6
	for _, scheme := range []Scheme{Asynchronous, Hybrid} {
		for _, clusters := range [][]int{{4}, {2, 2}, {1, 1, 2}} {
			text, _, err := runPeers(t, Options{Clusters: clusters, Scheme: scheme, Command: []string{program, fmt.Sprint(tolerance)}})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			want, _ := meanSolution(4, 1e-13)
			for rank, got := range readMean(t, text, 4) {
				// A contraction by 0.8: within tolerance / (1 - 0.8).
				if math.Abs(got.x-want[rank]) > tolerance/(1-0.8) {
					t.Errorf("%v %v peer %d stopped at %v, the solution is %v", scheme, clusters, rank, got.x, want[rank])
				}
			}
		}
	}
}

// The scheme changes in mid-run, there and back, with messages of the same tags on
// their way.
func TestSchemeChangesInMidRun(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	for _, c := range []struct {
		from    Scheme
		changes string
		last    Scheme
	}{
		{Asynchronous, "30 0", Synchronous},
		{Hybrid, "30 0", Synchronous},
		{Synchronous, "20 1 40 0", Synchronous},
		{Synchronous, "20 2 40 0 50 1", Asynchronous},
		{Asynchronous, "20 0 30 2 40 0 45 1 60 2", Hybrid},
	} {
		text, _, err := runPeers(t, Options{Clusters: []int{2, 2}, Scheme: c.from, Command: []string{program, "1e-9"}, Env: []string{"MEAN_SCHEMES=" + c.changes}})
		if err != nil {
			t.Fatalf("%v, then %s: %v\n%s", c.from, c.changes, err, text)
		}
		want, _ := meanSolution(4, 1e-13)
		got := readMean(t, text, 4)
		for rank := range got {
			if math.Abs(got[rank].x-want[rank]) > 1e-9/(1-0.8) || c.last == Synchronous && got[rank].steps != got[0].steps {
				t.Errorf("%v, then %s: peer %d is at %v after %d steps, the solution is %v", c.from, c.changes, rank, got[rank].x, got[rank].steps, want[rank])
			}
		}
	}
}

// Clusters that have heard nothing of each other are each at an end of their own when
// they change to the synchronous scheme: its first iteration has only what the scheme
// before left, and must not be taken for the end.
func TestFirstIterationAfterAChangeDoesNotEndTheRun(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	for _, scheme := range []Scheme{Asynchronous, Hybrid} {
		text, _, err := runPeers(t, Options{Clusters: []int{2, 2}, Scheme: scheme, Command: []string{program, "1e-9"}, Env: []string{"MEAN_SCHEMES=40 0", "MEAN_DEAF=40"}})
		if err != nil {
			t.Fatalf("%v: %v\n%s", scheme, err, text)
		}
		want, _ := meanSolution(4, 1e-13)
		for rank, got := range readMean(t, text, 4) {
			if math.Abs(got.x-want[rank]) > 1e-9/(1-0.8) {
				t.Errorf("%v: peer %d is at %v after %d steps, the solution is %v", scheme, rank, got.x, got.steps, want[rank])
			}
		}
	}
}

func TestKilledPeerIsReplaced(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	const tolerance = 1e-9
	for _, scheme := range []Scheme{Synchronous, Asynchronous, Hybrid} {
		for _, rank := range []string{"0", "2"} {
			mark := filepath.Join(t.TempDir(), "again")
			text, out, err := runPeers(t, Options{Clusters: []int{2, 2}, Scheme: scheme, Restarts: 1,
				Command: []string{program, fmt.Sprint(tolerance), rank, "23", "checkpoint"}, Env: []string{"MEAN_AGAIN=" + mark}})
			if err != nil || len(out.Replaced) != 1 || fmt.Sprint(out.Replaced[0].Rank) != rank {
				t.Fatalf("%v, peer %s: %v, %+v\n%s", scheme, rank, err, out, text)
			}
			want, steps := meanSolution(4, tolerance)
			for r, got := range readMean(t, text, 4) {
				if scheme == Synchronous && got.steps != steps {
					t.Errorf("peer %d made %d steps, want %d", r, got.steps, steps)
				}
				if math.Abs(got.x-want[r]) > 2*tolerance/(1-0.8) {
					t.Errorf("%v peer %d: %v, want %v", scheme, r, got.x, want[r])
				}
			}
		}
	}
}

func TestDeathEndsTheRun(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	mark := filepath.Join(t.TempDir(), "again")
	_, out, err := runPeers(t, Options{Clusters: []int{3}, Command: []string{program, "1e-9", "1", "5"}, Env: []string{"MEAN_AGAIN=" + mark}})
	if err == nil || !strings.Contains(err.Error(), "peer 1 died") || out.Status != 128+9 {
		t.Fatalf("%v, %+v", err, out)
	}
}

func TestExamples(t *testing.T) {
	obstacle := linked(t, "cc", "../examples/p2psap/obstacle.c")
	for _, scheme := range []Scheme{Synchronous, Asynchronous, Hybrid} {
		text, _, err := runPeers(t, Options{Clusters: []int{2, 1}, Scheme: scheme, Command: []string{obstacle, "10", "1e-5", "10000000", "1"}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		checkExample(t, scheme, text, "alone %d steps, difference %g", 1e-5)
	}
}

func TestFortran(t *testing.T) {
	laplace := linked(t, "gfortran", "../examples/p2psap/laplace.F90")
	for _, scheme := range []Scheme{Synchronous, Hybrid} {
		text, _, err := runPeers(t, Options{Clusters: []int{1, 1}, Scheme: scheme, Command: []string{laplace, "12", "1e-5"}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		checkExample(t, scheme, text[strings.Index(text, "alone"):], "alone %d difference %g", 1e-5)
	}
}

// checkExample reads what an example says of its answer against one process's.
// Both stop where a step changes less than the tolerance, so that either may be
// tolerance / (1 - rate) off, with a rate up to 1 - 1/50 on such small grids.
func checkExample(t *testing.T, scheme Scheme, text, format string, tolerance float64) {
	t.Helper()
	var steps int
	var difference float64
	at := strings.Index(text, "alone")
	if at < 0 {
		t.Fatalf("%v: no comparison in\n%s", scheme, text)
	}
	if _, err := fmt.Sscanf(text[at:], format, &steps, &difference); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if scheme == Synchronous && difference != 0 || difference > 100*tolerance {
		t.Errorf("%v: the answer is off by %g", scheme, difference)
	}
}

func TestOracle(t *testing.T) {
	oracle := built(t, "oracle", "testdata/oracle.c", "runtime/detect.c", "-lm")
	count := 10000
	if testing.Short() {
		count = 1000
	}
	var group sync.WaitGroup
	for half := range 2 {
		group.Go(func() {
			out, err := exec.CommandContext(t.Context(), oracle, fmt.Sprint(1+half*count/2), fmt.Sprint(count/2)).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	out, err := exec.CommandContext(t.Context(), oracle, "1", "50", "naive").CombinedOutput()
	var status *exec.ExitError
	if !errors.As(err, &status) {
		t.Errorf("the oracle finds nothing early where peers only say that they have converged: %s", out)
	}
}

// driven compiles a program of testdata with the whole library, and wants it to
// find nothing wrong.
func driven(t *testing.T, name string) {
	t.Helper()
	sources, err := filepath.Glob("runtime/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no library: %v", err)
	}
	program := built(t, name, append(append([]string{"-Iinclude", "testdata/" + name + ".c"}, sources...), "-lpthread", "-ldl")...)
	if out, err := exec.Command(program).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// Checkpoints wait for messages, not the other way round: at any time at most a
// piece of one is queued, and of those that were made meanwhile only the newest
// travels. (An asynchronous run that left one every ten iterations once took
// fifteen times as long as one that left none.)
func TestCheckpointsDoNotQueue(t *testing.T) { driven(t, "states") }

// A peer says that it has converged when something new came and left it so, and
// not between two messages.
func TestPeersSettleBeforeTheySaySo(t *testing.T) { driven(t, "settle") }

// parser is testdata/packets.c, running.
type parser struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startParser(tb testing.TB) *parser {
	program := built(tb, "packets", "testdata/packets.c", "runtime/packet.c", "runtime/siphash.c")
	cmd := exec.CommandContext(context.Background(), program)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the parser broke: %v", err)
		}
	})
	return &parser{in, bufio.NewReader(out)}
}

func (p *parser) ask(tb testing.TB, what byte, data []byte) []byte {
	tb.Helper()
	question := append(binary.LittleEndian.AppendUint32([]byte{what}, uint32(len(data))), data...)
	if _, err := p.in.Write(question); err != nil {
		tb.Fatal(err)
	}
	var length [4]byte
	if _, err := io.ReadFull(p.out, length[:]); err != nil {
		tb.Fatal(err)
	}
	answer := make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(p.out, answer); err != nil {
		tb.Fatal(err)
	}
	return answer
}

func TestPackets(t *testing.T) {
	p := startParser(t)
	// The vector of the SipHash paper, appendix A: key 00…0f, input 00…0e.
	input := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	if got := binary.LittleEndian.Uint64(p.ask(t, 'H', input)); got != 0xa129ca6149be45e5 {
		t.Errorf("SipHash-2-4 is %x", got)
	}
	for _, payload := range []string{"", "x", strings.Repeat("payload ", 500)} {
		packet := p.ask(t, 'S', []byte(payload))
		if got := p.ask(t, 'O', packet); got[0] != 0 || int(binary.LittleEndian.Uint32(got[2:])) != len(payload) {
			t.Errorf("a packet of %d bytes is not taken: %v", len(payload), got)
		}
		for at := range min(len(packet), 200) {
			damaged := bytes.Clone(packet)
			damaged[at] ^= 0x10
			if got := p.ask(t, 'O', damaged); got[0] == 0 {
				t.Errorf("a packet with byte %d damaged is taken", at)
			}
		}
		for size := range min(len(packet), 100) {
			if got := p.ask(t, 'O', packet[:size]); got[0] == 0 {
				t.Errorf("%d bytes of a packet are taken", size)
			}
		}
		other := bytes.Clone(packet)
		other[4] = version + 1
		if got := p.ask(t, 'O', other); got[0] != 3 {
			t.Errorf("a packet of another version: %v", got)
		}
	}
}

func FuzzPacket(f *testing.F) {
	p := startParser(f)
	f.Add([]byte{})
	f.Add([]byte("P2PS"))
	f.Add(p.ask(f, 'S', []byte("payload")))
	var one sync.Mutex
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		one.Lock()
		defer one.Unlock()
		if got := p.ask(t, 'O', data); got[0] == 0 && len(data) < 64 {
			t.Errorf("%d bytes are no packet", len(data))
		}
	})
}
