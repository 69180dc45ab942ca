package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/report"
)

func (a *app) termsCommand() *cobra.Command {
	var flags wordFlags
	var asTOML bool
	cmd := &cobra.Command{
		Use:     "terms",
		GroupID: "words",
		Short:   "List the words and what they mean, or learn new ones from data",
		Example: `  auspex terms
  auspex terms --toml > mine.toml
  auspex terms learn mpas --metric l1_misses/instructions --terms low,medium,high -o mine.toml`,
		Args: exactly(0, "no argument, or learn"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			words, err := flags.words()
			if err != nil {
				return err
			}
			switch {
			case a.json:
				return a.printJSON(map[string]any{"variables": variableInfos(words.Variables)})
			case asTOML:
				return words.WriteTOML(a.out)
			}
			page := a.page()
			for _, v := range variableInfos(words.Variables) {
				page.Variable(v)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asTOML, "toml", false, "print the vocabulary as TOML, to start one's own from")
	flags.register(cmd)
	cmd.AddCommand(a.learnCommand())
	return cmd
}

func variableInfos(variables []*fuzzy.Variable) []report.VariableInfo {
	infos := []report.VariableInfo{}
	for _, v := range variables {
		info := report.VariableInfo{Name: v.Name, About: v.About, Metric: v.Metric.String(), Universe: [2]float64{v.Low, v.High}, Terms: []report.TermInfo{}}
		for _, terms := range [][]*fuzzy.Term{v.Terms, v.Global} {
			for _, t := range terms {
				info.Terms = append(info.Terms, report.TermInfo{Name: t.Name, Meaning: t.Definition.String()})
			}
		}
		infos = append(infos, info)
	}
	return infos
}

func (a *app) learnCommand() *cobra.Command {
	var flags wordFlags
	var metric, name, names, by, method, output string
	cmd := &cobra.Command{
		Use:               "learn EXPERIMENT…",
		Short:             "Learn terms for a metric from what experiments hold, and write them as TOML",
		Example:           `  auspex terms learn mpas --metric l1_misses/instructions --terms low,medium,high --method cmeans -o mine.toml`,
		Args:              atLeast(1, "experiments"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := flags.words()
			if err != nil {
				return err
			}
			datasets, err := a.datasets(args)
			if err != nil {
				return err
			}
			learned, err := analyze.LearnTerms(cmd.Context(), words, datasets, metric, name, termList(names), analyze.By(by), analyze.LearnMethod(method))
			if err != nil {
				return err
			}
			return a.printLearned(learned, output)
		},
	}
	cmd.Flags().StringVar(&metric, "metric", "", "metric or expression of metrics")
	cmd.Flags().StringVar(&names, "terms", "low,medium,high", "the terms' names, from the smallest values to the largest")
	cmd.Flags().StringVar(&name, "name", "", "name of the variable (default: made from the metric)")
	cmd.Flags().StringVar(&by, "by", string(analyze.ByRegion), "learn from the values by region, unit or summary")
	cmd.Flags().StringVar(&method, "method", string(analyze.FromQuantiles), "quantiles or cmeans")
	offer(cmd, "method", string(analyze.FromQuantiles), string(analyze.FromCMeans))
	offer(cmd, "by", string(analyze.ByRegion), string(analyze.ByUnit), string(analyze.BySummary))
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	if err := cmd.MarkFlagRequired("metric"); err != nil {
		panic(err) // a flag that was not defined above
	}
	flags.register(cmd)
	return cmd
}

func termList(names string) []string {
	var terms []string
	for _, name := range strings.Split(names, ",") {
		terms = append(terms, strings.TrimSpace(name))
	}
	return terms
}

func (a *app) printLearned(learned *analyze.Learned, output string) error {
	vocabulary := &fuzzy.Vocabulary{Variables: []*fuzzy.Variable{learned.Variable}}
	var text bytes.Buffer
	if err := vocabulary.WriteTOML(&text); err != nil {
		return err
	}
	if output != "" {
		if err := os.WriteFile(output, text.Bytes(), 0o666); err != nil {
			return err
		}
	}
	switch {
	case a.json:
		return a.printJSON(map[string]any{
			"variable": variableInfos(vocabulary.Variables)[0], "values": learned.Values, "method": learned.Method, "toml": text.String(),
		})
	case output != "":
		a.page().Line("learned %s from %d values; use it with --vocabulary %s", learned.Variable.Name, learned.Values, output)
		return nil
	}
	_, err := io.Copy(a.out, &text)
	return err
}
