package jobs

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"auspex/training"
)

// The tracks of a rank: two threads, and streams of its device.
const (
	mainThread = iota
	autograd
	compute
	network // collectives
	pipe    // messages of pipelines
	copies
	tracks
)

const us = 1000 // nanoseconds

// Costs of a launch, of PyTorch 2 on a processor of today.
const (
	launchCall  = 4 * us // cudaLaunchKernel
	launchDelay = 3 * us // from the call to the kernel, at least
	kernelGap   = 1 * us // between kernels of a stream
)

// rank runs one rank's program and writes its trace down.
type rank struct {
	t      *training.Trace
	seed   uint64
	step   int
	noise  float64
	ids    map[string]uint32
	now    [tracks]int64 // when each thread or stream is free
	thread uint16        // that runs
	links  uint32
	slow   func(step int) float64 // of its kernels
	offset int64                  // of its clock
	quick  bool                   // launches take no time
	first  int64                  // when the first kernel of a layer began
}

func newRank(number, world int, seed uint64, noise float64) *rank {
	r := &rank{seed: seed, noise: noise, ids: map[string]uint32{}, slow: func(int) float64 { return 1 }}
	r.t = &training.Trace{Rank: number, World: world, Device: "NVIDIA H100 80GB HBM3", Backend: "nccl"}
	for track, name := range []string{"thread 4711 (python)", "thread 4790 (pt_autograd_0)", "stream 7", "stream 20", "stream 24", "stream 28"} {
		device := track >= compute
		process, thread := "4711", []string{"4711", "4790", "7", "20", "24", "28"}[track]
		stream := -1
		if device {
			process, stream = "0", []int{7, 20, 24, 28}[track-compute]
		}
		r.t.Tracks = append(r.t.Tracks, training.Track{Process: process, Thread: thread, Name: name, Device: device, Stream: stream})
	}
	return r
}

// chance is a number that hangs on the seed, the rank, the step and the place only,
// normally distributed.
func (r *rank) chance(place string) float64 {
	h := fnv.New64a()
	h.Write([]byte(place))
	return rand.New(rand.NewPCG(r.seed^h.Sum64(), uint64(r.t.Rank)<<32|uint64(r.step))).NormFloat64()
}

// about is a time with its noise.
func (r *rank) about(place string, time int64) int64 {
	return int64(float64(time) * math.Exp(r.noise*r.chance(place)))
}

func (r *rank) add(kind training.Kind, track uint16, name string, from, to int64, link uint32) int {
	id, ok := r.ids[name]
	if !ok {
		id = uint32(len(r.t.Names))
		r.ids[name], r.t.Names = id, append(r.t.Names, name)
	}
	return r.t.Add(training.Interval{Kind: kind, Name: id, Track: track, Start: from + r.offset, Length: to - from, Correlation: link})
}

// during runs a part of the program inside an interval of its thread.
func (r *rank) during(kind training.Kind, name string, do func()) {
	thread, from := r.thread, r.now[r.thread]
	do()
	r.add(kind, thread, name, from, r.now[thread], 0)
}

// within is during, of a range that may have no name in this job.
func (r *rank) within(name string, do func()) {
	if name == "" {
		do()
		return
	}
	r.during(training.Annotation, name, do)
}

// works is time of the host.
func (r *rank) works(time int64) { r.now[r.thread] += time }

// launch has the host launch something on a stream, and tells when it has begun at
// the earliest.
func (r *rank) launch(call string, stream uint16) (link uint32, from int64) {
	r.links++
	at := r.now[r.thread]
	if !r.quick {
		r.works(launchCall)
	}
	r.add(training.Runtime, r.thread, call, at, r.now[r.thread], r.links)
	return r.links, max(at+launchDelay, r.now[stream]+kernelGap)
}

// kernel launches one on the compute stream.
func (r *rank) kernel(name string, time int64) {
	link, from := r.launch("cudaLaunchKernel", compute)
	r.first = min(r.first, from)
	r.now[compute] = from + int64(float64(time)*r.slow(r.step))
	r.add(training.Kernel, compute, name, from, r.now[compute], link)
}

// operator is one with kernels: Python's part, the operator, its launches.
func (r *rank) operator(name, kernel string, host, device int64) {
	r.during(training.Operator, name, func() {
		r.works(host)
		r.kernel(kernel, device)
	})
}

// follows lets a stream wait for what another has been given so far.
func (r *rank) follows(stream, after uint16) { r.now[stream] = max(r.now[stream], r.now[after]) }

// synchronise has the host wait for a stream.
func (r *rank) synchronise(stream uint16) {
	from := r.now[r.thread]
	r.now[r.thread] = max(from+2*us, r.now[stream]+2*us)
	r.add(training.Runtime, r.thread, "cudaStreamSynchronize", from, r.now[r.thread], 0)
}

// item reads a value from the device.
func (r *rank) item() {
	r.during(training.Operator, "aten::item", func() {
		r.works(1 * us)
		r.during(training.Operator, "aten::_local_scalar_dense", func() {
			r.copied("Memcpy DtoH (Device -> Pageable)", 4, 2*us)
			r.synchronise(compute)
		})
	})
}

func (r *rank) copied(name string, bytes, time int64) {
	link, from := r.launch("cudaMemcpyAsync", compute)
	r.now[compute] = from + time
	i := r.add(training.Copy, compute, name, from, r.now[compute], link)
	r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Bytes: bytes})
}

// upload copies a batch to the device: of pinned memory beside the host, of
// pageable memory while the host waits.
func (r *rank) upload(bytes, time int64, pageable bool) {
	r.during(training.Operator, "aten::to", func() {
		r.works(1 * us)
		r.during(training.Operator, "aten::_to_copy", func() {
			r.works(1 * us)
			r.during(training.Operator, "aten::copy_", func() {
				if pageable {
					from := r.now[r.thread]
					r.copied("Memcpy HtoD (Pageable -> Device)", bytes, time)
					r.now[r.thread] = max(r.now[r.thread], r.now[compute])
					r.add(training.Runtime, r.thread, "cudaStreamSynchronize", from+launchCall, r.now[r.thread], 0)
				} else {
					r.copied("Memcpy HtoD (Pinned -> Device)", bytes, time)
				}
			})
		})
	})
}
