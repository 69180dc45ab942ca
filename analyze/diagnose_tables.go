package analyze

import (
	"strings"

	"auspex/rough"
)

// show keeps the decision table, and its discernibility matrix where asked
// for.
func (s *study) show(c *Cause, table rough.Table, o DiagnoseOptions) error {
	classes, err := rough.Collapse(table)
	if err != nil {
		return err
	}
	c.Table = &DecisionTable{Attributes: append([]string{}, table.Attributes...), Rows: []DecisionRow{}}
	for _, class := range classes {
		c.Table.Rows = append(c.Table.Rows, DecisionRow{s.units.pick(pick(s.active, class.IDs)), class.Values, class.Decision})
	}
	if !o.Matrix {
		return nil
	}
	if len(classes) > rough.MatrixLimit {
		s.warn("%s: the discernibility matrix of %d distinct rows is too large to show", c.Region, len(classes))
		return nil
	}
	m, err := rough.NewMatrix(classes)
	if err != nil {
		return err
	}
	for i := range classes {
		row := make([]string, len(classes))
		for j := range row {
			row[j] = entryText(m.At(i, j), table.Attributes)
		}
		c.Matrix = append(c.Matrix, row)
	}
	return nil
}

// entryText writes an entry as the paper does: 0 where the kinds agree, -1
// where they differ and no attribute does, else the attributes that differ.
func entryText(e rough.Entry, names []string) string {
	switch {
	case e.Same:
		return "0"
	case e.Inexplicable:
		return "-1"
	}
	var differ []string
	for _, a := range e.Attributes.Attributes() {
		differ = append(differ, names[a])
	}
	return strings.Join(differ, " ")
}
