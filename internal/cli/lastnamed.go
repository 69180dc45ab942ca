package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"auspex/model"
)

// orLast lets a command that asks about an experiment go without its name: it is
// then the one that was stored last, and standard error says which. Flags in except
// are of a command that needs no experiment with them.
func (a *app) orLast(cmd *cobra.Command, except ...string) *cobra.Command {
	args, run := cmd.Args, cmd.RunE
	unnamed := func(given []string) bool {
		return len(given) == 0 && !slices.ContainsFunc(except, func(flag string) bool { return cmd.Flags().Changed(flag) })
	}
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if unnamed(given) {
			return nil
		}
		return args(cmd, given)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if !unnamed(given) {
			return run(cmd, given)
		}
		name, err := a.lastStored(cmd)
		if err != nil {
			return err
		}
		return run(cmd, []string{name})
	}
	return cmd
}

// lastStored is the name of the experiment that was stored last.
func (a *app) lastStored(cmd *cobra.Command) (string, error) {
	if a.site != nil {
		return "", usagef("name an experiment: the last one at a site may be anyone's\nusage: %s", cmd.UseLine())
	}
	experiments, last, err := a.newest()
	if err != nil {
		return "", err
	}
	which := "the only experiment"
	switch {
	case experiments == 0:
		return "", usagef("%s needs an experiment, and the store %s has none: `auspex run -- COMMAND` measures one, `auspex import PATH` reads one\nusage: %s", cmd.CommandPath(), a.openStore().Dir(), cmd.UseLine())
	case experiments > 1:
		which = fmt.Sprintf("the last stored of %d experiments", experiments)
	}
	fmt.Fprintf(a.err, "auspex: taking %s, %s\n", quoteForShell(last.Name), which)
	return last.Name, nil
}

// newest is the experiment of the store that was stored last, and how many there are.
func (a *app) newest() (experiments int, last model.Header, err error) {
	headers, _, err := a.openStore().List()
	if err != nil || len(headers) == 0 {
		return 0, last, err
	}
	return len(headers), slices.MaxFunc(headers, func(a, b model.Header) int { return cmp.Compare(a.ID, b.ID) }), nil
}
