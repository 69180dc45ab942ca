package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"auspex/platform"
	"auspex/trace"
)

// cluster is a platform of n hosts on a shared backbone.
func cluster(t testing.TB, n int) *platform.Platform {
	t.Helper()
	xml := fmt.Sprintf(`<?xml version='1.0'?><platform version="4.1"><zone id="w" routing="Full">
<cluster id="c" prefix="h" suffix="" radical="0-%d" speed="1Gf" bw="125MBps" lat="50us" bb_bw="300MBps" bb_lat="10us"/>
</zone></platform>`, n-1)
	p, err := platform.Read("cluster.xml", strings.NewReader(xml))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// traceOf writes one text trace per rank and reads them back.
func traceOf(t testing.TB, ranks ...string) *trace.Trace {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	for i, text := range ranks {
		name := fmt.Sprintf("r%d", i)
		fmt.Fprintln(&list, name)
		var lines strings.Builder
		for _, l := range strings.Split(strings.TrimSpace(text), ";") {
			fmt.Fprintf(&lines, "%d %s\n", i, strings.TrimSpace(l))
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "list")
	if err := os.WriteFile(path, []byte(list.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Open(context.Background(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func oneToOne(n int) []int {
	hosts := make([]int, n)
	for i := range hosts {
		hosts[i] = i
	}
	return hosts
}

func run(t testing.TB, tr *trace.Trace, o Options, h Hooks) *Result {
	t.Helper()
	res, err := Run(context.Background(), tr, cluster(t, tr.NP()), oneToOne(tr.NP()), o, h)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// genTraffic draws matched random messages between n ranks: all receives are
// posted first, so that nothing can deadlock.
func genTraffic(t *rapid.T, n int) (ranks []string, sent float64) {
	lines := make([]strings.Builder, n)
	for i := range lines {
		fmt.Fprintf(&lines[i], "compute %d", rapid.IntRange(0, 100000).Draw(t, "flops"))
	}
	count := rapid.IntRange(1, 40).Draw(t, "messages")
	type msg struct{ from, to, bytes int }
	msgs := make([]msg, count)
	for k := range msgs {
		msgs[k] = msg{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"),
			rapid.SampledFrom([]int{0, 100, 5000, 70000, 300000}).Draw(t, "bytes")}
		fmt.Fprintf(&lines[msgs[k].to], ";irecv %d %d %d", msgs[k].from, k, msgs[k].bytes)
	}
	for k, m := range msgs {
		fmt.Fprintf(&lines[m.from], ";isend %d %d %d", m.to, k, m.bytes)
		sent += float64(m.bytes + envelope)
	}
	for i := range lines {
		lines[i].WriteString(";waitall")
		ranks = append(ranks, lines[i].String())
	}
	return ranks, sent
}

// Every byte that is sent crosses the backbone once: the link must have carried
// exactly their sum.
func TestBytesAreConserved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(rt, "ranks")
		ranks, sent := genTraffic(rt, n)
		res := run(t, traceOf(t, ranks...), Defaults(), Hooks{})
		for _, l := range res.Links {
			if strings.Contains(l.Name, "backbone") && math.Abs(l.Bytes-sent) > 1e-6*sent {
				rt.Fatalf("%s carried %g bytes, %g were sent", l.Name, l.Bytes, sent)
			}
			if l.Utilisation > 1 {
				rt.Fatalf("%s was used at %g", l.Name, l.Utilisation)
			}
		}
	})
}

// Whether the ranks' lines come in one file in any order or in files of their
// own, the result is the same; so it is on every run.
func TestOrderOfLinesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "ranks")
		ranks, _ := genTraffic(rt, n)
		apart := run(t, traceOf(t, ranks...), Defaults(), Hooks{})
		queues := make([][]string, n)
		for i, r := range ranks {
			queues[i] = strings.Split(r, ";")
		}
		var merged strings.Builder
		for left := n; left > 0; {
			i := rapid.IntRange(0, n-1).Draw(rt, "next")
			if len(queues[i]) == 0 {
				continue
			}
			fmt.Fprintf(&merged, "%d %s\n", i, queues[i][0])
			if queues[i] = queues[i][1:]; len(queues[i]) == 0 {
				left--
			}
		}
		name := filepath.Join(t.TempDir(), "all")
		if err := os.WriteFile(name, []byte(merged.String()), 0o644); err != nil {
			rt.Fatal(err)
		}
		tr, err := trace.Open(context.Background(), name, n)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(apart, run(t, tr, Defaults(), Hooks{})); diff != "" {
			rt.Fatalf("(-apart +merged):\n%s", diff)
		}
	})
}

// A rank's parts of time add up to its finish, whatever it does.
func TestTimeAddsUp(t *testing.T) {
	for _, dir := range cases(t, "dev") {
		c := readCase(t, dir)
		res, err := replay(dir, c.NP, c.Cfg, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range res.Ranks {
			sum := r.Compute + r.Sleep + r.Send + r.Recv + r.Wait + r.Collective
			if sum > r.Finish*(1+1e-9) || r.Finish-sum > 1e-9*r.Finish {
				t.Errorf("%s: rank %d: parts add up to %g of %g s", c.Name, i, sum, r.Finish)
			}
		}
	}
}

// Rank 1 computes 1 s and sends to rank 0, which has waited all the time: the
// critical path is rank 1's work and then the message.
func TestCriticalPath(t *testing.T) {
	o := Defaults()
	o.CriticalPath = true
	res := run(t, traceOf(t, "compute 1e8;recv 1 0 1000000;compute 2e8", "compute 5e8;compute 5e8;send 0 0 1000000"), o, Hooks{})
	p := res.CriticalPath
	if len(p) != 3 {
		t.Fatalf("%+v", p)
	}
	want := []Stretch{
		{Rank: 1, From: -1, Begin: 0, End: 1},
		{Rank: 0, From: 1, Bytes: 1000000, Begin: 1, End: p[1].End},
		{Rank: 0, From: -1, Begin: p[1].End, End: res.Seconds},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

// In every case the path must reach from 0 to the end without a gap, or with
// gaps only where ranks sleep on their own account.
func TestCriticalPathIsConnected(t *testing.T) {
	for _, dir := range cases(t, "dev") {
		c := readCase(t, dir)
		if !strings.HasPrefix(c.Name, "prog-") && !strings.HasPrefix(c.Name, "net-") {
			continue
		}
		p, err := pathOf(dir, c)
		if err != nil {
			t.Fatal(err)
		}
		at := 0.0
		for _, s := range p.CriticalPath {
			if s.Begin-at > 1e-8 || s.End < s.Begin {
				t.Errorf("%s: nothing from %g to %g", c.Name, at, s.Begin)
				break
			}
			at = s.End
		}
		if math.Abs(at-p.Seconds) > 1e-8 {
			t.Errorf("%s: the path ends at %g, the program at %g", c.Name, at, p.Seconds)
		}
	}
}

// A message that waits for another one, for the answer to it or for room, follows it
// on the path.
func TestCriticalPathBehindMessages(t *testing.T) {
	o := Defaults()
	o.CriticalPath = true
	ordered, narrow := o, o
	ordered.InOrder = true
	narrow.SendBuffer = 1000
	taken := o
	taken.Leaves = 1 << 30
	for _, c := range []struct {
		name string
		o    Options
		a, b string
	}{
		{"answers in order", ordered, "irecv 1 0 1000000;isend 1 0 1000000;sleep 0.001;send 1 3 1;waitall", "recv 0 3 1;irecv 0 0 1000000;isend 0 0 1000000;waitall"},
		{"room in the buffers", narrow, "isend 1 1 60000;isend 1 2 60000;waitall", "irecv 0 1 60000;irecv 0 2 60000;waitall"},
		{"done when it has left", taken, "send 1 1 100000;compute 1e6", "compute 1e8;recv 0 1 100000"},
	} {
		at := 0.0
		r := run(t, traceOf(t, c.a, c.b), c.o, Hooks{})
		for i, s := range r.CriticalPath {
			if math.Abs(s.Begin-at) > 1e-8 {
				t.Errorf("%s: stretch %d begins at %g, the one before ends at %g", c.name, i, s.Begin, at)
			}
			at = s.End
		}
		if math.Abs(at-r.Seconds) > 1e-8 || len(r.CriticalPath) < 2 {
			t.Errorf("%s: the path ends at %g, the program at %g: %+v", c.name, at, r.Seconds, r.CriticalPath)
		}
	}
}

func pathOf(dir string, c refCase) (*Result, error) {
	o := Defaults()
	o.CriticalPath = true
	return replayWith(dir, c.NP, c.Cfg, o, Hooks{})
}

func TestTimelines(t *testing.T) {
	var chrome, paje bytes.Buffer
	c, p := NewChromeTrace(&chrome, 2), NewPajeTrace(&paje, 2)
	two := traceOf(t, "compute 1e6;send 1 0 100000;sleep 0.5", "recv 0 0 100000")
	run(t, two, Defaults(), Hooks{Timeline: c})
	run(t, two, Defaults(), Hooks{Timeline: p})
	if err := errors.Join(c.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		TraceEvents []struct {
			Name string
			Ph   string
			Ts   float64
			Dur  float64
			Tid  int
		}
	}
	if err := json.Unmarshal(chrome.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range doc.TraceEvents {
		if e.Ph == "X" {
			names = append(names, fmt.Sprintf("%d %s", e.Tid, e.Name))
		}
	}
	want := []string{"0 compute", "0 send", "1 recv", "0 sleep"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(paje.String(), "\n4 "); n != len(want) {
		t.Errorf("%d states in Paje's form, want %d:\n%s", n, len(want), &paje)
	}
}

// Two halves of the world work apart: a barrier of one half does not wait for
// the other, and ranks are numbered within.
func TestCommunicators(t *testing.T) {
	const n = 4
	programs := make([]trace.Program, n)
	for i := range n {
		b := trace.NewBuilder(i)
		add := func(a trace.Action) {
			a.Type, a.Type2 = trace.DefaultType, trace.DefaultType
			if a.Kind.Collective() && a.Peer == 0 {
				a.Peer = trace.RootUnset
			}
			b.Add(&a)
		}
		add(trace.Action{Kind: trace.CommSplit, Tag: int32(i % 2), Count: int64(-i)}) // reversed order
		if i%2 == 1 {
			add(trace.Action{Kind: trace.Compute, Value: 1e9})
		}
		add(trace.Action{Kind: trace.Barrier, Comm: 1})
		// Rank 0 of each half, which is 2 or 3, sends to the other one.
		if i >= 2 {
			add(trace.Action{Kind: trace.Send, Comm: 1, Peer: 1, Count: 1000})
		} else {
			add(trace.Action{Kind: trace.Recv, Comm: 1, Peer: 0, Count: 1000})
		}
		add(trace.Action{Kind: trace.CommDup, Comm: 1})
		add(trace.Action{Kind: trace.Bcast, Comm: 2, Peer: 1, Count: 10})
		programs[i] = b.Program()
	}
	res := run(t, &trace.Trace{Programs: programs}, Defaults(), Hooks{})
	for i, r := range res.Ranks {
		if late := i%2 == 1; late != (r.Finish > 1) {
			t.Errorf("rank %d ends at %g", i, r.Finish)
		}
	}
}

func TestDeadlockTellsWhoWaits(t *testing.T) {
	tr := traceOf(t, "recv 1 3 10;barrier", "recv 0 3 10;barrier")
	_, err := Run(context.Background(), tr, cluster(t, 2), oneToOne(2), Defaults(), Hooks{})
	var d *Deadlock
	if !errors.As(err, &d) || len(d.Waiting) != 2 || d.Waiting[0].Line != 1 || d.Waiting[0].For[0] != "rank 1 to send with tag 3" {
		t.Fatalf("%+v, %v", d, err)
	}
}

// TestOpenReceives: ranks end with receives that nobody sends to, but not with a send
// that nobody receives, and not while a message is still to come.
func TestOpenReceives(t *testing.T) {
	open := traceOf(t, "irecv 1 3 10;irecv 1 4 10;compute 1e9", "irecv 0 5 10;compute 3e9")
	r, err := Run(context.Background(), open, cluster(t, 2), oneToOne(2), Defaults(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Open != 3 || !(r.Ranks[0].Finish < r.Ranks[1].Finish) || r.Seconds != r.Ranks[1].Finish {
		t.Errorf("%d open, ranks end at %g and %g, all at %g", r.Open, r.Ranks[0].Finish, r.Ranks[1].Finish, r.Seconds)
	}
	late := traceOf(t, "irecv 1 3 10;compute 1e9", "compute 3e9;send 0 3 10")
	if r, err = Run(context.Background(), late, cluster(t, 2), oneToOne(2), Defaults(), Hooks{}); err != nil {
		t.Fatal(err)
	}
	if r.Open != 0 || r.Ranks[0].Finish < r.Ranks[1].Finish {
		t.Errorf("%d open, ranks end at %g and %g", r.Open, r.Ranks[0].Finish, r.Ranks[1].Finish)
	}
	sent := traceOf(t, "irecv 1 3 10;compute 1e9", "isend 0 4 1000000;compute 3e9")
	var d *Deadlock
	if _, err = Run(context.Background(), sent, cluster(t, 2), oneToOne(2), Defaults(), Hooks{}); !errors.As(err, &d) {
		t.Errorf("a send that nobody receives: %v", err)
	}
}

func TestMessageTooLarge(t *testing.T) {
	tr := traceOf(t, "send 1 0 100", "recv 0 0 50")
	_, err := Run(context.Background(), tr, cluster(t, 2), oneToOne(2), Defaults(), Hooks{})
	if err == nil || !strings.Contains(err.Error(), "100 bytes") {
		t.Fatal(err)
	}
}

func TestCancelled(t *testing.T) {
	tr := traceOf(t, "compute 1", "compute 1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, tr, cluster(t, 2), oneToOne(2), Defaults(), Hooks{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestOptionsAreRefusedByName(t *testing.T) {
	o := Defaults()
	for _, c := range [][2]string{{"smpi/display-timing", "yes"}, {"network/model", "IB"}, {"network/TCP-gamma", "-1"},
		{"smpi/os", "0"}, {"smpi/coll-selector", "impi"}, {"network/crosstraffic", "maybe"}} {
		if err := o.Set(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s:%s: %v", c[0], c[1], err)
		}
	}
}

// TestVeryLongRuns: late enough, the precision of events is below that of
// their dates, and they still happen.
func TestVeryLongRuns(t *testing.T) {
	for _, seconds := range []float64{1e6, 1e8, 1e15, 1e30} {
		tr := traceOf(t, fmt.Sprintf("init; sleep %g; sleep 1; compute 1; finalize", seconds))
		if got := run(t, tr, Options{}, Hooks{}); !(got.Seconds >= seconds) {
			t.Errorf("after a sleep of %g s the program takes %g s", seconds, got.Seconds)
		}
	}
}

// TestOptionsThatStopMessages: what would keep messages from arriving is as in
// SimGrid: no window is no limit, and the rest is refused by name.
func TestOptionsThatStopMessages(t *testing.T) {
	tr := traceOf(t, "send 1 0 1000", "recv 0 0 1000")
	usual := run(t, tr, Defaults(), Hooks{})
	o := Defaults()
	if err := o.Set("network/TCP-gamma", "0"); err != nil {
		t.Fatal(err)
	}
	if r := run(t, tr, o, Hooks{}); r.Seconds != usual.Seconds {
		t.Errorf("without a window it takes %g s, not %g", r.Seconds, usual.Seconds)
	}
	for _, factors := range []string{"0:1;5000:0", strings.Repeat("0:1;", maxSegments) + "0:1"} {
		if err := o.Set("smpi/bw-factor", factors); err == nil || !strings.Contains(err.Error(), "smpi/bw-factor") {
			t.Error(err)
		}
	}
	o = Defaults()
	if err := o.Set("smpi/async-small-thresh", "100000"); err != nil {
		t.Fatal(err)
	}
	_, err := Run(context.Background(), tr, cluster(t, 2), oneToOne(2), o, Hooks{})
	if err == nil || !strings.Contains(err.Error(), "smpi/async-small-thresh") || !strings.Contains(err.Error(), "smpi/send-is-detached-thresh") {
		t.Error(err)
	}
}

// TestSentAndNotReceived: who sends a small message goes on, and it is told that
// nobody received it; a large one is waited for at the end.
func TestSentAndNotReceived(t *testing.T) {
	if r := run(t, traceOf(t, "send 1 0 10;send 1 7 10;barrier", "recv 0 7 10;barrier"), Defaults(), Hooks{}); r.Unreceived != 1 || r.Open != 0 {
		t.Errorf("%d messages nobody received, %d receives open", r.Unreceived, r.Open)
	}
	_, err := Run(context.Background(), traceOf(t, "isend 1 4 1000000", "compute 1"), cluster(t, 2), oneToOne(2), Defaults(), Hooks{})
	if want := "1 rank waits forever\n  rank 0 at its end waits for rank 1 to receive with tag 4"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// TestCollectivesThatDoNotAgree: the mistake is told, not what follows from it.
func TestCollectivesThatDoNotAgree(t *testing.T) {
	for want, ranks := range map[string][2]string{
		"rank 1 calls reducescatter with other counts than rank 0": {"reducescatter 5 5 0", "reducescatter 5 6 0"},
		"a message of 20 bytes from rank 0 meets a receive of 10":  {"bcast 20 0", "bcast 10 0"},
	} {
		_, err := Run(context.Background(), traceOf(t, ranks[0], ranks[1]), cluster(t, 2), oneToOne(2), Defaults(), Hooks{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What a rank waits for at its end is told as waiting, and only where it waits.
func TestWaitAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		receiver string
		waits    bool
	}{{"init;sleep 1;recv 0 1 100000", true}, {"init;recv 0 1 100000", false}} {
		rec := recorder{}
		sender := "init;isend 1 1 100000;sleep 0.5"
		r := run(t, traceOf(t, sender, c.receiver), Defaults(), Hooks{Timeline: rec})
		x := r.Ranks[0]
		if all := x.Sleep + x.Send + x.Wait; relative(all, x.Finish) > 1e-12 {
			t.Errorf("%s: %v s of %v", c.receiver, all, x.Finish)
		}
		last := rec[0][len(rec[0])-1]
		if waits := x.Wait > 0; waits != c.waits || (last.kind == trace.WaitAll) != c.waits {
			t.Errorf("%s: waits %v s, the last action is %v", c.receiver, x.Wait, last.kind)
		}
	}
}
