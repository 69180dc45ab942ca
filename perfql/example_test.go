package perfql_test

import (
	"fmt"
	"log"

	"auspex/perfql"
)

// A question is parsed and printed as it is understood; a mistake is shown
// where it stands.
func Example() {
	q, err := perfql.Parse("(wtime is very high) and (mpi_share is low) with degree > 0.5 limit 3")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q)
	_, err = perfql.Parse("(wtime is very high and")
	fmt.Println(err)
	// Output:
	// (wtime is very high) AND (mpi_share is low) WITH DEGREE > 0.5 LIMIT 3
	// column 24: expected a term such as high, found the end
}
