package rough_test

import (
	"context"
	"fmt"
	"log"

	"auspex/rough"
)

// Which metric goes with the kind of a process? Cache misses do, the number of
// calls does not.
func Example() {
	table := rough.Table{
		Attributes: []string{"calls", "misses"},
		Rows: []rough.Row{
			{Values: []int{0, 0}, Decision: 0},
			{Values: []int{1, 0}, Decision: 0},
			{Values: []int{0, 1}, Decision: 1},
			{Values: []int{1, 1}, Decision: 1},
		},
	}
	result, err := rough.Reduce(context.Background(), table)
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range result.Chosen {
		fmt.Println(table.Attributes[i])
	}
	// Output:
	// misses
}
