package p2psap

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var namespacesMade atomic.Int32

// namespaces are two hosts with a cable between them, which the test can pull.
func namespaces(t *testing.T) (hosts []Host, plug func(bool)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces want root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no ip (iproute2)")
	}
	ip := func(line string, args ...any) {
		t.Helper()
		if text, err := exec.Command("ip", strings.Fields(fmt.Sprintf(line, args...))...).CombinedOutput(); err != nil {
			t.Fatalf("ip "+line+": %v: %s", append(args, err, text)...)
		}
	}
	if exec.Command("ip", "netns", "list").Run() != nil {
		t.Skip("no network namespaces here")
	}
	id := fmt.Sprintf("%d-%d", os.Getpid(), namespacesMade.Add(1))
	names := []string{"p2pa" + id, "p2pb" + id}
	for _, name := range names {
		if exec.Command("ip", "netns", "add", name).Run() != nil {
			t.Skip("network namespaces cannot be made here")
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "del", name).Run() })
	}
	ip("link add p2pv0 netns %s type veth peer name p2pv1 netns %s", names[0], names[1])
	for i, name := range names {
		ip("-n %s addr add 10.77.0.%d/24 dev p2pv%d", name, i+1, i)
		ip("-n %s link set lo up", name)
		ip("-n %s link set p2pv%d up", name, i)
		hosts = append(hosts, Host{Address: fmt.Sprintf("10.77.0.%d", i+1), Shell: []string{"ip", "netns", "exec", name, "sh", "-c"}})
	}
	return hosts, func(in bool) {
		ip("-n %s link set p2pv0 %s", names[0], map[bool]string{true: "up", false: "down"}[in])
	}
}

// startPeers runs peers while the test does something to them.
func startPeers(t *testing.T, o Options) (wait func() (string, *Outcome, error)) {
	var said lines
	var outcome *Outcome
	var err error
	if o.Patience == 0 {
		o.Patience = 4 * time.Minute
	}
	o.Out, o.Err = &said, &said
	done := make(chan struct{})
	go func() {
		defer close(done)
		outcome, err = Run(t.Context(), o)
	}()
	return func() (string, *Outcome, error) {
		<-done
		return said.String(), outcome, err
	}
}

// A network that splits in mid-run and heals changes no answer; a peer that is
// killed there is replaced on the other host.
func TestNetworkSplitsAndHeals(t *testing.T) {
	t.Parallel()
	program := linked(t, "cc", "testdata/mean.c")
	hosts, plug := namespaces(t)
	const tolerance = 1e-9
	want, steps := meanSolution(4, tolerance)
	for _, scheme := range []Scheme{Synchronous, Asynchronous, Hybrid} {
		for _, die := range []bool{false, true} {
			dir := t.TempDir()
			hold := filepath.Join(dir, "hold")
			o := Options{Clusters: []int{2, 2}, Scheme: scheme, Hosts: hosts, Restarts: 1, Command: []string{program, fmt.Sprint(tolerance)},
				Env: []string{"MEAN_HOLD=" + hold, "MEAN_AGAIN=" + filepath.Join(dir, "again")}}
			if die {
				o.Command = append(o.Command, "3", "23", "checkpoint")
			}
			wait := startPeers(t, o)
			for rank := range 4 {
				waitForFile(t, fmt.Sprintf("%s.%d", hold, rank))
			}
			plug(false)
			os.WriteFile(hold, nil, 0o666)
			time.Sleep(500 * time.Millisecond)
			plug(true)
			text, out, err := wait()
			if err != nil || die && len(out.Replaced) != 1 {
				t.Fatalf("%v, killed %v: %v, %+v\n%s", scheme, die, err, out, text)
			}
			for r, got := range readMean(t, text, 4) {
				if scheme == Synchronous && got.steps != steps {
					t.Errorf("peer %d made %d steps, want %d", r, got.steps, steps)
				}
				if math.Abs(got.x-want[r]) > 2*tolerance/(1-0.8) {
					t.Errorf("%v, killed %v, peer %d: %v, want %v", scheme, die, r, got.x, want[r])
				}
			}
		}
	}
}

// A network that is split when the peers start, and again and again while they run,
// holds them up and changes no answer.
func TestNetworkSplitsOften(t *testing.T) {
	t.Parallel()
	program := linked(t, "cc", "testdata/mean.c")
	hosts, plug := namespaces(t)
	for _, scheme := range []Scheme{Synchronous, Asynchronous, Hybrid} {
		hold := filepath.Join(t.TempDir(), "hold")
		plug(false)
		wait := startPeers(t, Options{Clusters: []int{2, 2}, Scheme: scheme, Hosts: hosts, Command: []string{program, "1e-9"}, Env: []string{"MEAN_HOLD=" + hold}})
		time.Sleep(300 * time.Millisecond)
		if _, err := os.Stat(hold + ".0"); err == nil {
			t.Fatal("peer 0 joined a run whose others it cannot reach")
		}
		plug(true)
		for rank := range 4 {
			waitForFile(t, fmt.Sprintf("%s.%d", hold, rank))
		}
		plug(false)
		os.WriteFile(hold, nil, 0o666)
		for range 5 {
			time.Sleep(20 * time.Millisecond)
			plug(true)
			time.Sleep(5 * time.Millisecond)
			plug(false)
		}
		plug(true)
		text, _, err := wait()
		if err != nil {
			t.Fatalf("%v: %v\n%s", scheme, err, text)
		}
		checkMean(t, scheme, text, 4, 1e-9)
	}
}

// A network that never heals ends the run with a clear word, also where nobody waits
// for messages.
func TestNetworkStaysSplit(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	for _, scheme := range []Scheme{Synchronous, Asynchronous} {
		t.Run(scheme.String(), func(t *testing.T) {
			t.Parallel()
			hosts, plug := namespaces(t)
			hold := filepath.Join(t.TempDir(), "hold")
			wait := startPeers(t, Options{Clusters: []int{1, 1}, Scheme: scheme, Hosts: hosts, Patience: 10 * time.Second, Command: []string{program, "1e-9"}, Env: []string{"MEAN_HOLD=" + hold}})
			for rank := range 2 {
				waitForFile(t, fmt.Sprintf("%s.%d", hold, rank))
			}
			plug(false)
			os.WriteFile(hold, nil, 0o666)
			text, _, err := wait()
			if err == nil || !strings.Contains(text, saysLate) && !strings.Contains(text, saysGone) {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// What the library says of a peer that is not heard of any more.
const (
	saysLate = "nothing came within the run's patience"
	saysGone = "a peer is gone and none took its place"
)

// Peers are started by a real ssh, on an sshd that the test runs on loopback.
func TestSSH(t *testing.T) {
	t.Parallel()
	sshd, err := exec.LookPath("sshd") // which wants to be called by its whole path
	if err != nil {
		sshd, err = exec.LookPath("/usr/sbin/sshd")
	}
	if err != nil {
		t.Skip("no sshd (openssh-server)")
	}
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("no ssh (openssh-client)")
	}
	if os.Geteuid() != 0 {
		t.Skip("sshd wants root")
	}
	program := linked(t, "cc", "testdata/mean.c")
	dir := t.TempDir()
	for _, name := range []string{"host", "user"} {
		if text, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, text)
		}
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // sshd wants it, Debian's service makes it
		t.Skip(err)
	}
	ports := freePorts(t, 3)
	var said lines
	daemon := exec.CommandContext(t.Context(), sshd, "-D", "-e", "-f", os.DevNull, "-p", fmt.Sprint(ports[2]), "-h", filepath.Join(dir, "host"), "-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none",
		"-o", "AuthorizedKeysFile="+filepath.Join(dir, "user.pub"), "-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PermitRootLogin=yes", "-o", "MaxStartups=100")
	daemon.Stderr = &said
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { daemon.Process.Kill(); daemon.Wait() })
	up := false
	for range 1000 {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", ports[2])); err == nil {
			c.Close()
			up = true
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !up {
		t.Fatalf("sshd does not listen: %s", said.String())
	}
	host := Host{Address: "127.0.0.1", Shell: []string{"ssh", "-F", os.DevNull, "-p", fmt.Sprint(ports[2]), "-i", filepath.Join(dir, "user"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=" + os.DevNull, "-o", "LogLevel=ERROR", "127.0.0.1"}}
	text, _, err := runPeers(t, Options{Clusters: []int{1, 1}, Hosts: []Host{host}, Port: min(ports[0], 65000), Command: []string{program, "1e-9"}})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, said.String())
	}
	want, steps := meanSolution(2, 1e-9)
	for rank, got := range readMean(t, text, 2) {
		if got.steps != steps || math.Abs(got.x-want[rank]) > 1e-11 {
			t.Errorf("peer %d: %+v, want %v in %d steps", rank, got, want[rank], steps)
		}
	}
}
