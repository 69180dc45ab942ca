package chrome

import (
	"slices"
	"testing"
)

// TestAsynchronous: operations that are of no thread are left out, and it is said.
func TestAsynchronous(t *testing.T) {
	e, err := readTrace(`[{"ph":"X","name":"a","ts":1,"dur":5},{"ph":"b","name":"io","id":1,"ts":1},{"ph":"e","name":"io","id":1,"ts":9}]`)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Regions) != 1 || !slices.Contains(e.Notes, "asynchronous operations, which are of no thread, are left out: 1") {
		t.Errorf("%d regions, notes %q", len(e.Regions), e.Notes)
	}
}
