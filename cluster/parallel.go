package cluster

import (
	"cmp"
	"context"
	"runtime"
	"sync/atomic"

	"auspex/internal/crew"
)

// eachLeaf calls do for every leaf of t, on all cores, until ctx is done.
func eachLeaf(ctx context.Context, t *tree, do func(worker int, leaf int32)) error {
	var next atomic.Int64
	var wg crew.Crew
	for w := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := next.Add(1) - 1
				if n >= int64(len(t.nodes)) {
					return
				}
				if t.leaf(int32(n)) {
					do(w, int32(n))
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// forks lets a recursion run its two halves side by side while a core is free.
type forks chan struct{}

func newForks() forks { return make(forks, runtime.GOMAXPROCS(0)-1) }

// worthForking is the number of points below which a goroutine costs more than
// it brings.
const worthForking = 4096

func (f forks) both(points int32, a, b func() error) error {
	if points >= worthForking {
		select {
		case f <- struct{}{}:
			var errA error
			var wg crew.Crew
			wg.Go(func() {
				defer func() { <-f }()
				errA = a()
			})
			errB := b()
			wg.Wait()
			return cmp.Or(errA, errB)
		default:
		}
	}
	if err := a(); err != nil {
		return err
	}
	return b()
}
