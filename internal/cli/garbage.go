package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// firstHeap is how large the heap may grow before anything is collected. Most
// commands end before: collecting from 4 MiB on, as Go does by itself, took a
// seventh of the time of a short run's measurement.
const firstHeap = 64 << 20

// serverHeap is where the server collects more eagerly: half a million call
// paths, asked everything once, left 1.3 GB behind, of which 0.7 were in use.
const serverHeap = 800 << 20

// heapLimit holds from the first collection on.
var heapLimit atomic.Int64

func init() { heapLimit.Store(math.MaxInt64) }

// collectLater puts the first collection off; from then on Go's own rule holds,
// and heapLimit. What the user sets in the environment is left alone.
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
		if own := debug.SetGCPercent(percent); own >= 0 {
			debug.SetGCPercent(own) // a command has chosen for itself meanwhile
		}
		debug.SetMemoryLimit(heapLimit.Load())
	})
}
