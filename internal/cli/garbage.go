package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstHeap is how large the heap may grow before anything is collected. Most
// commands end before: collecting from 4 MiB on, as Go does by itself, took a
// seventh of the time of a short run's measurement.
const firstHeap = 64 << 20

// collectLater puts the first collection off; from then on Go's own rule holds.
// What the user sets in the environment is left alone.
func collectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit, percent := debug.SetMemoryLimit(firstHeap), debug.SetGCPercent(-1)
	if limit != math.MaxInt64 {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
		return
	}
	first := new([16]byte) // unreachable: gone with the first collection
	runtime.SetFinalizer(first, func(*[16]byte) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
