package kept

import "auspex/analyze"

// Took is the greatest time of a process or thread in each region, by its path. What
// samples found in functions is of the region around them, as in a trace.
func Took(d *analyze.Dataset) (map[string]float64, error) {
	metric, err := d.TimeMetric()
	if err != nil {
		return nil, err
	}
	m, err := d.Matrix(metric + ".exc")
	if err != nil {
		return nil, err
	}
	around, err := d.Around()
	if err != nil {
		return nil, err
	}
	times := map[string]float64{}
	for u := range d.Units {
		own := make([]float64, len(d.Regions))
		for r, t := range m.Row(u) {
			own[around[r]] += t
		}
		for r, t := range own {
			if around[r] == r {
				times[d.Paths[r]] = max(times[d.Paths[r]], t)
			}
		}
	}
	return times, nil
}
