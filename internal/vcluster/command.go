package vcluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// outside names the variable for where the machine's own files are: ip mounts
// another /sys for what it runs, without control groups.
const outside = "AUSPEX_LAB_ROOT"

// writeAgent writes the program that takes the place of ssh for mpirun: it
// enters a host's namespace, name, core and control group and runs the command
// there.
func (l *Lab) writeAgent() error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	if l.preload() != "" {
		fmt.Fprintf(&b, "export LD_PRELOAD='%s'\n", l.library())
	}
	b.WriteString("# Options that ssh would take come before the host.\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1; shift\ncase $host in\n")
	for i, h := range l.Hosts {
		enter := ""
		if file := l.groupFile(i); file != "" {
			enter = "echo $$ > \"$" + outside + "\"" + file + " && "
		}
		fmt.Fprintf(&b, "%s) %sexec ip netns exec %s unshare --uts taskset -c %d sh -c \"echo %s > /proc/sys/kernel/hostname; $*\" ;;\n",
			h.Address, enter, l.namespace(i), h.Core, h.Name)
	}
	b.WriteString("*) echo \"lab: no host $host\" >&2; exit 1 ;;\nesac\n")
	if err := os.WriteFile(l.agent(), []byte(b.String()), 0o755); err != nil {
		return err
	}
	var mpich, openmpi strings.Builder
	for _, h := range l.Hosts {
		fmt.Fprintf(&mpich, "%s:1\n", h.Address)
		fmt.Fprintf(&openmpi, "%s slots=1\n", h.Address)
	}
	if err := os.WriteFile(l.file("hosts.mpich"), []byte(mpich.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(l.file("hosts.openmpi"), []byte(openmpi.String()), 0o644)
}

func (l *Lab) file(name string) string { return filepath.Join(l.dir(), name) }
func (l *Lab) agent() string           { return l.file("agent") }

// environment makes mpirun use the lab: which agent starts the ranks, on which
// hosts, and over TCP on the shaped device alone. Processes of one machine would
// find each other's memory otherwise.
func (l *Lab) environment() []string {
	settings := []string{
		"HYDRA_LAUNCHER=ssh",
		"HYDRA_LAUNCHER_EXEC=" + l.agent(),
		"HYDRA_HOST_FILE=" + l.file("hosts.mpich"),
		"HYDRA_IFACE=eth0",
		"HYDRA_BINDING=none",
		"UCX_TLS=tcp,self",
		"UCX_NET_DEVICES=eth0",
		// UCX 1.13 may wait for ever in MPI_Finalize for the answer to a put.
		"UCX_TCP_PUT_ENABLE=n",
		"OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_plm=rsh", // whatever else this machine's settings say
		"OMPI_MCA_plm_rsh_agent=" + l.agent(),
		"OMPI_MCA_orte_default_hostfile=" + l.file("hosts.openmpi"),
		"OMPI_MCA_rmaps_base_mapping_policy=node",
		"OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_hwloc_base_binding_policy=none",
		"OMPI_MCA_pml=ob1",
		"OMPI_MCA_btl=tcp,self",
		"OMPI_MCA_btl_tcp_if_include=eth0",
	}
	if l.Hosts[0].Share < 1 {
		// Open MPI's ranks look for messages without end. On a core that hosts share
		// they would do so in the others' time: let them give it away.
		settings = append(settings, "OMPI_MCA_mpi_yield_when_idle=1")
	}
	if list := l.preload(); list != "" {
		settings = append(settings, "LD_PRELOAD="+list)
	}
	return settings
}

// Command prepares a command that runs in the lab's head. Cancelling ctx sends
// it SIGTERM, and SIGKILL after a few seconds; what it leaves running on the
// hosts ends with Down.
func (l *Lab) Command(ctx context.Context, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", l.head()}, command...)...)
	cmd.Env = append(os.Environ(), l.environment()...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=/proc/%d/root", outside, os.Getpid()))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	return cmd
}
