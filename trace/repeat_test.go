package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Loops given as such unroll to the same actions as the same loops added one
// action after the other.
func TestRepeatIsTheSameUnrolled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given, added := NewBuilder(0), NewBuilder(0)
		var list []Action
		var put func(depth int)
		put = func(depth int) {
			for range rapid.IntRange(0, 4).Draw(t, "items") {
				if depth == 0 || rapid.Bool().Draw(t, "action") {
					a := genAction(3).Draw(t, "action")
					given.Add(&a)
					list = append(list, a)
					continue
				}
				start, count := len(list), rapid.IntRange(0, 3).Draw(t, "count")
				if err := given.Repeat(uint64(count), func() error { put(depth - 1); return nil }); err != nil {
					t.Fatal(err)
				}
				body := append([]Action(nil), list[start:]...)
				list = list[:start]
				for range count {
					list = append(list, body...)
				}
			}
		}
		put(3)
		for i := range list {
			added.Add(&list[i])
		}
		one, two := &Trace{Programs: []Program{given.Program()}}, &Trace{Programs: []Program{added.Program()}}
		if one.Programs[0].Actions != int64(len(list)) {
			t.Fatalf("%d actions, want %d", one.Programs[0].Actions, len(list))
		}
		if diff := cmp.Diff(actions(two, 0), actions(one, 0), ignoreUnset()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRepeatIsSmall(t *testing.T) {
	b := NewBuilder(0)
	barrier := Action{Kind: Barrier, Type: DefaultType, Type2: DefaultType, Peer: RootUnset}
	for range 1000 {
		if err := b.Repeat(1e7, func() error { b.Add(&Action{Kind: Compute, Value: 5}); b.Add(&barrier); return nil }); err != nil {
			t.Fatal(err)
		}
		b.Add(&barrier)
	}
	if p := b.Program(); p.Actions != 1000*(2e7+1) || p.Size() > 40000 {
		t.Errorf("%d actions in %d bytes", p.Actions, p.Size())
	}
}
