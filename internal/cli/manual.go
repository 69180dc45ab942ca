package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "manual DIR",
		Short: "Write man pages, made of every command's own help",
		Example: `  auspex manual ~/.local/share/man/man1
  man auspex-run`,
		Args: exactly(1, "the directory to write them to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			written, err := writeManual(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"pages": written})
			}
			a.page().Line("%d pages in %s", len(written), args[0])
			return nil
		},
	}
}

// writeManual writes a page for a command and for all below it.
func writeManual(cmd *cobra.Command, dir string) (written []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := pageName(cmd) + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(manualPage(cmd)), 0o666); err != nil {
		return nil, err
	}
	written = []string{name}
	for _, sub := range documented(cmd) {
		more, err := writeManual(sub, dir)
		if err != nil {
			return written, err
		}
		written = append(written, more...)
	}
	return written, nil
}

// documented lists the commands below one that have a page.
func documented(cmd *cobra.Command) []*cobra.Command {
	var subs []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() && sub.Name() != "help" {
			subs = append(subs, sub)
		}
	}
	return subs
}

// pageName is what man is asked for: auspex-lab-up.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage writes a command's help with the macros of man(7).
func manualPage(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"auspex %s\" \"auspex\"\n", strings.ToUpper(pageName(cmd)), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + roffText(text))
	if subs := documented(cmd); len(subs) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range subs {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(pageName(sub)), roff(sub.Short))
		}
	}
	roffFlags(&b, "OPTIONS", cmd.LocalFlags())
	roffFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(cmd.Example) + "\n.fi\n")
	}
	if parent := cmd.Parent(); parent != nil {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(parent)))
	}
	return b.String()
}

func roffFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s", roff(name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
		}
		fmt.Fprintf(b, "\n%s\n", roff(usage))
	})
}

// roffText writes paragraphs; indented lines are kept as they are.
func roffText(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") {
			b.WriteString(".nf\n" + roff(paragraph) + "\n.fi\n")
		} else {
			b.WriteString(roff(paragraph) + "\n")
		}
	}
	return b.String()
}

// roff escapes what the typesetter would take for commands: backslashes,
// dashes that are to be copied, and dots and quotes at the start of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
