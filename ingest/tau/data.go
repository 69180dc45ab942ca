package tau

import (
	"cmp"
	"math"
	"strings"
)

// data is what TAU measured, as any of its three file forms tells it: the
// readers (tau_profile.go, tau_packed.go, tau_xml.go) fill one, tau_tree.go
// finds the region tree in its function names, and tau_build.go makes the
// experiment.
type data struct {
	metrics   []string
	functions []tauFunction
	events    []string // user events that can become a metric, see events.go
	threads   []*thread
	metadata  []attribute // of the run as a whole
	notes     []string

	metricOf    map[string]int32
	functionOf  map[string]int32
	eventOf     map[string]int32
	threadOf    map[tauID]*thread
	kept        map[string]bool // names of user events without a canonical name
	otherEvents int             // user events that are not kept
}

// tauFunction is a timer: a function ("foo"), a call path ("main => foo") or a
// sample. Groups is TAU's list, parted by "|".
type tauFunction struct{ name, groups string }

// tauID tells where a profile was taken: TAU's node is an MPI rank.
type tauID struct{ node, context, thread int }

func (id tauID) compare(other tauID) int {
	return cmp.Or(id.node-other.node, id.context-other.context, id.thread-other.thread)
}

// thread holds one thread's values: a row per function, in each row the
// exclusive and inclusive value of every metric in turn. Times are in
// microseconds, as TAU has them; NaN is a value that was not measured.
type thread struct {
	tauID
	metadata []attribute
	metrics  []int32 // of the values of a row
	function []int32
	calls    []float64
	values   []float64
	events   []tauEvent
}

// attribute is one entry of the metadata.
type attribute struct{ name, value string }

// tauEvent sums up a user event of one thread.
type tauEvent struct {
	event       int32
	count, mean float64
}

func newData() *data {
	return &data{
		metricOf:   map[string]int32{},
		functionOf: map[string]int32{},
		eventOf:    map[string]int32{},
		kept:       map[string]bool{},
		threadOf:   map[tauID]*thread{},
	}
}

// metric numbers a metric by its name.
func (d *data) metric(name string) int32 {
	if name = strings.TrimSpace(name); name == "" {
		name = "(unnamed)"
	}
	i, ok := d.metricOf[name]
	if !ok {
		i = int32(len(d.metrics))
		d.metrics = append(d.metrics, name)
		d.metricOf[name] = i
	}
	return i
}

// function numbers a function by its name, which TAU likes to pad with blanks.
func (d *data) function(f tauFunction) int32 {
	f.name = strings.TrimSpace(f.name)
	i, ok := d.functionOf[f.name]
	if !ok {
		i = int32(len(d.functions))
		d.functions = append(d.functions, f)
		d.functionOf[f.name] = i
	}
	return i
}

// event numbers a user event that becomes a metric and returns -1 for all
// others.
func (d *data) event(name string) int32 {
	i, ok := d.eventOf[name]
	if ok {
		return i
	}
	i = -1
	kept := keptEvent(name)
	if _, known := d.kept[kept]; !known && len(d.kept) < maxKeptEvents && kept != "" {
		d.kept[kept] = true
	}
	if eventClass(name) >= 0 || d.kept[kept] {
		i = int32(len(d.events))
		d.events = append(d.events, name)
	} else {
		d.otherEvents++
	}
	d.eventOf[name] = i
	return i
}

// thread finds or adds a thread.
func (d *data) thread(id tauID) *thread {
	t, ok := d.threadOf[id]
	if !ok {
		t = &thread{tauID: id}
		d.threads = append(d.threads, t)
		d.threadOf[id] = t
	}
	return t
}

// row returns the values of one row: exclusive and inclusive in turn.
func (t *thread) row(i int) []float64 {
	stride := 2 * len(t.metrics)
	return t.values[i*stride : (i+1)*stride]
}

// idle tells whether a row says that the thread never was in the function.
func (t *thread) idle(i int) bool {
	if t.calls[i] > 0 {
		return false
	}
	for _, v := range t.row(i) {
		if v != 0 && !math.IsNaN(v) {
			return false
		}
	}
	return true
}
