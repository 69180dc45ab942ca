package training

// Result tells of a job's stragglers. Times are seconds.
type Result struct {
	Seconds  float64         `json:"seconds"`       // all steps
	Ideal    *float64        `json:"ideal_seconds"` // with every operation at its ideal time
	Slowdown *float64        `json:"slowdown"`      // S: seconds / ideal
	Ranks    []RankResult    `json:"ranks"`
	Stages   []StageSlowdown `json:"stages"`
	Kinds    []KindSlowdown  `json:"kinds"`
	// What share of the slowdown the worst workers (3 %, at least one) and
	// the last pipeline stage explain; null where there is no slowdown.
	WorstWorkers *float64    `json:"worst_workers"`
	LastStage    *float64    `json:"last_stage"`
	Steps        []StepWait  `json:"steps"`
	Stragglers   []Straggler `json:"stragglers"`
	Holds        []Hold      `json:"holds"`   // what costs all ranks alike
	Uniform      *Uniform    `json:"uniform"` // against an earlier run; null without one
	// Pace is how long the kernels, or the kinds of operation, that take most
	// take each: what an other run can be held against.
	Pace    []Pace `json:"pace"`
	World   int    `json:"world"`   // ranks of the job
	Present int    `json:"present"` // ranks that are here
	// ClockResidual is how far apart the ranks' clocks still are, judged by
	// the ends of the collectives; null without collectives.
	ClockResidual *float64 `json:"clock_residual_seconds"`
	Notes         []string `json:"notes"`
	Words         string   `json:"words"`

	all        float64 // the share of the run that all stragglers cost together, where their causes differ
	round      float64 // the share of the run that others wait for a rank that changes from step to step
	mostly     *int    // most of it for this rank, which is no straggler; nil for none
	stage      *stage  // of a pipeline, the one at whose pace it goes
	worldKnown bool    // a trace tells the number of ranks
	steps      int     // that all ranks have
}

// Turns is the share of the run that the others wait for one rank or another; 0 where
// that is little.
func (r *Result) Turns() float64 { return r.round }

// Tells says whether the traces tell more than a profile does: who waits for whom, or
// what costs all ranks alike. Tables of operations are profiles of whole ranks.
func (r *Result) Tells() bool { return r.ClockResidual != nil || len(r.Holds) > 0 }

// RankResult is one rank's part.
type RankResult struct {
	Rank     int      `json:"rank"`
	Slowdown *float64 `json:"slowdown"` // of traces: against the mean of the others; of tables: against its ideal
	// Seconds in which the rank was missing where the median of the others
	// had arrived.
	Late       *float64     `json:"late_seconds"`
	Seconds    *float64     `json:"step_seconds"`
	Kernels    *float64     `json:"kernel_seconds"`
	Collective *float64     `json:"collective_seconds"`
	Copied     *int64       `json:"copied_bytes"` // to the device
	Regions    []RegionTime `json:"regions"`
}

// Pace is the mean time of one kernel of one operator, or of one kind of
// operation, on the median rank.
type Pace struct {
	What     string  `json:"what"`
	Operator string  `json:"operator"`
	Count    int     `json:"count"`
	Mean     float64 `json:"mean_seconds"`
}

// RegionTime is the time in a range that the program named.
type RegionTime struct {
	Region  string  `json:"region"`
	Seconds float64 `json:"seconds"`
}

// StageSlowdown is what the job would lose were only this pipeline stage as
// slow as it is.
type StageSlowdown struct {
	Stage    int     `json:"stage"`
	Slowdown float64 `json:"slowdown"`
}

// KindSlowdown is the same for a kind of operation.
type KindSlowdown struct {
	Kind     string  `json:"kind"`
	Slowdown float64 `json:"slowdown"`
}

// StepWait says for whom the others waited in a step.
type StepWait struct {
	Step     int     `json:"step"`
	Seconds  float64 `json:"seconds"`
	LastRank *int    `json:"last_rank"`
	Waited   float64 `json:"waited_seconds"` // mean over the other ranks
}

// Side is where a straggler loses its time.
type Side string

// The sides.
const (
	Host        Side = "host"
	Accelerator Side = "device"
	Network     Side = "network"
)

// Pattern is how lateness runs over the steps.
type Pattern string

// The patterns.
const (
	Persistent Pattern = "persistent"
	Drifting   Pattern = "drifting"
	NowAndThen Pattern = "now and then"
)

// Straggler is a rank that the others wait for, and why.
type Straggler struct {
	Rank      int            `json:"rank"`
	Side      Side           `json:"side"`
	Cause     string         `json:"cause"`
	Region    string         `json:"region"` // "" outside any range
	Operators []OperatorTime `json:"operators"`
	Pattern   Pattern        `json:"pattern"`
	Seconds   float64        `json:"seconds"`        // in the region
	Others    float64        `json:"others_seconds"` // the median of the other ranks
	Late      float64        `json:"late_seconds"`
	Share     float64        `json:"lost_share"` // of the job's time, that it costs with those that are late for the same reason
	Fix       string         `json:"fix"`
}

// OperatorTime is an operator that takes a straggler longer than the others.
type OperatorTime struct {
	Operator string  `json:"operator"` // "" where none runs
	Seconds  float64 `json:"seconds"`
	Others   float64 `json:"others_seconds"`
}
