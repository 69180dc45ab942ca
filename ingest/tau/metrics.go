package tau

import (
	"strings"

	"auspex/model"
)

// metrics maps TAU's metrics onto the canonical ones. Of several that mean
// the same the first in this list that was measured gets the canonical name,
// the others keep their own. TAU's clocks count microseconds.
var metrics = []struct {
	name, canonical string
	scale           float64
}{
	{"TIME", model.WallTime, 1e-6},
	{"Time", model.WallTime, 1e-6},
	{"GET_TIME_OF_DAY", model.WallTime, 1e-6},
	{"LINUX_TIMERS", model.WallTime, 1e-6},
	{"P_WALL_CLOCK_TIME", model.WallTime, 1e-6},
	{"PAPI_TIME", model.WallTime, 1e-6},
	{"CRAY_TIMERS", model.WallTime, 1e-6},
	{"SGI_TIMERS", model.WallTime, 1e-6},
	{"BGL_TIMERS", model.WallTime, 1e-6},
	{"BGP_TIMERS", model.WallTime, 1e-6},
	{"BGQ_TIMERS", model.WallTime, 1e-6},
	{"TAUGPU_TIME", model.WallTime, 1e-6},
	{"CPU_TIME", model.CPUTime, 1e-6},
	{"P_VIRTUAL_TIME", model.CPUTime, 1e-6},
	{"PAPI_VIRTUAL_TIME", model.CPUTime, 1e-6},
	{"USER_TIME", "", 1e-6},
	{"SYSTEM_TIME", "", 1e-6},
	{"PAPI_TOT_INS", model.Instructions, 1},
	{"PAPI_TOT_CYC", model.Cycles, 1},
	{"PAPI_L1_DCM", model.L1Misses, 1},
	{"PAPI_L1_TCM", model.L1Misses, 1},
	{"PAPI_L2_TCM", model.L2Misses, 1},
	{"PAPI_L2_DCM", model.L2Misses, 1},
	{"PAPI_L3_TCM", model.L3Misses, 1},
	{"PAPI_L3_DCM", model.L3Misses, 1},
}

// tauColumn is one metric of the experiment.
type tauColumn struct {
	exclusive, inclusive int // columns of the builder; inclusive is -1 in a tree
	scale                float64
}

// columns adds TAU's metrics to the builder. The inclusive values of a tree
// follow from the exclusive ones and are not stored.
func columns(b *model.Builder, names []string, nested bool) []tauColumn {
	canonical := map[string]string{} // by TAU's name
	scale := map[string]float64{}
	measured := map[string]bool{}
	for _, name := range names {
		measured[name] = true
	}
	taken := map[string]bool{}
	for _, m := range metrics {
		if !measured[m.name] {
			continue
		}
		scale[m.name] = m.scale
		if m.canonical != "" && !taken[m.canonical] {
			taken[m.canonical] = true
			canonical[m.name] = m.canonical
		}
	}
	columns := make([]tauColumn, len(names))
	used := map[string]bool{}
	for i, name := range names {
		column := tauColumn{inclusive: -1, scale: 1}
		if s := scale[name]; s != 0 {
			column.scale = s
		}
		metric := model.NewMetric(name, "", model.Exclusive)
		if c := canonical[name]; c != "" {
			metric = model.NewMetric(c, name, model.Exclusive)
		} else if column.scale != 1 {
			metric.Unit = "s"
		} else if isRatio(name) {
			metric.Unit, metric.Scope, metric.Missing = "ratio", model.Own, model.Absent
		}
		// A metric that TAU itself calls by a canonical name must not mix in.
		for used[metric.Name] || canonical[name] == "" && taken[metric.Name] {
			metric.Name += "'"
		}
		used[metric.Name] = true
		column.exclusive = b.Metric(metric)
		if !nested && metric.Scope != model.Own {
			metric.Scope = model.Inclusive
			column.inclusive = b.Metric(metric)
		}
		columns[i] = column
	}
	return columns
}

// isRatio recognises a metric that ParaProf derived as a quotient, such as
// "(PAPI_FP_INS / TIME)".
func isRatio(name string) bool {
	return strings.HasPrefix(name, "(") && strings.HasSuffix(name, ")") && strings.Contains(name, "/")
}
