package launch

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
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
	launcher launcher
	at       int    // index of the program in the command; -1 where not found
	program  string // its path
	mpi      string // path of the MPI library it is linked with, empty without
	openMP   bool
}

// inspect finds the program in a command such as `mpirun -n 8 ./solver`.
func inspect(ctx context.Context, command []string) target {
	t := target{at: -1, launcher: launcherOf(ctx, command[0])}
	first := 0
	if t.launcher != noLauncher {
		first = 1
	}
	for i := first; i < len(command); i++ {
		path, ok := executable(command[i], i == 0 || i > 0 && !strings.HasPrefix(command[i-1], "-"))
		if !ok {
			continue
		}
		t.at, t.program = i, path
		t.mpi, t.openMP = libraries(ctx, path)
		return t
	}
	return t
}

// executable tells whether an argument names a program in ELF form. A bare
// name is looked up in the path only where mayLook is set: the value of an
// option, such as a host's name, may be a program's too.
func executable(arg string, mayLook bool) (string, bool) {
	path := arg
	if !strings.Contains(arg, "/") {
		if info, err := os.Stat(arg); err != nil || info.IsDir() {
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

func launcherOf(ctx context.Context, name string) launcher {
	path, err := exec.LookPath(name)
	if err != nil {
		return noLauncher
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	base, named := filepath.Base(real), filepath.Base(name)
	switch {
	case base == "orterun" || base == "prterun" || base == "prun":
		return openMPI
	case strings.HasPrefix(base, "mpiexec.hydra") || strings.HasSuffix(base, ".hydra"):
		return hydra
	case base == "srun":
		return slurm
	case strings.HasPrefix(named, "mpirun") || strings.HasPrefix(named, "mpiexec"):
		out, _ := exec.CommandContext(ctx, path, "--version").CombinedOutput()
		switch {
		case strings.Contains(string(out), "Open MPI") || strings.Contains(string(out), "OpenRTE"):
			return openMPI
		case strings.Contains(string(out), "HYDRA") || strings.Contains(string(out), "Intel(R) MPI"):
			return hydra
		}
		return unknown
	}
	return noLauncher
}

// libraries finds the MPI library among those a program is linked with, and
// whether it is linked with an OpenMP runtime.
func libraries(ctx context.Context, program string) (mpi string, openMP bool) {
	out, err := exec.CommandContext(ctx, "ldd", program).Output()
	if err != nil {
		return "", false
	}
	for _, line := range strings.Split(string(out), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		name := filepath.Base(fields[0])
		if isMPI(name) {
			mpi = name
			if len(fields) > 2 && strings.HasPrefix(fields[2], "/") {
				mpi = fields[2]
			}
		}
		if strings.HasPrefix(name, "libgomp.") || strings.HasPrefix(name, "libomp.") || strings.HasPrefix(name, "libiomp5.") {
			openMP = true
		}
	}
	return mpi, openMP
}

// isMPI recognises the C library of an MPI by name, not its bindings for
// other languages.
func isMPI(name string) bool {
	return strings.HasPrefix(name, "libmpi.so") || strings.HasPrefix(name, "libmpich.so") || strings.HasPrefix(name, "libmpi_cray.so") || strings.HasPrefix(name, "libmpi_gnu")
}
