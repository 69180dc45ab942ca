package kept

import (
	"reflect"
	"testing"

	"auspex/trace"
)

// TestSplitStops: what ranks stood still while MPI started and ended is summed up,
// and the rest stays in order.
func TestSplitStops(t *testing.T) {
	inside, late := splitStops(trace.Stops{
		{{Action: 1, Within: true, Outside: true, Seconds: 0.5}, {Action: 2, Seconds: 1}, {Action: 3, Within: true, Seconds: 2}, {Action: 9, Within: true, Outside: true, Seconds: 0.25}},
		nil,
	})
	if want := (trace.Stops{{{Action: 2, Seconds: 1}, {Action: 3, Within: true, Seconds: 2}}, nil}); !reflect.DeepEqual(inside, want) {
		t.Errorf("%+v", inside)
	}
	if !reflect.DeepEqual(late, []float64{0.75, 0}) {
		t.Errorf("late by %v", late)
	}
}
