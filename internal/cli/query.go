package cli

import (
	"sync"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/perfql"
	"auspex/store"
)

func (a *app) queryCommand() *cobra.Command {
	var flags wordFlags
	var top int
	var showSQL bool
	var byWord string
	cmd := &cobra.Command{
		Use:     "query [EXPERIMENT…] QUERY",
		GroupID: "words",
		Short:   "Search regions, units or summaries with a PERFQL query",
		Long: `Search regions, units or summaries with a PERFQL query. The experiments come
first and the query last; OVER in the query names others in their place.`,
		Example: `  auspex query gromacs-16 '(wtime is high) AND (imbalance is very high)'
  auspex query mpas '(l1_misses/instructions is high) BY summary WITH DEGREE > 0.5 LIMIT 10'
  auspex query 'wtime is high OVER gromacs-8, gromacs-16 WHERE region ~ "mpi_*"'`,
		Args:              atLeast(1, "experiments and a query"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := flags.words()
			if err != nil {
				return err
			}
			last := len(args) - 1
			q, err := perfql.Parse(args[last])
			if err != nil {
				return err
			}
			if q.By == perfql.ByDefault {
				switch byWord {
				case "":
				case analyze.Paths:
					q.By = perfql.ByRegion
				case analyze.Names:
					q.By = perfql.ByName
				default:
					return usagef("regions are by %s or by %s, not by %q", analyze.Paths, analyze.Names, byWord)
				}
			}
			experiments := analyze.ToSearch(q, args[:last], a.dataset)
			if len(experiments) == 0 {
				return usagef("no experiment to search: name some before the query, or with OVER inside it")
			}
			start := sync.OnceValues(func() (*store.Engine, error) { return store.NewEngine(cmd.Context()) })
			answer, err := analyze.Query(cmd.Context(), start, q, words, experiments)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(answer)
			}
			page := a.page()
			page.Answer(answer, top)
			if showSQL {
				page.Heading("SQL")
				page.Line("%s", answer.SQL)
			}
			return nil
		},
	}
	byFlag(cmd, &byWord)
	topFlag(cmd, &top, 15, "how many rows to print")
	cmd.Flags().BoolVar(&showSQL, "sql", false, "also print the SQL that the query became")
	flags.register(cmd)
	return cmd
}
