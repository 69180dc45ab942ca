package input

import (
	"strconv"
	"strings"

	"auspex/model"
)

// CounterNames maps the names that PAPI and perf give to hardware and system
// counters onto the canonical ones.
var CounterNames = map[string]string{
	"PAPI_TOT_INS": model.Instructions, "PAPI_TOT_CYC": model.Cycles,
	"PAPI_L1_TCM": model.L1Misses, "PAPI_L1_DCM": model.L1Misses,
	"PAPI_L2_TCM": model.L2Misses, "PAPI_L2_DCM": model.L2Misses,
	"PAPI_L3_TCM": model.L3Misses, "PAPI_L3_DCM": model.L3Misses,
	"instructions": model.Instructions, "cycles": model.Cycles, "cpu-cycles": model.Cycles,
	"PERF_COUNT_HW_INSTRUCTIONS": model.Instructions, "PERF_COUNT_HW_CPU_CYCLES": model.Cycles,
	"page-faults": model.PageFaults, "context-switches": model.ContextSwitches,
}

// TimeScales gives the length in seconds of the units of time that tools use.
var TimeScales = map[string]float64{
	"s": 1, "sec": 1, "seconds": 1,
	"ms": 1e-3, "msec": 1e-3,
	"us": 1e-6, "usec": 1e-6, "microseconds": 1e-6,
	"ns": 1e-9, "nsec": 1e-9,
}

// MetricNames keeps the columns of one experiment apart: PAPI_L1_TCM and
// PAPI_L1_DCM both mean l1_misses, but only the first may have the name.
type MetricNames map[string]bool

// Claim returns the metric under a column of its own: its canonical name,
// else the tool's name, else that with a number.
func (taken MetricNames) Claim(m model.Metric) model.Metric {
	if taken[m.Column()] && m.Alias != "" {
		m.Name, m.Alias = m.Alias, ""
	}
	for base, n := m.Name, 2; taken[m.Column()]; n++ {
		m.Name = base + "_" + strconv.Itoa(n)
	}
	taken[m.Column()] = true
	return m
}

// SplitUnit parts "CPUTIME (usec)" into name and unit of measurement.
func SplitUnit(name string) (base, unit string) {
	if open := strings.LastIndex(name, " ("); open > 0 && strings.HasSuffix(name, ")") {
		return name[:open], name[open+2 : len(name)-1]
	}
	return name, ""
}
