package model

import "math"

// Matrix holds one metric densely: a row per unit, a column per region.
type Matrix struct {
	Units, Regions int
	Data           []float64 // Data[unit*Regions+region]
}

// NewMatrix makes a matrix filled with what a missing value means.
func NewMatrix(units, regions int, missing Missing) Matrix {
	m := Matrix{Units: units, Regions: regions, Data: make([]float64, units*regions)}
	if missing == Absent {
		nan := math.NaN()
		for i := range m.Data {
			m.Data[i] = nan
		}
	}
	return m
}

// At returns one value.
func (m Matrix) At(unit, region int) float64 { return m.Data[unit*m.Regions+region] }

// Row returns one unit's values over all regions; it shares the matrix's memory.
func (m Matrix) Row(unit int) []float64 {
	return m.Data[unit*m.Regions : (unit+1)*m.Regions]
}

// Scatter puts rows of a summary column in their places. A NaN inside the
// column is kept for absent-valued metrics and is zero for the others.
func (m Matrix) Scatter(unit, region []int32, values []float64, missing Missing) {
	for i, v := range values {
		if v != v && missing == Zero {
			v = 0
		}
		m.Data[int(unit[i])*m.Regions+int(region[i])] = v
	}
}

// Clone copies the matrix.
func (m Matrix) Clone() Matrix {
	m.Data = append([]float64(nil), m.Data...)
	return m
}

// ToInclusive turns exclusive values into inclusive ones in place, adding
// every region to its parent. Children stand after their parents, so one
// backward pass suffices.
func (m Matrix) ToInclusive(regions []Region) {
	for u := 0; u < m.Units; u++ {
		row := m.Row(u)
		for r := len(regions) - 1; r >= 0; r-- {
			if p := regions[r].Parent; p != NoParent {
				row[p] += row[r]
			}
		}
	}
}

// ToExclusive is the inverse of ToInclusive. Rounding in the measuring tool
// may leave a small negative rest, which becomes zero.
func (m Matrix) ToExclusive(regions []Region) {
	for u := 0; u < m.Units; u++ {
		row := m.Row(u)
		for r, region := range regions {
			if p := region.Parent; p != NoParent {
				row[p] -= row[r]
			}
		}
		for r, v := range row {
			if v < 0 {
				row[r] = 0
			}
		}
	}
}

// Matrix makes the dense form of one metric of an experiment held in memory.
func (e *Experiment) Matrix(metric int) Matrix {
	missing := e.Metrics[metric].Missing
	m := NewMatrix(len(e.Units), len(e.Regions), missing)
	m.Scatter(e.Summaries.Unit, e.Summaries.Region, e.Summaries.Values[metric], missing)
	return m
}
