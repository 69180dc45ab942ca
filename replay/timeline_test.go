package replay

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"auspex/trace"
)

// Whatever part is drawn however coarsely, bars lie inside it, do not overlap
// in a row, and where every action has its own bar hold the time that was
// spent.
func TestTimelineBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 6).Draw(t, "ranks")
		s := &Spans{}
		end, spent := 0.0, map[int]float64{}
		for r := range ranks {
			at := 0.0
			for range rapid.IntRange(0, 30).Draw(t, "actions") {
				kind := rapid.SampledFrom([]trace.Kind{trace.Compute, trace.Send, trace.Recv, trace.Wait, trace.Barrier}).Draw(t, "kind")
				long := float64(rapid.IntRange(0, 8).Draw(t, "long")) / 8
				s.Action(r, kind, at, at+long)
				spent[r] += long
				at += long
			}
			end = max(end, at)
		}
		if end == 0 {
			return
		}
		s.Sort()
		o := TimelineOptions{Rows: rapid.IntRange(0, 7).Draw(t, "rows"), Cols: rapid.IntRange(0, 200).Draw(t, "cols")}
		d, err := DrawTimeline("x", s, ranks, end, o)
		if err != nil {
			t.Fatal(err)
		}
		drawn, last := map[int]float64{}, map[int]float64{}
		for i := range d.Row {
			begin, until := float64(d.Begin[i]), float64(d.End[i])
			if begin < last[d.Row[i]]-1e-9 || until <= begin || until > end+1e-9 || d.Share[i] <= 0 || d.Share[i] > 1 {
				t.Fatalf("bar %d of row %d from %v to %v, share %v, after %v", i, d.Row[i], begin, until, d.Share[i], last[d.Row[i]])
			}
			last[d.Row[i]] = until
			drawn[d.Row[i]] += (until - begin) * float64(d.Share[i])
		}
		for row, ranks := range d.Rows {
			if ranks.To == ranks.From+1 && o.Cols == 0 && math.Abs(drawn[row]-spent[ranks.From]) > 1e-9 {
				t.Fatalf("rank %d spent %v, drawn are %v", ranks.From, spent[ranks.From], drawn[row])
			}
		}
	})
}

func TestTimelineZoom(t *testing.T) {
	s := &Spans{}
	s.Action(1, trace.Wait, 0, 4)
	s.Action(0, trace.Compute, 0, 1)
	s.Action(0, trace.Compute, 1, 3) // one bar with the one before
	s.Action(0, trace.Send, 3, 4)
	s.Sort()
	d, err := DrawTimeline("x", s, 2, 4, TimelineOptions{From: 2, To: 3.5, ToRank: 1})
	if err != nil || len(d.Row) != 2 || d.Begin[0] != 2 || d.End[0] != 3 || d.Parts[d.Part[1]] != "send" || d.End[1] != 3.5 {
		t.Errorf("%+v, %v", d, err)
	}
	for _, o := range []TimelineOptions{{From: 5}, {From: 3, To: 2}, {FromRank: 2}, {ToRank: 3}, {From: -1}, {From: math.NaN()}} {
		if _, err := DrawTimeline("x", s, 2, 4, o); err == nil {
			t.Errorf("%+v was drawn", o)
		}
	}
	limited := &Spans{Limit: 1}
	limited.Action(0, trace.Compute, 0, 1)
	limited.Action(0, trace.Send, 1, 2)
	if !limited.Full || len(limited.Rank) != 1 {
		t.Errorf("%+v", limited)
	}
}
