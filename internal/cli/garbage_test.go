package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// The first collection brings Go's own pace back, and leaves a command's that has
// chosen one before.
func TestFirstCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	for _, own := range []int{-1, 5} {
		collectLater()
		debug.SetGCPercent(own)
		for start := time.Now(); debug.SetMemoryLimit(-1) == firstHeap; time.Sleep(time.Millisecond) {
			if runtime.GC(); time.Since(start) > 10*time.Second {
				t.Fatal("the first collection changes nothing")
			}
		}
		want := own
		if own < 0 {
			want = 100
		}
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("a command that chose %d has %d afterwards", own, got)
		}
	}
}
