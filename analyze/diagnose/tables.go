package diagnose

import (
	"slices"
	"strings"

	"auspex/rough"
)

// DiscernibilityMatrix tells for any two distinct rows which attributes tell
// them apart; 0 where the kinds agree, -1 where they differ and nothing does.
type DiscernibilityMatrix struct {
	Units   [][]Name   `json:"units"` // by row
	Entries [][]string `json:"entries"`
}

// decisionTable has a row per unit: the classes of the attributes, and the
// decision ("Debugging SPMD programs", figure 3).
func decisionTable(from []attribute, decision []int) rough.Table {
	t := rough.Table{Rows: make([]rough.Row, len(decision))}
	for i, d := range decision {
		t.Rows[i] = rough.Row{ID: i, Values: make([]int, len(from)), Decision: d}
	}
	for a, x := range from {
		t.Attributes = append(t.Attributes, x.name)
		for i, class := range x.classes {
			t.Rows[i].Values[a] = class
		}
	}
	return t
}

// show keeps the decision table of all metrics that vary, and where asked for
// the discernibility matrix of those that explain something.
func (s *study) show(c *Cause, varying, kept []attribute, decision []int, matrix bool) error {
	if len(varying) > rough.MaxAttributes {
		varying = kept
	}
	table := decisionTable(varying, decision)
	classes, err := rough.Collapse(table)
	if err != nil {
		return err
	}
	c.Table = &DecisionTable{Attributes: append([]string{}, table.Attributes...), Used: make([]bool, len(varying)), Rows: []DecisionRow{}}
	for a, x := range varying {
		c.Table.Used[a] = slices.ContainsFunc(kept, func(k attribute) bool { return k.name == x.name })
	}
	for _, class := range classes {
		c.Table.Rows = append(c.Table.Rows, DecisionRow{s.units.pick(pick(s.active, class.IDs)), class.Values, class.Decision})
	}
	if !matrix {
		return nil
	}
	table = decisionTable(kept, decision)
	if classes, err = rough.Collapse(table); err != nil {
		return err
	}
	if len(classes) > rough.MatrixLimit {
		s.warn("%s: the discernibility matrix of %d distinct rows is too large to show", c.Region, len(classes))
		return nil
	}
	m, err := rough.NewMatrix(classes)
	if err != nil {
		return err
	}
	c.Matrix = &DiscernibilityMatrix{}
	for i, class := range classes {
		c.Matrix.Units = append(c.Matrix.Units, s.units.pick(pick(s.active, class.IDs)))
		row := make([]string, len(classes))
		for j := range row {
			row[j] = entryText(m.At(i, j), table.Attributes)
		}
		c.Matrix.Entries = append(c.Matrix.Entries, row)
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
