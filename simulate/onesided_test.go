package simulate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/trace"
)

// windows makes a trace whose ranks also put, get, fence and so on, which text cannot
// say: `put 1 800` puts 800 bytes into the world's rank 1, `lock 1 1` locks it alone.
func windows(ranks ...string) *trace.Trace {
	tr := &trace.Trace{Name: "made"}
	for i, text := range ranks {
		b := trace.NewBuilder(i)
		for _, line := range strings.Split(text, ";") {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			a := trace.Action{Type: trace.Byte, Type2: trace.Byte, Peer: trace.RootUnset}
			for a.Kind = trace.Init; a.Kind.String() != words[0]; a.Kind++ {
			}
			numbers := make([]float64, 3)
			for k, w := range words[1:] {
				numbers[k], _ = strconv.ParseFloat(w, 64)
			}
			peer := int32(numbers[0])
			switch a.Kind {
			case trace.Compute, trace.Sleep:
				a.Value = numbers[0]
			case trace.Put, trace.Get:
				a.Peer, a.Count = peer, int64(numbers[1])
			case trace.Flush, trace.Lock, trace.Unlock:
				a.Peer, a.Tag = peer, int32(numbers[1])
			case trace.Send, trace.Isend, trace.Recv, trace.Irecv:
				a.Peer, a.Tag, a.Count = peer, int32(numbers[1]), int64(numbers[2])
			}
			b.Add(&a)
		}
		tr.Programs = append(tr.Programs, b.Program())
	}
	return tr
}

// finishes are when the ranks of a trace end, each on a host of its own.
func finishes(t *testing.T, tr *trace.Trace) []float64 {
	t.Helper()
	hosts := []int{0, 1, 2, 3}[:tr.NP()]
	res, err := Run(context.Background(), tr, cluster(t, 4), hosts, Defaults(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, r := range res.Ranks {
		out = append(out, r.Finish)
	}
	return out
}

// TestOneSided: a one-sided transfer takes as long as the messages it is made of, and
// needs nothing of its target.
func TestOneSided(t *testing.T) {
	for _, c := range []struct {
		name        string
		own, as     []string // whose first ranks end at the same time
		undisturbed bool     // the second rank ends at once
	}{
		{"put", []string{"put 1 1000000;flush 1 1", ""}, []string{"recv 1 0 1000000", "send 0 0 1000000"}, true},
		{"put and word of it", []string{"put 1 1000000;flush 1 0", ""}, []string{"send 1 0 1000000;recv 1 0 0", "recv 0 0 1000000;send 0 0 0"}, true},
		{"put, and later word of it", []string{"put 1 1000;sleep 1;flush 1 0", ""}, []string{"sleep 1;send 1 0 0;recv 1 0 0", "recv 0 0 0;send 0 0 0"}, true},
		{"get", []string{"get 1 1000000;flush 1", ""}, []string{"send 1 0 0;recv 1 0 1000000", "recv 0 0 0;send 0 0 1000000"}, true},
		{"get hidden by computing", []string{"get 1 1000000;compute 1e9;flush 1", ""}, []string{"compute 1e9", ""}, true},
		{"put into the own window", []string{"put 0 0;flush 0 1"}, []string{"irecv 0 0 0;isend 0 0 0;waitall"}, false},
		{"fence", []string{"put 1 1000000;fence", "fence"}, []string{"recv 1 0 1000000;barrier", "send 0 0 1000000;barrier"}, false},
		{"late at the fence", []string{"put 1 1000000;fence", "sleep 1;fence"}, []string{"barrier", "sleep 1;barrier"}, false},
		{"lock", []string{"lock 1 1;unlock 1", ""}, []string{"send 1 0 0;recv 1 0 0;send 1 0 0;recv 1 0 0", "recv 0 0 0;send 0 0 0;recv 0 0 0;send 0 0 0"}, true},
	} {
		own, as := finishes(t, windows(c.own...)), finishes(t, windows(c.as...))
		if !near(own[0], as[0]) {
			t.Errorf("%s ends at %g s, as messages at %g s", c.name, own[0], as[0])
		}
		if c.undisturbed && own[1] != 0 {
			t.Errorf("%s: the target ends at %g s", c.name, own[1])
		}
	}
}

// TestAnswersInMPI: where a library moves messages only inside MPI, a get waits until its
// target is there, and a put does not.
func TestAnswersInMPI(t *testing.T) {
	o := Defaults()
	o.HoldLarge = true
	for own, least := range map[string]float64{"get 1 8;flush 1": 1, "lock 1 1;unlock 1": 1, "put 1 8;flush 1": 1, "put 1 8;flush 1 1": 0} {
		res, err := Run(context.Background(), windows(own, "compute 1e9;recv 2 0 8", "sleep 1.5;send 1 0 8"), cluster(t, 4), []int{0, 1, 2}, o, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		if finish := res.Ranks[0].Finish; finish < least || finish > least+0.01 {
			t.Errorf("%s ends at %g s, want little after %g s", own, finish, least)
		}
	}
}

// TestLocks: one after the other holds a lock alone, together those who share it.
func TestLocks(t *testing.T) {
	const slack = 1e-5 // small messages that meet
	once := finishes(t, windows("", "lock 0 1;sleep 1;unlock 0"))[1]
	alone := finishes(t, windows("", "lock 0 1;sleep 1;unlock 0", "lock 0 1;sleep 1;unlock 0", "lock 0 0;sleep 1;unlock 0"))
	for i, finish := range alone[1:] {
		if finish < float64(i+1) || finish > float64(i+1)*once+slack {
			t.Errorf("rank %d of those that take turns ends at %g s; one alone takes %g s", i+1, finish, once)
		}
	}
	for i, finish := range finishes(t, windows("", "lock 0 0;sleep 1;unlock 0", "lock 0 0;sleep 1;unlock 0", "lock 0 0;sleep 1;unlock 0"))[1:] {
		if finish < once-slack || finish > once+slack {
			t.Errorf("rank %d of those that share ends at %g s, want %g s", i+1, finish, once)
		}
	}
}

// TestOneSidedMistakes: what cannot be is refused, and who waits forever is named.
func TestOneSidedMistakes(t *testing.T) {
	run := func(ranks ...string) error {
		_, err := Run(context.Background(), windows(ranks...), cluster(t, 4), []int{0, 1, 2, 3}, Defaults(), Hooks{})
		return err
	}
	if err := run("unlock 1", ""); err == nil || !strings.Contains(err.Error(), "nobody has locked the window of rank 1") {
		t.Error(err)
	}
	var stuck *Deadlock
	if err := run("lock 1 1;recv 1 0 8", "sleep 1;lock 1 1"); !errors.As(err, &stuck) || !strings.Contains(err.Error(), "rank 1 in lock waits for rank 1's window to be unlocked") {
		t.Error(err)
	}
	if err := run("fence", "barrier"); err == nil || !strings.Contains(err.Error(), "calls barrier where rank 0 calls fence") {
		t.Error(err)
	}
}

// genWindows draws something one-sided that all ranks do.
func genWindows(t *rapid.T, n int, to []strings.Builder) {
	size := rapid.SampledFrom([]int{1, 8192, 400000}).Draw(t, "size")
	kind := rapid.IntRange(0, 5).Draw(t, "phase")
	flops := rapid.SliceOfN(rapid.IntRange(1, 3000), n, n).Draw(t, "flops")
	for i := range to {
		left, right := (i+n-1)%n, (i+1)%n
		fmt.Fprintf(&to[i], "compute %d000;", flops[i])
		switch kind {
		case 0:
			fmt.Fprintf(&to[i], "put %d %d;put %d %d;fence;", left, size, right, size)
		case 1:
			fmt.Fprintf(&to[i], "get %d %d;compute 50000;fence;", left, size)
		case 2:
			fmt.Fprintf(&to[i], "lock 0 1;get 0 %d;put 0 8;unlock 0;", size)
		case 3:
			fmt.Fprintf(&to[i], "lock %d 0;put %d %d;unlock %d;barrier;", right, right, size, right)
		case 4:
			fmt.Fprintf(&to[i], "put %d %d;sleep 0.01;flush %d 0;", right, size, right)
		case 5: // left open
			fmt.Fprintf(&to[i], "put %d %d;sleep 0.02;", right, size)
		}
	}
}

// TestWindowsInLoops compares replays that skip what repeats with replays of every
// iteration.
func TestWindowsInLoops(t *testing.T) {
	skips := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(rt, "ranks")
		bodies := make([]strings.Builder, n)
		for range rapid.IntRange(1, 3).Draw(rt, "phases") {
			genWindows(rt, n, bodies)
		}
		times := rapid.IntRange(1, 30).Draw(rt, "times")
		ranks := make([]string, n)
		for i := range ranks {
			ranks[i] = strings.Repeat(bodies[i].String(), times) + "flush -555;fence"
		}
		o := Defaults()
		o.HoldLarge = rapid.Bool().Draw(rt, "hold")
		p, hosts := cluster(t, 4), []int{0, 1, 2, 3}
		got, err := Run(context.Background(), windows(ranks...), p, hosts, o, Hooks{})
		o.EveryIteration = true
		want, err2 := Run(context.Background(), windows(ranks...), p, hosts, o, Hooks{})
		if err != nil || err2 != nil {
			rt.Fatal(err, err2)
		}
		if got.Skipped > 0 {
			skips++
		}
		sameResult(rt, got, want, 0)
	})
	if skips == 0 {
		t.Error("nothing was ever skipped")
	}
}

// FuzzWindows: whatever three ranks do to one another's windows ends, in a mistake, in a
// deadlock, or well.
func FuzzWindows(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []byte{2, 2, 5, 5}, []byte{3, 8, 1})
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		ranks := make([]string, 3)
		for i, list := range [][]byte{a, b, c} {
			for _, x := range list[:min(len(list), 100)] {
				peer := x / 16 % 3
				ranks[i] += []string{
					fmt.Sprintf("put %d 3000;", peer), fmt.Sprintf("get %d 3000;", peer), "fence;", fmt.Sprintf("flush %d;", peer),
					fmt.Sprintf("lock %d %d;", peer, x/64%2), fmt.Sprintf("unlock %d;", peer), "compute 1000;", "barrier;",
				}[x%8]
			}
		}
		Run(context.Background(), windows(ranks...), cluster(t, 4), []int{0, 1, 1, 3}, Defaults(), Hooks{})
	})
}
