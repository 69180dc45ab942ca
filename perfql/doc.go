// Package perfql is the performance query language of Soft performance
// analysis, §6.2: it asks in words and is answered with degrees.
//
//	(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS)
//	WHERE region ~ 'mpi_*' AND process IN 0..7
//	BY summary WITH DEGREE > 0.3 LIMIT 10
//
// The steps are apart, so that each can be used and tested alone:
//
//  1. [Parse] turns text into a [Query], whose String parses back. The grammar
//     is described in package syntax.
//  2. The caller opens the experiments that [Query.Over] names and describes
//     each as an [Experiment]: its relations and its [Metric]s.
//  3. [Compile] checks the query against them and the vocabulary (unknown
//     metrics and terms are reported with their place and a suggestion) and
//     renders one SQL statement for DuckDB.
//
// Everything that can be wrong with a query comes back as an [*expr.Error],
// whose Caret method draws the query with the place marked. The package opens
// no database and reads no file.
package perfql
