package predict

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/simulate"
	"auspex/source"
	"auspex/trace"
)

func TestNamesOfSourcesHoldBlanks(t *testing.T) {
	if got := recorded("b.c\na b.c\nb.c\n"); !slices.Equal(got, []string{"a b.c", "b.c"}) {
		t.Errorf("%q", got)
	}
}

// One process is told as one.
func TestOneProcess(t *testing.T) {
	w := &workshop{noted: map[string]bool{}}
	w.noteScatter([]float64{1, 2, 3}, 1, "2", "here")
	w.noteScatter([]float64{1, 2, 3}, 2, "2", "here")
	if n := w.notes; len(n) != 2 || !strings.Contains(n[0], "with 1 process at -O2") || !strings.Contains(n[1], "with 2 processes at -O2") {
		t.Errorf("%q", n)
	}
}

// TestUnlike: what differs between two runs is named, not what they share.
func TestUnlike(t *testing.T) {
	a := trace.Action{Kind: trace.Alltoallv, Counts: []int64{3, 5}}
	b := trace.Action{Kind: trace.Alltoallv, Counts: []int64{5, 3}}
	got := unlike(&a, &b)
	if !strings.Contains(got, "to rank 0 in one run and") {
		t.Error(got)
	}
	if c := (trace.Action{Kind: trace.Send, Peer: 1, Tag: 3}); !strings.Contains(unlike(&c, &trace.Action{Kind: trace.Send, Peer: 1, Tag: 4}), "tag 3") {
		t.Error("tags are not told apart")
	}
}

// TestMisuse: what is wrong in a request is told from what goes wrong in it.
func TestMisuse(t *testing.T) {
	r := Request{Build: "cc x.c", Run: "./x", Levels: []string{"2"}, Counts: []int{2}, Platforms: []Platform{cluster(t, 4, "1Gf")}}
	if err := r.check(); !errors.As(err, new(Misuse)) {
		t.Errorf("no {np}: %v", err)
	}
	r.Run, r.Counts = "mpirun -n {np} ./x", []int{8}
	if err := r.check(); err == nil || errors.As(err, new(Misuse)) {
		t.Errorf("a platform too small: %v", err)
	}
	if err := newVouched([]string{"x.c:3"}).unheard(nil); !errors.As(err, new(Misuse)) {
		t.Errorf("a loop that is not there: %v", err)
	}
}

// TestMissingIsNull: fields that know nothing are there.
func TestMissingIsNull(t *testing.T) {
	for want, value := range map[string]any{`"loops":null`: Report{}, `"cuts":null`: LoopUse{}} {
		if text, err := json.Marshal(value); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestFortranFunctionsAreCalls: a function looks like an element of an array.
func TestFortranFunctionsAreCalls(t *testing.T) {
	f, err := source.Parse(context.Background(), "a.f90", []byte("program p\n do i = 1, 9\n s = heavy(s)\n end do\nend program\nfunction heavy(x)\n heavy = x\nend function\n"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Units[0].Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		if s.Kind == source.Loop && !heavy(f, s, procedures([]*source.File{f})) {
			t.Error("the loop has no call")
		}
		return true
	})
}

// TestOwnMessages: a note says where messages of a rank to itself cross the network.
func TestOwnMessages(t *testing.T) {
	b := trace.NewBuilder(0)
	b.Add(&trace.Action{Kind: trace.Isend, Peer: 0, Count: 100, Type: trace.Byte})
	own := &trace.Trace{Programs: []trace.Program{b.Program()}}
	for loopback, want := range map[string]bool{"": true, "loopback = {bandwidth = \"5GBps\"}\n": false} {
		p, err := platform.Read("p.toml", strings.NewReader("[[cluster]]\nname = \"c\"\nnodes = 2\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n"+loopback))
		if err != nil {
			t.Fatal(err)
		}
		w := &workshop{noted: map[string]bool{}}
		w.noteOwn(&Platform{Name: "p", Platform: p}, own, []int{0})
		if got := len(w.notes) == 1 && strings.Contains(w.notes[0], "100 bytes of rank 0"); got != want {
			t.Errorf("%q: %q", loopback, w.notes)
		}
	}
	b = trace.NewBuilder(0)
	b.Add(&trace.Action{Kind: trace.SendRecv, Peer: 0, Peer2: 0, Count: 100, Type: trace.Byte, Count2: 100, Type2: trace.Byte})
	w, copied := &workshop{noted: map[string]bool{}}, &trace.Trace{Programs: []trace.Program{b.Program()}}
	p := cluster(t, 2, "1Gf")
	r, err := simulate.Run(t.Context(), copied, p.Platform, []int{0}, p.Options, simulate.Hooks{})
	if w.noteOwn(&p, copied, []int{0}); err != nil || len(w.notes) > 0 || r.Seconds > 0 {
		t.Errorf("what takes %v s in the replay (%v) crosses the network: %q", r.Seconds, err, w.notes)
	}
}
