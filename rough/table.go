package rough

import (
	"fmt"
	"slices"
)

// Table is a decision table.
type Table struct {
	Attributes []string
	Rows       []Row
}

// Row is what is known of one object: the value of each attribute, in the
// order of Table.Attributes, and its decision. Numbers only have to be equal
// where the things they stand for are.
type Row struct {
	ID       int
	Values   []int
	Decision int
}

// Class is a set of rows that are the same in all attributes and the decision.
type Class struct {
	Values   []int
	Decision int
	IDs      []int // in the order of the table
}

// Collapse merges the rows of t that are the same in everything, keeping the
// order in which they first appear.
func Collapse(t Table) ([]Class, error) {
	if len(t.Attributes) > MaxAttributes {
		return nil, fmt.Errorf("rough: %d attributes, at most %d are supported; leave out constants and repetitions", len(t.Attributes), MaxAttributes)
	}
	for k, r := range t.Rows {
		if len(r.Values) != len(t.Attributes) {
			return nil, fmt.Errorf("rough: row %d (id %d) has %d values for %d attributes", k, r.ID, len(r.Values), len(t.Attributes))
		}
	}
	group := make([]int32, len(t.Rows))
	for a := range t.Attributes {
		refine(group, func(r int) int { return t.Rows[r].Values[a] })
	}
	count := refine(group, func(r int) int { return t.Rows[r].Decision })
	classes := make([]Class, count)
	for k, r := range t.Rows {
		c := &classes[group[k]]
		if c.IDs == nil {
			c.Values, c.Decision = slices.Clone(r.Values), r.Decision
		}
		c.IDs = append(c.IDs, r.ID)
	}
	return classes, nil
}

// refine splits groups of rows by a value and renumbers them in order of
// appearance. It returns how many there are.
func refine(group []int32, value func(row int) int) int {
	type key struct {
		group int32
		value int
	}
	number := map[key]int32{}
	for r, g := range group {
		k := key{g, value(r)}
		n, seen := number[k]
		if !seen {
			n = int32(len(number))
			number[k] = n
		}
		group[r] = n
	}
	return len(number)
}
