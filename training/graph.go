package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The kinds of operation whose order is known (arXiv 2505.05713, table 1).
const (
	forwardCompute  = "forward-compute"
	backwardCompute = "backward-compute"
	forwardSend     = "forward-send"
	forwardRecv     = "forward-recv"
	backwardSend    = "backward-send"
	backwardRecv    = "backward-recv"
	paramsGather    = "params-all-gather"
	gradsScatter    = "grads-reduce-scatter"
	separateReduce  = "separate-grads-all-reduce"
	layernormReduce = "layernorm-grads-all-reduce"
	embeddingReduce = "embedding-grads-all-reduce"
	clipGradient    = "optimizer-clip-main-grad"
	optimizerStep   = "optimizer"
	betweenSteps    = "gc"
)

// isTransfer tells kinds that move data, whose ideal time is the median.
func isTransfer(kind string) bool {
	switch kind {
	case forwardSend, forwardRecv, backwardSend, backwardRecv, paramsGather, gradsScatter, separateReduce,
		layernormReduce, embeddingReduce, clipGradient:
		return true
	}
	return false
}

// graph says which operation of a step waits for which. Operations of one group
// end together; those of a group across data-parallel ranks wait for all lanes
// of the step.
type graph struct {
	deps   [][]int32
	group  []int32 // of an operation, -1 for computation
	groups [][]int32
	across []bool  // by group
	order  []int32 // operations, each behind what it waits for
	last   []int32 // the optimizer of each stage
}

// nearly is by how much clocks of workers may differ where an operation's place
// is told by its time, in seconds.
const nearly = 5e-5

// graphBuilder builds the graph from the first step of data-parallel rank 0.
type graphBuilder struct {
	o     *Operations
	l     *lanes
	g     *graph
	index map[string]map[[2]int32]int32 // by kind, then sequence number and stage

	chunks int32 // of the model, on each stage
}

func (o *Operations) graph(l *lanes) (*graph, error) {
	b := &graphBuilder{o: o, l: l, index: map[string]map[[2]int32]int32{}}
	b.g = &graph{deps: make([][]int32, len(o.ops)), group: make([]int32, len(o.ops))}
	for i, op := range o.ops {
		b.g.group[i] = -1
		kind := o.kinds[op.kind]
		if b.index[kind] == nil {
			b.index[kind] = map[[2]int32]int32{}
		}
		b.index[kind][[2]int32{op.seq, op.stage}] = int32(i)
	}
	b.numberChunks()
	useData := o.data*o.DataShards > 1
	overlapped := len(b.index[separateReduce]) > 0
	valid := map[string][][]int32{} // by kind and stage: transfers that happen
	for stage := range int32(o.stages) {
		if err := b.stage(stage, useData, overlapped, valid); err != nil {
			return nil, err
		}
	}
	if err := b.pair(valid); err != nil {
		return nil, err
	}
	b.collectives(useData)
	return b.g, b.g.sort()
}

// numberChunks numbers the chunks over all stages where the table does not: the
// first chunk of each stage, then the second of each.
func (b *graphBuilder) numberChunks() {
	for _, op := range b.o.ops {
		b.chunks = max(b.chunks, op.chunk+1)
	}
	for i := range b.o.ops {
		if op := &b.o.ops[i]; op.whole == Unknown {
			op.whole = op.chunk*int32(b.o.stages) + op.stage
		}
	}
}

func (b *graphBuilder) find(kind string, seq, stage int32) (int32, bool) {
	op, ok := b.index[kind][[2]int32{seq, stage}]
	return op, ok
}

func (b *graphBuilder) start(op int32) float64 { return b.l.start[op][0] }
func (b *graphBuilder) end(op int32) float64   { return b.l.start[op][0] + float64(b.l.time[op][0]) }

// listed is the operations of some kinds on a stage, by their start.
func (b *graphBuilder) listed(stage int32, kinds ...string) []int32 {
	var list []int32
	for i, op := range b.o.ops {
		if op.stage == stage && slices.Contains(kinds, b.o.kinds[op.kind]) {
			list = append(list, int32(i))
		}
	}
	slices.SortFunc(list, func(x, y int32) int {
		p, q := b.o.ops[x], b.o.ops[y]
		return cmp.Or(cmp.Compare(b.start(x), b.start(y)), cmp.Compare(p.seq, q.seq),
			cmp.Compare(b.o.kinds[p.kind], b.o.kinds[q.kind]))
	})
	return list
}

func (b *graphBuilder) depend(op int32, on ...int32) { b.g.deps[op] = append(b.g.deps[op], on...) }

// chain makes each operation wait for the one before.
func (b *graphBuilder) chain(ops []int32) {
	for i := 1; i < len(ops); i++ {
		b.depend(ops[i], ops[i-1])
	}
}

// stage sets up what a worker's operations wait for on the worker itself.
func (b *graphBuilder) stage(stage int32, useData, overlapped bool, valid map[string][][]int32) error {
	compute := b.listed(stage, forwardCompute, backwardCompute)
	if len(compute) == 0 {
		return fmt.Errorf("stage %d computes nothing in step %d", stage, b.l.steps[0])
	}
	b.chain(compute)
	for _, kind := range []string{forwardSend, forwardRecv, backwardSend, backwardRecv} {
		b.chain(b.listed(stage, kind)) // each has a stream of its own
		if err := b.transfers(kind, stage, valid); err != nil {
			return err
		}
	}
	b.firstBackward(stage, compute)
	if useData {
		b.chain(b.listed(stage, paramsGather, gradsScatter))
		b.gathers(stage, compute)
		if overlapped {
			b.scatters(stage, compute)
		}
	}
	return b.after(stage, compute, useData, overlapped)
}

// transfers gives each send and receive the computation it belongs to. A
// profiler may write down transfers at the ends of a step that nobody makes,
// and at the first and last chunk of the model, where there is no partner.
func (b *graphBuilder) transfers(kind string, stage int32, valid map[string][][]int32) error {
	computeKind, isSend := forwardCompute, strings.HasSuffix(kind, "send")
	delta := int32(1)
	if strings.HasPrefix(kind, "backward") {
		computeKind, delta = backwardCompute, -1
	}
	if !isSend {
		delta = -delta
	}
	computes := b.listed(stage, computeKind)
	if len(computes) == 0 {
		return nil
	}
	lastStart, firstEnd := b.start(computes[0]), b.end(computes[0])
	for _, c := range computes {
		lastStart, firstEnd = max(lastStart, b.start(c)), min(firstEnd, b.end(c))
	}
	var made []int32
	for _, op := range b.listed(stage, kind) {
		if isSend && b.end(op) >= firstEnd-nearly || !isSend && b.start(op) <= lastStart+nearly {
			made = append(made, op)
		}
	}
	hasPeer := func(c int32) bool {
		peer := b.o.ops[c].whole + delta
		return peer >= 0 && peer < b.chunks*int32(b.o.stages)
	}
	of := b.belongsTo(computeKind, stage, len(made), isSend, hasPeer)
	if len(of) < len(made) {
		return fmt.Errorf("stage %d has more of %s than of %s", stage, kind, computeKind)
	}
	for i, op := range made {
		c := of[i]
		if isSend {
			b.depend(op, c)
		} else {
			b.depend(c, op)
			if before, ok := b.find(computeKind, b.o.ops[c].seq-1, stage); ok {
				b.depend(op, before)
			}
		}
		if hasPeer(c) {
			if valid[kind] == nil {
				valid[kind] = make([][]int32, b.o.stages)
			}
			valid[kind][stage] = append(valid[kind][stage], op)
		}
	}
	return nil
}

// belongsTo is the computations that some transfers belong to, in order: all of
// them, or, where the table has as many transfers as there are computations
// with a partner, those.
func (b *graphBuilder) belongsTo(kind string, stage int32, count int, isSend bool, hasPeer func(int32) bool) []int32 {
	var all, withPeer []int32
	for seq := int32(0); ; seq++ {
		c, ok := b.find(kind, seq, stage)
		if !ok {
			break
		}
		all = append(all, c)
		if hasPeer(c) {
			withPeer = append(withPeer, c)
		}
	}
	switch {
	case len(withPeer) == count:
		return withPeer
	case !isSend && count+1 == len(all):
		return all[1:] // the first has no partner and was not written down
	}
	return all
}

// firstBackward: the first transfers backward are started after the forward
// pass but one before the first backward pass.
func (b *graphBuilder) firstBackward(stage int32, compute []int32) {
	first := slices.IndexFunc(compute, func(op int32) bool { return b.o.kinds[b.o.ops[op].kind] == backwardCompute })
	if first < 2 {
		return
	}
	for _, kind := range []string{backwardRecv, backwardSend} {
		if op, ok := b.find(kind, 0, stage); ok {
			b.depend(op, compute[first-2])
		}
	}
}

// gathers: a chunk's first forward pass waits for its parameters.
func (b *graphBuilder) gathers(stage int32, compute []int32) {
	list := b.listed(stage, paramsGather)
	slices.SortFunc(list, func(x, y int32) int { return cmp.Compare(b.o.ops[y].seq, b.o.ops[x].seq) })
	done := map[int32]bool{}
	for _, op := range list {
		chunk := b.o.ops[op].chunk
		if done[chunk] {
			continue
		}
		done[chunk] = true
		for _, c := range compute { // by start
			if b.o.ops[c].chunk == chunk && b.o.kinds[b.o.ops[c].kind] == forwardCompute {
				b.depend(c, op)
				break
			}
		}
	}
}

// scatters: a chunk's gradients are sent after its last backward pass.
func (b *graphBuilder) scatters(stage int32, compute []int32) {
	list := b.listed(stage, gradsScatter)
	slices.SortFunc(list, func(x, y int32) int { return cmp.Compare(b.o.ops[x].seq, b.o.ops[y].seq) })
	done := map[int32]bool{}
	for _, op := range list {
		chunk := b.o.ops[op].chunk
		if done[chunk] {
			continue
		}
		done[chunk] = true
		last := int32(-1)
		for _, c := range compute {
			if b.o.ops[c].chunk == chunk && b.o.kinds[b.o.ops[c].kind] == backwardCompute && (last < 0 || b.end(c) > b.end(last)) {
				last = c
			}
		}
		if last >= 0 {
			b.depend(op, last)
		}
	}
}

// after sets up the end of a step: gradients, clipping, optimizer.
func (b *graphBuilder) after(stage int32, compute []int32, useData, overlapped bool) error {
	last := compute[0]
	for _, c := range compute {
		if b.end(c) > b.end(last) {
			last = c
		}
	}
	if gc, ok := b.find(betweenSteps, 0, stage); ok {
		b.depend(gc, last)
		last = gc
	}
	before := []int32{last}
	scatter := b.listed(stage, gradsScatter)
	slices.SortFunc(scatter, func(x, y int32) int { return cmp.Compare(b.o.ops[x].seq, b.o.ops[y].seq) })
	if useData && overlapped && len(scatter) > 0 {
		before = append([]int32{scatter[len(scatter)-1]}, before...)
	}
	follow := func(op int32) {
		b.depend(op, before...)
		before = []int32{op}
	}
	next := func(kind string) {
		if op, ok := b.find(kind, 0, stage); ok {
			follow(op)
		}
	}
	next(layernormReduce)
	if stage == 0 || int(stage) == b.o.stages-1 {
		next(embeddingReduce)
	}
	switch {
	case useData && overlapped:
		next(separateReduce)
	case useData:
		for _, op := range scatter {
			follow(op)
		}
	}
	next(clipGradient)
	op, ok := b.find(optimizerStep, 0, stage)
	if !ok {
		return fmt.Errorf("stage %d has no operation %q, with which a step ends", stage, optimizerStep)
	}
	follow(op)
	b.g.last = append(b.g.last, op)
	return nil
}

func (b *graphBuilder) addGroup(across bool, ops ...int32) {
	for _, op := range ops {
		b.g.group[op] = int32(len(b.g.groups))
	}
	b.g.groups = append(b.g.groups, ops)
	b.g.across = append(b.g.across, across)
}

// pair brings sends and receives together; those without a partner end alone.
func (b *graphBuilder) pair(valid map[string][][]int32) error {
	n := int32(b.o.stages)
	for _, way := range []struct {
		send, recv string
		delta      int32
	}{{forwardSend, forwardRecv, 1}, {backwardSend, backwardRecv, -1}} {
		for stage := range n {
			peer := (stage + way.delta + n) % n
			var sends, recvs []int32
			if valid[way.send] != nil {
				sends = valid[way.send][stage]
			}
			if valid[way.recv] != nil {
				recvs = valid[way.recv][peer]
			}
			if len(sends) != len(recvs) {
				return fmt.Errorf("stage %d makes %d of %s and stage %d %d of %s; if stages hold several chunks of the model, a column \"mc\" must tell which", stage, len(sends), way.send, peer, len(recvs), way.recv)
			}
			for i := range sends {
				b.addGroup(false, sends[i], recvs[i])
			}
		}
	}
	for i, op := range b.o.ops {
		switch b.o.kinds[op.kind] {
		case forwardSend, forwardRecv, backwardSend, backwardRecv:
			if b.g.group[i] < 0 {
				b.addGroup(false, int32(i))
			}
		}
	}
	return nil
}

// collectives groups what data-parallel ranks, the outer stages, and all
// workers do together.
func (b *graphBuilder) collectives(useData bool) {
	if useData {
		for i, op := range b.o.ops {
			switch b.o.kinds[op.kind] {
			case paramsGather, gradsScatter, separateReduce:
				b.addGroup(true, int32(i))
			}
		}
	}
	var embedding, clip []int32
	for stage := range int32(b.o.stages) {
		if op, ok := b.find(embeddingReduce, 0, stage); ok && (stage == 0 || int(stage) == b.o.stages-1) {
			embedding = append(embedding, op)
		}
		if op, ok := b.find(clipGradient, 0, stage); ok {
			clip = append(clip, op)
		}
	}
	if len(embedding) > 0 {
		b.addGroup(false, embedding...)
	}
	if len(clip) > 0 {
		b.addGroup(true, clip...)
	}
}

// sort puts the operations in an order in which each is behind all that it, and
// all of its group, wait for.
func (g *graph) sort() error {
	// A group is started as a whole: it needs what any member needs.
	node := func(op int32) int32 {
		if g.group[op] >= 0 {
			return int32(len(g.deps)) + g.group[op]
		}
		return op
	}
	waits := make([]int, len(g.deps)+len(g.groups))
	next := make([][]int32, len(waits))
	for op, deps := range g.deps {
		for _, d := range deps {
			waits[node(int32(op))]++
			next[node(d)] = append(next[node(d)], node(int32(op)))
		}
	}
	var ready []int32
	for n := range waits {
		isGrouped := n < len(g.deps) && g.group[n] >= 0
		if waits[n] == 0 && !isGrouped {
			ready = append(ready, int32(n))
		}
	}
	for len(ready) > 0 {
		n := ready[0]
		ready = ready[1:]
		if int(n) < len(g.deps) {
			g.order = append(g.order, n)
		} else {
			g.order = append(g.order, g.groups[int(n)-len(g.deps)]...)
		}
		for _, m := range next[n] {
			if waits[m]--; waits[m] == 0 {
				ready = append(ready, m)
			}
		}
	}
	if len(g.order) != len(g.deps) {
		return fmt.Errorf("%d operations wait for each other in a circle: the table is not in the order of its sequence numbers", len(g.deps)-len(g.order))
	}
	return nil
}
