package launch

import (
	"context"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// launcher is the program that starts ranks.
type launcher string

const (
	noLauncher launcher = ""
	openMPI    launcher = "Open MPI"
	hydra      launcher = "MPICH"
	slurm      launcher = "Slurm"
	unknown    launcher = "unknown"
)

// target is what a command runs.
type target struct {
	launcher   launcher
	launcherAt int      // index in the command; -1 without
	at         int      // index of the program in the command; -1 where not found
	program    string   // its path
	mpi        string   // path of the MPI library it is linked with, empty without
	sanitizers []string // libraries of sanitizers that it is linked with
	shell      bool     // it is a shell: the program is what that runs
}

// prefixes are programs that run the rest of their command line; auspex is one
// by its lab.
var prefixes = map[string]bool{
	"auspex": true,
	"env":    true, "nice": true, "ionice": true, "chrt": true, "taskset": true, "numactl": true, "time": true, "timeout": true, "stdbuf": true, "setarch": true, "nohup": true, "setpriv": true, "setsid": true, "runuser": true,
}

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "csh": true, "tcsh": true, "fish": true, "make": true}

// inspect finds the launcher and the program in a command such as
// `mpirun -n 8 ./solver` that is to run in the directory work.
func inspect(ctx context.Context, work string, command []string) target {
	t := target{at: -1, launcherAt: -1}
	for i, word := range command {
		if t.launcherAt < 0 && t.at < 0 {
			if t.launcher = launcherOf(ctx, word); t.launcher != noLauncher {
				t.launcherAt = i
				continue
			}
		}
		if prefixes[filepath.Base(word)] {
			continue
		}
		path, ok := executable(work, word, i == 0 || !strings.HasPrefix(command[i-1], "-"))
		name := word
		if !ok {
			if path, ok = pythonBehind(ctx, work, word); !ok {
				path, ok = interpreter(work, word)
			}
			if !ok {
				continue
			}
			name = path
		}
		t.at, t.program = i, path
		t.mpi, t.sanitizers = libraries(ctx, path)
		t.shell = shells[filepath.Base(name)]
		break
	}
	return t
}

// executable tells whether an argument names a program in ELF form. A bare
// name is looked up in the path only where mayLook is set: the value of an
// option, such as a host's name, may be a program's too.
func executable(work, arg string, mayLook bool) (string, bool) {
	path := arg
	if !filepath.IsAbs(arg) {
		path = filepath.Join(work, arg)
	}
	if !strings.Contains(arg, "/") {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			found, err := exec.LookPath(arg)
			if err != nil || !mayLook {
				return "", false
			}
			path = found
		}
	}
	file, err := elf.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	if file.Type != elf.ET_EXEC && file.Type != elf.ET_DYN {
		return "", false
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path, true
}

// interpreter is the program that runs a script, as the script's first line names
// it: `#!/usr/bin/python3` or `#!/usr/bin/env python3`.
func interpreter(work, script string) (string, bool) {
	if !strings.Contains(script, "/") {
		return "", false
	}
	if !filepath.IsAbs(script) {
		script = filepath.Join(work, script)
	}
	file, err := os.Open(script)
	if err != nil {
		return "", false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return "", false
	}
	head := make([]byte, 256) // as much as kernels read
	n, _ := io.ReadFull(file, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	first, ok := strings.CutPrefix(line, "#!")
	words := strings.Fields(first)
	if !ok || len(words) == 0 {
		return "", false
	}
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		words = words[1:]
	}
	return executable(work, words[0], true)
}

// pythonBehind is the interpreter that a script by the name of python3 starts, such as
// those by which several versions share a name: only it can say which.
func pythonBehind(ctx context.Context, work, script string) (string, bool) {
	if !strings.HasPrefix(filepath.Base(script), "python") {
		return "", false
	}
	if strings.Contains(script, "/") && !filepath.IsAbs(script) {
		script = filepath.Join(work, script)
	}
	path, err := exec.LookPath(script)
	if err != nil {
		return "", false
	}
	ask := exec.CommandContext(ctx, path, "-ESc", "import sys; print(sys.executable)") // and do nothing else
	ask.Dir = work
	out, err := ask.Output()
	if err != nil {
		return "", false
	}
	return executable(work, strings.TrimSpace(string(out)), false)
}

// launches tells a launcher by its name.
func launches(name string) bool {
	return slices.ContainsFunc([]string{"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun"}, func(start string) bool {
		return strings.HasPrefix(filepath.Base(name), start)
	})
}

func launcherOf(ctx context.Context, name string) launcher {
	if !launches(name) {
		return noLauncher
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return noLauncher
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	base := filepath.Base(real)
	switch {
	case base == "orterun" || base == "prterun" || base == "prun":
		return openMPI
	case strings.HasPrefix(base, "mpiexec.hydra") || strings.HasSuffix(base, ".hydra"):
		return hydra
	case base == "srun":
		return slurm
	default:
		out, _ := exec.CommandContext(ctx, path, "--version").CombinedOutput()
		switch {
		case strings.Contains(string(out), "Open MPI") || strings.Contains(string(out), "OpenRTE"):
			return openMPI
		case strings.Contains(string(out), "HYDRA") || strings.Contains(string(out), "Intel(R) MPI"):
			return hydra
		}
		return unknown
	}
}

// libraries finds the MPI library and those of sanitizers among the libraries
// that a program is linked with.
func libraries(ctx context.Context, program string) (mpi string, sanitizers []string) {
	if needsOnlyTheCompilers(program) {
		return "", nil
	}
	out, err := loaded(ctx, program)
	if err != nil {
		return "", nil
	}
	for _, line := range strings.Split(string(out), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		base, path := filepath.Base(fields[0]), fields[0]
		if len(fields) > 2 && strings.HasPrefix(fields[2], "/") {
			path = fields[2]
		}
		switch {
		case isMPI(base):
			mpi = path
		case strings.HasPrefix(base, "libasan.so") || strings.HasPrefix(base, "libtsan.so"):
			sanitizers = append(sanitizers, path)
		}
	}
	return mpi, sanitizers
}

// ofCompilers are the libraries of C and of compilers, which bring no others.
var ofCompilers = []string{"libc", "libm", "libmvec", "libdl", "libpthread", "librt", "libgcc_s", "libstdc++", "libgfortran", "libquadmath", "libgomp", "ld-linux-x86-64", "ld-linux-aarch64"}

// needsOnlyTheCompilers tells of a program that nothing further is loaded into it, so
// that its loader, another process, need not be asked.
func needsOnlyTheCompilers(program string) bool {
	if os.Getenv("LD_PRELOAD") != "" || os.Getenv("LD_AUDIT") != "" {
		return false
	}
	file, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	return err == nil && len(needed) > 0 && !slices.ContainsFunc(needed, func(name string) bool {
		base, _, _ := strings.Cut(name, ".so")
		return !slices.Contains(ofCompilers, base)
	})
}

// loaded lists the libraries of a program as ldd does, a script that asks the
// loaders of the system one after the other; the program's own knows.
func loaded(ctx context.Context, program string) ([]byte, error) {
	if loader, _ := loaderOf(program); loader != "" {
		if out, err := exec.CommandContext(ctx, loader, "--list", program).Output(); err == nil {
			return out, nil
		}
	}
	return exec.CommandContext(ctx, "ldd", program).Output()
}

// loaderOf is the loader that a program names, "" for one that is linked
// statically.
func loaderOf(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			name, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
			return strings.TrimRight(string(name), "\x00"), err
		}
	}
	return "", nil
}

// isMPI recognises the C library of an MPI by name, not its bindings for
// other languages.
func isMPI(name string) bool {
	return strings.HasPrefix(name, "libmpi.so") || strings.HasPrefix(name, "libmpich.so") || strings.HasPrefix(name, "libmpi_cray.so") || strings.HasPrefix(name, "libmpi_gnu")
}
