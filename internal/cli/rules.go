package cli

import (
	"os"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/fuzzy"
)

func (a *app) rulesCommand() *cobra.Command {
	var flags wordFlags
	var files []string
	var baseline, how, byWord string
	var list bool
	var top int
	cmd := &cobra.Command{
		Use:     "rules [EXPERIMENT]",
		GroupID: "words",
		Short:   "Look for well-known performance problems by rules in words, with advice",
		Example: `  auspex rules gromacs-16
  auspex rules gromacs-32 --baseline gromacs-2
  auspex rules --list`,
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return exactly(0, "no experiment with --list")(cmd, args)
			}
			return exactly(1, "one experiment")(cmd, args)
		},
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			rules := analyze.ShippedRules()
			for _, file := range files {
				own, err := readRules(file)
				if err != nil {
					return err
				}
				rules = analyze.MergeRules(rules, own)
			}
			if list {
				return a.listRules(rules)
			}
			words, err := flags.words()
			if err != nil {
				return err
			}
			defuzzifier, err := fuzzy.ParseDefuzzifier(how)
			if err != nil {
				return usageError{err}
			}
			d, err := a.dataset(args[0])
			if err != nil {
				return err
			}
			d, notes, err := by(d, byWord)
			if err != nil {
				return err
			}
			var base *analyze.Dataset
			if baseline != "" {
				if base, err = a.dataset(baseline); err != nil {
					return err
				}
				if base, _, err = base.By(d.ByWord()); err != nil {
					return err
				}
			}
			problems, err := analyze.ApplyRules(d, words, rules, base, defuzzifier)
			if err != nil {
				return err
			}
			problems.Warnings = append(problems.Warnings, notes...)
			if a.json {
				return a.printJSON(problems)
			}
			a.page().Problems(problems, top)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&files, "rules", nil, "TOML file of rules beside the shipped ones (repeatable)")
	cmd.Flags().StringVar(&baseline, "baseline", "", "experiment to compare with, for rules about growth")
	cmd.Flags().StringVar(&how, "defuzzifier", string(fuzzy.Centroid), "how severity becomes a number: centroid, bisector, mean_of_maximum, smallest_of_maximum or largest_of_maximum")
	a.offerNames(cmd, "baseline")
	offer(cmd, "defuzzifier", string(fuzzy.Centroid), string(fuzzy.Bisector), string(fuzzy.MeanOfMaximum), string(fuzzy.SmallestOfMaximum), string(fuzzy.LargestOfMaximum))
	cmd.Flags().BoolVar(&list, "list", false, "list the rules instead of applying them")
	topFlag(cmd, &top, 3, "how many places of a problem to print")
	byFlag(cmd, &byWord)
	flags.register(cmd)
	return cmd
}

func readRules(file string) ([]*fuzzy.NamedRule, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return fuzzy.ReadRules(file, data)
}

func (a *app) listRules(rules []*fuzzy.NamedRule) error {
	type listed struct {
		Name   string   `json:"name"`
		About  string   `json:"about"`
		Rule   string   `json:"rule"`
		By     string   `json:"by"`
		Where  []string `json:"where"`
		Advice string   `json:"advice"`
	}
	if a.json {
		all := []listed{}
		for _, r := range rules {
			all = append(all, listed{r.Name, r.About, r.Rule.String(), r.By, append([]string{}, r.Where...), r.Advice})
		}
		return a.printJSON(map[string]any{"rules": all})
	}
	page := a.page()
	for _, r := range rules {
		page.Line("%s", page.Strong(r.Name)+": "+r.About)
		page.Paragraph("  " + r.Rule.String())
	}
	return nil
}
