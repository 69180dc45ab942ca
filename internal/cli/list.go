package cli

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/report"
)

func (a *app) listCommand() *cobra.Command {
	var predictions, simulations bool
	cmd := &cobra.Command{
		Use:     "ls",
		GroupID: "store",
		Aliases: []string{"list"},
		Short:   "List the experiments, predictions and simulations in the store",
		Example: `  auspex ls
  auspex ls --predictions`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// A listing lives for a moment and needs little: collecting
			// garbage on the way would cost a fifth of its time.
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			switch {
			case predictions && simulations:
				return usagef("--predictions and --simulations exclude each other")
			case predictions:
				return a.listPredictions()
			case simulations:
				return a.listSimulations(nil)
			}
			return a.listAll()
		},
	}
	cmd.Flags().BoolVar(&predictions, "predictions", false, "only the predictions")
	cmd.Flags().BoolVar(&simulations, "simulations", false, "only the simulations, those behind predictions too")
	return cmd
}

func (a *app) listAll() error {
	s := a.openStore()
	if a.storeDir != "" && a.site == nil {
		if _, err := os.Stat(a.storeDir); err != nil {
			return fmt.Errorf("there is no store %s", a.storeDir) // one that is named is meant to be there
		}
	}
	headers, problems, err := s.List()
	if err != nil {
		return err
	}
	for _, problem := range problems {
		fmt.Fprintln(a.err, "auspex:", problem)
	}
	if a.json {
		return a.printJSON(analyze.List(headers, problems))
	}
	predicted, err := s.Predictions()
	if err != nil {
		return err
	}
	simulated, err := s.Simulations()
	if err != nil {
		return err
	}
	if len(headers) == 0 && len(predicted) == 0 && len(simulated) == 0 {
		fmt.Fprintf(a.err, "the store %s is empty; `auspex import PATH` fills it\n", s.Dir())
		return nil
	}
	if len(headers) > 0 {
		a.page().Listing(headers)
	}
	if len(predicted) > 0 {
		if err := a.listPredictions(); err != nil {
			return err
		}
	}
	if len(simulated) > 0 {
		return a.listSimulations(predicted)
	}
	return nil
}

// listSimulations lists what the store holds of them, but those behind the
// predictions named.
func (a *app) listSimulations(predictions []string) error {
	s := a.openStore()
	names, err := s.Simulations()
	if err != nil {
		return err
	}
	list := []report.ListedSimulation{}
	for _, name := range names {
		if isBehind(name, predictions) {
			continue
		}
		k, err := s.Simulation(name)
		if err != nil {
			fmt.Fprintln(a.err, "auspex:", err)
			continue
		}
		list = append(list, report.ListedSimulation{Name: name, Created: k.Created, Platform: k.Platform, Ranks: len(k.Ranks), Simulated: k.SimulatedSeconds})
	}
	if a.json {
		return a.printJSON(map[string]any{"simulations": list})
	}
	if len(list) > 0 || predictions == nil {
		a.page().SimulationList(list)
	}
	return nil
}

// isBehind tells a replay that a prediction kept (see replay.Name).
func isBehind(simulation string, predictions []string) bool {
	for _, p := range predictions {
		if strings.HasPrefix(simulation, p+" ") && strings.Contains(simulation, " np=") {
			return true
		}
	}
	return false
}
