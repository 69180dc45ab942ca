package simulate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"auspex/platform"
	"auspex/trace"
)

const smallSite = `<?xml version='1.0'?>
<platform version="4.1"><zone id="w" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2.25GBps" bb_lat="50us"/></zone></platform>`

func site(t testing.TB) *platform.Platform {
	t.Helper()
	p, err := platform.Read("site.xml", strings.NewReader(smallSite))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLongComputation replays messages after so long a computation that the
// clock's steps are wider than the precision of events: it must end.
func TestLongComputation(t *testing.T) {
	for _, flops := range []float64{1e17, 1e22, 1e30} {
		tr := &trace.Trace{Name: "long"}
		for r := range 64 {
			b := trace.NewBuilder(r)
			b.Add(&trace.Action{Kind: trace.Compute, Value: flops})
			for range 3 {
				b.Add(&trace.Action{Kind: trace.Alltoall, Count: 50000, Count2: 50000})
			}
			tr.Programs = append(tr.Programs, b.Program())
		}
		p := site(t)
		r, err := Run(t.Context(), tr, p, platform.Map(platform.AllHosts(p), 64), Defaults(), Hooks{})
		if err != nil || r.Seconds < flops/1e9 {
			t.Errorf("%g flop: %v, %v", flops, r, err)
		}
	}
}

// TestTimeBeyondNumbers refuses a time that no number can hold.
func TestTimeBeyondNumbers(t *testing.T) {
	tr := &trace.Trace{Name: "endless"}
	b := trace.NewBuilder(0)
	for range 3 {
		b.Add(&trace.Action{Kind: trace.Compute, Value: 1.7e308})
	}
	tr.Programs = append(tr.Programs, b.Program())
	p := site(t)
	p.Hosts[0].Speed = 0.5
	if _, err := Run(t.Context(), tr, p, []int{0}, Defaults(), Hooks{}); err == nil {
		t.Error("an endless time was not refused")
	}
}

// TestCrowdedHost checks that many ranks on a host of one core are done when all
// their work is.
func TestCrowdedHost(t *testing.T) {
	const n = 2000
	q := newEventQueue(n)
	c := newCPUs(&platform.Platform{Hosts: []platform.Host{{Speed: 1e9, Cores: 1}}}, n, q)
	for r := range int32(n) {
		c.start(0, r, 0, 1e6+float64(r), 0)
	}
	c.share(0)
	now, left := 0.0, n
	for left > 0 {
		date, ok := q.next()
		if !ok {
			t.Fatalf("%d executions never end", left)
		}
		now = date
		q.each(now, func(id int32) { c.finish(id, 0); left-- })
		c.share(now)
	}
	want := 0.0
	for r := range n {
		want += (1e6 + float64(r)) / 1e9
	}
	if d := now/want - 1; d > 1e-9 || d < -1e-9 {
		t.Errorf("all is done at %g, should be %g", now, want)
	}
}

// mutate changes a text a little, as a careless hand or a broken disk would.
func mutate(r *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	for range 1 + r.IntN(3) {
		i := r.IntN(len(lines))
		fields := strings.Fields(lines[i])
		switch r.IntN(6) {
		case 0:
			lines[i] = ""
		case 1:
			lines = append(lines, lines[i])
		case 2:
			j := r.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
		default:
			if len(fields) > 0 {
				odd := []string{"0", "1", "-1", "1e17", "1e300", "99999", "x", "-555", "NaN", "4294967296"}
				fields[r.IntN(len(fields))] = odd[r.IntN(len(odd))]
				lines[i] = strings.Join(fields, " ")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// TestMutated replays traces and platforms that were tampered with: each must
// end with a result or an error. AUSPEX_MUTATIONS says how many, 10,000 for the
// whole test.
func TestMutated(t *testing.T) {
	n := 400
	if s := os.Getenv("AUSPEX_MUTATIONS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	var b strings.Builder
	const ranks = 4
	for r := range ranks {
		fmt.Fprintf(&b, "%d init\n", r)
		for k := range 3 {
			fmt.Fprintf(&b, "%d compute %d\n", r, 1000*(k+r))
			fmt.Fprintf(&b, "%d irecv %d 1 1000\n%d isend %d 1 1000\n%d waitall\n", r, (r+1)%ranks, r, (r+3)%ranks, r)
			fmt.Fprintf(&b, "%d allreduce 8 10\n%d bcast 100 1\n", r, r)
		}
		fmt.Fprintf(&b, "%d send %d 2 70000\n%d recv %d 2 -1\n", r, r^1, r, r^1)
		fmt.Fprintf(&b, "%d barrier\n%d finalize\n", r, r)
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(17, 4))
	for i := range n {
		text, xml := b.String(), smallSite
		if i%4 == 3 {
			xml = strings.NewReplacer("1Gf", []string{"0", "1e-300Gf", "1e300Gf", "-1Gf", "1f"}[rng.IntN(5)], "50us", []string{"0", "1e9s", "-1us", "x"}[rng.IntN(4)]).Replace(xml)
		} else {
			text = mutate(rng, text)
		}
		file := filepath.Join(dir, "t.txt")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := platform.Read("site.xml", strings.NewReader(xml))
		if err != nil {
			continue
		}
		tr, err := trace.Open(t.Context(), file, 0)
		if err != nil {
			continue
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		_, err = Run(ctx, tr, p, platform.Map(platform.AllHosts(p), tr.NP()), Defaults(), Hooks{})
		stop()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("mutation %d hangs:\n%s\n%s", i, xml, text)
		}
	}
}
