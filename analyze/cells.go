package analyze

import (
	"auspex/expr"
	"auspex/model"
)

// Cells evaluates an expression for every region in every unit. The result is
// shared and kept like the metrics themselves.
func (d *Dataset) Cells(n expr.Node) (model.Matrix, error) {
	if name, ok := n.(*expr.Name); ok && d.Has(name.Name) {
		return d.Matrix(name.Name)
	}
	return d.Keep("\x01"+n.String(), func() (model.Matrix, error) { // no metric's name
		data, err := expr.Eval(n, len(d.Units)*len(d.Regions), d.everyCell)
		return model.Matrix{Units: len(d.Units), Regions: len(d.Regions), Data: data}, err
	})
}

// Keep computes a matrix once, beside the metrics themselves.
func (d *Dataset) Keep(key string, compute func() (model.Matrix, error)) (model.Matrix, error) {
	d.mu.Lock()
	m, ok := d.loaded[key]
	d.mu.Unlock()
	if ok {
		return m, nil
	}
	m, err := compute()
	if err != nil {
		return m, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loaded[key] = m
	return m, nil
}

// everyCell gives a metric, stored or built in, for every region in every unit.
func (d *Dataset) everyCell(name string) ([]float64, error) {
	if d.Has(name) {
		m, err := d.Matrix(name)
		return m.Data, err
	}
	compute, scope, ok := findBuiltIn(name)
	if !ok {
		return nil, d.unknown(name)
	}
	all := &Rows{By: BySummary, d: d, size: len(d.Units) * len(d.Regions), cache: map[string][]float64{}}
	all.Unit, all.Region = make([]int, 0, all.size), make([]int, 0, all.size)
	for u := range d.Units {
		for r := range d.Regions {
			all.Unit, all.Region = append(all.Unit, u), append(all.Region, r)
		}
	}
	return compute(all, scope)
}
