package trace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// stretch is an action of a random program: a computation, or a barrier.
func genStretch(rt *rapid.T) Action {
	switch rapid.IntRange(0, 3).Draw(rt, "kind") {
	case 0:
		return Action{Kind: Barrier, Type: DefaultType, Type2: DefaultType}
	case 1:
		return Action{Kind: Location, File: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "place")}
	}
	return Action{
		Kind: Compute, Value: float64(rapid.IntRange(1, 3).Draw(rt, "flops")),
		Cores: rapid.SampledFrom([]float64{0, 0, 1.5, 4}).Draw(rt, "cores"),
	}
}

// TestCoresOfComputation: how many cores a computation has work for is as it was
// written, however the actions were folded, and after reading them from a file; it
// counts for no action.
func TestCoresOfComputation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var want []Action
		b := NewBuilder(0)
		add := func(actions []Action) {
			for i := range actions {
				b.Add(&actions[i])
				want = append(want, actions[i])
			}
		}
		for range rapid.IntRange(1, 4).Draw(rt, "parts") {
			body := rapid.SliceOfN(rapid.Custom(genStretch), 1, 6).Draw(rt, "body")
			times := rapid.IntRange(1, 5).Draw(rt, "times")
			if rapid.Bool().Draw(rt, "given") {
				if err := b.Repeat(uint64(times), func() error {
					for i := range body {
						b.Add(&body[i])
					}
					return nil
				}); err != nil {
					rt.Fatal(err)
				}
				for range times {
					want = append(want, body...)
				}
				continue
			}
			for range times {
				add(body)
			}
		}
		tr := &Trace{Programs: []Program{b.Program()}}
		sameCores(rt, tr, want)
		file := filepath.Join(t.TempDir(), "t")
		var text bytes.Buffer
		if err := Write(&text, tr); err != nil {
			rt.Fatal(err)
		}
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			rt.Fatal(err)
		}
		read, err := Open(context.Background(), file, 0)
		if err != nil {
			rt.Fatal(err)
		}
		sameCores(rt, read, want)
	})
}

func sameCores(rt *rapid.T, tr *Trace, want []Action) {
	if tr.Actions() != int64(len(want)) {
		rt.Fatalf("%d actions, want %d", tr.Actions(), len(want))
	}
	c := tr.Cursor(0)
	for i := range want {
		var a Action
		if !c.Next(&a) {
			rt.Fatalf("%d actions, want %d", i, len(want))
		}
		if a.Kind != want[i].Kind || a.Kind == Compute && (a.Value != want[i].Value || a.Cores != want[i].Cores) {
			rt.Fatalf("action %d: %v of %g on %g cores, want %v of %g on %g", i, a.Kind, a.Value, a.Cores, want[i].Kind, want[i].Value, want[i].Cores)
		}
	}
	s, err := Summarize(context.Background(), tr)
	if err != nil {
		rt.Fatal(err)
	}
	kinds := int64(0)
	for _, n := range s.Kinds {
		kinds += n
	}
	if kinds != int64(len(want)) {
		rt.Fatalf("%d actions in %v, want %d", kinds, s.Kinds, len(want))
	}
}

// TestCoresFold: a loop folds though what its threads work differs in every iteration.
func TestCoresFold(t *testing.T) {
	b := NewBuilder(0)
	for i := range 1000 {
		b.Add(&Action{Kind: Compute, Value: 1e6 + float64(i)})
		b.Add(&Action{Kind: Compute, Value: 2e6 - float64(i), Cores: 3 + float64(i%7)/256})
		b.Add(&Action{Kind: Barrier, Type: DefaultType, Type2: DefaultType})
	}
	p := b.Program()
	if !(&Trace{Programs: []Program{p}}).Teams() {
		t.Error("it has no teams")
	}
	alone := NewBuilder(0)
	alone.Add(&Action{Kind: Compute, Value: 1, Cores: 1})
	if (&Trace{Programs: []Program{alone.Program()}}).Teams() {
		t.Error("one core is no team")
	}
	if p.Actions != 3000 || len(p.code) > 100 {
		t.Errorf("%d actions in %d bytes of code", p.Actions, len(p.code))
	}
}
