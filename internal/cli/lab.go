package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"auspex/internal/vcluster"
)

func (a *app) labCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:     "lab",
		GroupID: "predict",
		Short:   "Build a platform's network on this machine and run real MPI programs across it",
		Long: `Build the hosts and links of a platform file on this machine: hosts are network
namespaces, links have the platform's bandwidths, each host has a core or a fixed
share of one. MPI programs run across it for real, so that predictions can be
held against the truth. It needs Linux and root. Latencies are the machine's own.`,
		Args: exactly(0, "up, run or down"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&name, "name", vcluster.DefaultName, "name of the lab, where there are several")
	cmd.AddCommand(
		&cobra.Command{
			Use:     "up PLATFORM",
			Short:   "Build the lab and leave it up",
			Example: `  auspex lab up two.xml`,
			Args:    exactly(1, "one platform file"),
			RunE: func(cmd *cobra.Command, args []string) error {
				l, err := labUp(cmd.Context(), name, args[0])
				if err != nil {
					return err
				}
				return a.tellLab(l)
			},
		},
		&cobra.Command{
			Use:   "run [PLATFORM] -- COMMAND…",
			Short: "Run a command in a lab: in one built for it, or in the one that is up",
			Example: `  auspex lab run two.xml -- mpirun -n 2 ./solver
  auspex lab run two.xml -- auspex calibrate --run 'mpirun -n 2' -o measured.xml`,
			RunE: func(cmd *cobra.Command, args []string) error { return a.runLab(cmd, name, args) },
		},
		&cobra.Command{
			Use:     "down",
			Short:   "Remove the lab and end all that runs in it, also after a crash",
			Example: `  auspex lab down`,
			Args:    exactly(0, "no arguments"),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return vcluster.Down(cmd.Context(), name)
			},
		},
	)
	return cmd
}

func labUp(ctx context.Context, name, file string) (*vcluster.Lab, error) {
	p, err := readPlatform(file)
	if err != nil {
		return nil, err
	}
	return vcluster.Up(ctx, name, p)
}

// runLab runs a command in a lab. One that it built itself is removed at the
// end, whatever the end is.
func (a *app) runLab(cmd *cobra.Command, name string, args []string) (err error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 || dash > 1 || dash == len(args) {
		return usagef("lab run needs at most one platform file, then -- and a command\nusage: %s", cmd.UseLine())
	}
	ctx := cmd.Context()
	var l *vcluster.Lab
	if dash == 0 {
		l, err = vcluster.Open(name)
	} else if l, err = labUp(ctx, name, args[0]); err == nil {
		defer func() { err = errors.Join(err, vcluster.Down(context.WithoutCancel(ctx), name)) }()
	}
	if err != nil {
		return err
	}
	run := l.Command(ctx, args[dash:])
	run.Stdin, run.Stdout, run.Stderr = a.in, a.out, a.err
	watching, stop := context.WithCancel(ctx)
	ended := make(chan int, 1)
	go func() {
		total := 0
		for n := 1; n > 0; total += n {
			n = l.EndLeaving(watching, vcluster.Patience)
		}
		ended <- total
	}()
	err = run.Run()
	stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if n := <-ended; n > 0 {
		fmt.Fprintf(a.err, "auspex: the program was done, but its %d processes had not left MPI_Finalize after %v; they were ended.\n", n, vcluster.Patience)
		if launcher := filepath.Base(args[dash]); strings.HasPrefix(launcher, "mpirun") || strings.HasPrefix(launcher, "mpiexec") {
			return nil // its status is that of processes that were killed
		}
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() > 0 {
		return exitError(failed.ExitCode())
	}
	return err
}

func (a *app) tellLab(l *vcluster.Lab) error {
	if a.json {
		return a.printJSON(l)
	}
	p := a.page()
	p.Paragraph(fmt.Sprintf("The lab is up: %d hosts. `auspex lab run -- mpirun -n %[1]d PROGRAM` runs across it, `auspex lab down` removes it.", len(l.Hosts)))
	if share := l.Hosts[0].Share; share < 1 {
		p.Paragraph(fmt.Sprintf("There are more hosts than cores: each host has %.3g of a core. Give the platform's hosts that share of this machine's speed.", share))
	}
	for _, h := range l.Hosts {
		p.Line("  %s at %s on core %d", h.Name, h.Address, h.Core)
	}
	return nil
}
