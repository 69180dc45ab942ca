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
	late   []training.Operation
	kindOf map[string]string
}

func newReading() *reading {
	return &reading{ops: training.NewOperations(), kindOf: map[string]string{}}
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
	for i := range b.Rows {
		t.row++
		op, err := t.operation(b, i)
		if err == nil {
			if b.Numbers[dpRank] == nil || b.Numbers[stage] == nil && b.Numbers[rank] != nil {
				t.late = append(t.late, op)
			} else {
				err = t.ops.Add(op)
			}
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", t.row, err)
		}
	}
	return nil
}

func (t *reading) operation(b *longtable.Batch, i int) (training.Operation, error) {
	var whole [columnCount]int
	whole[rank], whole[seqID], whole[dpRank] = training.Unknown, training.Unknown, training.Unknown
	for c, values := range b.Numbers {
		if values == nil || c == startTS || c == duration || c == endTS {
			continue
		}
		v := values[i]
		if math.IsNaN(v) && (c == chunk || c == wholeChunk) {
			v = 0 // operations that belong to no chunk
		}
		if v != math.Trunc(v) || math.Abs(v) > 1<<40 {
			return training.Operation{}, fmt.Errorf("%s %v is not a whole number", columns[c].Name, v)
		}
		whole[c] = int(v)
	}
	if b.Numbers[wholeChunk] == nil {
		whole[wholeChunk] = training.Unknown
	}
	op := training.Operation{
		Rank: whole[rank], Data: whole[dpRank], Stage: whole[stage], Step: whole[step],
		Kind: t.kind(b.Text(optype, b.IDs[optype][i])), Seq: whole[seqID],
		Start: b.Numbers[startTS][i], Chunk: whole[chunk], Whole: whole[wholeChunk],
	}
	if b.Numbers[duration] != nil {
		op.Time = b.Numbers[duration][i]
	} else {
		op.Time = b.Numbers[endTS][i] - op.Start
	}
	return op, nil
}

// kind brings the name of a kind into the form of the paper's: forward-compute
// may be called Forward_Compute or fwd_compute.
func (t *reading) kind(text string) string {
	if kind, ok := t.kindOf[text]; ok {
		return kind
	}
	kind := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(text)))
	for short, long := range map[string]string{"fwd": "forward", "bwd": "backward"} {
		if rest, ok := strings.CutPrefix(kind, short); ok && (rest == "" || rest[0] == '-') {
			kind = long + rest
		}
	}
	if kind == "forward" || kind == "backward" {
		kind += "-compute"
	}
	t.kindOf[text] = kind
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
