package signature

import (
	"context"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"auspex/internal/processor"
)

// kernels are pieces of work of some 10 ms, each of one kind. What they return
// keeps the compiler from leaving them out.
var kernels = map[string]func(w *worker) float64{
	"integer":  (*worker).integer,
	"floating": (*worker).floating,
	"memory":   (*worker).memory,
	"access":   (*worker).access,
}

// worker is what one core works on: more than a core's share of any cache.
type worker struct {
	counts [4096]uint32
	x, y   []float64
	next   []uint32
}

const elements = 1 << 21

func newWorker() *worker {
	w := &worker{x: make([]float64, elements), y: make([]float64, elements), next: make([]uint32, elements)}
	for i := range elements {
		w.x[i], w.y[i] = float64(i), 1
		w.next[i] = uint32(i*1664525+1013904223) % elements // a full cycle: Hull and Dobell
	}
	return w
}

// integer has four strands that do not wait for each other, as compilers make of
// loops: what a core can do at once counts, and so does whoever has the other half of
// a core that runs two threads. A chain in which each step waits for the one before
// does not notice: on a shared machine it took a tenth longer at times, this one
// twice as long, and programs of several kinds a quarter to twice.
func (w *worker) integer() float64 {
	a, b, c, d := uint64(88172645463325252), uint64(1234567891234567), uint64(998877665544332211), uint64(314159265358979)
	for range 1_500_000 {
		a, b, c, d = a^a<<13, b^b<<13, c^c<<13, d^d<<13
		a, b, c, d = a^a>>7, b^b>>7, c^c>>7, d^d>>7
		a, b, c, d = a^a<<17, b^b<<17, c^c<<17, d^d<<17
		w.counts[a&4095]++
		w.counts[b&4095]++
		w.counts[c&4095]++
		w.counts[d&4095]++
	}
	return float64(w.counts[a&4095])
}

// floating has twelve strands, for the same reason.
func (w *worker) floating() float64 {
	a, b, c, d, e, f := 1.0, 1.1, 1.2, 1.3, 1.4, 1.5
	g, h, i, j, k, l := 1.6, 1.7, 1.8, 1.9, 2.0, 2.1
	for range 2_000_000 {
		a, b, c = a*0.999+0.5, b*0.998+0.5, c*0.997+0.5
		d, e, f = d*0.996+0.5, e*0.995+0.5, f*0.994+0.5
		g, h, i = g*0.993+0.5, h*0.992+0.5, i*0.991+0.5
		j, k, l = j*0.990+0.5, k*0.989+0.5, l*0.988+0.5
	}
	return a + b + c + d + e + f + g + h + i + j + k + l
}

// memory reads and writes in order.
func (w *worker) memory() float64 {
	x, y := w.x, w.y[:len(w.x)]
	for i := 1; i < len(x)-1; i++ {
		y[i] = 0.25*(x[i-1]+x[i+1]) + 0.5*y[i]
	}
	return y[len(y)/2]
}

// access reads out of order, each address from the one before.
func (w *worker) access() float64 {
	at := uint32(1)
	for range 200_000 {
		at = w.next[at]
	}
	return float64(at)
}

const rounds = 19

// Measure takes the signature of the machine that this runs on.
func Measure(ctx context.Context) (*Signature, error) {
	m := NewMeter(runtime.NumCPU())
	if err := m.Look(ctx, rounds); err != nil {
		return nil, err
	}
	return m.Signature(), nil
}

// Meter takes the signature of the machine that this runs on by several looks, so
// that what is measured between them is set against the machine as it was then.
type Meter struct {
	counts  []int // of cores busy at once
	workers []*worker
	seconds map[point][]float64
}

type point struct {
	kernel string
	busy   int
}

// mostBusy is up to how many cores a meter keeps busy: each works on 40 MB.
const mostBusy = 64

// NewMeter is a meter for up to so many cores busy at once.
func NewMeter(most int) *Meter {
	m := &Meter{seconds: map[point][]float64{}, workers: make([]*worker, max(1, min(most, runtime.NumCPU(), mostBusy)))}
	for busy := 1; busy < len(m.workers); busy *= 2 {
		m.counts = append(m.counts, busy)
	}
	m.counts = append(m.counts, len(m.workers))
	for i := range m.workers {
		m.workers[i] = newWorker()
	}
	return m
}

// Look runs all kernels so many times. All kernels at all numbers of busy cores take
// turns, so that a machine that grows faster or slower meanwhile does so for all of
// them.
func (m *Meter) Look(ctx context.Context, rounds int) error {
	for round := range rounds + 1 {
		for _, busy := range m.counts {
			for kernel, run := range kernels {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				t := together(m.workers[:busy], run)
				if round > 0 { // the first finds nothing in the caches
					at := point{kernel, busy}
					m.seconds[at] = append(m.seconds[at], t)
				}
			}
		}
	}
	return nil
}

// Signature is that of all looks together.
func (m *Meter) Signature() *Signature {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	s := &Signature{Version: version, Machine: name, Processor: processor.Name(), Cores: runtime.NumCPU(), Kernels: map[string][]Time{}}
	for kernel := range kernels {
		for _, busy := range m.counts {
			middle, off := typical(m.seconds[point{kernel, busy}])
			s.Kernels[kernel] = append(s.Kernels[kernel], Time{busy, middle, off})
		}
	}
	return s
}

// together runs a kernel on as many cores as there are workers, and is the mean of
// what each takes of a processor: what else the machine does takes turns with it
// and does not count, as in traces.
func together(workers []*worker, run func(*worker) float64) float64 {
	var done, start sync.WaitGroup
	seconds, results := make([]float64, len(workers)), make([]float64, len(workers))
	start.Add(1)
	for i, w := range workers {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			start.Wait()
			began := threadSeconds()
			results[i] = run(w)
			seconds[i] = threadSeconds() - began
		})
	}
	start.Done()
	done.Wait()
	runtime.KeepAlive(results)
	sum := 0.0
	for i := range seconds {
		sum += seconds[i] / float64(len(seconds))
	}
	return sum
}

// typical is the mean without the shortest and the longest, and its standard error
// relative to it: where a machine is now fast and now slow, programs pay the mean.
func typical(seconds []float64) (middle, off float64) {
	sorted := slices.Sorted(slices.Values(seconds))
	if len(sorted) > 2 {
		sorted = sorted[1 : len(sorted)-1]
	}
	n := float64(len(sorted))
	for _, s := range sorted {
		middle += s / n
	}
	for _, s := range sorted {
		off += (s - middle) * (s - middle) / max(n-1, 1)
	}
	return middle, math.Sqrt(off/n) / middle
}
