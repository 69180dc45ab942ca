package model

import "strings"

// Scope says what a region's value covers.
type Scope string

// The scopes a metric can have.
const (
	Exclusive Scope = "exc" // the region without those nested in it
	Inclusive Scope = "inc" // the region with those nested in it
	Own       Scope = ""    // belongs to the region alone and does not add up the tree: calls, ratios
)

// Missing says what it means that a unit has no value for a region.
type Missing string

// The meanings of a missing value.
const (
	Zero   Missing = "zero"   // never entered: no time, no calls
	Absent Missing = "absent" // no answer: ratios, minima, maxima
)

// Metric describes one column of values.
type Metric struct {
	Name string `json:"name"` // canonical where there is one, see the constants
	// Alias is the name the measuring tool used, accepted in queries too.
	Alias   string  `json:"alias,omitempty"`
	Unit    string  `json:"unit,omitempty"` // "s", "bytes", "count", "ratio"
	Scope   Scope   `json:"scope"`
	Missing Missing `json:"missing"`
}

// Column is the metric's name in files and queries: the scope is part of it
// where the metric has one (wtime.exc, wtime.inc, calls).
func (m Metric) Column() string {
	if m.Scope == Own {
		return m.Name
	}
	return m.Name + "." + string(m.Scope)
}

// Additive tells whether values of several units or regions may be summed.
func (m Metric) Additive() bool { return m.Missing == Zero }

// SplitScope parts a column name such as "wtime.inc" into name and scope.
// A name without a scope suffix comes back as it is, with ok false.
func SplitScope(column string) (name string, scope Scope, ok bool) {
	for _, s := range []Scope{Exclusive, Inclusive} {
		if base, found := strings.CutSuffix(column, "."+string(s)); found && base != "" {
			return base, s, true
		}
	}
	return column, Own, false
}

// Canonical metric names. Times are in seconds, sizes in bytes.
const (
	WallTime        = "wtime"
	CPUTime         = "cpu_time"
	Calls           = "calls"
	MPITime         = "mpi_time"
	BytesSent       = "bytes_sent"
	BytesReceived   = "bytes_received"
	Messages        = "messages"
	IOTime          = "io_time"
	IORead          = "io_read"
	IOWritten       = "io_written"
	Iterations      = "iterations"
	Instructions    = "instructions"
	Cycles          = "cycles"
	L1Misses        = "l1_misses"
	L2Misses        = "l2_misses"
	L3Misses        = "l3_misses"
	PageFaults      = "page_faults"
	ContextSwitches = "context_switches"
)

// CoreWait is the time in which a unit could have run and had no core.
const CoreWait = "core_wait"

// Samples counts the stacks that were looked at in a region.
const Samples = "samples"

var canonicalUnits = map[string]string{
	WallTime: "s", CPUTime: "s", MPITime: "s", IOTime: "s",
	BytesSent: "bytes", BytesReceived: "bytes", IORead: "bytes", IOWritten: "bytes",
	Calls: "count", Messages: "count", Iterations: "count", Instructions: "count",
	Cycles: "count", L1Misses: "count", L2Misses: "count", L3Misses: "count",
	PageFaults: "count", ContextSwitches: "count",
}

// NewMetric describes a canonical metric under the tool's own name for it.
// A name that is not canonical gets the unit "count" and is taken as additive.
func NewMetric(name, alias string, scope Scope) Metric {
	unit := canonicalUnits[name]
	if unit == "" {
		unit = "count"
	}
	if alias == name {
		alias = ""
	}
	return Metric{Name: name, Alias: alias, Unit: unit, Scope: scope, Missing: Zero}
}

// IsCanonical tells whether name is one of the canonical metric names.
func IsCanonical(name string) bool { return canonicalUnits[name] != "" }

// MetricIndex finds the metric stored under exactly this name and scope, or -1.
func (h *Header) MetricIndex(name string, scope Scope) int {
	for i, m := range h.Metrics {
		if m.Name == name && m.Scope == scope {
			return i
		}
	}
	return -1
}
