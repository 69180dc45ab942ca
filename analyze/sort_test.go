package analyze

import (
	"math"
	"testing"

	"auspex/account"
	"auspex/fuzzy"
	"auspex/internal/sample"
	"auspex/model"
)

// A vocabulary says what the time in regions is: waiting that no table knows,
// and work in what looks like communication.
func TestSort(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	for p, times := range [][3]float64{{6, 4, 1}, {2, 8, 1}} {
		u := b.Unit(model.Unit{Process: p})
		for r, region := range []model.Region{{Name: "solve", Kind: model.Function}, {Name: "spin_until_done", Kind: model.Function}, {Name: "MPI_Pack", Kind: model.MPI}} {
			region.Parent = model.NoParent
			b.Set(u, b.Region(region), wall, times[r])
		}
	}
	e, err := b.Build(model.Header{Name: "spinning"})
	if err != nil {
		t.Fatal(err)
	}
	words := ShippedWords()
	own, err := fuzzy.ReadVocabulary("own.toml", []byte("[time]\n\"spin_*\" = \"waiting\"\nmpi_pack = \"work\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	words.Vocabulary = words.Vocabulary.Merge(own)
	for _, c := range []struct {
		sorted  bool
		useful  float64
		waiting bool
	}{{false, 20.0 / 22, false}, {true, 10.0 / 22, true}} {
		d, err := Open(sample.Stored(t, e))
		if err != nil {
			t.Fatal(err)
		}
		if c.sorted {
			d.Sort(words)
		}
		all, err := d.Ledgers()
		if err != nil {
			t.Fatal(err)
		}
		if got := all[0].Total(account.Useful); math.Abs(got-c.useful) > 1e-9 {
			t.Errorf("sorted %v: useful %v, not %v", c.sorted, got, c.useful)
		}
		if d.Communication[1] != c.waiting || d.Communication[2] == c.waiting {
			t.Errorf("sorted %v: %v", c.sorted, d.Communication)
		}
	}
}
