package waits

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestKept: a report that was stored names the same ranks as before.
func TestKept(t *testing.T) {
	r := &Report{Ranks: 3, Rows: []Row{
		{Causes: []Cause{{Region: "a", Ranks: []int{2, 0}, Seconds: 1, late: []float64{0.99, 0.01}}, {Region: "b", Ranks: []int{1}, Seconds: 1}}},
		{Causes: []Cause{}},
	}, CriticalPath: []OnPath{}, Notes: []string{}}
	data, err := json.Marshal(r.Keep())
	if err != nil {
		t.Fatal(err)
	}
	var k Kept
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	again := k.Again()
	if !reflect.DeepEqual(again, r) {
		t.Errorf("%+v, not %+v", again, r)
	}
	for i, want := range [][]int{{2}, {1}} {
		if got := again.Rows[0].Causes[i].Late(); !reflect.DeepEqual(got, want) {
			t.Errorf("cause %d: ranks %v, not %v", i, got, want)
		}
	}
}
