package store_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"auspex/model"
	"auspex/store"
)

// An experiment is put, found again by its name, and not overwritten.
func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := model.NewBuilder()
	solve := b.Region(model.Region{Name: "solve", Parent: model.NoParent})
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	b.Set(b.Unit(model.Unit{Process: 0}), solve, seconds, 3)
	b.Set(b.Unit(model.Unit{Process: 1}), solve, seconds, 5)
	e, err := b.Build(model.Header{Name: "first"})
	if err != nil {
		log.Fatal(err)
	}
	s := store.Open(dir)
	if err := s.Put(e, false); err != nil {
		log.Fatal(err)
	}
	fmt.Println("again:", errors.Is(s.Put(e, false), store.ErrExists))
	stored, err := s.Get("first")
	if err != nil {
		log.Fatal(err)
	}
	m, err := stored.Matrix(0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored.UnitCount, "units:", m.Data)
	// Output:
	// again: true
	// 2 units: [3 5]
}
