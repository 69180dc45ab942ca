package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/site"
)

// offer has the shell complete a flag's value with one of these words.
func offer(cmd *cobra.Command, flag string, values ...string) {
	offerFound(cmd, flag, func([]string) []string { return values })
}

// offerNames has it complete one with the experiments of the store, and with these words.
func (a *app) offerNames(cmd *cobra.Command, flag string, words ...string) {
	offerFound(cmd, flag, func([]string) []string {
		names, _ := a.completeNames(cmd, nil, "")
		return append(names, words...)
	})
}

// offerRegions has it complete one with the regions of the experiment that the command
// is about, each with what stands after it.
func (a *app) offerRegions(cmd *cobra.Command, flag, after string) {
	offerFound(cmd, flag, func(args []string) []string {
		d, ok := a.completed(args)
		if !ok {
			return nil
		}
		var names []string
		for _, r := range d.Regions {
			names = append(names, r.Name+after)
		}
		return names
	})
}

// offerMetrics has it complete one with the metrics of the experiment that the command
// is about.
func (a *app) offerMetrics(cmd *cobra.Command, flag string) {
	offerFound(cmd, flag, func(args []string) []string {
		d, ok := a.completed(args)
		if !ok {
			return nil
		}
		return d.MetricNames()
	})
}

// completed is the experiment of a command line that is being written: the first it
// names, else the one that was stored last. A site is not asked while somebody types.
func (a *app) completed(args []string) (*analyze.Dataset, bool) {
	if strings.HasPrefix(a.storePlace(), site.Scheme) {
		return nil, false
	}
	if len(args) == 0 {
		experiments, last, err := a.newest()
		if err != nil || experiments == 0 {
			return nil, false
		}
		args = []string{last.Name}
	}
	d, err := a.dataset(args[0])
	return d, err == nil
}

// offerFound completes the values of a flag with those that find gives for the
// command's arguments. After one that ends in = more is to come.
func offerFound(cmd *cobra.Command, flag string, find func(args []string) []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		how := cobra.ShellCompDirectiveNoFileComp
		var fitting []string
		for _, v := range find(args) {
			if strings.HasPrefix(v, prefix) && !slices.Contains(fitting, v) {
				fitting = append(fitting, v)
			}
		}
		if slices.ContainsFunc(fitting, func(v string) bool { return strings.HasSuffix(v, "=") }) {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		slices.Sort(fitting)
		return fitting, how
	})
	if err != nil {
		panic(err) // a flag that the command does not have, or a second time
	}
}
