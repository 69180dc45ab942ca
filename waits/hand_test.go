package waits_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"auspex/events"
	"auspex/trace"
	"auspex/waits"
)

// written is a trace written down by hand, a span a line:
//
//	rank kind region begin end [->peer | <-peer | done->peer][@posted][#tag] [root=n] [comm=n] [thread=n] [holder=n]
type written struct {
	header events.Header
	spans  []events.Span
}

func (w *written) Header() *events.Header { return &w.header }

func (w *written) Each(_ context.Context, visit func(*events.Span) error) error {
	for i := range w.spans {
		if err := visit(&w.spans[i]); err != nil {
			return err
		}
	}
	return nil
}

var kinds = map[string]trace.Kind{
	"compute": trace.Compute, "pause": events.Pause, "send": trace.Send, "isend": trace.Isend, "recv": trace.Recv, "irecv": trace.Irecv,
	"sendrecv": trace.SendRecv, "wait": trace.Wait, "waitall": trace.WaitAll, "barrier": trace.Barrier, "bcast": trace.Bcast, "reduce": trace.Reduce,
	"allreduce": trace.Allreduce, "alltoall": trace.Alltoall, "gather": trace.Gather, "scatter": trace.Scatter, "allgather": trace.Allgather,
	"scan": trace.Scan, "exscan": trace.Exscan,
	"put": trace.Put, "get": trace.Get, "fence": trace.Fence, "flush": trace.Flush, "winlock": trace.Lock,
	"omp": events.ThreadBarrier, "lock": events.Lock,
}

func ns(t *testing.T, text string) int64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(math.Round(v * 1e9))
}

func write(t *testing.T, text string, comms ...[]int32) *written {
	w := &written{header: events.Header{Name: "by hand", Comms: append([][]int32{nil}, comms...)}}
	paths := events.NewPaths(&w.header)
	type place struct{ rank, thread int32 }
	seen := map[place]bool{}
	var of []place
	for line := range strings.Lines(strings.TrimSpace(text)) {
		f := strings.Fields(line)
		rank, _ := strconv.Atoi(f[0])
		s := events.Span{Kind: kinds[f[1]], Path: paths.Of(events.Path{Name: f[2]}), Begin: ns(t, f[3]), End: ns(t, f[4]), Root: -1, Peer: -1}
		at := place{rank: int32(rank)}
		for _, extra := range f[5:] {
			key, value, _ := strings.Cut(extra, "=")
			n, _ := strconv.Atoi(value)
			switch key {
			case "root":
				s.Root = int32(n)
			case "comm":
				s.Comm = int32(n)
			case "thread":
				at.thread = int32(n)
			case "holder":
				s.Peer = int32(n)
			default:
				s.Messages = append(s.Messages, half(t, extra, &s))
			}
		}
		seen[at] = true
		of = append(of, at)
		w.spans = append(w.spans, s)
	}
	places := make([]place, 0, len(seen))
	for p := range seen {
		places = append(places, p)
	}
	sort.Slice(places, func(i, j int) bool {
		return places[i].rank < places[j].rank || places[i].rank == places[j].rank && places[i].thread < places[j].thread
	})
	for _, p := range places {
		w.header.Locations = append(w.header.Locations, events.Location{Rank: p.rank, Thread: p.thread})
		w.header.Ranks = max(w.header.Ranks, int(p.rank)+1)
	}
	for i := range w.spans {
		w.spans[i].Loc = int32(slices.Index(places, of[i]))
	}
	sort.SliceStable(w.spans, func(i, j int) bool { return w.spans[i].End < w.spans[j].End })
	return w
}

func half(t *testing.T, text string, s *events.Span) events.Half {
	h := events.Half{Posted: s.Begin}
	text, tag, ok := strings.Cut(text, "#")
	if ok {
		n, _ := strconv.Atoi(tag)
		h.Tag = int32(n)
	}
	text, posted, ok := strings.Cut(text, "@")
	if ok {
		h.Posted = ns(t, posted)
	}
	var peer string
	switch {
	case strings.HasPrefix(text, "done->"):
		h.Side, peer = events.SendDone, text[6:]
	case strings.HasPrefix(text, "->"):
		h.Side, peer = events.Sent, text[2:]
	case strings.HasPrefix(text, "<-"):
		h.Side, peer = events.Received, text[2:]
	default:
		t.Fatalf("%q is no message", text)
	}
	n, err := strconv.Atoi(peer)
	if err != nil {
		t.Fatal(err)
	}
	h.Peer = int32(n)
	return h
}

// told writes a report as the tests expect it: a row a line, causes behind it.
func told(r *waits.Report) string {
	var b strings.Builder
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%s %s %.4g:", row.Pattern, row.Region, row.Seconds)
		for _, c := range row.Causes {
			fmt.Fprintf(&b, " %s%v=%.4g", c.Region, c.Ranks, c.Seconds)
			if d := c.Direct; d < c.Seconds-1e-9 {
				fmt.Fprintf(&b, "(%.4g)", d)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// hand are traces whose waits were worked out on paper; each comment says how.
var hand = []struct{ name, trace, want string }{
	{ // The receive of rank 1 begins at 1, the send of rank 0 at 3: 2 s. Since the start rank 0 spent 3 s in A, rank 1 1 s in A: A was 2 s longer.
		"late sender",
		"0 compute A 0 3\n0 send S 3 3.1 ->1\n1 compute A 0 1\n1 recv R 1 3.2 <-0",
		"late_sender R 2: A[0]=2",
	},
	{ // Rank 0 had A for 2 and B for 1, rank 1 A for 1: excess 1 of A and 1 of B; 2 s shared half and half.
		"late sender by two regions",
		"0 compute A 0 2\n0 compute B 2 3\n0 send S 3 3.1 ->1\n1 compute A 0 1\n1 recv R 1 3.2 <-0",
		"late_sender R 2: A[0]=1 B[0]=1",
	},
	{ // Rank 1 does 1 s of C that rank 0 does not: that is no cause. Excess A 3: all 2 s.
		"what the waiting one does more counts not",
		"0 compute A 0 3\n0 send S 3 3.1 ->1\n1 compute C 0 1\n1 recv R 1 3.2 <-0",
		"late_sender R 2: A[0]=2",
	},
	{ // The send comes first: nobody waits.
		"no wait",
		"0 compute A 0 1\n0 send S 1 1.1 ->1\n1 compute A 0 2\n1 recv R 2 2.1 <-0",
		"",
	},
	{ // A receive that was started at 0.5 and completed by a wait from 1 on: it waits from 1 to 3.
		"late sender in MPI_Wait",
		"0 compute A 0 3\n0 send S 3 3.1 ->1\n1 compute A 0 0.5\n1 irecv I 0.5 0.5\n1 compute A 0.5 1\n1 wait W 1 3.2 <-0@0.5",
		"late_sender W 2: A[0]=2",
	},
	{ // Two senders at 2 and 4; the later one counts: from 1 to 4. It did A for 4, the waiting one for 1.
		"waitall waits for the latest",
		"0 compute A 0 2\n0 send S 2 2.1 ->2\n1 compute A 0 4\n1 send S 4 4.1 ->2\n2 compute A 0 1\n2 waitall W 1 4.2 <-0 <-1",
		"late_sender W 3: A[1]=3",
	},
	{ // The send begins at 1 and can end only after the receive was posted at 3.
		"late receiver",
		"0 compute A 0 1\n0 send S 1 3.2 ->1\n1 compute A 0 3\n1 recv R 3 3.2 <-0",
		"late_receiver S 2: A[1]=2",
	},
	{ // The send left without its receiver: it ended before the receive began.
		"an eager send does not wait",
		"0 compute A 0 1\n0 send S 1 1.1 ->1\n0 compute A 1.1 5\n1 compute A 0 3\n1 recv R 3 3.2 <-0",
		"",
	},
	{ // A non-blocking send whose wait begins at 2, the receive at 4.
		"late receiver in MPI_Wait",
		"0 compute A 0 1\n0 isend I 1 1 ->1\n0 compute A 1 2\n0 wait W 2 4.1 done->1\n1 compute A 0 4\n1 recv R 4 4.1 <-0",
		"late_receiver W 2: A[1]=2",
	},
	{ // Both exchange a message. That of 0 was there when 1 came: it brings nobody into step, and A counts from the start.
		"an exchange",
		"0 compute A 0 1\n0 isend I 1 1 ->1\n0 waitall W 1 3 <-1\n1 compute A 0 3\n1 isend I 3 3 ->0\n1 waitall W 3 3 <-0",
		"late_sender W 2: A[1]=2",
	},
	{ // As by a send-receive; 1 is 1 s longer at A, and 2 s longer at B in the next step.
		"two exchanges",
		"0 compute A 0 1\n0 sendrecv X 1 2 ->1 <-1\n0 sendrecv X 2 4 ->1 <-1\n1 compute A 0 2\n1 sendrecv X 2 2 ->0 <-0\n1 compute B 2 4\n1 sendrecv X 4 4 ->0 <-0",
		"late_sender X 3: B[1]=2 A[1]=1",
	},
	{ // Rank 1 takes a message that was there already: at the barrier it is late by A.
		"a message that was there",
		"0 compute A 0 1\n0 send S 1 1 ->1\n0 barrier X 1 2\n1 compute A 0 2\n1 recv R 2 2 <-0\n1 barrier X 2 2",
		"wait_barrier X 1: A[1]=1",
	},
	{ // Rank 1 sends at 4 and takes what 0 sent from 4 on: 0 waits from 1 to 4, once.
		"one wait for a sender that is the receiver too",
		"0 compute A 0 1\n0 isend I 1 1 ->1\n0 waitall W 1 4 <-1 done->1\n1 compute A 0 4\n1 irecv V 4 4\n1 isend I 4 4 ->0\n1 waitall W 4 4 <-0 done->0",
		"late_sender W 3: A[1]=3",
	},
	{ // Rank 0 waits from 1 to 2 for what 1 sends, then to 4 until 2 takes what was sent to it.
		"first for a sender, then for a receiver",
		"0 compute A 0 1\n0 isend I 1 1 ->2\n0 waitall W 1 4 <-1 done->2\n1 compute A 0 2\n1 send S 2 2 ->0\n2 compute B 0 4\n2 recv R 4 4 <-0",
		"late_receiver W 2: B[2]=2\nlate_sender W 1: A[1]=1",
	},
	{ // A message of 0 left at once, and nobody waits for it to be sent; the call at 2 waits for the other one.
		"late receiver of the second of two messages",
		"0 compute A 0 1\n0 isend I 1 1 ->1\n0 compute A 1 2\n0 sendrecv X 2 4 ->1 done->1@2\n1 compute A 0 3\n1 recv R 3 3 <-0\n1 compute B 3 4\n1 recv R 4 4 <-0",
		"late_receiver X 2: A[1]=1 B[1]=1",
	},
	{ // A send-receive round three ranks waits for its message from 1 to 2, and then until the next rank takes its own.
		"late receiver in MPI_Sendrecv",
		"0 compute A 0 1\n0 sendrecv X 1 4 ->1 <-2\n1 compute A 0 4\n1 sendrecv X 4 4 ->2 <-0\n2 compute A 0 2\n2 sendrecv X 2 4 ->0 <-1",
		"late_sender X 3: A[1 2]=3\nlate_receiver X 2: A[1]=2",
	},
	{ // Its own message comes at 3, and it goes on before the next rank takes what it sent.
		"a send-receive that does not wait for its receiver",
		"0 compute A 0 1\n0 sendrecv X 1 3 ->1 <-2\n1 compute A 0 4\n1 recv X 4 4 <-0\n2 compute A 0 3\n2 send X 3 3 ->0",
		"late_sender X 2: A[2]=2",
	},
	{ // Rank 1 is ready to receive at 3: what it does from then on delays nobody.
		"late receiver that computes on",
		"0 compute A 0 1\n0 send S 1 3 ->1\n1 compute A 0 3\n1 irecv I 3 3\n1 compute C 3 9\n1 wait W 9 9 <-0@3",
		"late_receiver S 2: A[1]=2",
	},
	{ // All wait for A of 0, rank 2 by way of 1. Rank 0 does B for 1 s and sends to 2, which waits for that alone.
		"what both have waited for already",
		"0 compute A 0 3\n0 send S 3 3 ->1\n0 compute B 3 4\n0 send S 4 4 ->2\n1 recv R 0 3 <-0\n1 send S 3 3 ->2\n2 recv R 0 3 <-1\n2 recv R 3 4 <-0",
		"late_sender R 7: A[0]=6(3) B[0]=1",
	},
	{ // Rank 2 delays 1, and that 0, by A; 0 then delays 2 by B: A of 2 is no cause of its own wait.
		"what comes back to the one that waits",
		"2 compute A 0 3\n2 send S 3 3 ->1\n1 recv R 0 3 <-2\n1 send S 3 3 ->0\n0 recv R 0 3 <-1\n0 compute B 3 4\n0 send S 4 4 ->2\n2 recv R 3 4 <-0",
		"late_sender R 7: A[2]=6(3) B[0]=1",
	},
	{ // Rank 1 leaves the barrier a second after rank 0, which then waits for that.
		"late by the call in which they met",
		"0 compute A 0 1\n0 barrier X 1 1\n0 recv R 1 2 <-1\n1 compute A 0 1\n1 barrier X 1 2\n1 send S 2 2 ->0",
		"late_sender R 1: X[1]=1\ncompletion X 1: X[1]=1",
	},
	{ // Rank 2 receives from 1 (sent at 3) while the message of 0 (sent at 1) lies there.
		"wrong order",
		"0 compute A 0 1\n0 send S 1 1.1 ->2\n1 compute A 0 3\n1 send S 3 3.1 ->2\n2 compute A 0 2\n2 recv R 2 3.2 <-1\n2 recv R 3.2 3.3 <-0",
		"wrong_order R 1: A[1]=1",
	},
	{ // Enter at 1, 2, 4: waits 3 and 2 for rank 2, which did A 3 and 2 s longer.
		"wait at n×n",
		"0 compute A 0 1\n0 allreduce N 1 4\n1 compute A 0 2\n1 allreduce N 2 4\n2 compute A 0 4\n2 allreduce N 4 4",
		"wait_nxn N 5: A[2]=5",
	},
	{ // All leave together but rank 1, half a second after the first.
		"completion",
		"0 compute A 0 1\n0 allreduce N 1 1.5\n1 compute A 0 1\n1 allreduce N 1 2",
		"completion N 0.5: N[1]=0.5",
	},
	{
		"wait at barrier",
		"0 compute A 0 1\n0 barrier B 1 4\n1 compute A 0 4\n1 barrier B 4 4",
		"wait_barrier B 3: A[1]=3",
	},
	{
		"wait at fence",
		"0 compute A 0 1\n0 fence F 1 4\n1 compute A 0 4\n1 fence F 4 4",
		"wait_fence F 3: A[1]=3",
	},
	{ // Rank 1 opens its window at 3.
		"late post",
		"0 compute A 0 1\n0 recv x/MPI_Win_start 1 3.1 <-1\n1 compute A 0 3\n1 isend x/MPI_Win_post 3 3 ->0",
		"late_post x/MPI_Win_start 2: A[1]=2",
	},
	{ // Rank 1 is done with the window of rank 0 at 3.5, and says so at 6.
		"early wait and late complete",
		"0 compute A 0 1\n0 recv x/MPI_Win_wait 1 6.1 <-1\n1 compute A 0 3\n1 put P 3 3.5\n1 compute B 3.5 6\n1 isend x/MPI_Win_complete 6 6 ->0",
		"early_wait x/MPI_Win_wait 2.5: A[1]=2 P[1]=0.5\nlate_complete x/MPI_Win_wait 2.5: B[1]=2.5",
	},
	{ // Rank 1 has the window until 5.
		"window lock",
		"0 compute A 0 1\n1 winlock L 0 0\n1 compute B 0 5\n0 winlock L 1 5 holder=1",
		"window_lock L 4: B[1]=4",
	},
	{ // The root enters at 1, the last of the others at 3; the others need not wait.
		"early reduce",
		"0 compute A 0 1\n0 reduce R 1 3.1 root=0\n1 compute A 0 2\n1 reduce R 2 2.1 root=0\n2 compute A 0 3\n2 reduce R 3 3.1 root=0",
		"early_reduce R 2: A[2]=2",
	},
	{
		"early gather",
		"0 compute A 0 3\n0 gather R 3 3.1 root=1\n1 compute A 0 1\n1 gather R 1 3.1 root=1",
		"early_reduce R 2: A[0]=2",
	},
	{ // Rank 1 waits for rank 0; rank 3 for rank 2, which was later than rank 0. Rank 2 waits for nobody.
		"early scan",
		"0 compute A 0 2\n0 scan S 2 2.1\n1 compute A 0 1\n1 scan S 1 2.1\n2 compute A 0 4\n2 scan S 4 4.1\n3 compute A 0 3\n3 scan S 3 4.1",
		"early_scan S 2: A[0 2]=2",
	},
	{ // A scan that all enter in turn, and in which the last rank comes last.
		"scan in time",
		"0 compute A 0 1\n0 scan S 1 1.1\n1 compute A 0 2\n1 scan S 2 2.1\n2 compute A 0 3\n2 scan S 3 3.1",
		"",
	},
	{ // The root enters at 3; the others wait from 1 and 2 on.
		"late broadcast",
		"0 compute A 0 3\n0 bcast B 3 3.1 root=0\n1 compute A 0 1\n1 bcast B 1 3.1 root=0\n2 compute A 0 2\n2 bcast B 2 3.1 root=0",
		"late_broadcast B 3: A[0]=3",
	},
	{ // A broadcast whose root came first: a late rank holds nobody up.
		"broadcast in time",
		"0 compute A 0 1\n0 bcast B 1 1.1 root=0\n1 compute A 0 3\n1 bcast B 3 3.1 root=0",
		"",
	},
	{
		"late scatter",
		"0 compute A 0 1\n0 scatter B 1 3.1 root=1\n1 compute A 0 3\n1 scatter B 3 3.1 root=1",
		"late_broadcast B 2: A[1]=2",
	},
	{ // Threads 0 and 1 of one rank: 2 s.
		"OpenMP barrier",
		"0 compute A 0 1\n0 omp O 1 3\n0 compute A 0 3 thread=1\n0 omp O 3 3 thread=1",
		"openmp_barrier O 2: A[0]=2",
	},
	{ // Thread 1 waits from 1 to 3 for the lock that thread 0 holds while in A.
		"lock",
		"0 compute A 0 3\n0 compute B 0 1 thread=1\n0 lock L 1 3 thread=1 holder=0",
		"openmp_lock L 2: A[0]=2",
	},
	{ // A chain of three: 0 is late for 1 (2 s: A 3 against 1), and 1 therefore for 2. Rank 2 enters at 1, rank 1 sends at 4: 3 s. Rank 1 did A 1 (as rank 2), its receive 0.1, C 0.9, and waited 2: shares of 3 s: 0.1, 0.9 and 2; the last is passed on to A of rank 0.
		"a chain of three",
		"0 compute A 0 3\n0 send S 3 3.05 ->1\n1 compute A 0 1\n1 recv R 1 3.1 <-0\n1 compute C 3.1 4\n1 send S 4 4.1 ->2\n2 compute A 0 1\n2 recv R 1 4.1 <-1",
		"late_sender R 5: A[0]=4(2) C[1]=0.9 R[1]=0.1",
	},
	{ // A chain of three with nothing but waiting in the middle: all falls to the first.
		"a chain that only passes on",
		"0 compute A 0 3\n0 send S 3 3 ->1\n1 recv R 0 3 <-0\n1 send S 3 3 ->2\n2 recv R 0 3 <-1",
		"late_sender R 6: A[0]=6(3)",
	},
	{ // A chain through collectives: rank 2 is late for 0 by a message; then 0 is late at the barrier. Barrier: 1 and 2 enter at 2 and 3.1, 0 at 4. Against 1 (A 2, waits none): rank 0 did A 1, recv 0.1, waited 2, then B 0.9. Excess: R 0.1, B 0.9, W 2, of A none. Wait 2: R 2·0.1/3, B 2·0.9/3, passed on 2·2/3 to A of 2. Rank 2 against 0 since their message (at 3.1 of 0, 3 of 2): 0 did B 0.9, 2 did A 0.1 (until 3.1): wait 0.9 to B.
		"a chain into a barrier",
		"0 compute A 0 1\n0 recv R 1 3.1 <-2\n0 compute B 3.1 4\n0 barrier X 4 4\n1 compute A 0 2\n1 barrier X 2 4\n2 compute A 0 3\n2 send S 3 3 ->0\n2 compute A 3 3.1\n2 barrier X 3.1 4",
		"wait_barrier X 2.9: B[0]=1.5 A[2]=1.333(0) R[0]=0.06667\nlate_sender R 2: A[2]=2",
	},
	{ // The delay before a common barrier is forgotten after it: A 3 against 1 counts at the barrier, B 1 against 0 at the receive.
		"only since the last synchronisation",
		"0 compute A 0 3\n0 barrier X 3 3\n0 compute B 3 4\n0 send S 4 4 ->1\n1 compute A 0 1\n1 barrier X 1 3\n1 recv R 3 4 <-0",
		"wait_barrier X 2: A[0]=2\nlate_sender R 1: B[0]=1",
	},
	{ // Rank 1 is at nothing longer than rank 0: the clocks say so, and its call is to blame.
		"nothing that was longer",
		"0 recv R 0 1 <-1\n1 send S 1 1 ->0",
		"late_sender R 1: S[1]=1",
	},
	{ // A barrier of ranks 1 and 2 alone; rank 0 has no part in it.
		"a communicator of some",
		"0 compute A 0 9\n1 compute A 0 1\n1 barrier X 1 2 comm=1\n2 compute A 0 2\n2 barrier X 2 2 comm=1",
		"wait_barrier X 1: A[2]=1",
	},
}

func TestByHand(t *testing.T) {
	for _, c := range hand {
		t.Run(c.name, func(t *testing.T) {
			w := write(t, c.trace, []int32{1, 2})
			r, err := waits.Analyze(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(told(r)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			balanced(t, r)
		})
	}
}

// balanced makes sure that the causes of every row add up to its waits.
func balanced(t interface {
	Helper()
	Errorf(string, ...any)
}, r *waits.Report) {
	t.Helper()
	for _, row := range r.Rows {
		sum := 0.0
		for _, c := range row.Causes {
			sum += c.Seconds
		}
		if math.Abs(sum-row.Seconds) > 1e-9+1e-9*row.Seconds {
			t.Errorf("%s at %s: the causes of %g s add up to %g s", row.Pattern, row.Region, row.Seconds, sum)
		}
	}
}

// record keeps the spans of a source.
func record(t testing.TB, src events.Source) *written {
	w := &written{}
	err := src.Each(t.Context(), func(s *events.Span) error {
		kept := *s
		kept.Messages = slices.Clone(s.Messages)
		w.spans = append(w.spans, kept)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.header = *src.Header()
	return w
}

// TestMoreThanListed: a communicator in which more ranks meet than it names
// breaks nothing; those that are named are judged.
func TestMoreThanListed(t *testing.T) {
	src := write(t, `
0 compute A 0 1
1 compute A 0 2
2 compute A 0 3
0 barrier B 1 2 comm=1
1 barrier B 2 2 comm=1
2 barrier B 3 3 comm=1
2 barrier B 3 4 comm=1`, []int32{0, 1})
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || math.Abs(r.Rows[0].Seconds-1) > 1e-9 {
		t.Errorf("%+v", r.Rows)
	}
}

// TestNeverWhole: where one rank never comes to collectives and nobody takes
// messages, what is kept of them does not grow with the trace.
func TestNeverWhole(t *testing.T) {
	h := &events.Header{Ranks: 3, Locations: []events.Location{{Rank: 0}, {Rank: 1}, {Rank: 2}}, Comms: [][]int32{nil}}
	path := events.NewPaths(h).Of(events.Path{Name: "call"})
	a := waits.NewAnalyzer(h)
	for i := range int64(20000) {
		for loc := range int32(2) {
			a.Span(&events.Span{Loc: loc, Kind: trace.Barrier, Path: path, Root: -1, Begin: 3 * i, End: 3*i + 1})
		}
		a.Span(&events.Span{Loc: 0, Kind: trace.Isend, Path: path, Root: -1, Begin: 3*i + 1, End: 3*i + 2, Messages: []events.Half{{Side: events.Sent, Peer: 2, Tag: int32(i)}}})
	}
	r := a.Report()
	if r.Waited != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "20000 messages have only one side") {
		t.Errorf("%+v", r)
	}
}

// TestSilentRank: a rank that does nothing for long does not keep what others waited
// for from being judged before their logs are shortened.
func TestSilentRank(t *testing.T) {
	h := &events.Header{Ranks: 3, Locations: []events.Location{{Rank: 0}, {Rank: 1}, {Rank: 2}}, Comms: [][]int32{nil, {0, 1}}}
	paths := events.NewPaths(h)
	work, more, call := paths.Of(events.Path{Name: "A"}), paths.Of(events.Path{Name: "B"}), paths.Of(events.Path{Name: "X"})
	a := waits.NewAnalyzer(h)
	const turns = 20000
	for i := range int64(turns) { // rank 1 does 5 ns of B in every turn
		a.Span(&events.Span{Loc: 0, Kind: trace.Compute, Path: work, Root: -1, Begin: 10 * i, End: 10*i + 5})
		a.Span(&events.Span{Loc: 1, Kind: trace.Compute, Path: work, Root: -1, Begin: 10 * i, End: 10*i + 5})
		a.Span(&events.Span{Loc: 1, Kind: trace.Compute, Path: more, Root: -1, Begin: 10*i + 5, End: 10*i + 10})
		for loc := range int32(2) {
			a.Span(&events.Span{Loc: loc, Kind: trace.Barrier, Path: call, Comm: 1, Root: -1, Begin: 10*i + 5 + 5*int64(loc), End: 10*i + 10})
		}
	}
	r := a.Report()
	want := fmt.Sprintf("wait_barrier X %.4g: B[1]=%.4g", 5e-9*turns, 5e-9*turns)
	if got := strings.TrimSpace(told(r)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
