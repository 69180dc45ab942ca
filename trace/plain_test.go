package trace

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestPlain: what is read quickly is what is read field by field, as it is of an action
// behind which there is nothing to look at.
func TestPlain(t *testing.T) {
	number := rapid.OneOf(rapid.Int32Range(-70, 70), rapid.Int32Range(-1<<14, 1<<14), rapid.Int32())
	value := rapid.OneOf(rapid.Float64Range(0, 300), rapid.Map(rapid.Int64Range(0, 1<<40), func(n int64) float64 { return float64(n) }))
	kind := rapid.SampledFrom([]Kind{Send, Isend, Recv, Irecv, Wait, Compute, Location, Allreduce})
	types := rapid.SampledFrom([]Type{DefaultType, Byte, Double})
	rapid.Check(t, func(t *rapid.T) {
		var code []byte
		var want []Action
		const rank = 3
		for range rapid.IntRange(1, 30).Draw(t, "actions") {
			a := Action{Kind: kind.Draw(t, "kind"), Type: types.Draw(t, "type"), Type2: types.Draw(t, "type2"), Peer: number.Draw(t, "peer") / 2, Peer2: number.Draw(t, "peer2") / 2, Tag: number.Draw(t, "tag"), Count: int64(number.Draw(t, "count")), Value: value.Draw(t, "value")}
			if rapid.IntRange(0, 9).Draw(t, "more") == 0 {
				a.Comm, a.Variance = 7, 0.5
			}
			one := appendAction(nil, &a, rank, 1)
			p := Program{Rank: rank, folded: &folded{code: one, tables: &tables{files: []string{"", "a.c"}}}}
			var read Action
			if c := p.cursor(); !c.Next(&read) {
				t.Fatal("an action alone is not read")
			}
			code, want = append(code, one...), append(want, read)
		}
		p := Program{Rank: rank, folded: &folded{code: code, tables: &tables{files: []string{"", "a.c"}}}}
		c := p.cursor()
		for i, w := range want {
			var got Action
			if !c.Next(&got) || !reflect.DeepEqual(got, w) {
				t.Fatalf("action %d is %+v, not %+v", i, got, w)
			}
		}
		if c.Next(new(Action)) || c.Done() != int64(len(want)) {
			t.Errorf("%d actions", c.Done())
		}
	})
}

// TestLongest: the longest message counts, whatever elements it is made of.
func TestLongest(t *testing.T) {
	for _, c := range []struct {
		sent Action
		want int64
	}{
		{Action{Kind: Isend, Type: Byte, Count: 9}, 9},
		{Action{Kind: Send, Type: DefaultType, Count: 9}, 72},
		{Action{Kind: SendRecv, Type: Byte, Count: 9, Type2: Byte, Count2: 99}, 9},
		{Action{Kind: Send, Type: Double, Count: math.MaxInt64}, 8 * maxLongest},
		{Action{Kind: Irecv, Type: Byte, Count: 9}, 0},
		{Action{Kind: Allreduce, Type: Byte, Count: 9}, 0},
	} {
		b := NewBuilder(0)
		b.Add(&c.sent)
		made := &Trace{Programs: []Program{b.Program()}}
		if made.Longest() != c.want {
			t.Errorf("%+v: %d bytes, not %d", c.sent, made.Longest(), c.want)
		}
	}
}
