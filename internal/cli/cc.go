package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"auspex/instrument"
	"auspex/launch"
	"auspex/probe"
	"auspex/source"
)

// exitError ends the program with the status of one that it ran.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

type ccFlags struct {
	regions          string
	minLines         int
	include, exclude []string
	iterations       bool
	header, module   bool
	headers          bool
	show             bool
	plan             string
	environment      error // what is wrong with $AUSPEX_CC_FLAGS
}

func (a *app) ccCommand() *cobra.Command {
	var f ccFlags
	cmd := &cobra.Command{
		Use:     "cc [flags] COMPILER ARGUMENT…",
		GroupID: "measure",
		Short:   "Compile with measurement put in, as the compiler named would",
		Long: `Stand in for a compiler: functions and outer loops of the sources on its command
line are instrumented, all else is the compiler's own doing, and so are its
messages and its exit status. The program runs as before by itself; auspex run
measures it. Flags may also stand in $AUSPEX_CC_FLAGS, where a build leaves no
room for them.`,
		Example: `  auspex cc mpicc -O2 -c solver.c
  make CC="auspex cc mpicc" FC="auspex cc mpif90"
  cmake -DCMAKE_C_COMPILER_LAUNCHER="auspex;cc" -DCMAKE_C_LINKER_LAUNCHER="auspex;cc" ..`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.header || f.module {
				return nil
			}
			if f.show {
				return atLeast(1, "a source file, or a compiler and its arguments")(cmd, args)
			}
			return atLeast(1, "a compiler and its arguments")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runCC(cmd.Context(), args, f) },
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&f.regions, "regions", "", "functions, loops, all, or a filter `FILE` (default: functions and outer loops)")
	cmd.Flags().IntVar(&f.minLines, "min-lines", 0, fmt.Sprintf("leave smaller regions alone (default %d)", instrument.DefaultMinLines))
	cmd.Flags().StringArrayVar(&f.include, "include", nil, "only functions that fit the glob `FILE:FUNCTION`; repeatable")
	cmd.Flags().StringArrayVar(&f.exclude, "exclude", nil, "no function that fits the glob `FILE:FUNCTION`; repeatable")
	cmd.Flags().BoolVar(&f.iterations, "iterations", true, "count the iterations of loops")
	cmd.Flags().BoolVar(&f.headers, "headers", false, "measure templates and inline functions in the project's own C++ headers with probes too; samples show them anyway, at less cost")
	cmd.Flags().BoolVar(&f.header, "print-header", false, "print auspex.h, with Par_begin(name) and Par_end() for C and C++")
	cmd.Flags().BoolVar(&f.module, "print-module", false, "print auspex.F90, the same for Fortran")
	cmd.Flags().BoolVar(&f.show, "show", false, "print the source file as it would be compiled, and compile nothing; a compiler and its arguments may stand around it")
	// Read first: what the command line says comes after and wins.
	f.environment = cmd.Flags().Parse(strings.Fields(os.Getenv("AUSPEX_CC_FLAGS")))
	if left := cmd.Flags().Args(); f.environment == nil && len(left) > 0 {
		f.environment = fmt.Errorf("%q is no flag", left[0])
	}
	cmd.Flags().StringVar(&f.plan, "plan", "", "")
	cmd.Flags().MarkHidden("plan") // for auspex predict
	return cmd
}

func (a *app) runCC(ctx context.Context, args []string, f ccFlags) error {
	if f.environment != nil {
		return usagef("$AUSPEX_CC_FLAGS: %w", f.environment)
	}
	switch {
	case f.header:
		_, err := fmt.Fprint(a.out, probe.Header)
		return err
	case f.module:
		_, err := fmt.Fprint(a.out, probe.Module)
		return err
	}
	options := instrument.Options{MinLines: f.minLines, Include: f.include, Exclude: f.exclude, Count: f.iterations}
	if err := chooseRegions(&options, f.regions); err != nil {
		return err
	}
	a.leaveShort(&options)
	if f.show {
		file, err := shownSource(args)
		if err != nil {
			return err
		}
		return a.showInstrumented(ctx, file, options)
	}
	compiler := launch.Compiler{Real: args, Options: options, Headers: f.headers, Cache: cacheDir(), In: a.in, Out: a.out, Err: a.err}
	if f.plan != "" {
		plan, err := launch.ReadPlan(f.plan)
		if err != nil {
			return err
		}
		compiler.Plan = plan
	}
	status, err := compiler.Run(ctx)
	if err != nil {
		return err
	}
	if status != 0 {
		return exitError(status)
	}
	return nil
}

// shownSource is the one source among a compiler's arguments.
func shownSource(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	file := ""
	for _, word := range args[1:] {
		if language, _ := source.Detect(word); language == source.Unknown || strings.HasPrefix(word, "-") {
			continue
		}
		if file != "" {
			return "", usagef("cc --show takes one source file, not %s and %s", file, word)
		}
		file = word
	}
	if file == "" {
		return "", usagef("cc --show: there is no source file among %s", strings.Join(args, " "))
	}
	return file, nil
}

// showInstrumented prints a source with the probes in it.
func (a *app) showInstrumented(ctx context.Context, file string, options instrument.Options) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	parsed, err := source.Parse(ctx, file, text, source.Options{})
	if err != nil {
		return err
	}
	if path, err := filepath.Abs(file); err == nil {
		options.Path = path
	}
	_, err = a.out.Write(instrument.Rewrite(parsed, options).Text)
	return err
}

// chooseRegions reads --regions: a choice by name, or a file of rules.
func chooseRegions(options *instrument.Options, text string) error {
	if text == "" {
		return nil
	}
	choice, err := instrument.ParseChoice(text)
	if err == nil {
		options.Regions = choice
		return nil
	}
	file, openErr := os.Open(text)
	if errors.Is(openErr, os.ErrNotExist) {
		return usagef("--regions %q is neither a file nor functions, loops or all", text)
	}
	if openErr != nil {
		return openErr
	}
	defer file.Close()
	options.Filter, err = instrument.ReadFilter(text, file)
	return err
}

// rootsCache is where all can read and root alone can write: what root starts may go
// on as another user, who has to load the runtime.
const rootsCache = "/var/cache/auspex"

// cacheDir keeps what was compiled of the measurement runtime.
func cacheDir() string {
	if dir := os.Getenv("AUSPEX_CACHE"); dir != "" && writable(dir) {
		return dir
	}
	if os.Getuid() == 0 && writable(rootsCache) && os.Chmod(rootsCache, 0o755) == nil {
		return rootsCache
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	if dir = filepath.Join(dir, "auspex"); writable(dir) {
		return dir
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("auspex-cache-%d", os.Getuid()))
}

// writable tells whether files can be made in a directory, which is made where
// it is missing.
func writable(dir string) bool {
	if os.MkdirAll(dir, 0o777) != nil {
		return false
	}
	file, err := os.CreateTemp(dir, "try-")
	if err != nil {
		return false
	}
	file.Close()
	return os.Remove(file.Name()) == nil
}
