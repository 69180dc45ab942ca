// Package testslurm starts a Slurm of one node for a test, as the user who runs
// the test, in directories and on ports of its own, and stops it whatever happens.
package testslurm

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Cluster is a running Slurm.
type Cluster struct {
	Node string // the name of its only node
	Conf string // the path of its slurm.conf
	dir  string
}

// tools are what a Slurm of one node and its users need.
var tools = []string{"slurmctld", "slurmd", "srun", "sbatch", "salloc", "squeue", "sinfo", "scancel"}

// Start starts a Slurm whose node has so many processors, however many the
// machine has. It skips the test where Slurm is not installed.
func Start(t testing.TB, cpus int) *Cluster {
	t.Helper()
	for _, tool := range tools {
		if _, err := lookPath(tool); err != nil {
			t.Skipf("%s is not installed: scripts/setup test installs it", tool)
		}
	}
	// Not the test's own directory: what a dying daemon leaves there is no
	// failure, and sockets want short paths.
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c, err := configure(dir, cpus)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := c.guard()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	if err := c.await(t.Context(), 90*time.Second); err != nil {
		t.Skipf("Slurm does not come up on this machine: %v\n%s", err, c.logs())
	}
	return c
}

// lookPath finds a tool; daemons lie where only root's path leads.
func lookPath(tool string) (string, error) {
	if path, err := exec.LookPath(tool); err == nil {
		return path, nil
	}
	return exec.LookPath(filepath.Join("/usr/sbin", tool))
}

// configure writes the cluster's slurm.conf: no munge, no cgroups, no accounting.
func configure(dir string, cpus int) (*Cluster, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	host, _, _ = strings.Cut(host, ".")
	who, err := user.Current()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Node: host, Conf: filepath.Join(dir, "slurm.conf"), dir: dir}
	for _, sub := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[2]d
SlurmdPort=%[3]d
SlurmUser=%[4]s
SlurmdUser=%[4]s
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=5
SlurmdParameters=config_overrides
ReturnToService=2
MessageTimeout=60
SlurmdTimeout=0
KillWait=2
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd.log
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=%[6]d State=UNKNOWN
PartitionName=test Nodes=%[1]s Default=YES MaxTime=INFINITE State=UP
`, host, ports[0], ports[1], who.Username, dir, cpus)
	return c, os.WriteFile(c.Conf, []byte(text), 0o644)
}

func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // all at the end: no port comes twice
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// guarding runs both daemons in the foreground until its input ends, which it
// does when the test says so and when the test's process is no more. It then ends
// their jobs, the daemons, and what is left of either: slurmstepd is no child of
// slurmd's, nor are the jobs, but all of them have the cluster's configuration in
// their environment, which nobody else has. Last goes the cluster's directory.
const guarding = `
"$1" -D & ctld=$!
"$2" -D & d=$!
read -r _
timeout 10 scancel --quiet --user="$(id -un)" 2>/dev/null
i=0
while [ $i -lt 50 ] && [ -n "$(timeout 10 squeue --noheader 2>/dev/null)" ]; do sleep 0.1; i=$((i+1)); done
kill $d $ctld 2>/dev/null
i=0
while [ $i -lt 50 ] && { kill -0 $d || kill -0 $ctld; } 2>/dev/null; do sleep 0.1; i=$((i+1)); done
kill -9 $d $ctld 2>/dev/null
for p in /proc/[0-9]*; do
  [ "${p#/proc/}" = $$ ] && continue
  if tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -qxF "SLURM_CONF=$SLURM_CONF"; then kill -9 "${p#/proc/}" 2>/dev/null; fi
done
rm -rf "$3"
exit 0
`

// guard starts the daemons under a shell that outlives the test only to end them.
func (c *Cluster) guard() (stop func(), err error) {
	ctld, _ := lookPath("slurmctld")
	slurmd, _ := lookPath("slurmd")
	cmd := exec.Command("sh", "-c", guarding, "sh", ctld, slurmd, c.dir)
	cmd.Env = c.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // who ends the test's whole group leaves the guard
	log, err := os.Create(filepath.Join(c.dir, "daemons.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		in.Close()
		cmd.Wait()
	}, nil
}

// Env is the environment of commands that shall speak to this Slurm, and to none
// that the test itself may run in.
func (c *Cluster) Env() []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "SLURM_") && !strings.HasPrefix(pair, "PMI_") {
			env = append(env, pair)
		}
	}
	return append(env, "SLURM_CONF="+c.Conf)
}

// Command is a command that speaks to this Slurm: srun, sbatch, or what calls them.
func (c *Cluster) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = c.Env()
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Submit hands a script to sbatch with further flags, waits until the job has
// ended, and returns its number. A job that fails is no error.
func (c *Cluster) Submit(ctx context.Context, script string, flags ...string) (string, error) {
	cmd := c.Command(ctx, "sbatch", append([]string{"--parsable"}, flags...)...)
	cmd.Stdin = strings.NewReader(script)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("sbatch: %w: %s", err, said.String())
	}
	job := strings.TrimSpace(string(out))
	for {
		left, err := c.Command(ctx, "squeue", "--noheader", "--jobs", job).CombinedOutput()
		if len(left) == 0 || err != nil && strings.Contains(string(left), "Invalid job id") {
			return job, nil
		}
		select {
		case <-ctx.Done():
			return job, fmt.Errorf("job %s has not ended: %w", job, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// await waits until the node takes jobs.
func (c *Cluster) await(ctx context.Context, most time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		out, err := c.Command(ctx, "sinfo", "--noheader", "--format=%T").CombinedOutput()
		if err == nil && strings.TrimSpace(string(out)) == "idle" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v sinfo says %q", most, strings.TrimSpace(string(out)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// logs are the last words of the daemons.
func (c *Cluster) logs() string {
	var words strings.Builder
	for _, name := range []string{"slurmctld.log", "slurmd.log"} {
		if file, err := os.Open(filepath.Join(c.dir, name)); err == nil {
			if info, err := file.Stat(); err == nil && info.Size() > 1000 {
				file.Seek(-1000, io.SeekEnd)
			}
			fmt.Fprintf(&words, "%s:\n", name)
			io.Copy(&words, file)
			file.Close()
		}
	}
	return words.String()
}
