package simulate

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEventsComeInOrder schedules, puts off, cancels and shifts events at random:
// they happen by date, and those of one date in the order they were scheduled. All dates are exact.
func TestEventsComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type event struct {
			id    int32
			due   float64
			order int
		}
		const n = 20
		q, now := newEventQueue(n), 0.0
		var want []event
		forget := func(id int32) { want = slices.DeleteFunc(want, func(x event) bool { return x.id == id }) }
		for order := range rapid.IntRange(1, 200).Draw(t, "steps") {
			id := rapid.Int32Range(0, n-1).Draw(t, "id")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				q.cancel(id)
				forget(id)
			case 1:
				by := float64(rapid.IntRange(0, 10).Draw(t, "by"))
				q.shift(by)
				for i := range want {
					want[i].due += by
				}
				now += by
			case 2:
				first, ok := q.next()
				if ok != (len(want) > 0) {
					t.Fatalf("something is due: %v, want %v", ok, len(want) > 0)
				}
				if !ok {
					continue
				}
				slices.SortFunc(want, func(a, b event) int { return cmp.Or(cmp.Compare(a.due, b.due), a.order-b.order) })
				if first != want[0].due {
					t.Fatalf("the first is due at %g, want %g", first, want[0].due)
				}
				now = first
				var happened, expected []int32
				q.each(now, func(id int32) { happened = append(happened, id) })
				for len(want) > 0 && (want[0].due == now || want[0].due < now+atOnce) {
					expected = append(expected, want[0].id)
					want = want[1:]
				}
				if !slices.Equal(happened, expected) {
					t.Fatalf("%v happened, want %v", happened, expected)
				}
			default:
				due := now + rapid.SampledFrom([]float64{0, 0x1p-33, 0x1p-31, 0x1p-30, 0x1p-29, 0x1p-10, 0.5, 1, 3, 1024}).Draw(t, "later")
				if was, ok := q.queued(id); ok && was == due {
					continue // it keeps its place
				}
				q.schedule(id, due)
				forget(id)
				want = append(want, event{id, due, order})
			}
		}
	})
}
