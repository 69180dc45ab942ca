package longtable_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"auspex/longtable"
)

// A table made by hand, as a spreadsheet exports it.
func Example() {
	table := `process,region,metric,value
0,main,wtime,1
0,main/solve,wtime,3
1,main,wtime,1
1,main/solve,wtime,5
`
	e, err := longtable.ReadCSV(context.Background(), "table.csv", strings.NewReader(table), longtable.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(e.Units), "units,", len(e.Regions), "regions")
	fmt.Println("seconds in solve:", e.Matrix(0).At(0, 1), "and", e.Matrix(0).At(1, 1))
	// Output:
	// 2 units, 2 regions
	// seconds in solve: 3 and 5
}
