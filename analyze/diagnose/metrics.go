package diagnose

import (
	"context"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
)

// measured is one metric where it matters: in the regions that are to be
// explained, by active unit, and in every region, summed over units.
type measured struct {
	metric  model.Metric
	cores   [][]float64 // by core; NaN where missing
	regions []float64   // with what is nested in them
}

// measure loads the metrics that may explain something, one after the other,
// so that only one is in memory at a time.
func (s *study) measure(ctx context.Context, cores []place, withMPI bool) ([]measured, error) {
	var out []measured
	for _, name := range s.d.MetricNames() {
		metric, err := s.d.Resolve(name)
		if err != nil {
			return nil, err
		}
		if name == s.time.metric.Name || repeatsTime(metric) || isSpeed(metric) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := s.d.Load(metric)
		if err != nil {
			return nil, err
		}
		if isPapi(metric.Name) && !metric.Additive() {
			// A table may not say that they add up: they do, and nothing was
			// counted where there is no value.
			metric.Missing, metric.Scope = model.Zero, model.Exclusive
			m = zeroed(m)
		}
		out = append(out, s.condense(metric, m, cores, withMPI))
	}
	return out, nil
}

// zeroed has 0 where nothing is known.
func zeroed(m model.Matrix) model.Matrix {
	m = m.Clone()
	for i, v := range m.Data {
		if v != v {
			m.Data[i] = 0
		}
	}
	return m
}

// repeatsTime tells whether a metric is but another clock, and so would repeat
// the decision rather than explain it. Time in communication is left out with
// them: waiting mirrors what the others did. So are context switches, samples
// and energy: the more the longer a thread runs.
func repeatsTime(m model.Metric) bool {
	return m.Unit == "s" && m.Name != model.IOTime || m.Name == model.ContextSwitches || m.Name == model.Samples || m.Unit == "J" ||
		isClock(m.Name) || isClock(m.Alias)
}

// clocks are names, and parts of names, of what counts time: by PAPI, perf and
// LIKWID.
var clocks = []string{"papi_tot_cyc", "papi_ref_cyc", "cpu-cycles", "cpu_cycles", "ref-cycles", "ref_cycles", "total_cycles", "clockticks", "cpu-clock", "task-clock", "cpu_clk_unhalted", "rdtsc", "energy", "joule", "rapl"}

func isClock(name string) bool {
	name = strings.ToLower(name)
	return name == "tsc" || slices.ContainsFunc(clocks, func(c string) bool { return strings.Contains(name, c) })
}

// isSpeed tells amounts by time, such as bandwidths: who has a higher one is done
// earlier for it, so that it is no reason to take longer.
func isSpeed(m model.Metric) bool {
	name := strings.ToLower(m.Name)
	return strings.HasSuffix(m.Unit, "/s") || slices.ContainsFunc([]string{"/s)", "/sec", "per second", "bandwidth", "throughput"},
		func(part string) bool { return strings.Contains(name, part) }) || strings.HasSuffix(name, "/s")
}

// isPapi tells PAPI's counters, under PAPI's names.
func isPapi(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "PAPI_") }

// countsInstructions tells whether a metric is the number of all instructions.
func countsInstructions(m model.Metric) bool {
	return m.Name == model.Instructions || strings.EqualFold(m.Name, "PAPI_TOT_INS")
}

// travels tells whether a metric counts communication and so belongs to the
// communication regions that other metrics leave out.
func travels(name string) bool {
	return name == model.BytesSent || name == model.BytesReceived || name == model.Messages
}

func (s *study) condense(metric model.Metric, m model.Matrix, cores []place, withMPI bool) measured {
	x := measured{metric: metric, regions: make([]float64, m.Regions), cores: make([][]float64, len(cores))}
	counts := make([]int, m.Regions)
	for u := range m.Units {
		for r, v := range m.Row(u) {
			if v == v {
				x.regions[r] += v
				counts[r]++
			}
		}
	}
	if !metric.Additive() {
		for r := range x.regions {
			x.regions[r] = float64(analyze.Ratio(x.regions[r], float64(counts[r])))
		}
	} else if metric.Scope != model.Own {
		upTree(x.regions, s.d.Regions)
	}
	for c, p := range cores {
		parts := []int{p.region}
		switch {
		case p.group:
			parts = s.members(p.region)
		case metric.Scope != model.Own && !p.self:
			parts = s.subtree(p.region, withMPI || travels(metric.Name))
		}
		x.cores[c] = pick(s.units.sum(m, parts, metric.Additive()), s.active)
	}
	return x
}

// members lists the regions that count as one.
func (s *study) members(region int) []int {
	var out []int
	for r, g := range s.groups {
		if g == region {
			out = append(out, r)
		}
	}
	return out
}

// subtree lists a region and what is nested in it, in the order of the regions.
func (s *study) subtree(region int, communication bool) []int {
	inside := map[int]bool{region: true}
	parts := []int{region}
	for r := region + 1; r < len(s.d.Regions); r++ {
		if inside[s.d.Regions[r].Parent] && (communication || !communicates(s.d, r)) {
			inside[r] = true
			parts = append(parts, r)
		}
	}
	return parts
}

// sum adds up some regions' values by group; values that do not add up are
// averaged over the units that know them.
func (g *grouping) sum(m model.Matrix, parts []int, additive bool) []float64 {
	out := make([]float64, len(g.names))
	known := make([]int, len(g.names))
	for u := range m.Units {
		if g.of[u] < 0 {
			continue
		}
		row := m.Row(u)
		for _, r := range parts {
			if v := row[r]; v == v {
				out[g.of[u]] += v
				known[g.of[u]]++
			}
		}
	}
	if !additive {
		for k := range out {
			out[k] = float64(analyze.Ratio(out[k], float64(known[k])))
		}
	}
	return out
}

// attribute is what a metric says about the units in one region.
type attribute struct {
	name    string
	metric  string    // what it is about, for words
	seen    []float64 // as measured
	values  []float64 // as far as units of one role differ
	classes []int
	weak    bool // time hardly varies with it, but few units stand out in both
	// Of the attribute that is about nodes: that of every unit, and the slow ones.
	nodes     []string
	slowNodes nodeNames
}

// perInstruction tells whether a hardware event says more as a rate: misses
// that only come with more instructions are not the cause ("Debugging SPMD
// programs", table 2, has miss rates beside the number of instructions). PAPI's
// counts of instructions and operations of some kind are work themselves.
func perInstruction(name string) bool {
	switch name {
	case model.Cycles, model.L1Misses, model.L2Misses, model.L3Misses:
		return true
	}
	upper := strings.ToUpper(name)
	return isPapi(name) && !strings.HasSuffix(upper, "_INS") && !strings.HasSuffix(upper, "_OPS")
}

// attributes lists what may explain the times in one place. Hardware events
// are taken for an instruction where those were counted in the units that are there;
// cycles are a clock by another name.
func attributes(all []measured, core int, there []int) []attribute {
	var instructions []float64
	for _, m := range all {
		if countsInstructions(m.metric) && slices.Min(pick(m.cores[core], there)) > 0 {
			instructions = m.cores[core]
		}
	}
	var out []attribute
	for _, m := range all {
		a := attribute{name: m.metric.Name, metric: m.metric.Name, values: m.cores[core]}
		if a.metric == model.Cycles {
			continue
		}
		if instructions != nil && perInstruction(a.metric) {
			a.name += "/" + model.Instructions
			a.values = analyze.Quotients(a.values, instructions)
		}
		out = append(out, a)
	}
	return out
}
