package analyze

import (
	"slices"

	"auspex/expr"
)

// Quantities lists what can be shown of an experiment beside its metrics: the
// metric that time stands for ("" without one), the built-in ones of regions
// and units, and the vocabulary's expressions of what was measured.
func Quantities(d *Dataset, words Words) (time string, builtIns, expressions []string) {
	builtIns, expressions = []string{}, []string{}
	time, err := d.TimeMetric()
	if err == nil {
		for _, name := range BuiltIns() {
			if !slices.Contains([]string{LoadBalance, CommunicationEfficiency, ParallelEfficiency, RunSeconds, MessageShare, Participation}, name) {
				builtIns = append(builtIns, name)
			}
		}
	}
	for _, v := range words.Variables {
		if _, plain := v.Metric.(*expr.Name); plain {
			continue
		}
		if _, err := d.Expand(words, v.Metric); err == nil && !slices.Contains(expressions, v.Metric.String()) {
			expressions = append(expressions, v.Metric.String())
		}
	}
	return time, builtIns, expressions
}
