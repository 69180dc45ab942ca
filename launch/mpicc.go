package launch

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"auspex/internal/scratch"
	"auspex/probe"
)

// findMPICC finds the compiler of the MPI whose library a program uses.
func findMPICC(ctx context.Context, cache, library, launcherPath string) (string, error) {
	var tried []string
	mpicc := ""
	err := eachMPICC(ctx, cache, compilersNear(library, launcherPath), func(candidate, its string) bool {
		tried = append(tried, candidate)
		if sameLibrary(its, filepath.Base(library)) {
			mpicc = candidate
		}
		return mpicc == ""
	})
	if err != nil || mpicc != "" {
		return mpicc, err
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

// eachMPICC gives compilers with the MPI library that they link with, as long as
// visit wants more.
func eachMPICC(ctx context.Context, cache string, candidates []string, visit func(mpicc, library string) bool) error {
	for _, candidate := range candidates {
		library, err := libraryOf(ctx, cache, candidate)
		if err != nil {
			return err
		}
		if library != "" && !visit(candidate, library) {
			return nil
		}
	}
	return nil
}

// libraryOf is the MPI library that a compiler links with, "" for none. It is
// found by compiling a program of two lines, and kept: that takes longer than all
// else that a run begins with.
func libraryOf(ctx context.Context, cache, mpicc string) (string, error) {
	kept := filepath.Join(cache, "links-"+probe.CompilerNow(mpicc))
	if text, err := os.ReadFile(kept); err == nil {
		return string(text), nil
	}
	dir, err := scratch.Dir("mpicc")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file, made := filepath.Join(dir, "ask.c"), filepath.Join(dir, "ask")
	if err := os.WriteFile(file, []byte("#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n"), 0o666); err != nil {
		return "", err
	}
	if exec.CommandContext(ctx, mpicc, "-o", made, file).Run() != nil {
		return "", nil // what is wrong may be mended: not kept
	}
	library := linkedMPI(made)
	keepAs(kept, library)
	return library, nil
}

// keepAs writes a file at once, so that whoever reads sees all of it or none.
// What cannot be kept is found again the next time.
func keepAs(file, text string) {
	if os.MkdirAll(filepath.Dir(file), 0o777) != nil {
		return
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "links-")
	if err != nil {
		return
	}
	_, err = temporary.WriteString(text)
	if temporary.Close() != nil || err != nil || os.Rename(temporary.Name(), file) != nil {
		os.Remove(temporary.Name())
	}
}

// linkedMPI is the name of the MPI library that a program wants, or "".
func linkedMPI(program string) string {
	file, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	needed, _ := file.ImportedLibraries()
	if i := slices.IndexFunc(needed, isMPI); i >= 0 {
		return needed[i]
	}
	return ""
}

// sameLibrary compares names up to the interface's version: libmpi.so.40 and
// libmpi.so.40.30.4 are one.
func sameLibrary(a, b string) bool {
	return a == b || strings.HasPrefix(b, a+".") || strings.HasPrefix(a, b+".")
}
