package simulate

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// answersRun replays two ranks with the options that answers.go is about.
func answersRun(t *testing.T, o Options, ranks ...string) *Result {
	t.Helper()
	o.CrossTraffic, o.BandwidthFactor, o.LatencyFactor = false, nil, nil
	r, err := Run(context.Background(), traceOf(t, ranks...), cluster(t, 2), []int{0, 1}, o, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Large messages both ways pass at once where both ranks come to them together or
// from computation, and one after the other where one has seen the announcement of
// the other before.
func TestAnswersInOrder(t *testing.T) {
	const big = "1000000"
	exchange := func(peer string) string { return "; sendRecv " + big + " " + peer + " " + big + " " + peer + " 6 6" }
	o := Defaults()
	o.InOrder = true
	once := answersRun(t, o, "init"+exchange("1"), "init"+exchange("0")).Seconds
	late := answersRun(t, o, "init"+exchange("1"), "init; sleep 0.001"+exchange("0")).Seconds
	if late > 0.001+1.1*once {
		t.Errorf("an exchange takes %g s, and %g s with a rank that comes 1 ms later from computation", once, late)
	}
	// The message of 1 byte keeps rank 1 inside MPI while rank 0 announces its own.
	early := "init; irecv 1 0 " + big + " 6; isend 1 0 " + big + " 6; sleep 0.001; send 1 3 1 6; waitall"
	seen := "init; recv 0 3 1 6; irecv 0 0 " + big + " 6; isend 0 0 " + big + " 6; waitall"
	after := answersRun(t, o, early, seen).Seconds - 0.001
	o.InOrder = false
	without := answersRun(t, o, early, seen).Seconds - 0.001
	if after < 1.8*once || without > 1.2*once {
		t.Errorf("an exchange takes %g s; with an announcement that was seen %g s, without order %g s", once, after, without)
	}
}

// An announcement does not overtake what its rank has sent before: who leaves a call
// when that has come has not seen it. The small message is slow, as one after
// computation is, and its sender is done with it at once.
func TestAnnouncementsDoNotOvertake(t *testing.T) {
	const big = "1000000"
	o := Defaults()
	o.InOrder = true
	o.Cold, o.Cooling = []Segment{{Values: []float64{1e-3, 0}}}, 1e-9
	exchange := func(peer string) string {
		return "; irecv " + peer + " 0 " + big + " 6; isend " + peer + " 0 " + big + " 6; waitall"
	}
	both := answersRun(t, o, "init; sleep 0.1; send 1 3 1 6"+exchange("1"), "init; recv 0 3 1 6"+exchange("0")).Seconds
	o.InOrder = false
	if without := answersRun(t, o, "init; sleep 0.1; send 1 3 1 6"+exchange("1"), "init; recv 0 3 1 6"+exchange("0")).Seconds; both > 1.01*without {
		t.Errorf("an exchange right after a small message takes %g s, without order %g s", both, without)
	}
}

// An announcement behind a large message comes with its last byte, and who waits for
// that sees both: the messages of an exchange then go one after the other.
func TestAnnouncementsComeWithData(t *testing.T) {
	const big = "1000000"
	o := Defaults()
	o.InOrder, o.Leaves = true, 1<<30
	exchange := func(peer string) string {
		return "; irecv " + peer + " 1 " + big + " 6; isend " + peer + " 1 " + big + " 6; waitall"
	}
	sender, receiver := "init; send 1 0 "+big+" 6"+exchange("1"), "init; recv 0 0 "+big+" 6"
	one := answersRun(t, o, "init; send 1 0 "+big+" 6", receiver).Seconds
	seen := answersRun(t, o, sender, receiver+exchange("0")).Seconds
	// A computation between does not look for messages, but the call before it did.
	later := answersRun(t, o, sender, receiver+"; sleep 0.001"+exchange("0")).Seconds - 0.001
	unseen := answersRun(t, o, sender, "init; irecv 0 0 "+big+" 6"+exchange("0")).Seconds
	if seen < 2.8*one || later < 2.8*one || unseen > 2.2*one {
		t.Errorf("a message takes %g s; with an exchange after it %g s, after a computation %g s, where nobody waits for the first %g s", one, seen, later, unseen)
	}
}

// A sender is done with what the system takes over.
func TestLeaves(t *testing.T) {
	ranks := []string{"init; send 1 0 1000000 6; send 1 0 1000000 6", "init; irecv 0 0 1000000 6; irecv 0 0 1000000 6; waitall"}
	o := Defaults()
	waits := answersRun(t, o, ranks...)
	o.Leaves = 1500000
	leaves := answersRun(t, o, ranks...)
	if d := leaves.Ranks[1].Finish/waits.Ranks[1].Finish - 1; d > 0.02 || d < -0.02 {
		t.Errorf("the receiver is done after %g s instead of %g s", leaves.Ranks[1].Finish, waits.Ranks[1].Finish)
	}
	// The second does not fit beside the first.
	if first, both := leaves.Ranks[0].Finish, waits.Ranks[0].Finish; first > 1.01*both || first < 0.9*both {
		t.Errorf("the sender is done after %g s; where it waits, after %g s", first, both)
	}
	// Of one that is larger the last bytes do.
	o.Leaves = 250000
	one := []string{"init; send 1 0 1000000 6", "init; recv 0 0 1000000 6"}
	if r := answersRun(t, o, one...); r.Ranks[0].Finish < 0.74*r.Ranks[1].Finish || r.Ranks[0].Finish > 0.76*r.Ranks[1].Finish {
		t.Errorf("the sender is done after %g s of the %g s that all takes, with a quarter left", r.Ranks[0].Finish, r.Ranks[1].Finish)
	}
	o.Leaves = 1 << 30
	if all := answersRun(t, o, ranks...); all.Ranks[0].Finish > 0.1*waits.Ranks[0].Finish {
		t.Errorf("the sender is done after %g s though everything fits", all.Ranks[0].Finish)
	}
}

// The last bytes of messages that a link holds back together take what they would take:
// all is there at the same time, and each sender is done before its message is.
func TestLeavesInACrowd(t *testing.T) {
	const senders = 600
	ranks := []string{"init"}
	for i := 1; i <= senders; i++ {
		ranks[0] += fmt.Sprintf("; irecv %d 0 %d 6", i, 100000+i)
		ranks = append(ranks, fmt.Sprintf("init; send 0 0 %d 6", 100000+i))
	}
	ranks[0] += "; waitall"
	hosts := make([]int, senders+1)
	for i := range hosts {
		hosts[i] = i
	}
	run := func(leaves int64) *Result {
		o := Defaults()
		o.CrossTraffic, o.BandwidthFactor, o.LatencyFactor, o.Leaves, o.EagerBelow = false, nil, nil, leaves, 0
		r, err := Run(context.Background(), traceOf(t, ranks...), cluster(t, senders+1), hosts, o, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, early := run(0), run(30000)
	if d := early.Seconds/all.Seconds - 1; math.Abs(d) > 1e-6 {
		t.Errorf("%g s instead of %g s", early.Seconds, all.Seconds)
	}
	for i := 1; i <= senders; i++ {
		if share := early.Ranks[i].Finish / all.Ranks[i].Finish; share < 0.65 || share > 0.75 {
			t.Fatalf("rank %d is done after %g s, its message after %g s", i, early.Ranks[i].Finish, all.Ranks[i].Finish)
		}
	}
}
