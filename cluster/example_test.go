package cluster_test

import (
	"context"
	"fmt"
	"log"

	"auspex/cluster"
)

// Six processes by the seconds they spend in two regions: one of them does
// twice the work of the others.
func Example() {
	points, err := cluster.FromRows([][]float64{
		{10.0, 2.0}, {10.1, 2.0}, {9.9, 2.1}, {20.0, 2.0}, {10.0, 1.9}, {10.1, 2.1},
	})
	if err != nil {
		log.Fatal(err)
	}
	linkage, choice, err := cluster.Auto(context.Background(), points)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kinds:", cluster.Kinds(linkage.Labels))
	fmt.Println("one radius was chosen:", choice.Radius == linkage.Radius)
	// Output:
	// kinds: [[0 1 2 4 5] [3]]
	// one radius was chosen: true
}
