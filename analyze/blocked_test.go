package analyze

import (
	"testing"

	"auspex/model"
)

// TestBlockedIsOfItsFunction: time blocked in one function is not counted with that in
// another where regions of one name count as one.
func TestBlockedIsOfItsFunction(t *testing.T) {
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	unit := b.Unit(model.Unit{})
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	var around []int
	for _, name := range []string{"slow", "quick"} {
		outer := b.Region(model.Region{Name: name, Parent: root})
		blocked := b.Region(model.Region{Name: model.Blocked, Parent: outer})
		b.Set(unit, blocked, m, 1)
		around = append(around, blocked)
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	d := dataset(t, e)
	if x, y := d.CalledName(around[0]), d.CalledName(around[1]); x != "slow/<blocked>" || y != "quick/<blocked>" {
		t.Errorf("%s, %s", x, y)
	}
	if got := d.CalledName(root); got != "main" {
		t.Errorf("%s", got)
	}
}
