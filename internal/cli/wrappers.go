package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// wrapped are the compilers that get a wrapper where they are installed.
var wrapped = []string{
	"cc", "c++", "gcc", "g++", "gfortran", "clang", "clang++", "flang", "icx", "icpx", "ifx",
	"mpicc", "mpicxx", "mpic++", "mpif77", "mpif90", "mpifort", "mpiicx", "mpiicpx", "mpiifx",
}

func (a *app) wrappersCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "wrappers DIR",
		GroupID: "measure",
		Short:   "Write compilers of one word, auspex-mpicc and so on, for builds that take no prefix",
		Long: `Write a script for every compiler that is installed: auspex-mpicc runs auspex cc
mpicc, and so on. Build systems that look for their compiler by "which $(CC)", or
that quote it, take these where "auspex cc mpicc" is two words too many. With
AUSPEX_CC=off in the environment the scripts run the compiler alone, so that a
configure script's own tests are not instrumented.`,
		Example: `  auspex wrappers ~/bin/auspex
  PATH=~/bin/auspex:$PATH AUSPEX_CC=off ./configure CC=auspex-mpicc
  PATH=~/bin/auspex:$PATH make`,
		Args: exactly(1, "a directory"),
		RunE: func(_ *cobra.Command, args []string) error { return a.runWrappers(args[0]) },
	}
}

func (a *app) runWrappers(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var written []string
	for _, compiler := range wrapped {
		path, err := exec.LookPath(compiler)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
		name := "auspex-" + compiler
		text := fmt.Sprintf("#!/bin/sh\n[ \"$AUSPEX_CC\" = off ] && exec %[2]s \"$@\"\nexec %[1]s cc %[2]s \"$@\"\n", quoteForShell(self), quoteForShell(path))
		temporary := filepath.Join(dir, name+".new")
		if err := os.WriteFile(temporary, []byte(text), 0o777); err != nil {
			return err
		}
		if err := os.Rename(temporary, filepath.Join(dir, name)); err != nil {
			return err
		}
		written = append(written, name)
	}
	if a.json {
		return a.printJSON(map[string]any{"directory": dir, "wrappers": append([]string{}, written...)})
	}
	if len(written) == 0 {
		return fmt.Errorf("no compiler is installed: nothing to wrap")
	}
	fmt.Fprintf(a.out, "%s: %s\n", dir, strings.Join(written, " "))
	return nil
}
