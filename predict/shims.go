package predict

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"auspex/internal/lazyregexp"
)

// compilers are the names that build commands call compilers by.
var compilers = lazyregexp.New(`^(mpi(cc|cxx|CC|c\+\+|f77|f90|fort|icc|icpc|icx|icpx|ifort|ifx)|cc|c\+\+|gcc|g\+\+|clang|clang\+\+|gfortran|f77|f90|f95|flang|icc|icpc|icx|icpx|ifort|ifx|nvc|nvc\+\+|nvfortran|CC|ftn)(-[0-9.]+)?(\.(mpich|openmpi))?$`)

// writeShims makes a directory of scripts with the names of all compilers in
// the path: each hands what it is told to command, with the real one. A
// compiler that calls another one is left to itself.
func writeShims(dir string, command []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	stand := make([]string, len(command))
	for i, word := range command {
		stand[i] = quote(word)
	}
	seen := map[string]bool{}
	for _, place := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(place)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			if seen[name] || !compilers.MatchString(name) {
				continue
			}
			real := filepath.Join(place, name)
			if info, err := os.Stat(real); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
				continue
			}
			seen[name] = true
			text := fmt.Sprintf("#!/bin/sh\nif [ -n \"$AUSPEX_SHIM\" ]; then exec %[1]s \"$@\"; fi\nAUSPEX_SHIM=1\nexport AUSPEX_SHIM\nexec %[2]s --plan \"$AUSPEX_PLAN\" %[1]s \"$@\"\n",
				quote(real), strings.Join(stand, " "))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
				return err
			}
		}
	}
	return nil
}

// quote writes a word so that a shell takes it as it is.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
