package view

import (
	"math"

	"auspex/analyze"
	"auspex/expr"
	"auspex/model"
)

// firstSeen tells whether a heat map is the one that is seen first of a large
// experiment: exclusive times of the heaviest regions and of all others together.
// It takes a hundredth of the values, which are kept with the experiment.
func firstSeen(d *analyze.Dataset, q *heatQuantity, o HeatmapOptions) bool {
	name, ok := q.node.(*expr.Name)
	if !ok || q.metric == nil || q.metric.Scope != model.Exclusive || o.Arrange != ArrangeHeaviest || o.Normalise != NormaliseNone {
		return false
	}
	if base, scope, explicit := model.SplitScope(name.Name); explicit && (scope != model.Exclusive || base == "") {
		return false
	}
	time, err := d.TimeMetric()
	shown := groups(len(d.Regions), o.Rows, maxHeatRows)
	return err == nil && q.metric.Name == time && shown < len(d.Regions) && shown-1 <= analyze.MostHeaviest &&
		o.Region == "" && o.Depth < 0 && o.FromRow == 0 && o.ToRow == 0
}

// heaviest fills in the rows of such a heat map.
func (r *HeatRows) heaviest(d *analyze.Dataset, q *heatQuantity, o HeatmapOptions) error {
	times, err := d.Heaviest()
	if err != nil {
		return err
	}
	lines, err := arrange(d, &r.heatmap, func() ([]float64, error) { return times.Weights, nil }, q, o)
	if err != nil {
		return err
	}
	r.heatmap.nameRows(d, lines)
	alone := len(lines) - 1 // the last row is all others
	r.value = func(row, unit int) float64 {
		if row < alone {
			return times.At(row, unit)
		}
		sum := math.NaN()
		for i := alone; i <= len(times.Regions); i++ {
			switch v := times.At(i, unit); {
			case v != v:
			case sum != sum:
				sum = v
			default:
				sum += v
			}
		}
		return sum
	}
	return nil
}
