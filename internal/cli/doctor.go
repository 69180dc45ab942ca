package cli

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"auspex/report"
)

// need is something auspex can use and what it costs to go without.
type need struct {
	name    string
	try     [][]string // commands that tell a version, the first that works counts
	absence string
}

var needs = []need{
	{"C compiler", [][]string{{"gcc", "--version"}, {"cc", "--version"}, {"clang", "--version"}}, "no C program can be instrumented or measured"},
	{"C++ compiler", [][]string{{"g++", "--version"}, {"clang++", "--version"}}, "no C++ program can be instrumented"},
	{"Fortran compiler", [][]string{{"gfortran", "--version"}, {"flang", "--version"}, {"ifx", "--version"}}, "no Fortran program can be instrumented"},
	{"MPICH", [][]string{{"mpichversion"}, {"mpicc.mpich", "-show"}}, "programs built with MPICH cannot be measured"},
	{"Open MPI", [][]string{{"mpicc.openmpi", "--showme:version"}, {"ompi_info", "--version"}}, "programs built with Open MPI cannot be measured"},
	{"MPI launcher", [][]string{{"mpirun", "--version"}, {"mpiexec", "--version"}}, "no MPI program can be started here"},
	{"SimGrid", [][]string{{"smpirun", "-version"}, {"smpirun", "--version"}}, "`simulate --engine simgrid` has no second opinion to ask"},
	{"Slurm", [][]string{{"srun", "--version"}}, "programs are started with mpirun only"},
	{"otf2-print", [][]string{{"otf2-print", "--version"}}, "OTF2 traces cannot be imported (Debian package otf2-tools)"},
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what auspex finds on this machine, and what each absence costs",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var findings []report.Finding
			for _, n := range needs {
				findings = append(findings, n.look(cmd.Context()))
			}
			findings = append(findings, lookForCounters())
			if a.json {
				return a.printJSON(map[string]any{"findings": findings})
			}
			a.page().Findings(findings)
			return nil
		},
	}
}

func (n need) look(ctx context.Context) report.Finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, command := range n.try {
		path, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		// Some tools tell their version with a failing status: being there is enough.
		out, _ := exec.CommandContext(ctx, path, command[1:]...).CombinedOutput()
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return report.Finding{Name: n.name, Found: true, Detail: first, Where: path}
	}
	return report.Finding{Name: n.name, Detail: n.absence}
}

// lookForCounters asks the kernel for an instruction counter of this process.
func lookForCounters() report.Finding {
	finding := report.Finding{Name: "hardware counters"}
	attributes := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_INSTRUCTIONS,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(&attributes, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	switch {
	case err == nil:
		unix.Close(fd)
		finding.Found, finding.Detail = true, "the kernel counts instructions"
	case errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM):
		finding.Detail = "not permitted (kernel.perf_event_paranoid): no instructions, cycles or cache misses; loop iterations stand in for work done"
	default:
		finding.Detail = "none here: no instructions, cycles or cache misses; loop iterations stand in for work done"
	}
	return finding
}
