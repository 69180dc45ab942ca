package fuzzy_test

import (
	"fmt"
	"log"

	"auspex/fuzzy"
)

// How far is a load of 16, 32 or 48 "high", if high begins at 0 and is certain
// at 64?
func Example() {
	high, err := fuzzy.ParseShape("S(0, 64)")
	if err != nil {
		log.Fatal(err)
	}
	for _, load := range []float64{16, 32, 48} {
		fmt.Println(load, high.Degree(load))
	}
	// Output:
	// 16 0.125
	// 32 0.5
	// 48 0.875
}
