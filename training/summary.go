package training

import (
	"cmp"
	"slices"
	"strings"
)

// Rank is what is kept of one rank's trace: small enough for thousands.
type Rank struct {
	Number, World int
	File          string
	Host          string
	Device        string
	Steps         []Step
	Calls         []Call // collectives, in the order in which they began
	Kernels       []KernelSum
	HostOps       map[string]int64 // what the host works in each operator, where devices meet
	HostCalls     map[string]int   // in how many stretches it does
	Notes         []string
}

// Step is one step of a rank. Times are nanoseconds since 1970 on the rank's
// own clock, or since whenever the trace counts from.
type Step struct {
	Number     int
	Start, End int64
	Places     []PlaceSum
	Regions    map[string]int64 // time within ranges that the program named
	Host       int64            // what the host works, where devices meet
	Waits      int              // calls that wait for the device, likewise
	Kernel     int64            // sum of all kernels but collectives
	Kernels    int
	Copied     int64 // bytes copied to the device, but by collectives
	Copying    int64 // sum of all copies by the device, but those of collectives
	Collective int64 // sum of all collectives
	Computing  int64 // when kernels ran that are no collectives
	Held       []HeldSum
	Layers     map[string]int64 // time within ranges whose name ends with a number, as the device saw them
}

// PlaceSum is the host's time at one place.
type PlaceSum struct {
	Region, Op string
	Doing      Doing
	Time       int64
}

// Call is a collective as one rank took part in it.
type Call struct {
	Step     int // number of the step
	Track    int // the stream or thread that carries it out, one call after the other
	Name     string
	Group    string // name and members
	Pair     bool   // from one rank to another, which need not come at once
	Sends    bool   // of a pair: this rank is the one that sends
	Peer     int    // of a pair: the other rank; -1 where it, or who sends, is not known
	Seq      int64
	Bytes    int64
	Launched int64 // when the host asked for it; on the host itself, its start
	Start    int64
	Arrived  int64 // when the rank was ready for it
	Still    int64 // when it had nothing more to compute beside it
	End      int64
	Alone    int64 // from Arrived to End, when it computed nothing beside it
}

// KernelSum is the time of one kernel under one operator.
type KernelSum struct {
	Name, Operator string
	Count          int
	Time           int64
}

// Summarize makes a Rank of a trace.
func Summarize(t *Trace) *Rank {
	r := &Rank{Number: t.Rank, World: t.World, File: t.File, Host: t.Host, Device: t.Device, Notes: t.Notes}
	m := t.marks()
	t.behind(m)
	r.Steps = m.steps
	t.collectives(r)
	t.places(r, m)
	t.kernels(r)
	t.copies(r)
	t.layers(r)
	for i := range r.Steps {
		r.Steps[i].Start += t.Base
		r.Steps[i].End += t.Base
	}
	for i := range r.Calls {
		r.Calls[i].Launched += t.Base
		r.Calls[i].Start += t.Base
		r.Calls[i].Arrived += t.Base
		r.Calls[i].Still += t.Base
		r.Calls[i].End += t.Base
	}
	return r
}

// kernels adds up what the device did.
func (t *Trace) kernels(r *Rank) {
	links := t.links()
	sums := map[[2]uint32]*KernelSum{}
	for i := range t.Len() {
		v := t.At(i)
		if v.Kind != Kernel || len(r.Steps) == 0 || t.isCollective(v) {
			continue
		}
		step := &r.Steps[stepAt(r.Steps, v.Start)]
		step.Kernel += v.Length
		step.Kernels++
		operator := links.operatorOf(v)
		key := [2]uint32{v.Name, operator}
		sum := sums[key]
		if sum == nil {
			sum = &KernelSum{Name: t.Names[v.Name]}
			if operator != none {
				sum.Operator = t.Names[operator]
			}
			sums[key] = sum
		}
		sum.Count++
		sum.Time += v.Length
	}
	for _, sum := range sums {
		r.Kernels = append(r.Kernels, *sum)
	}
	slices.SortFunc(r.Kernels, func(a, b KernelSum) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Operator, b.Operator))
	})
}

// copies adds up what is copied to the device, and how long all copies take. The
// threads that carry out collectives bring back what they reduced, which is as
// much on every rank.
func (t *Trace) copies(r *Rank) {
	if len(r.Steps) == 0 {
		return
	}
	launched := map[uint32]bool{} // copies, by what links them with their launch
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Copy && v.Correlation != 0 {
			launched[v.Correlation] = false
		}
	}
	inCollectives := make([]bool, len(t.Tracks))
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Annotation && HostCollective(t.Names[v.Name]) {
			inCollectives[v.Track] = true
		}
	}
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Runtime && inCollectives[v.Track] {
			if _, wanted := launched[v.Correlation]; wanted {
				launched[v.Correlation] = true
			}
		}
	}
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Copy && !launched[v.Correlation] {
			r.Steps[stepAt(r.Steps, v.Start)].Copying += v.Length
		}
	}
	for _, m := range t.Messages {
		v := t.At(m.Interval)
		if v.Kind == Copy && m.Bytes > 0 && !launched[v.Correlation] && strings.Contains(t.Names[v.Name], "HtoD") {
			r.Steps[stepAt(r.Steps, v.Start)].Copied += m.Bytes
		}
	}
}
