package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/expr"
	"auspex/perfql"
	"auspex/store"
)

func (a *app) queryCommand() *cobra.Command {
	var flags wordFlags
	var top int
	var showSQL bool
	cmd := &cobra.Command{
		Use:     "query [EXPERIMENT…] QUERY",
		GroupID: "words",
		Short:   "Search regions, units or summaries with a PERFQL query",
		Long: `Search regions, units or summaries with a PERFQL query. The experiments come
first and the query last; OVER in the query names experiments too.`,
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
			datasets, err := a.queried(args[:last], q)
			if err != nil {
				return err
			}
			engine, err := store.NewEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			answer, err := analyze.Query(cmd.Context(), engine, q, words, datasets)
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
	topFlag(cmd, &top)
	cmd.Flags().BoolVar(&showSQL, "sql", false, "also print the SQL that the query became")
	flags.register(cmd)
	return cmd
}

// queried opens the experiments of the command line and those that the query
// names, each once.
func (a *app) queried(names []string, q *perfql.Query) ([]*analyze.Dataset, error) {
	var datasets []*analyze.Dataset
	seen := map[string]bool{}
	open := func(name string, failed func(error) error) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		d, err := a.dataset(name)
		if err != nil {
			return failed(err)
		}
		datasets = append(datasets, d)
		return nil
	}
	for _, name := range names {
		if err := open(name, func(err error) error { return err }); err != nil {
			return nil, err
		}
	}
	for _, over := range q.Over {
		inQuery := func(err error) error {
			return &expr.Error{Source: q.Source, Offset: over.Offset, Message: err.Error(), Err: err}
		}
		if err := open(over.Name, inQuery); err != nil {
			return nil, err
		}
	}
	if len(datasets) == 0 {
		return nil, usagef("no experiment to search: name some before the query, or with OVER inside it")
	}
	return datasets, nil
}
