package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
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
	// packages by the manager that installs them; a manager that is not named
	// has none.
	packages map[string]string
}

var needs = []need{
	{"C compiler", [][]string{{"gcc", "--version"}, {"cc", "--version"}, {"clang", "--version"}}, "no C program can be instrumented or measured",
		map[string]string{"apt-get": "gcc", "dnf": "gcc", "zypper": "gcc", "brew": "gcc"}},
	{"C++ compiler", [][]string{{"g++", "--version"}, {"clang++", "--version"}}, "no C++ program can be instrumented",
		map[string]string{"apt-get": "g++", "dnf": "gcc-c++", "zypper": "gcc-c++", "brew": "gcc"}},
	{"Fortran compiler", [][]string{{"gfortran", "--version"}, {"flang", "--version"}, {"ifx", "--version"}}, "no Fortran program can be instrumented",
		map[string]string{"apt-get": "gfortran", "dnf": "gcc-gfortran", "zypper": "gcc-fortran", "brew": "gcc"}},
	{"MPICH", [][]string{{"mpichversion"}, {"mpicc.mpich", "-show"}}, "programs built with MPICH cannot be measured",
		map[string]string{"apt-get": "mpich libmpich-dev", "dnf": "mpich-devel", "zypper": "mpich-devel", "brew": "mpich"}},
	{"Open MPI", [][]string{{"mpicc.openmpi", "--showme:version"}, {"ompi_info", "--version"}}, "programs built with Open MPI cannot be measured",
		map[string]string{"apt-get": "openmpi-bin libopenmpi-dev", "dnf": "openmpi-devel", "zypper": "openmpi4-devel", "brew": "open-mpi"}},
	{"MPI launcher", [][]string{{"mpirun", "--version"}, {"mpiexec", "--version"}}, "no MPI program can be started here",
		map[string]string{"apt-get": "mpich", "dnf": "mpich", "zypper": "mpich", "brew": "mpich"}},
	{"SimGrid", [][]string{{"smpirun", "-version"}, {"smpirun", "--version"}}, "`simulate --engine simgrid` has no second opinion to ask",
		map[string]string{"apt-get": "simgrid"}},
	{"Slurm", [][]string{{"srun", "--version"}}, "programs are started with mpirun only", nil},
	{"otf2-print", [][]string{{"otf2-print", "--version"}}, "OTF2 traces cannot be imported",
		map[string]string{"apt-get": "otf2-tools", "dnf": "otf2"}},
}

// managers install packages; the first that is there is used.
var managers = []string{"apt-get", "dnf", "zypper", "brew"}

// remedy is the command that installs packages, as a person here would type it.
func remedy(manager string, root bool, packages ...string) string {
	command := manager + " install " + strings.Join(packages, " ")
	if !root && manager != "brew" {
		command = "sudo " + command
	}
	return command
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Say what auspex finds on this machine, what each absence costs and how to mend it",
		Example: `  auspex doctor`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			findings := examine(cmd.Context(), exec.LookPath, os.Geteuid() == 0)
			findings = append(findings, lookForCounters())
			if a.json {
				return a.printJSON(map[string]any{"findings": findings})
			}
			a.page().Findings(findings)
			return nil
		},
	}
}

// examine looks for everything that auspex can use; found finds a command.
func examine(ctx context.Context, found func(string) (string, error), root bool) []report.Finding {
	manager := ""
	for _, m := range managers {
		if _, err := found(m); err == nil {
			manager = m
			break
		}
	}
	_, modules := os.LookupEnv("MODULEPATH")
	var findings []report.Finding
	for _, n := range needs {
		finding := n.look(ctx, found)
		switch packages := n.packages[manager]; {
		case finding.Found, finding.Where != "": // or there and broken
		case packages != "":
			finding.Remedy = remedy(manager, root, packages)
		case modules && n.packages != nil:
			finding.Remedy = "module avail, then module load what your site calls it"
		}
		findings = append(findings, finding)
	}
	return findings
}

func (n need) look(ctx context.Context, found func(string) (string, error)) report.Finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	missing := report.Finding{Name: n.name, Detail: n.absence}
	for _, command := range n.try {
		path, err := found(command[0])
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, command[1:]...).CombinedOutput()
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil && strings.Contains(first, "error") {
			// It is there and does not work, as srun without its slurm.conf.
			missing.Detail, missing.Where = n.absence+": "+path+" says "+strconv.Quote(first), path
			continue
		}
		// Some tools tell their version with a failing status: being there is enough.
		return report.Finding{Name: n.name, Found: true, Detail: first, Where: path}
	}
	return missing
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
		finding.Detail = "not permitted: no instructions, cycles or cache misses; loop iterations stand in for work done"
		finding.Remedy = "sudo sysctl kernel.perf_event_paranoid=2"
	default:
		finding.Detail = "none here: no instructions, cycles or cache misses; loop iterations stand in for work done"
	}
	return finding
}
