package training

import (
	"fmt"
	"math"
)

// Operation is one row of a table of operations: what one worker did in one
// step. A worker is one of the data-parallel ranks of one pipeline stage.
type Operation struct {
	Rank  int // of the worker in the job
	Data  int // data-parallel rank
	Stage int
	Step  int
	Kind  string
	Seq   int     // number among the worker's operations of this kind in the step, or Unknown
	Start float64 // seconds
	Time  float64
	Chunk int // of the model, on this stage
	Whole int // of the model, over all stages, or Unknown
}

// Unknown stands for a sequence number, a worker's rank or a chunk's number over
// all stages that the table does not give.
const Unknown = -1

// Operations is a table of operations. Once all are added, Settle puts it in
// order.
type Operations struct {
	// DataShards is how many ways data are cut within a data-parallel rank
	// (dsp), which the table does not tell; 1 where it is not known.
	DataShards int

	kinds   []string
	kindOf  map[string]int32
	ops     []opInfo
	opOf    map[opKey]int32
	steps   []int
	stepOf  map[int]int32
	chunkOf map[[2]int]int32 // of operations without a sequence number
	workers map[[2]int]int   // rank by data-parallel rank and stage
	shared  bool             // by several ranks: a data-parallel rank's part of a stage
	follows []int32          // by operation: which followed it last
	last    opRow            // the last row added
	lastBy  [3]int           // and its data-parallel rank, stage and rank
	rows    [][]opRow
	data    int // data-parallel ranks
	stages  int

	dataLabels, stageLabels []int // their numbers in the table
	notes                   []string
}

type opKey struct{ kind, seq, stage int32 }

type opInfo struct {
	opKey
	chunk, whole int32
	step         int // whose chunks these are, of data-parallel rank 0 where it has any
}

// opRow is an operation in 24 bytes. A row that is there twice loses its step.
type opRow struct {
	start          float64
	time           float32
	op, step, data int32
}

const dropped = -1 // in place of a row's step

const rowSlab = 1 << 16

// Limits on tables of operations.
const (
	maxStages  = 1 << 14
	maxData    = 1 << 20
	maxSeq     = 1 << 24
	maxKinds   = 1 << 10
	maxOfSteps = 1 << 24
)

// NewOperations makes an empty table.
func NewOperations() *Operations {
	return &Operations{DataShards: 1, kindOf: map[string]int32{}, opOf: map[opKey]int32{}, stepOf: map[int]int32{}, chunkOf: map[[2]int]int32{}, workers: map[[2]int]int{}}
}

// Len is the number of operations.
func (o *Operations) Len() int {
	if len(o.rows) == 0 {
		return 0
	}
	return (len(o.rows)-1)*rowSlab + len(o.rows[len(o.rows)-1])
}

// Workers is the number of workers.
func (o *Operations) Workers() int { return len(o.workers) }

// Add appends an operation.
func (o *Operations) Add(op Operation) error {
	switch {
	case op.Stage < 0 || op.Stage >= maxStages:
		return fmt.Errorf("stage %d is out of range", op.Stage)
	case op.Data < 0 || op.Data >= maxData:
		return fmt.Errorf("data-parallel rank %d is out of range", op.Data)
	case op.Seq < Unknown || op.Seq >= maxSeq:
		return fmt.Errorf("sequence number %d is out of range", op.Seq)
	case math.IsNaN(op.Start) || math.IsInf(op.Start, 0) || !(op.Time >= 0) || math.IsInf(op.Time, 0):
		return fmt.Errorf("start %v and duration %v are not times", op.Start, op.Time)
	}
	id := o.expected(op)
	if id < 0 {
		kind, ok := o.kindOf[op.Kind]
		if !ok {
			if len(o.kinds) == maxKinds {
				return fmt.Errorf("more than %d kinds of operation", maxKinds)
			}
			kind = int32(len(o.kinds))
			o.kinds = append(o.kinds, op.Kind)
			o.kindOf[op.Kind] = kind
		}
		key := opKey{kind, int32(op.Seq), int32(op.Stage)}
		if op.Seq == Unknown {
			key.seq = o.unnumbered(op)
		}
		id = o.operation(key)
	}
	o.chunksOf(id, op)
	step := o.last.step
	if len(o.steps) == 0 || o.steps[step] != op.Step {
		var ok bool
		if step, ok = o.stepOf[op.Step]; !ok {
			if len(o.steps) == maxOfSteps {
				return fmt.Errorf("more than %d steps", maxOfSteps)
			}
			step = int32(len(o.steps))
			o.steps = append(o.steps, op.Step)
			o.stepOf[op.Step] = step
		}
	}
	if worker := [3]int{op.Data, op.Stage, op.Rank}; len(o.rows) == 0 || worker != o.lastBy {
		part := [2]int{op.Data, op.Stage}
		if rank, ok := o.workers[part]; !ok {
			o.workers[part] = op.Rank
		} else if rank != op.Rank {
			o.shared = true
		}
		o.lastBy = worker
	}
	o.data, o.stages = max(o.data, op.Data+1), max(o.stages, op.Stage+1)
	if n := len(o.rows); n == 0 || len(o.rows[n-1]) == rowSlab {
		o.rows = append(o.rows, make([]opRow, 0, rowSlab))
	}
	last := &o.rows[len(o.rows)-1]
	if len(o.rows) > 1 || len(*last) > 0 {
		o.follows[o.last.op] = id
	}
	o.last = opRow{op.Start, float32(op.Time), id, step, int32(op.Data)}
	*last = append(*last, o.last)
	return nil
}

// expected is the operation that followed the last one before, where that is the
// one at hand: workers do the same operations in the same order, so that most
// need not be looked up. -1 where it is another.
func (o *Operations) expected(op Operation) int32 {
	if len(o.rows) == 0 || op.Seq == Unknown {
		return -1
	}
	id := o.follows[o.last.op]
	if id < 0 {
		return -1
	}
	if info := &o.ops[id]; int(info.seq) != op.Seq || int(info.stage) != op.Stage || o.kinds[info.kind] != op.Kind {
		return -1
	}
	return id
}

// unnumbered stands for the sequence number of an operation that has none until
// the table is settled: a negative number for each chunk.
func (o *Operations) unnumbered(op Operation) int32 {
	chunk := [2]int{op.Chunk, op.Whole}
	n, ok := o.chunkOf[chunk]
	if !ok {
		n = Unknown - int32(len(o.chunkOf))
		o.chunkOf[chunk] = n
	}
	return n
}

// operation numbers an operation.
func (o *Operations) operation(key opKey) int32 {
	id, ok := o.opOf[key]
	if !ok {
		id = int32(len(o.ops))
		o.ops = append(o.ops, opInfo{opKey: key, step: math.MaxInt})
		o.follows = append(o.follows, -1)
		o.opOf[key] = id
	}
	return id
}

// chunksOf notes the chunks of an operation. Those of the first step and
// data-parallel rank count, as the order of operations is taken from there.
func (o *Operations) chunksOf(id int32, op Operation) {
	first := op.Step
	if op.Data > 0 {
		first = math.MaxInt - 1
	}
	if info := &o.ops[id]; first < info.step {
		info.chunk, info.whole, info.step = int32(op.Chunk), int32(op.Whole), first
	}
}
