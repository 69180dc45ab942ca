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
	s := a.openStore()
	headers, _, err := s.List()
	if err != nil {
		return "", err
	}
	if len(headers) == 0 {
		return "", usagef("%s needs an experiment, and the store %s has none: `auspex run -- COMMAND` measures one, `auspex import PATH` reads one\nusage: %s", cmd.CommandPath(), s.Dir(), cmd.UseLine())
	}
	last := slices.MaxFunc(headers, func(a, b model.Header) int { return cmp.Compare(a.ID, b.ID) })
	which := "the only experiment"
	if len(headers) > 1 {
		which = fmt.Sprintf("the last stored of %d experiments", len(headers))
	}
	fmt.Fprintf(a.err, "auspex: taking %s, %s\n", quoteForShell(last.Name), which)
	return last.Name, nil
}
