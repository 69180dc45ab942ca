package launch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"auspex/probe"
)

// runtime builds the measurement runtime that fits the program. Where a shell or
// a script runs the program, it is the object that lets each process choose, with
// the settings that it chooses by.
func (r *Runner) runtime(ctx context.Context, t target) (library string, settings []string, err error) {
	b := probe.Builder{Cache: r.Cache, Compiler: cCompiler(), Answers: r.Answers}
	launcherPath := ""
	if t.launcherAt >= 0 {
		launcherPath, _ = exec.LookPath(r.Command[t.launcherAt])
	}
	switch given := os.Getenv("AUSPEX_MPICC"); {
	case t.mpi != "":
		b.MPI = true
		if b.Compiler, err = findMPICC(ctx, r.Cache, t.mpi, launcherPath); err != nil {
			return "", nil, err
		}
	case given != "":
		b.MPI, b.Compiler = true, given
	case t.program == "" || t.shell:
		return r.choices(ctx, t, launcherPath)
	case t.launcher != noLauncher:
		// It may load its MPI while it runs, as Python does: the launcher's own.
		b.MPI, b.Compiler = true, compilerBeside(launcherPath)
	}
	if library, err = b.Build(ctx); err != nil {
		return "", nil, err
	}
	return probe.Preload(library), nil, nil
}

// compilerBeside is the mpicc that belongs to a launcher: mpicc.mpich to
// mpirun.mpich.
func compilerBeside(launcherPath string) string {
	base := filepath.Base(launcherPath)
	suffix := strings.TrimPrefix(strings.TrimPrefix(base, "mpirun"), "mpiexec")
	if path, err := exec.LookPath("mpicc" + suffix); err == nil {
		return path
	}
	return filepath.Join(filepath.Dir(launcherPath), "mpicc")
}

// choices builds a runtime for every MPI that can be compiled for.
func (r *Runner) choices(ctx context.Context, t target, launcherPath string) (library string, settings []string, err error) {
	chooser, err := probe.BuildChooser(ctx, r.Cache, cCompiler())
	if err != nil {
		return "", nil, err
	}
	candidates := compilersNear("", launcherPath)
	if t.launcher != noLauncher {
		candidates = append([]string{compilerBeside(launcherPath)}, candidates...)
	}
	var list []string
	known := map[string]bool{}
	err = eachMPICC(ctx, r.Cache, candidates, func(mpicc, its string) bool {
		if !known[its] {
			known[its] = true
			b := probe.Builder{Cache: r.Cache, Compiler: mpicc, MPI: true, Answers: r.Answers}
			if made, err := b.Build(ctx); err == nil {
				list = append(list, its+"="+probe.Preload(made))
			}
		}
		return true
	})
	if err != nil {
		return "", nil, err
	}
	alone, err := probe.Builder{Cache: r.Cache, Compiler: cCompiler()}.Build(ctx)
	if err != nil {
		return "", nil, err
	}
	list = append(list, "="+probe.Preload(alone))
	chooser = probe.Preload(chooser)
	return chooser, []string{"AUSPEX_CHOOSER=" + chooser, "AUSPEX_CHOICES=" + strings.Join(list, ":")}, nil
}
