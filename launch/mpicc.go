package launch

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"auspex/internal/scratch"
)

// findMPICC finds the compiler of the MPI whose library a program uses, by
// compiling a program of three lines with each candidate and looking at what it
// is linked with.
func findMPICC(ctx context.Context, library, launcherPath string) (string, error) {
	dir, err := scratch.Dir("mpicc")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "ask.c")
	if err := os.WriteFile(file, []byte("#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n"), 0o666); err != nil {
		return "", err
	}
	var tried []string
	for _, candidate := range compilersNear(library, launcherPath) {
		made := filepath.Join(dir, "ask")
		if exec.CommandContext(ctx, candidate, "-o", made, file).Run() != nil {
			continue
		}
		tried = append(tried, candidate)
		if linkedWith(made, filepath.Base(library)) {
			return candidate, nil
		}
	}
	if len(tried) > 0 {
		return "", fmt.Errorf("the program uses %s, but %s compile for another MPI; name its mpicc in $AUSPEX_MPICC", library, strings.Join(tried, ", "))
	}
	return "", fmt.Errorf("there is no mpicc for %s; install it or name it in $AUSPEX_MPICC", library)
}

// compilersNear lists the compilers that may belong to a library, the likely
// ones first.
func compilersNear(library, launcherPath string) []string {
	var list []string
	add := func(names ...string) {
		for _, name := range names {
			path, err := exec.LookPath(name)
			if err != nil {
				continue
			}
			known := false
			for _, p := range list {
				known = known || p == path
			}
			if !known {
				list = append(list, path)
			}
		}
	}
	if given := os.Getenv("AUSPEX_MPICC"); given != "" {
		add(given)
	}
	for _, near := range []string{filepath.Dir(library), filepath.Dir(filepath.Dir(library))} {
		add(filepath.Join(near, "bin", "mpicc"))
	}
	if launcherPath != "" {
		add(filepath.Join(filepath.Dir(launcherPath), "mpicc"))
	}
	add("mpicc", "mpicc.mpich", "mpicc.openmpi", "mpiicc", "mpiicx", "cc")
	return list
}

func linkedWith(program, library string) bool {
	file, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	if err != nil {
		return false
	}
	for _, name := range needed {
		if isMPI(name) && sameLibrary(name, library) {
			return true
		}
	}
	return false
}

// sameLibrary compares names up to the interface's version: libmpi.so.40 and
// libmpi.so.40.30.4 are one.
func sameLibrary(a, b string) bool {
	return a == b || strings.HasPrefix(b, a+".") || strings.HasPrefix(a, b+".")
}
