package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"auspex/expr"
)

// complete wants the flags without which a command makes no sense. It comes before
// cobra's own test, whose errors cannot be told from work that failed.
func complete(cmd *cobra.Command) error {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if required := f.Annotations[cobra.BashCompOneRequiredFlag]; slices.Contains(required, "true") && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) > 0 {
		return usagef("%s needs %s\nusage: %s", cmd.CommandPath(), strings.Join(missing, " and "), cmd.UseLine())
	}
	return exclusive(cmd)
}

// nearFlag asks for the flag that may have been meant instead of one there is not.
func nearFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	if asked := expr.DidYouMean("--"+unknown.GetSpecifiedName(), known); asked != "" {
		return "; " + asked
	}
	return ""
}

// exclusive refuses flags of which only one makes sense, in words of our own.
func exclusive(cmd *cobra.Command) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}
	const group = "cobra_annotation_mutually_exclusive"
	given := map[string][]string{}
	var of string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, g := range f.Annotations[group] {
			if given[g] = append(given[g], "--"+f.Name); len(given[g]) > 1 {
				of = g
			}
		}
	})
	return usagef("%s exclude each other: give one of them", strings.Join(given[of], " and "))
}

// rows is how many of something to print.
type rows int

func (r *rows) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && n < 0 {
		err = fmt.Errorf("%d is below 0", n)
	}
	*r = rows(n)
	return err
}

func (r *rows) String() string { return strconv.Itoa(int(*r)) }
func (*rows) Type() string     { return "int" }

// topFlag is how many rows people see; JSON has them all.
func topFlag(cmd *cobra.Command, top *int, most int, about string) {
	*top = most
	cmd.Flags().Var((*rows)(top), "top", about)
}

// strictHelp makes cobra's own commands refuse what there is none of.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Run, cmd.RunE = nil, func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 && about.HasSubCommands() {
					message := fmt.Sprintf("there is no command %q", strings.Join(args, " "))
					if near := about.SuggestionsFor(args[len(args)-1]); len(near) > 0 {
						message += "; did you mean " + strings.Join(near, " or ") + "?"
					}
					return usagef("%s", message)
				}
				about.InitDefaultHelpFlag() // else --help is not among its flags
				return about.Help()
			}
		case "completion":
			cmd.Args = exactly(0, "a shell: bash, zsh, fish or powershell")
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}
