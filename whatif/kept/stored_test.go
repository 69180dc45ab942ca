package kept

import (
	"testing"

	"auspex/analyze"
	"auspex/model"
	"auspex/store"
)

// stored is an experiment in a store of its own, and open.
func stored(t *testing.T, b *model.Builder, h model.Header) (*store.Experiment, *analyze.Dataset) {
	t.Helper()
	x, err := b.Build(h)
	if err != nil {
		t.Fatal(err)
	}
	s := store.Open(t.TempDir())
	if err := s.Put(x, false); err != nil {
		t.Fatal(err)
	}
	e, err := analyze.Find(s, h.Name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := analyze.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}
