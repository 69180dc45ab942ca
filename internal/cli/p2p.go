package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/instrument"
	"auspex/launch"
	"auspex/p2psap"
	"auspex/report"
)

func (a *app) p2pCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "p2p",
		GroupID: "measure",
		Short:   "Build, run and predict peer-to-peer programs that speak P2PSAP",
		Long: `Programs of peers that find one another, exchange messages by P2PSAP and may
come and go: the second kind of program that dPerf predicts, beside MPI's. The
library comes with auspex; docs/p2psap.md says what it does.`,
		Args: exactly(0, "cc, run or predict"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.p2pCC(), a.p2pRun(), a.p2pPredict())
	return cmd
}

func (a *app) p2pCC() *cobra.Command {
	var header, module bool
	cmd := &cobra.Command{
		Use:   "cc [flags] COMPILER ARGUMENT…",
		Short: "Compile a program with the P2PSAP library, measured as by auspex cc",
		Example: `  auspex p2p cc gcc -O2 -o obstacle obstacle.c -lm
  auspex p2p cc gfortran -O2 -o laplace laplace.F90`,
		Args: func(cmd *cobra.Command, args []string) error {
			if header || module {
				return nil
			}
			return atLeast(1, "a compiler and its arguments")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if header || module {
				text := p2psap.Header
				if module {
					text = p2psap.Module
				}
				_, err := io.WriteString(a.out, text)
				return err
			}
			return a.runP2PCC(cmd.Context(), args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&header, "print-header", false, "print p2psap.h")
	cmd.Flags().BoolVar(&module, "print-module", false, "print p2psap.F90, the same for Fortran")
	return cmd
}

func (a *app) runP2PCC(ctx context.Context, args []string) error {
	command, err := p2psap.CompilerCommand(ctx, cacheDir(), args)
	if err != nil {
		return err
	}
	compiler := launch.Compiler{Real: command, Options: instrument.Options{Count: true}, Cache: cacheDir(), In: a.in, Out: a.out, Err: a.err}
	status, err := compiler.Run(ctx)
	if err != nil {
		return err
	}
	if status != 0 {
		return exitError(status)
	}
	return nil
}

type p2pRunFlags struct {
	peers            int
	clusters, scheme string
	hosts, rsh       string
	profile          string
	patience         time.Duration
	restarts, port   int
}

func (a *app) p2pRun() *cobra.Command {
	var f p2pRunFlags
	cmd := &cobra.Command{
		Use:   "run [flags] PROGRAM [ARGUMENT…]",
		Short: "Run the peers of a P2PSAP program, here, in a lab or by ssh",
		Long: `Start the peers of a program and wait for them. The scheme and the clusters say
how messages between two peers travel. A peer that is killed is started again on
the next host, from the checkpoint that its neighbours hold. In a lab (auspex lab
run) the peers run on the lab's hosts.`,
		Example: `  auspex p2p run -n 8 --clusters 4,4 --scheme hybrid ./solver
  auspex p2p run -n 4 --hosts hosts.txt --rsh ssh ./solver
  auspex run -- auspex p2p run -n 4 ./solver`,
		Args: atLeast(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runP2P(cmd.Context(), args, f) },
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().IntVarP(&f.peers, "peers", "n", 2, "number of peers")
	cmd.Flags().StringVar(&f.clusters, "clusters", "", "how many peers each cluster has, such as 4,4 (default: all in one)")
	cmd.Flags().StringVar(&f.scheme, "scheme", "synchronous", "synchronous, asynchronous or hybrid")
	offer(cmd, "scheme", "synchronous", "asynchronous", "hybrid")
	cmd.Flags().StringVar(&f.hosts, "hosts", "", "`FILE` with the address of a host on each line; peers are dealt to them in turn (default: the lab's, or this machine)")
	cmd.Flags().StringVar(&f.rsh, "rsh", "", "command that runs another on a host, given its address (default: the lab's, or ssh)")
	cmd.Flags().DurationVar(&f.patience, "patience", 30*time.Second, "how long a peer waits for anything before it gives up")
	cmd.Flags().IntVar(&f.restarts, "restarts", 3, "how many killed peers are replaced before the run is given up")
	cmd.Flags().StringVar(&f.profile, "profile", "", "write what auspex p2p predict needs to this `FILE`")
	cmd.Flags().IntVar(&f.port, "port", 0, "first port on other hosts (default 7100)")
	return cmd
}

func (a *app) runP2P(ctx context.Context, command []string, f p2pRunFlags) error {
	o := p2psap.Options{Command: command, Patience: f.patience, Restarts: f.restarts, Port: f.port, Out: a.out, Err: a.err, Env: measureSettings(), Profile: f.profile != ""}
	if f.peers < 1 || f.peers > p2psap.MaxPeers {
		return usagef("-n %d: a run has 1 to %d peers", f.peers, p2psap.MaxPeers)
	}
	if f.patience <= 0 || f.restarts < 0 || f.port < 0 || f.port > 65535 {
		return usagef("--patience, --restarts and --port want sensible numbers")
	}
	var err error
	if o.Scheme, err = p2psap.ParseScheme(f.scheme); err != nil {
		return usageError{err}
	}
	if o.Clusters, err = p2psap.ParseClusters(f.clusters, f.peers); err != nil {
		return usageError{err}
	}
	if o.Hosts, err = p2pHosts(f); err != nil {
		return err
	}
	out, err := p2psap.Run(ctx, o)
	if out == nil {
		return err
	}
	p := &report.Page{Out: forPeople(a.err)}
	for _, r := range out.Replaced {
		p.Line("auspex: peer %d died (%s) and was replaced on %s", r.Rank, r.Why, r.Host)
	}
	if err != nil && ctx.Err() == nil {
		p.Line("auspex: %v", err)
		return exitError(max(out.Status, 1))
	}
	if err == nil && out.Profile != nil {
		return writeProfile(f.profile, out.Profile)
	}
	return err
}

// measureSettings are the settings by which auspex run measures: peers on other
// hosts need them too.
func measureSettings() []string {
	var list []string
	for _, setting := range os.Environ() {
		if strings.HasPrefix(setting, "AUSPEX_") && !strings.HasPrefix(setting, "AUSPEX_P2P_") || strings.HasPrefix(setting, "LD_PRELOAD=") {
			list = append(list, setting)
		}
	}
	return list
}

// p2pHosts are the hosts of a run: those of a file, or the lab's, which tells
// them as it tells MPICH's mpirun, or none for this machine.
func p2pHosts(f p2pRunFlags) ([]p2psap.Host, error) {
	file, rsh := f.hosts, f.rsh
	if file == "" {
		file = os.Getenv("HYDRA_HOST_FILE")
	}
	if rsh == "" {
		rsh = os.Getenv("HYDRA_LAUNCHER_EXEC")
	}
	if rsh == "" {
		rsh = "ssh"
	}
	if file == "" {
		return nil, nil
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var hosts []p2psap.Host
	for s := bufio.NewScanner(in); s.Scan(); {
		address, _, _ := strings.Cut(strings.TrimSpace(s.Text()), ":")
		if address == "" || strings.HasPrefix(address, "#") {
			continue
		}
		hosts = append(hosts, p2psap.Host{Address: address, Shell: append(strings.Fields(rsh), address)})
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%s names no host", file)
	}
	return hosts, nil
}
