package simulate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/platform"
	"auspex/simulate/collective"
	"auspex/trace"
)

// genPhase draws something that all n ranks do together.
func genPhase(t *rapid.T, ranks []strings.Builder) {
	n := len(ranks)
	each := func(format func(i int) string) {
		for i := range ranks {
			ranks[i].WriteString(format(i))
		}
	}
	size := rapid.SampledFrom([]int{1, 300, 8192, 70000, 400000}).Draw(t, "size")
	switch rapid.IntRange(0, 9).Draw(t, "phase") {
	case 0, 1, 2:
		// Whole microseconds: at one nanosecond it is up to rounding whether
		// two events are one instant.
		flops := rapid.SliceOfN(rapid.IntRange(0, 3000), n, n).Draw(t, "flops")
		each(func(i int) string { return fmt.Sprintf("compute %d000;", flops[i]) })
	case 3: // halo exchange on a ring
		each(func(i int) string {
			left, right := (i+n-1)%n, (i+1)%n
			return fmt.Sprintf("irecv %d 1 %d;irecv %d 2 %d;isend %d 1 %d;isend %d 2 %d;waitall;",
				left, size, right, size, right, size, left, size)
		})
	case 4: // a wave from rank to rank
		each(func(i int) string {
			s := ""
			if i > 0 {
				s = fmt.Sprintf("recv %d 3 %d;compute 100000;", i-1, size)
			}
			if i < n-1 {
				s += fmt.Sprintf("send %d 3 %d;", i+1, size)
			}
			return s
		})
	case 5: // who comes first is served first
		each(func(i int) string {
			if i > 0 {
				return fmt.Sprintf("send 0 4 %d;recv 0 5 8;", size)
			}
			s := ""
			for range n - 1 {
				s += fmt.Sprintf("recv %d 4 %d;", trace.AnySource, size)
			}
			for k := 1; k < n; k++ {
				s += fmt.Sprintf("send %d 5 8;", k)
			}
			return s
		})
	case 6:
		each(func(int) string { return fmt.Sprintf("allreduce %d 1000;", size) })
	case 7:
		each(func(int) string { return fmt.Sprintf("alltoall %d %d;", size, size) })
	case 8:
		each(func(i int) string { return fmt.Sprintf("sleep 0.00%d;", i+1) })
	case 9: // messages that lie in a mailbox for a while
		each(func(i int) string {
			left, right := (i+n-1)%n, (i+1)%n
			return fmt.Sprintf("isend %d 6 %d;compute 200000;irecv %d 6 %d;test %d %d 6;waitall;", right, size, left, size, left, i)
		})
	}
}

// genLoops draws a program of loops in loops.
func genLoops(t *rapid.T, n int) []string {
	body := func(least, most int) []strings.Builder {
		ranks := make([]strings.Builder, n)
		for range rapid.IntRange(least, most).Draw(t, "phases") {
			genPhase(t, ranks)
		}
		return ranks
	}
	before, inner, outer, after := body(0, 2), body(1, 3), body(0, 2), body(0, 1)
	innerTimes, outerTimes := rapid.IntRange(1, 12).Draw(t, "inner"), rapid.IntRange(1, 25).Draw(t, "outer")
	ranks := make([]string, n)
	for i := range ranks {
		loop := strings.Repeat(inner[i].String(), innerTimes) + outer[i].String()
		ranks[i] = "init;" + before[i].String() + strings.Repeat(loop, outerTimes) + after[i].String() + "finalize"
	}
	return ranks
}

// TestSkippedIterationsChangeNothing compares replays that skip what repeats
// with replays of every iteration.
func TestSkippedIterationsChangeNothing(t *testing.T) {
	skips := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "ranks")
		loops := genLoops(rt, n)
		tr := traceOf(t, loops...)
		p := cluster(t, n)
		hosts := rapid.SliceOfN(rapid.IntRange(0, n-1), n, n).Draw(rt, "hosts")
		o := Defaults()
		if rapid.Bool().Draw(rt, "overheads") {
			for key, value := range map[string]string{"smpi/or": "0:1e-6:1e-10", "smpi/os": "0:2e-6:0", "smpi/ois": "0:1e-6:0"} {
				if err := o.Set(key, value); err != nil {
					rt.Fatal(err)
				}
			}
		}
		o.PushBelow = int64(rapid.SampledFrom([]int{0, 1000}).Draw(rt, "push"))
		o.Selector = rapid.SampledFrom([]collective.Selector{collective.Default, collective.MPICH}).Draw(rt, "selector")
		got, err := Run(context.Background(), tr, p, hosts, o, Hooks{})
		o.EveryIteration = true
		want, err2 := Run(context.Background(), tr, p, hosts, o, Hooks{})
		if err != nil || err2 != nil {
			rt.Fatal(err, err2)
		}
		if got.Skipped > 0 {
			skips++
		}
		if want.Skipped != 0 {
			rt.Fatalf("%d actions skipped where none should be", want.Skipped)
		}
		slack := tieSlack(t, got, want, loops, p, hosts, o)
		sameResult(rt, got, want, slack)
	})
	if skips == 0 {
		t.Error("nothing was ever skipped")
	}
	t.Logf("%d replays skipped iterations", skips)
}

// tieSlack is how far two results may be apart because rounding decided between events
// a nanosecond apart: the replay of every iteration then changes as much when one rank
// begins later by less than that, or does each of its actions so.
func tieSlack(t testing.TB, got, want *Result, loops []string, p *platform.Platform, hosts []int, o Options) float64 {
	slack := 0.0
	if apart(got, want) <= 1e-10*want.Seconds {
		return slack
	}
	for rank, loop := range loops {
		for _, later := range []struct {
			seconds float64
			times   int
		}{{1e-13, 1}, {1e-12, 1}, {1e-11, 1}, {1e-10, 1}, {1e-14, -1}, {1e-13, -1}, {1e-12, -1}} {
			shifted := slices.Clone(loops)
			shifted[rank] = strings.Replace(loop, ";", fmt.Sprintf(";sleep %g;", later.seconds), later.times)
			moved, err := Run(context.Background(), traceOf(t, shifted...), p, hosts, o, Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			slack = max(slack, 3*apart(moved, want))
		}
	}
	return slack
}

// apart is the largest difference between two results' times of ranks.
func apart(a, b *Result) float64 {
	most := 0.0
	for i, x := range a.Ranks {
		y := b.Ranks[i]
		for _, d := range []float64{x.Finish - y.Finish, x.Compute - y.Compute, x.Sleep - y.Sleep, x.Send - y.Send, x.Recv - y.Recv, x.Wait - y.Wait, x.Collective - y.Collective} {
			most = max(most, math.Abs(d))
		}
	}
	return most
}

// sameResult holds two results to 1e-10 of the run time, and to slack seconds. Events
// within precision of each other are one, so that rounding decides whether a rank
// goes on a nanosecond earlier; then one action is longer by what the next is shorter,
// in each of the up to 300 iterations. So what a rank spends in one kind of action may
// differ by that, and all of it together may not.
func sameResult(t *rapid.T, got, want *Result, slack float64) {
	within := func(what string, a, b, most float64) {
		if math.Abs(a-b) > most {
			t.Errorf("%s: %.15g, replayed singly %.15g", what, a, b)
		}
	}
	near := func(what string, a, b float64) { within(what, a, b, 1e-10*want.Seconds+slack) }
	part := func(what string, a, b float64) { within(what, a, b, 1e-10*want.Seconds+slack+300*precision) }
	all := func(r RankTime) float64 { return r.Compute + r.Sleep + r.Send + r.Recv + r.Wait + r.Collective }
	near("total", got.Seconds, want.Seconds)
	if got.Actions != want.Actions || len(got.Links) != len(want.Links) {
		t.Fatalf("%d actions over %d links, replayed singly %d over %d", got.Actions, len(got.Links), want.Actions, len(want.Links))
	}
	for i, w := range want.Ranks {
		g := got.Ranks[i]
		near("finish", g.Finish, w.Finish)
		near("all actions", all(g), all(w))
		part("compute", g.Compute, w.Compute)
		part("sleep", g.Sleep, w.Sleep)
		part("send", g.Send, w.Send)
		part("receive", g.Recv, w.Recv)
		part("wait", g.Wait, w.Wait)
		part("collective", g.Collective, w.Collective)
	}
	for i, w := range want.Links {
		if g := got.Links[i]; g.Name != w.Name || math.Abs(g.Bytes-w.Bytes) > 1e-12*w.Bytes {
			t.Errorf("%s carries %g bytes, replayed singly %g", w.Name, g.Bytes, w.Bytes)
		}
	}
}

// TestManyIterationsAreFewSteps holds the number of actions replayed singly
// against the loop's length.
func TestManyIterationsAreFewSteps(t *testing.T) {
	const times = 5000
	body := func(i int) string {
		return "init;" + strings.Repeat(fmt.Sprintf("compute 100000;isend %d 1 5000;irecv %d 1 5000;waitall;", (i+1)%4, (i+3)%4), times) + "finalize"
	}
	res := run(t, traceOf(t, body(0), body(1), body(2), body(3)), Defaults(), Hooks{})
	if res.Actions != 4*(4*times+2) {
		t.Errorf("%d actions", res.Actions)
	}
	if singly := res.Actions - res.Skipped; singly > 4*4*8 {
		t.Errorf("%d actions were replayed singly", singly)
	}
}
