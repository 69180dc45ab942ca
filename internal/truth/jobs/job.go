package jobs

import (
	"fmt"
	"math"

	"auspex/internal/crew"
	"auspex/training"
)

// Scheme is how ranks share a model.
type Scheme string

// The schemes.
const (
	DataParallel   Scheme = "data"
	Sharded        Scheme = "sharded"
	TensorParallel Scheme = "tensor"
	Pipelined      Scheme = "pipeline"
)

// recipe is all that a training job is made of; what a trouble changes is one of its
// fields, so that a cure is another value of it.
type recipe struct {
	seed          uint64
	scheme        Scheme
	ranks, across int // ranks, and those of a tensor-parallel group or pipeline
	steps         int
	layers        int
	kernels       int   // of a layer
	kernelTime    int64 // how long each takes in the forward pass
	host          int64 // what Python and the operator take for each
	load, upload  int64
	network       int64   // all collectives of a step, alone
	noise         float64 // of delays
	clocks        int64   // how far apart
	overlap       bool
	item          bool // of the loss, in each step
	instant       bool // messages take no time
	quick         bool // launching takes no time, as of a graph
	micro         int  // batches of a pipeline
	names         vocabulary

	// Troubles.
	slowLoader   int64                      // more on these ranks
	loaders      func(int) bool             // nil for all
	turns        func(model, step int) bool // whose loader is slow when; nil for always
	slowRank     int                        // -1 for none
	slower       float64                    // its kernels
	items        bool                       // after each layer
	logging      int64                      // on the host, after each of those
	pageable     bool                       // copies from such memory
	saveEvery    int                        // 0 for never
	save         int64                      // saving, on all ranks
	saving       string                     // its range
	heavy        int                        // this layer, -1 for none
	heavier      float64                    // its kernels
	compileSteps int                        // of the beginning
	compile      int64                      // in each
	lengths      map[int][]float64          // of batches, by data-parallel rank
}

// vocabulary is what a program calls its parts; "" where it gives no name.
type vocabulary struct {
	load, forward, backward, optimizer, layer string
	gemm, pointwise                           string
	allReduce, allGather, reduceScatter       string
}

var usual = vocabulary{
	load: "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", forward: "forward", backward: "backward", optimizer: "Optimizer.step#AdamW.step", layer: "layer_",
	gemm: "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", pointwise: "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>",
	allReduce: "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", allGather: "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", reduceScatter: "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
}

var other = vocabulary{
	load: "get_batch", optimizer: "Optimizer.step#SGD.step", layer: "blocks.",
	gemm: "Cijk_Ailk_Bljk_BBS_BH_MT128x128x32", pointwise: "void at::native::elementwise_kernel_manual_unroll<128, 4>",
	allReduce: "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", allGather: "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", reduceScatter: "ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclWorkElem)",
}

// ran is a job that has run.
type ran struct {
	traces []*training.Trace
	length int64 // of all steps
}

// run runs a job.
func (j *recipe) run() ran {
	p := &program{recipe: j, posts: &post{sent: map[[3]int64]chan int64{}}}
	p.form()
	var all crew.Crew
	ranks := make([]*rank, j.ranks)
	ends := make([]int64, j.ranks)
	for n := range ranks {
		r := newRank(n, j.ranks, j.seed, j.noise)
		r.t.Base = 1_730_000_000_000_000_000
		r.offset = int64(float64(j.clocks) * r.chance("clock"))
		ranks[n] = r
		all.Go(func() { ends[n] = p.of(r) })
	}
	all.Wait()
	var out ran
	for n, r := range ranks {
		out.traces = append(out.traces, r.t)
		out.length = max(out.length, ends[n])
	}
	return out
}

// program is what all ranks run.
type program struct {
	*recipe
	data, model []*group // by rank
	posts       *post
}

// form forms the groups: ranks of one model follow each other.
func (p *program) form() {
	p.data, p.model = make([]*group, p.ranks), make([]*group, p.ranks)
	for first := range p.across {
		g := newGroup(fmt.Sprintf("dp%d", first), every(p.across, first, p.ranks))
		for _, r := range g.members {
			p.data[r] = g
		}
	}
	for first := 0; first < p.ranks; first += p.across {
		g := newGroup(fmt.Sprintf("mp%d", first), every(1, first, first+p.across))
		for _, r := range g.members {
			p.model[r] = g
		}
	}
}

// worker is a rank with its place in the job.
type worker struct {
	*rank
	*program
	data, model member
	sent        map[[2]bool]int64 // messages so far: forwards or not, sent or received
	ready       []int64           // sharded: when the parameters of each layer are here
}

// of runs the program of one rank and tells when it has ended.
func (p *program) of(r *rank) int64 {
	w := &worker{rank: r, program: p, data: member{group: p.data[r.t.Rank]}, model: member{group: p.model[r.t.Rank]}, sent: map[[2]bool]int64{}}
	r.slow, r.quick = w.slowness, p.recipe.quick
	for step := range p.steps {
		r.step = step
		r.during(training.Annotation, fmt.Sprintf("ProfilerStep#%d", step+3), w.oneStep)
	}
	r.synchronise(compute)
	return max(r.now[mainThread], r.now[compute], r.now[network])
}

// slowness is how much longer a rank's kernels take in a step.
func (w *worker) slowness(step int) float64 {
	s := 1.0
	if w.t.Rank == w.slowRank {
		s = w.slower
	}
	if w.lengths != nil {
		s *= w.lengths[w.t.Rank/w.across][step]
	}
	return s
}

func (w *worker) oneStep() {
	w.loads()
	w.upload_()
	if w.scheme == Pipelined {
		w.passes()
	} else {
		w.within(w.names.forward, w.forward)
		w.within(w.names.backward, func() { w.inAutograd(w.backward) })
	}
	if w.overlap || w.scheme == TensorParallel || w.scheme == Pipelined {
		w.reduceRest()
	}
	w.within(w.names.optimizer, func() {
		w.follows(compute, network)
		for range 3 {
			w.operator("aten::_fused_adamw_", "void at::native::multi_tensor_apply_kernel<FusedAdamW>", w.hosts(), w.kernelTime)
		}
	})
	if w.recipe.item {
		w.rank.item()
	}
	if w.saveEvery > 0 && (w.step+1)%w.saveEvery == 0 {
		w.during(training.Annotation, w.saving, func() { w.works(w.about("save", w.save)) })
	}
}

func (w *worker) loads() {
	time := w.about("load", w.load)
	if (w.loaders == nil || w.loaders(w.t.Rank)) && (w.turns == nil || w.turns(w.t.Rank/w.across, w.step)) {
		time += w.about("slow load", w.slowLoader)
	}
	w.within(w.names.load, func() {
		w.during(training.Operator, "aten::stack", func() { w.works(time) })
	})
}

// upload_ copies the batch; pageable memory goes at a fifth of the speed.
func (w *worker) upload_() {
	time := w.recipe.upload
	if w.pageable {
		time *= 5
	}
	w.rank.upload(w.recipe.upload*25, w.about("upload", time), w.pageable) // 25 GB/s
}

func (w *worker) hosts() int64 { return w.about("host", w.host) }

// layer computes one layer, forwards or backwards.
func (w *worker) layer(n int, factor float64, backward bool) {
	time := float64(w.kernelTime) * factor
	if n == w.heavy {
		time *= w.heavier
	}
	w.first = math.MaxInt64
	do := func() {
		if backward {
			w.during(training.Operator, "autograd::engine::evaluate_function: AddmmBackward0", func() { w.compute(time) })
			return
		}
		w.compute(time)
	}
	if backward {
		do()
	} else {
		w.within(fmt.Sprint(w.names.layer, n), do)
		w.add(training.DeviceAnnotation, compute, fmt.Sprint(w.names.layer, n), w.first, w.now[compute], 0)
	}
	if w.items {
		w.rank.item()
		w.works(w.about("log", w.logging))
	} else {
		w.works(w.logging)
	}
}

func (w *worker) compute(time float64) {
	for k := range w.kernels {
		if k%2 == 0 {
			w.operator("aten::addmm", w.names.gemm, w.hosts(), w.about("gemm", int64(1.5*time)))
		} else {
			w.operator("aten::gelu", w.names.pointwise, w.hosts(), w.about("gelu", int64(0.5*time)))
		}
	}
}

// share is the part of a step's communication that one of n collectives takes.
func (w *worker) share(n int) (bytes, time int64) {
	time = w.recipe.network / int64(n)
	return max(time*40, 1024), time // 40 GB/s, where the network is not slow
}

func (w *worker) forward() {
	if w.compileSteps > w.step {
		w.during(training.Operator, "_compile.compile_inner (dynamo_timed)", func() { w.works(w.about("compile", w.compile)) })
	}
	w.ready = make([]int64, w.layers)
	for n := range w.layers {
		if w.scheme == Sharded {
			w.gathered(n)
		}
		w.layer(n, 1, false)
		if w.scheme == TensorParallel {
			w.reducesModel()
		}
	}
}

// gathered has the parameters of a layer here before it begins: where
// communication overlaps, those of the next are fetched meanwhile.
func (w *worker) gathered(n int) {
	fetch := func(k int) {
		bytes, time := w.share(3 * w.layers)
		if !w.overlap {
			w.follows(network, compute)
		}
		w.rank.meets(&w.data, collective{"_allgather_base", w.names.allGather, bytes, time, false})
		w.ready[k] = w.now[network]
	}
	if !w.overlap || n == 0 {
		fetch(n)
	}
	w.now[compute] = max(w.now[compute], w.ready[n])
	if w.overlap && n+1 < w.layers {
		fetch(n + 1)
	}
}

func (w *worker) reducesModel() {
	bytes, time := w.share(2 * w.layers)
	w.rank.meets(&w.model, collective{"allreduce", w.names.allReduce, bytes, time, true})
	w.follows(compute, network)
}

func (w *worker) inAutograd(do func()) {
	w.thread = autograd
	w.now[autograd] = w.now[mainThread]
	do()
	w.thread = mainThread
	w.now[mainThread] = w.now[autograd]
}

// backward goes through the layers the other way; gradients are reduced behind each
// two of them, or, without overlap, when all are there.
func (w *worker) backward() {
	for n := w.layers - 1; n >= 0; n-- {
		if w.scheme == Sharded && !w.overlap {
			w.gathered(n)
		}
		w.layer(n, 2, true)
		switch {
		case w.scheme == TensorParallel:
			w.reducesModel()
		case w.overlap && w.scheme == DataParallel && (n%2 == 0):
			w.reduces("allreduce", w.names.allReduce, (w.layers+1)/2)
		case w.overlap && w.scheme == Sharded:
			bytes, time := w.share(3 * w.layers)
			if n > 0 {
				w.rank.meets(&w.data, collective{"_allgather_base", w.names.allGather, bytes, time, false})
			}
			w.rank.meets(&w.data, collective{"_reduce_scatter_base", w.names.reduceScatter, bytes, time, true})
		case w.scheme == Sharded:
			w.reduces("_reduce_scatter_base", w.names.reduceScatter, 3*w.layers)
			w.follows(compute, network)
		}
	}
	if w.scheme == DataParallel && !w.overlap {
		for range (w.layers + 1) / 2 {
			w.reduces("allreduce", w.names.allReduce, (w.layers+1)/2)
		}
	}
}

func (w *worker) reduces(name, kernel string, n int) {
	bytes, time := w.share(n)
	w.rank.meets(&w.data, collective{name, kernel, bytes, time, true})
}

// reduceRest reduces the gradients over the copies of a model that is cut.
func (w *worker) reduceRest() {
	if w.scheme == TensorParallel || w.scheme == Pipelined {
		w.rank.meets(&w.data, collective{"allreduce", w.names.allReduce, 1 << 20, w.recipe.network/20 + 10*us, true})
	}
}

// passes is a pipeline's step: one forward and one backward in turn.
func (w *worker) passes() {
	stage := w.t.Rank % w.across
	ahead := min(w.across-1-stage, w.micro)
	for range ahead {
		w.stageForward(stage)
	}
	for range w.micro - ahead {
		w.stageForward(stage)
		w.stageBackward(stage)
	}
	for range ahead {
		w.stageBackward(stage)
	}
}

func (w *worker) stageForward(stage int) {
	w.within(w.names.forward, func() {
		w.passOn(stage > 0, false, w.t.Rank-1)
		for n := range w.layers {
			w.layer(n, 1/float64(w.micro), false)
		}
		w.passOn(stage < w.across-1, true, w.t.Rank+1)
	})
}

func (w *worker) stageBackward(stage int) {
	w.within(w.names.backward, func() {
		w.inAutograd(func() {
			w.passOn(stage < w.across-1, false, w.t.Rank+1)
			for n := w.layers - 1; n >= 0; n-- {
				w.layer(n, 2/float64(w.micro), true)
			}
			w.passOn(stage > 0, true, w.t.Rank-1)
		})
	})
}

// passOn sends to, or receives from, another stage, if there is one.
func (w *worker) passOn(is, sends bool, other int) {
	if !is {
		return
	}
	forwards := sends == (other > w.t.Rank) // activations
	n := w.sent[[2]bool{forwards, sends}]
	w.sent[[2]bool{forwards, sends}]++
	time := int64(20 * us)
	if w.instant {
		time = 0
	}
	w.rank.message(w.posts, sends, other, n, 1<<20, time)
}
