package vcluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// testName is a lab of its own, so that one that is up stays out of the way.
func testName() string { return fmt.Sprintf("t%d", os.Getpid()) }

func TestMain(m *testing.M) {
	switch os.Getenv("VCLUSTER_TEST") {
	case "pong":
		echo(os.Getenv("VCLUSTER_ADDRESS"))
	case "ping":
		ping(os.Getenv("VCLUSTER_ADDRESS"))
	case "sink":
		sink(os.Getenv("VCLUSTER_ADDRESS"))
	case "flood":
		flood(os.Getenv("VCLUSTER_ADDRESS"))
	case "hold":
		hold()
	default:
		os.Exit(m.Run())
	}
}

func up(t *testing.T, text string) *Lab {
	t.Helper()
	if err := check(testName()); err != nil {
		t.Skip(err)
	}
	ctx := t.Context()
	l, err := Up(ctx, testName(), read(t, text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Down(context.Background(), testName()); err != nil {
			t.Error(err)
		}
		nothingLeft(t)
	})
	return l
}

func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := namespaces(testName())
	if err != nil || len(left) > 0 || len(groups(testName())) > 0 {
		t.Errorf("left behind: %v %v %v", left, groups(testName()), err)
	}
	if _, err := os.Stat((&Lab{Name: testName()}).dir()); err == nil {
		t.Error("its directory is left behind")
	}
}

func cluster(nodes int, rate string) string {
	return fmt.Sprintf("[[cluster]]\nname = \"h\"\nnodes = %d\nspeed = \"1Gf\"\nbandwidth = %q\nlatency = \"10us\"\n", nodes, rate)
}

// inside is this test's own program on a host of a lab.
func inside(l *Lab, host int, part, address string) *exec.Cmd {
	cmd := exec.Command("ip", "netns", "exec", l.namespace(host), os.Args[0])
	cmd.Env = append(os.Environ(), "VCLUSTER_TEST="+part, "VCLUSTER_ADDRESS="+address+":7000")
	return cmd
}

// A message back and forth crosses the link at its rate, in both directions.
func TestRateOfALink(t *testing.T) {
	l := up(t, cluster(2, "100Mbps"))
	pong := inside(l, 1, "pong", l.Hosts[1].Address)
	if err := pong.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { pong.Process.Kill(); pong.Wait() }()
	rate := bestRate(t, inside(l, 0, "ping", l.Hosts[1].Address), 30) // a busy machine does not fill it
	t.Logf("%.1f Mbit/s", rate)
	if rate < 30 || rate > 101 {
		t.Errorf("a link of 100 Mbit/s carries %.1f", rate)
	}
}

// What a host sends to one host does not keep long what it sends to another.
func TestSmallBesideLarge(t *testing.T) {
	l := up(t, cluster(3, "100Mbps"))
	for _, part := range []struct {
		host int
		name string
		to   int
	}{{1, "sink", 1}, {2, "pong", 2}, {0, "flood", 1}} {
		cmd := inside(l, part.host, part.name, l.Hosts[part.to].Address)
		cmd.Env = append(cmd.Env, "VCLUSTER_BYTES=64")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { cmd.Process.Kill(); cmd.Wait() }()
	}
	time.Sleep(time.Second) // the flood fills what there is to fill
	ping := inside(l, 0, "ping", l.Hosts[2].Address)
	ping.Env = append(ping.Env, "VCLUSTER_BYTES=64")
	// 128 KiB before the link are 11 ms, 64 KiB, where packets cannot be cut short, 5.
	const longest = 0.007
	back := 2 * 8 * 64 / (bestRate(t, ping, 2*8*64/(longest*1e6)) * 1e6)
	t.Logf("back and forth %.2f ms", 1e3*back)
	if back > longest {
		t.Errorf("64 bytes beside a flood to another host take %.1f ms back and forth", 1e3*back)
	}
}

// bestRate is the best that a ping reaches in Mbit/s. On a busy machine it goes on for
// longer, until it is as good as is asked.
func bestRate(t *testing.T, ping *exec.Cmd, asked float64) (rate float64) {
	t.Helper()
	ping.Env = append(ping.Env, fmt.Sprint("VCLUSTER_RATE=", asked))
	out, err := ping.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := fmt.Sscan(string(out), &rate); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return rate
}

// length is how long a message is.
func length() int {
	n, err := strconv.Atoi(os.Getenv("VCLUSTER_BYTES"))
	if err != nil {
		return 4 << 20
	}
	return n
}

func accept(address string) net.Conn {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	c, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	return c
}

// sink takes in whatever comes.
func sink(address string) { io.Copy(io.Discard, accept(address)) }

// flood sends without end.
func flood(address string) {
	c, buffer := dial(address), make([]byte, 1<<20)
	for {
		if _, err := c.Write(buffer); err != nil {
			return
		}
	}
}

func echo(address string) {
	c, buffer := accept(address), make([]byte, length())
	for {
		if err := fill(c, buffer); err != nil {
			return
		}
		if _, err := c.Write(buffer); err != nil {
			return
		}
	}
}

func dial(address string) net.Conn {
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			return c
		}
		time.Sleep(50 * time.Millisecond)
	}
	panic("nobody answers at " + address)
}

// ping prints the best rate of some round trips in Mbit/s: of more than a few where it is
// below what was asked, for ten seconds.
func ping(address string) {
	c, buffer, best := dial(address), make([]byte, length()), 0.0
	asked, _ := strconv.ParseFloat(os.Getenv("VCLUSTER_RATE"), 64)
	few, end := max(4, min(40, 1000/len(buffer))), time.Now().Add(10*time.Second)
	for i := 0; i < few || best < asked && time.Now().Before(end); i++ {
		start := time.Now()
		if _, err := c.Write(buffer); err != nil {
			panic(err)
		}
		if err := fill(c, buffer); err != nil {
			panic(err)
		}
		best = max(best, 2*8*float64(len(buffer))/time.Since(start).Seconds()/1e6)
	}
	fmt.Println(best)
}

func fill(c net.Conn, buffer []byte) error {
	for n := 0; n < len(buffer); {
		k, err := c.Read(buffer[n:])
		if err != nil {
			return err
		}
		n += k
	}
	return nil
}

// hold builds a lab, starts something in it, says so and waits to be killed.
func hold() {
	t := &testing.T{}
	l, err := Up(context.Background(), os.Getenv("VCLUSTER_NAME"), read(t, cluster(2, "100Mbps")))
	if err != nil {
		panic(err)
	}
	if err := l.Command(context.Background(), []string{"sleep", "600"}).Start(); err != nil {
		panic(err)
	}
	fmt.Println("up")
	select {}
}

// A lab whose owner was killed is removed by name.
func TestDownAfterKill(t *testing.T) {
	if err := check(testName()); err != nil {
		t.Skip(err)
	}
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), "VCLUSTER_TEST=hold", "VCLUSTER_NAME="+testName())
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	owner.Process.Signal(syscall.SIGKILL)
	owner.Wait()
	if left, err := namespaces(testName()); err != nil || len(left) == 0 {
		t.Fatalf("the lab went with its owner: %v", err)
	}
	head := (&Lab{Name: testName()}).head()
	for tries := 0; len(processes(t.Context(), head)) == 0; tries++ { // it may be on its way in
		if tries == 100 {
			t.Fatal("what ran in it is gone already: the test shows nothing")
		}
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := Up(t.Context(), testName(), read(t, cluster(2, "1Gbps"))); err == nil || !strings.Contains(err.Error(), "lab down") {
		t.Errorf("a second lab of one name: %v", err)
	}
	if err := Down(t.Context(), testName()); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t)
	if err := Down(t.Context(), testName()); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

// A lab of which another has removed a part is removed without a word, and
// what keeps all of it is said once.
func TestDownOfALabHalfRemoved(t *testing.T) {
	if err := check(testName()); err != nil {
		t.Skip(err)
	}
	l := up(t, cluster(2, "1Gbps"))
	listed, err := namespaces(testName())
	if err != nil || len(listed) < 2 {
		t.Fatalf("%v: %v", listed, err)
	}
	if err := feed(t.Context(), "", "ip", "netns", "del", l.namespace(0)); err != nil {
		t.Fatal(err)
	}
	if err := removeSpaces(t.Context(), listed); err != nil { // as they were listed before
		t.Errorf("half removed: %v", err)
	}
	if err := Down(t.Context(), testName()); err != nil {
		t.Errorf("what is left: %v", err)
	}
	nothingLeft(t)

	folders := []string{prefix(testName()) + "a", prefix(testName()) + "b"} // ip removes no folders
	for _, name := range folders {
		if err := os.Mkdir(filepath.Join(netnsDir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(filepath.Join(netnsDir, name))
	}
	if err := removeSpaces(t.Context(), folders); err == nil || strings.Count(err.Error(), "Cannot remove") != 1 || !strings.Contains(err.Error(), "2 of 2 namespaces") {
		t.Errorf("what cannot be removed: %v", err)
	}
}

// Each rank runs on a host of its own, with MPICH and with Open MPI.
func TestMPIAcrossHosts(t *testing.T) {
	l := up(t, cluster(2, "1Gbps"))
	for _, mpirun := range []string{"mpirun.mpich", "mpirun.openmpi"} {
		t.Run(mpirun, func(t *testing.T) {
			if _, err := exec.LookPath(mpirun); err != nil {
				t.Skip(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := l.Command(ctx, []string{mpirun, "-n", "2", "cat", "/proc/sys/kernel/hostname"})
			var said bytes.Buffer
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, said.String())
			}
			if got := string(out); !strings.Contains(got, "h-0") || !strings.Contains(got, "h-1") {
				t.Errorf("the ranks ran on %q", got)
			}
		})
	}
}

// With more hosts than cores every host has its share of one.
func TestShareOfACore(t *testing.T) {
	l := up(t, cluster(8, "1Gbps"))
	if l.Hosts[0].Share >= 1 {
		t.Skip("this machine has a core for each of 8 hosts")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := l.Command(ctx, []string{l.agent(), l.Hosts[3].Address, "cat /proc/self/cgroup"}).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), l.namespace(3)) {
		t.Errorf("a process of host 3 is in the control groups\n%s", out)
	}
	if !slices.Contains(l.environment(), "OMPI_MCA_mpi_yield_when_idle=1") {
		t.Error("ranks that wait keep the core from the hosts they share it with")
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "a b", "../x", "A", strings.Repeat("a", 17)} {
		if err := check(name); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
}
