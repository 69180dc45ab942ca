// Package cli is the command line: one file a command. A command opens what
// it needs, calls an analysis, and hands the result to package report, or
// prints it as JSON.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"auspex/analyze"
	"auspex/expr"
	"auspex/internal/mistake"
	"auspex/launch"
	"auspex/model"
	"auspex/report"
	"auspex/site"
	"auspex/store"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// app is what all commands share.
type app struct {
	in       io.Reader
	out, err io.Writer
	storeDir string
	json     bool
	site     *site.Site // where --store names one
	lost     error      // why something for people could not be written
}

// keeping remembers the first write that failed: pages go on without looking.
type keeping struct {
	io.Writer
	failed *error
}

func (k keeping) Write(b []byte) (int, error) {
	n, err := k.Writer.Write(b)
	if *k.failed == nil {
		*k.failed = err
	}
	return n, err
}

// usageError is a command line that makes no sense, as opposed to work that
// failed.
type usageError struct{ error }

// statusError ends the program with a status of its own; without an error
// inside, everything was said already.
type statusError struct {
	status int
	error
}

func (e statusError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// Main runs the program and returns its exit status.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	collectLater()
	ctx, stop := signal.NotifyContext(context.Background(), launch.Asked(os.Interrupt, syscall.SIGTERM)...)
	defer stop()
	a := &app{in: in, out: out, err: errOut}
	root := a.rootCommand(args)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	a.json = a.json || asksForJSON(args) && errors.As(err, new(usageError)) // a flag before it was wrong
	if err == nil {
		err = a.lost
	}
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	return a.fail(err)
}

// asksForJSON tells whether --json is among the arguments of auspex itself.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--json" {
			return true
		}
	}
	return false
}

// rootCommand has all commands. Those that are called for every run and for every
// source file are built alone where the arguments begin with one, and none for the
// version: the others' flags would take longer than what is left of the start.
func (a *app) rootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "auspex",
		Short: "Where a parallel program's time goes, why, and how long it would take elsewhere",
		Long: `auspex tells people who run parallel programs (MPI, OpenMP; C, C++, Fortran)
where the time goes, why, in words, and how long it would take on a machine
they do not have.`,
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			message := fmt.Sprintf("there is no command %q", args[0])
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				message += "; did you mean " + strings.Join(near, " or ") + "?"
			}
			return usagef("%s", message)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("auspex {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd.Name() == "run" {
			return usagef("%w\nflags of auspex come first, then the whole command: auspex run --name first -- mpirun -n 8 ./solver", plainly(err))
		}
		return usagef("%w%s\nrun `%s --help` for its flags", plainly(err), nearFlag(cmd, err), cmd.CommandPath())
	})
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := complete(cmd); err != nil {
			return err
		}
		if place := a.storePlace(); strings.HasPrefix(place, site.Scheme) {
			a.site, err = site.Open(place)
		} else if strings.Contains(place, "://") {
			err = usagef("the store %s is an address, and no site's: a store is a directory, or clickhouse://host/database", place)
		}
		return err
	}
	root.PersistentFlags().StringVar(&a.storeDir, "store", "", "store directory, or clickhouse://host/database of a site (default $AUSPEX_STORE or .auspex)")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON for scripts")
	root.AddGroup(
		&cobra.Group{ID: "measure", Title: "Measure:"},
		&cobra.Group{ID: "look", Title: "Look at experiments:"},
		&cobra.Group{ID: "words", Title: "Ask in words:"},
		&cobra.Group{ID: "store", Title: "Keep experiments:"},
		&cobra.Group{ID: "predict", Title: "Predict:"},
	)
	if len(args) > 0 && (args[0] == "run" || args[0] == "cc") {
		root.AddCommand(a.runCommand(), a.ccCommand())
		return root
	}
	if len(args) == 1 && args[0] == "--version" {
		return root
	}
	root.AddCommand(
		a.importCommand(), a.listCommand(), a.orLast(a.showCommand()), a.compareCommand(), a.orLast(a.diagnoseCommand()), a.orLast(a.stragglersCommand()), a.orLast(a.deviceCommand()), a.watchCommand(), a.scalingCommand(), a.orLast(a.exportCommand()), a.serveCommand(), a.orLast(a.reportCommand()),
		a.removeCommand(), a.collectCommand(), a.pushCommand(), a.siteCommand(), a.doctorCommand(), a.versionCommand(), a.manualCommand(),
		a.orLast(a.classifyCommand()), a.queryCommand(), a.orLast(a.bottlenecksCommand()), a.orLast(a.scoreCommand()), a.orLast(a.rankCommand()), a.orLast(a.similarCommand()), a.orLast(a.rulesCommand(), "list"), a.orLast(a.checkCommand()), a.orLast(a.cmeansCommand()), a.reduceCommand(), a.termsCommand(),
		a.simulateCommand(), a.platformCommand(), a.traceCommand(), a.sourceCommand(), a.labCommand(), a.p2pCommand(), a.calibrateCommand(),
		a.ccCommand(), a.wrappersCommand(), a.instrumentCommand(), a.runCommand(), a.predictCommand(), a.sweepCommand(), a.orLast(a.efficiencyCommand()), a.orLast(a.waitsCommand()), a.orLast(a.whatifCommand()),
	)
	strictHelp(root)
	return root
}

// fail prints an error and returns the exit status it stands for.
func (a *app) fail(err error) int {
	var ran exitError
	if errors.As(err, &ran) {
		return int(ran) // the program's own words have been said
	}
	status := exitFailed
	if errors.As(err, new(usageError)) {
		status = exitUsage
	}
	if own := (statusError{}); errors.As(err, &own) {
		if status, err = own.status, own.error; err == nil {
			return status
		}
	}
	if !a.json {
		message := plainPath(err)
		var inText *expr.Error
		if errors.As(err, &inText) {
			message = inText.Caret()
		}
		fmt.Fprintln(a.err, "auspex: "+harmless(message))
		return status
	}
	detail := map[string]any{"message": plainPath(err)}
	var path *fs.PathError
	if errors.As(err, &path) {
		detail["file"] = path.Path
	}
	if place, ok := mistake.Find(err); ok {
		if place.File != "" {
			detail["file"] = place.File
		}
		if place.Line > 0 {
			detail["line"] = place.Line
		}
		if place.Column > 0 {
			detail["column"] = place.Column
		}
	}
	json.NewEncoder(a.err).Encode(map[string]any{"error": detail})
	return status
}

// plainPath is an error's message with the file before what is wrong with it, as
// everywhere, and without the name of a system call.
func plainPath(err error) string {
	message := err.Error()
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return strings.Replace(message, link.Error(), link.Old+": "+link.Err.Error(), 1)
	}
	path := (*fs.PathError)(nil)
	if !errors.As(err, &path) || path.Op == "write" {
		return message
	}
	plain := path.Path + ": " + path.Err.Error()
	for _, named := range []string{path.Path + ": " + path.Error(), path.Error()} {
		message = strings.Replace(message, named, plain, 1)
	}
	return message
}

// harmless keeps what a file or a name holds from giving orders to the
// terminal; the message's own lines stay lines.
func harmless(message string) string {
	lines := strings.Split(message, "\n")
	for i := range lines {
		lines[i] = model.CleanText(lines[i])
	}
	return strings.Join(lines, "\n")
}

// printJSON writes a result for scripts.
func (a *app) printJSON(v any) error {
	encoder := json.NewEncoder(a.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// page is standard output for people.
func (a *app) page() *report.Page {
	p := &report.Page{Out: forPeople(keeping{a.out, &a.lost})}
	if fd, ok := terminal(a.out); ok {
		p.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(fd); err == nil && width > 0 {
			p.Width = max(width, 40)
		}
		p.Pictures = p.Width > 0 && os.Getenv("TERM") != "dumb" && utf8Locale()
	}
	return p
}

// terminal tells whether a writer is one, and its file descriptor.
func terminal(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

func (a *app) openStore() *store.Store {
	if a.site != nil {
		return store.OpenRemote(a.site)
	}
	return store.Open(a.storePlace())
}

// storePlace is where the store is: a directory, or a site's address.
func (a *app) storePlace() string {
	return cmp.Or(a.storeDir, os.Getenv("AUSPEX_STORE"), ".auspex")
}

// dataset opens an experiment by name, with a suggestion where it is misspelt.
func (a *app) dataset(name string) (*analyze.Dataset, error) {
	e, err := a.experiment(name)
	if err != nil {
		return nil, err
	}
	return analyze.Open(e)
}

func (a *app) experiment(name string) (*store.Experiment, error) {
	e, err := analyze.Find(a.openStore(), name)
	if info, there := os.Stat(name); errors.Is(err, store.ErrNotFound) && there == nil {
		what := "file"
		if info.IsDir() {
			what = "folder"
		}
		err = mistake.InFile(name, "a %s, and no experiment has this name; auspex import %s reads profiles", what, quoteForShell(name))
	}
	return e, err
}

// completeNames completes experiment names in the shell: those that are not there yet,
// and none where a command takes no more.
func (a *app) completeNames(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if cmd.Args(cmd, args) == nil && cmd.Args(cmd, append(slices.Clone(args), prefix)) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := a.openStore().Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var fitting []string
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && !slices.Contains(args, name) {
			fitting = append(fitting, name)
		}
	}
	return fitting, cobra.ShellCompDirectiveNoFileComp
}

// completeNamesOrFiles is for commands that take files of traces, too.
func (a *app) completeNamesOrFiles(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	names, how := a.completeNames(cmd, args, prefix)
	if len(names) == 0 && cmd.Args(cmd, append(slices.Clone(args), prefix)) == nil {
		how = cobra.ShellCompDirectiveDefault
	}
	return names, how
}

// exactly wants n arguments and says which.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n == 0 && len(args) > 0 {
			return usagef("%s takes %s, and not %q\nusage: %s", cmd.CommandPath(), what, args[0], cmd.UseLine())
		}
		if len(args) != n {
			return usagef("%s needs %s, not %d arguments\nusage: %s", cmd.CommandPath(), what, len(args), cmd.UseLine())
		}
		return nil
	}
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("%s needs %s\nusage: %s", cmd.CommandPath(), what, cmd.UseLine())
		}
		return nil
	}
}

// plainly says of a flag's value what it is not, without the function that found out.
func plainly(err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	return fmt.Errorf("--%s %q is not a number", invalid.GetFlag().Name, invalid.GetValue())
}
