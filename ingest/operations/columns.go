package operations

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/longtable"
	"auspex/training"
)

// The columns, in the order in which they are asked for.
const (
	dpRank = iota
	stage
	rank
	step
	optype
	startTS
	duration
	endTS
	seqID
	chunk
	wholeChunk
	columnCount
)

// columns are the names of the paper's artifact, and what others call them. A
// name may tell the unit of a time.
var columns = []longtable.Wanted{
	dpRank:     {Name: "dp_rank", Also: []string{"dp", "dp_id", "dp_idx", "data_parallel_rank", "data_rank"}, Optional: true},
	stage:      {Name: "stage", Also: []string{"pp_rank", "pp", "pp_stage", "pp_id", "pipeline_stage", "pipeline_parallel_rank", "pipeline_rank", "stage_id"}, Optional: true},
	rank:       {Name: "rank", Also: []string{"global_rank", "worker", "worker_id", "rank_id"}, Optional: true},
	step:       {Name: "step", Also: []string{"step_id", "iteration", "iter", "global_step", "step_number"}},
	optype:     {Name: "optype", Also: []string{"op_type", "kind", "operation", "op", "op_name", "type", "name"}, Text: true},
	startTS:    {Name: "start_ts", Also: withUnits("start_ts", "start", "start_time", "ts", "timestamp", "begin", "begin_ts")},
	duration:   {Name: "duration", Also: withUnits("duration", "dur", "elapsed", "time", "length"), Optional: true},
	endTS:      {Name: "end_ts", Also: withUnits("end_ts", "end", "end_time", "stop", "finish"), Optional: true},
	seqID:      {Name: "seq_id", Also: []string{"seq", "sequence", "sequence_id", "seqno", "microbatch_seq"}, Optional: true},
	chunk:      {Name: "mc", Also: []string{"model_chunk", "chunk", "chunk_id", "virtual_stage", "vpp_rank"}, Optional: true},
	wholeChunk: {Name: "gmc", Also: []string{"global_model_chunk", "global_chunk", "global_chunk_id"}, Optional: true},
}

// units are the endings that tell the unit of a time, and how many make a second.
var units = []struct {
	ending    string
	perSecond float64
}{{"_ns", 1e9}, {"_us", 1e6}, {"_usec", 1e6}, {"_ms", 1e3}, {"_msec", 1e3}, {"_sec", 1}, {"_seconds", 1}, {"_s", 1}}

func withUnits(names ...string) []string {
	all := slices.Clone(names)
	for _, name := range names {
		for _, u := range units {
			all = append(all, name+u.ending)
		}
	}
	return all
}

// perSecond is what a column's name says of its unit, 0 where it says nothing.
func perSecond(column string) float64 {
	for _, u := range units {
		if strings.HasSuffix(strings.ToLower(strings.TrimSpace(column)), u.ending) {
			return u.perSecond
		}
	}
	return 0
}

// reading is a table being read.
type reading struct {
	ops   *training.Operations
	row   int
	names []string
	// late holds the rows until all are there, where the table does not tell
	// of each worker which data-parallel rank and which stage it is.
	late  []training.Operation
	kinds []string           // by text
	whole [columnCount][]int // of the rows at hand, nil for columns not there
}

func newReading() *reading {
	return &reading{ops: training.NewOperations()}
}

func (t *reading) add(b *longtable.Batch) error {
	if t.names == nil {
		t.names = slices.Clone(b.Names)
		switch {
		case b.Numbers[duration] == nil && b.Numbers[endTS] == nil:
			return errors.New(`there is neither a column "duration" nor a column "end_ts"`)
		case b.Numbers[dpRank] == nil && b.Numbers[rank] == nil:
			return errors.New(`there is neither a column "dp_rank" nor a column "rank"`)
		}
	}
	if err := t.wholes(b); err != nil {
		return err
	}
	late := b.Numbers[dpRank] == nil || b.Numbers[stage] == nil && b.Numbers[rank] != nil
	for i := range b.Rows {
		t.row++
		op := t.operation(b, i)
		if late {
			t.late = append(t.late, op)
		} else if err := t.ops.Add(op); err != nil {
			return fmt.Errorf("row %d: %w", t.row, err)
		}
	}
	return nil
}

// wholes takes the columns of whole numbers, one after the other.
func (t *reading) wholes(b *longtable.Batch) error {
	for c, values := range b.Numbers {
		if values == nil || c == startTS || c == duration || c == endTS {
			continue
		}
		t.whole[c] = t.whole[c][:0]
		for i, v := range values[:b.Rows] {
			if math.IsNaN(v) && (c == chunk || c == wholeChunk) {
				v = 0 // operations that belong to no chunk
			}
			if v != math.Trunc(v) || math.Abs(v) > 1<<40 {
				return fmt.Errorf("row %d: %s %v is not a whole number", t.row+i+1, columns[c].Name, v)
			}
			t.whole[c] = append(t.whole[c], int(v))
		}
	}
	return nil
}

func (t *reading) operation(b *longtable.Batch, i int) training.Operation {
	get := func(c, missing int) int {
		if t.whole[c] == nil {
			return missing
		}
		return t.whole[c][i]
	}
	op := training.Operation{
		Rank: get(rank, training.Unknown), Data: get(dpRank, training.Unknown), Stage: get(stage, 0), Step: get(step, 0),
		Kind: t.kind(b, b.IDs[optype][i]), Seq: get(seqID, training.Unknown),
		Start: b.Numbers[startTS][i], Chunk: get(chunk, 0), Whole: get(wholeChunk, training.Unknown),
	}
	if b.Numbers[duration] != nil {
		op.Time = b.Numbers[duration][i]
	} else {
		op.Time = b.Numbers[endTS][i] - op.Start
	}
	return op
}

// kind is the kind of a text in the table.
func (t *reading) kind(b *longtable.Batch, id int32) string {
	for int(id) >= len(t.kinds) {
		t.kinds = append(t.kinds, "")
	}
	if t.kinds[id] == "" {
		t.kinds[id] = kindOf(b.Text(optype, id))
	}
	return t.kinds[id]
}

// kindOf brings the name of a kind into the form of the paper's: forward-compute
// may be called Forward_Compute or fwd_compute.
func kindOf(text string) string {
	kind := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(text)))
	for short, long := range map[string]string{"fwd": "forward", "bwd": "backward"} {
		if rest, ok := strings.CutPrefix(kind, short); ok && (rest == "" || rest[0] == '-') {
			kind = long + rest
		}
	}
	if kind == "forward" || kind == "backward" {
		kind += "-compute"
	}
	return kind
}

// finish adds the rows that waited, and settles units.
func (t *reading) finish() error {
	if len(t.late) > 0 {
		if err := t.place(); err != nil {
			return err
		}
	}
	lengths := t.names[duration]
	if lengths == "" {
		lengths = t.names[startTS]
	}
	t.ops.Unit([2]float64{perSecond(t.names[startTS]), perSecond(lengths)})
	return nil
}

// place tells which data-parallel rank and stage each worker is from the order
// of the ranks: those of one stage are its data-parallel ranks, in order; those
// of one data-parallel rank its stages.
func (t *reading) place() error {
	pipeline, several := false, false
	members := map[int][]int{} // ranks, by stage or data-parallel rank
	given := func(op *training.Operation) *int {
		if t.names[dpRank] == "" {
			return &op.Stage
		}
		return &op.Data
	}
	for i := range t.late {
		op := &t.late[i]
		pipeline = pipeline || strings.HasSuffix(op.Kind, "-send") || strings.HasSuffix(op.Kind, "-recv")
		if list := members[*given(op)]; len(list) == 0 || list[len(list)-1] != op.Rank {
			if n, found := slices.BinarySearch(list, op.Rank); !found {
				members[*given(op)] = slices.Insert(list, n, op.Rank)
			}
		}
	}
	for _, list := range members {
		several = several || len(list) > 1
	}
	if t.names[stage] == "" && t.names[dpRank] != "" && several && !pipeline {
		return errors.New(`several ranks share a data-parallel rank, and there is no column "stage" to tell them apart`)
	}
	for i := range t.late {
		op := &t.late[i]
		n, _ := slices.BinarySearch(members[*given(op)], op.Rank)
		if t.names[dpRank] == "" {
			op.Data = n
		} else {
			op.Stage = n
		}
		if err := t.ops.Add(*op); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	t.late = nil
	return nil
}
