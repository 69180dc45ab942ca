package caliper

import (
	"cmp"
	"slices"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// column is what Caliper calls an attribute with values: a measure
// under a chain of aggregations, such as max#inclusive#sum#time.duration.
type column struct {
	name string
	unit string // from the attribute's metadata, empty where not given

	base      string   // the measure: time.duration
	ops       []string // the aggregations, outermost first, without inclusive and scale
	inclusive bool
	scale     float64 // to seconds for times, 1 otherwise
	guessed   bool    // the scale is Caliper's old default, not told by the file
	isTime    bool
	role      role
}

// gaugeRole tells measures that are states and not amounts, so that snapshots
// of one region must not be added up: of high-water marks the highest counts,
// of start times the earliest.
func gaugeRole(base string) (role, bool) {
	lower := strings.ToLower(base)
	for _, part := range []string{"highwater", "high_water", "hwm", "peak", "vmrss", "vmsize", "vmdata", "memstat."} {
		if strings.Contains(lower, part) {
			return mostRole, true
		}
	}
	for _, part := range []string{"starttime", "start_time", "start.time", "begin_time", "timestamp", "time.offset"} {
		if strings.Contains(lower, part) {
			return leastRole, true
		}
	}
	return plainRole, false
}

// isFrame tells attributes that name a function or kernel inside the annotated
// region: frames of sampled call stacks and what ran on an accelerator.
func isFrame(name string) bool {
	switch name {
	case "source.function#callpath.address", "source.function#cali.sampler.pc", "callpath.regname",
		"cuda.kernel.name", "cupti.kernel.name", "cupti.activity.kernel.name", "rocm.kernel.name", "roctracer.kernel.name", "kernel.name":
		return true
	}
	return false
}

// times are the names of time measures. Caliper's timer counted
// microseconds (time.duration) before it counted nanoseconds (….ns).
var times = []string{"time.duration", "time.inclusive.duration", "time.exclusive.duration"}

// newColumn takes a column's name apart.
func newColumn(name, unit string) column {
	c := parseColumn(name, unit)
	c.role = roleOf(c.ops)
	if gauge, ok := gaugeRole(c.base); ok && c.role == plainRole {
		c.role = gauge
	}
	if c.base == "" || name == "nid" || name == "_id" { // nameless, or the number of a tree node
		c.role = derivedRole
	}
	return c
}

func parseColumn(name, unit string) column {
	c := column{name: name, unit: unit, scale: 1}
	if title, ok := caliperTitle(name); ok {
		c.base, c.ops, c.inclusive, c.isTime = "time.duration", title.ops, title.inclusive, true
		if scale, known := input.TimeScales[strings.ToLower(unit)]; known {
			c.scale = scale
		}
		return c
	}
	rest, scaled := name, false
	for {
		op, inner, ok := strings.Cut(rest, "#")
		if !ok || !slices.Contains(ops, op) {
			break
		}
		rest = inner
		switch op {
		case "inclusive":
			c.inclusive = true
		case "scale":
			scaled = true
		case "iscale", "inclusive_scale":
			c.inclusive, scaled = true, true
		default:
			c.ops = append(c.ops, op)
		}
	}
	c.base = rest
	measure, nanoseconds := strings.CutSuffix(rest, ".ns")
	if !slices.Contains(times, measure) {
		return c
	}
	c.isTime = true
	c.inclusive = c.inclusive || measure == "time.inclusive.duration"
	c.base = "time.duration"
	if known, ok := input.TimeScales[strings.ToLower(unit)]; ok {
		c.scale = known
	} else if nanoseconds && !scaled {
		c.scale = 1e-9
	} else if !scaled {
		c.scale, c.guessed = 1e-6, true
	}
	return c
}

// ops are the aggregations that Caliper's queries name columns after.
var ops = []string{
	"sum", "min", "max", "avg", "any", "inclusive", "scale", "iscale", "inclusive_scale", "first", "ratio",
	"percent_total", "ipercent_total", "inclusive_percent_total", "variance", "scount", "count",
}

// title is a column named for people, as Caliper's own report
// configurations do.
type title struct {
	ops       []string
	inclusive bool
}

func caliperTitle(name string) (title, bool) {
	lower := strings.ToLower(name)
	measure, scope, _ := strings.Cut(lower, " (")
	ops, ok := titles[measure]
	if !ok {
		return title{}, false
	}
	return title{ops, strings.HasPrefix(scope, "i")}, true
}

var titles = map[string][]string{
	"time":          {"sum"},
	"min time/rank": {"min", "sum"}, "max time/rank": {"max", "sum"}, "avg time/rank": {"avg", "sum"}, "total time": {"sum", "sum"},
}

// role is what a column is to its measure.
type role int

const (
	plainRole   role = iota // the value of one process
	averageRole             // over the processes that entered the region
	totalRole               // over all processes
	leastRole
	mostRole
	otherRole   // belongs to its region alone
	derivedRole // follows from others
)

func roleOf(ops []string) role {
	chain := strings.Join(ops, " ")
	switch {
	case strings.Contains(chain, "percent"):
		return derivedRole
	case chain == "" || chain == "sum":
		return plainRole
	case chain == "avg sum":
		return averageRole
	case chain == "sum sum":
		return totalRole
	case strings.HasPrefix(chain, "min"):
		return leastRole
	case strings.HasPrefix(chain, "max"):
		return mostRole
	}
	return otherRole
}

// canonical maps measures to canonical names; counters go by
// counterNames.
var canonical = map[string]string{
	"time.duration": model.WallTime,
	"region.count":  model.Calls, "rc.count": model.Calls, "calls": model.Calls, "Calls": model.Calls,
}

// metric describes the column in the model's terms. The column that stands
// for its measure (main) bears the measure's name; the others add theirs.
func (c *column) metric(main bool) model.Metric {
	name := cmp.Or(canonical[c.base], input.CounterNames[strings.TrimPrefix(c.base, "papi.")], c.base)
	scope := model.Exclusive
	if c.inclusive {
		scope = model.Inclusive
	}
	if name == model.Calls {
		scope = model.Own
	}
	suffix := map[role]string{averageRole: "_avg", totalRole: "_total", leastRole: "_min", mostRole: "_max"}[c.role]
	if _, gauge := gaugeRole(c.base); !main && !gauge {
		name += suffix
	}
	m := model.NewMetric(name, c.name, scope)
	if c.isTime {
		m.Unit = "s"
	} else if !model.IsCanonical(name) {
		m.Unit = c.unit
	}
	if c.role == leastRole || c.role == mostRole || c.role == otherRole {
		m.Scope, m.Missing = model.Own, model.Absent
	}
	return m
}
