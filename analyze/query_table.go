package analyze

import (
	"math"

	"auspex/internal/mistake"
	"auspex/model"
	"auspex/perfql"
)

// smallTable is how many values a metric may have for a query to be answered in
// memory: starting the database costs more than that. It bounds units × regions,
// so that many small experiments are read one after the other with little memory.
const smallTable = 1 << 16

// small tells whether a query over the dataset is best answered in memory. What is
// folded by name is in no file.
func (d *Dataset) small() bool { return d.flat != nil || len(d.Units)*len(d.Regions) <= smallTable }

// table is the values relation in memory, with the columns asked for: what
// querySource.values is for the database.
func (s *querySource) table(columns []string) (*perfql.Table, error) {
	whole, err := s.d.wholeOnce()
	if err != nil {
		return nil, err
	}
	t := &perfql.Table{Unit: whole.Summaries.Unit, Region: whole.Summaries.Region}
	t.Regions, t.Units = s.filtered()
	v := tableValues{s: s, whole: whole, table: t}
	if s.needsTree(columns) {
		v.grow()
	}
	t.Column = v.column
	return t, nil
}

// filtered are the regions and units that WHERE asks about.
func (s *querySource) filtered() (regions []perfql.Region, units []perfql.Unit) {
	for r, region := range s.d.Regions {
		regions = append(regions, perfql.Region{Name: region.Name, Path: s.d.Paths[r], Kind: string(region.Kind)})
	}
	for _, u := range s.d.Units {
		units = append(units, perfql.Unit{Node: u.Node, Process: u.Process, Thread: u.Thread})
	}
	return regions, units
}

// tableValues computes the columns of a table.
type tableValues struct {
	s     *querySource
	whole *model.Experiment
	table *perfql.Table
	at    []int // of a row, in the stored ones; -1 for none. nil: rows are the stored ones
}

// grow adds rows for regions that a unit entered only through nested ones.
func (v *tableValues) grow() {
	regions := v.s.d.Regions
	stored := v.whole.Summaries
	row := make(map[[2]int32]int, len(stored.Unit))
	var units, places []int32
	for i, u := range stored.Unit {
		key := [2]int32{u, stored.Region[i]}
		if at, known := row[key]; known {
			v.at[at] = i
			continue
		}
		row[key] = len(units)
		units, places, v.at = append(units, u), append(places, stored.Region[i]), append(v.at, i)
		for p := regions[stored.Region[i]].Parent; p != model.NoParent; p = regions[p].Parent {
			key[1] = int32(p)
			if _, known := row[key]; known {
				break
			}
			row[key] = len(units)
			units, places, v.at = append(units, u), append(places, int32(p)), append(v.at, -1)
		}
	}
	v.table.Unit, v.table.Region = units, places
}

func (v *tableValues) column(name string) ([]float64, error) {
	d := v.s.d
	for i, m := range d.Metrics {
		if m.Column() == name {
			return v.stored(v.whole.Summaries.Values[i]), nil
		}
	}
	if d.flat != nil {
		return v.folded(name)
	}
	switch name {
	case usefulColumn, communicationColumn, nestedColumn, wholeColumn:
		seconds, err := v.column(v.s.time + "." + string(model.Exclusive))
		if err != nil {
			return nil, err
		}
		out := make([]float64, len(seconds))
		for i, t := range seconds {
			communicates := d.Communication[v.table.Region[i]]
			if out[i] = t; name == usefulColumn && communicates || (name == communicationColumn || name == nestedColumn) && !communicates {
				out[i] = 0
			}
		}
		if name == nestedColumn || name == wholeColumn {
			return v.upTree(out), nil
		}
		return out, nil
	}
	base, scope, _ := model.SplitScope(name)
	if scope == model.Inclusive && d.MetricIndex(base, model.Exclusive) >= 0 {
		own, err := v.column(base + "." + string(model.Exclusive))
		if err != nil {
			return nil, err
		}
		return v.upTree(own), nil
	}
	if scope == model.Exclusive && d.MetricIndex(base, model.Inclusive) >= 0 {
		return v.own(v.whole.Summaries.Values[d.MetricIndex(base, model.Inclusive)]), nil
	}
	return nil, mistake.Refuse("experiment %q has no column %q", d.Name, name)
}

// folded gives the computed columns of a dataset by name, which has no tree.
func (v *tableValues) folded(name string) ([]float64, error) {
	var m model.Matrix
	var err error
	switch name {
	case usefulColumn, communicationColumn:
		m, err = v.s.d.usefulTime(name == communicationColumn)
	case nestedColumn:
		m, _, err = v.s.d.communicationTimes()
	case wholeColumn:
		_, m, err = v.s.d.communicationTimes()
	default:
		err = mistake.Refuse("experiment %q has no column %q", v.s.d.Name, name)
	}
	if err != nil {
		return nil, err
	}
	return atRows(m, v.table.Unit, v.table.Region), nil
}

// stored puts a stored column into the table's rows.
func (v *tableValues) stored(values []float64) []float64 {
	if v.at == nil {
		return values
	}
	out := make([]float64, len(v.at))
	for i, at := range v.at {
		if out[i] = math.NaN(); at >= 0 {
			out[i] = values[at]
		}
	}
	return out
}

// upTree adds every row's value to those of the regions around it. What is
// missing adds nothing; a sum of nothing is missing.
func (v *tableValues) upTree(values []float64) []float64 {
	rows := v.rows()
	out := make([]float64, len(values))
	for i := range out {
		out[i] = math.NaN()
	}
	for i, x := range values {
		if x != x {
			continue
		}
		for r := int(v.table.Region[i]); r != model.NoParent; r = v.s.d.Regions[r].Parent {
			at := rows[[2]int32{v.table.Unit[i], int32(r)}]
			if out[at] != out[at] {
				out[at] = 0
			}
			out[at] += x
		}
	}
	return out
}

// own takes the inclusive times of a region's parts off its own.
func (v *tableValues) own(inclusive []float64) []float64 {
	rows := v.rows()
	values := v.stored(inclusive)
	out := make([]float64, len(values))
	for i, x := range values {
		if v.at[i] < 0 {
			out[i] = math.NaN()
		} else if x == x {
			out[i] += x
		}
	}
	for i, x := range values {
		p := v.s.d.Regions[v.table.Region[i]].Parent
		if p == model.NoParent || v.at[i] < 0 || x != x {
			continue
		}
		out[rows[[2]int32{v.table.Unit[i], int32(p)}]] -= x
	}
	for i, x := range out {
		if x < 0 {
			out[i] = 0
		}
	}
	return out
}

// rows finds a row by unit and region.
func (v *tableValues) rows() map[[2]int32]int {
	rows := make(map[[2]int32]int, len(v.table.Unit))
	for i, u := range v.table.Unit {
		rows[[2]int32{u, v.table.Region[i]}] = i
	}
	return rows
}
