package model

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Many rows out of order are all found again, whatever the table grew through.
func TestRowsOutOfOrderAreFound(t *testing.T) {
	const units, regions = 300, 40
	b := NewBuilder()
	m := b.Metric(NewMetric(WallTime, "", Exclusive))
	for r := range regions {
		b.Region(Region{Name: fmt.Sprint(r), Parent: NoParent})
	}
	for u := range units {
		b.Unit(Unit{Process: u})
	}
	cells := rand.New(rand.NewPCG(1, 2)).Perm(units * regions)
	for i, c := range cells {
		if b.Has(c/regions, c%regions, m) {
			t.Fatalf("cell %d is there before it was set", c)
		}
		b.Add(c/regions, c%regions, m, 1)
		if earlier := cells[i/2]; !b.Has(earlier/regions, earlier%regions, m) {
			t.Fatalf("cell %d is lost", earlier)
		}
		b.Add(c/regions, c%regions, m, float64(c))
	}
	e, err := b.Build(Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	for c, v := range e.Matrix(m).Data {
		if v != float64(c+1) {
			t.Fatalf("cell %d holds %v", c, v)
		}
	}
}
