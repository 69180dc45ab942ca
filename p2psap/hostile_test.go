package p2psap

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testKey is the one that testdata/packets.c seals with, as the launcher tells it.
const testKey = "07060504030201000f0e0d0c0b0a0908"

// told starts a peer with instructions of the test's own, which plays the launcher.
func told(t *testing.T, program, instructions string, env ...string) (wait func() (string, error)) {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, "1e-9")
	cmd.Env = append(append(os.Environ(), "AUSPEX_P2P_FD=3"), env...)
	cmd.ExtraFiles = []*os.File{in}
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if _, err := out.WriteString(instructions); err != nil {
		t.Fatal(err)
	}
	return func() (string, error) {
		err := cmd.Wait()
		out.Close()
		return said.String(), err
	}
}

func instructionsFor(rank, peers int, ports []int) string {
	return fmt.Sprintf("p2psap %d\nkey %s\nclusters %d\nrank %d\nincarnation 0\nscheme 0\npatience 240\nlisten 127.0.0.1 %d\nmeet 0 127.0.0.1 %d 0\nend\n",
		version, testKey, peers, rank, ports[rank], ports[0])
}

// freePorts are below those that the system gives to whoever asks for any, so that
// nobody gets one between here and its use.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for port := 20000 + os.Getpid()%10000; len(ports) < n && port < 32768; port++ {
		stream, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		stream.Close()
		if packets, err := net.ListenPacket("udp", stream.Addr().String()); err == nil {
			packets.Close()
			ports = append(ports, port)
		}
	}
	if len(ports) < n {
		t.Fatalf("%d of %d ports are free", len(ports), n)
	}
	return ports
}

// knock opens a connection, says something and waits until the peer closes it.
func knock(t *testing.T, port int, say []byte) {
	t.Helper()
	var c net.Conn
	var err error
	for range 2000 { // until it listens
		if c, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write(say)
	c.SetReadDeadline(time.Now().Add(time.Minute))
	var room [4096]byte
	for {
		if _, err := c.Read(room[:]); err != nil {
			return
		}
	}
}

func waitForFile(t *testing.T, name string) {
	t.Helper()
	for range 60000 {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s did not come", name)
}

// Random bytes, packets of another version, and openings that cannot be true are
// refused and counted, and the run goes on: also one from a process that has the
// run's key and says that it is a peer which is known at another address.
func TestForeignAndLyingPeersAreRefused(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	seal := startParser(t)
	const n = 3
	ports := freePorts(t, n)
	hold := filepath.Join(t.TempDir(), "hold")
	first := told(t, program, instructionsFor(0, n, ports), "MEAN_HOLD="+hold)
	garbage := bytes.Repeat([]byte("garbage "), 40)
	newer := seal.ask(t, 'A', []byte("\x01\x00127.0.0.1 9"))
	newer[4] = version + 1
	knocks := [][]byte{garbage, newer,
		seal.ask(t, 'A', []byte("\x00\x00127.0.0.1 9")), // it is me
		seal.ask(t, 'A', []byte("\x07\x00127.0.0.1 9")), // there are three of us
		seal.ask(t, 'A', []byte("\x01\x02127.0.0.1 9")), // to another
		seal.ask(t, 'A', []byte("\x01\x00nowhere")),
		seal.ask(t, 'S', []byte("no opening")),
	}
	for _, say := range knocks {
		knock(t, ports[0], say)
	}
	packets, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", ports[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	for _, say := range append(knocks, nil, []byte("P2PS")) {
		packets.Write(say)
	}
	second, third := told(t, program, instructionsFor(1, n, ports), "MEAN_HOLD="+hold), told(t, program, instructionsFor(2, n, ports), "MEAN_HOLD="+hold)
	for rank := range n {
		waitForFile(t, fmt.Sprintf("%s.%d", hold, rank))
	}
	knock(t, ports[0], seal.ask(t, 'A', []byte("\x01\x00127.0.0.1 9"))) // peer 1 is known elsewhere
	if err := os.WriteFile(hold, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, wait := range []func() (string, error){first, second, third} {
		said, err := wait()
		if err != nil {
			t.Errorf("%v: %s", err, said)
		}
		text += said
	}
	want, steps := meanSolution(n, 1e-9)
	for rank, got := range readMean(t, text, n) {
		if got.steps != steps || math.Abs(got.x-want[rank]) > 1e-11 {
			t.Errorf("peer %d: %+v, want %v in %d steps", rank, got, want[rank], steps)
		}
		if rank == 0 && got.refused < len(knocks)+1 {
			t.Errorf("peer 0 counts %d of at least %d that it refused", got.refused, len(knocks)+1)
		}
	}
}

func TestLauncherOfAnotherVersion(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	ports := freePorts(t, 2)
	for instructions, want := range map[string]string{
		strings.Replace(instructionsFor(0, 2, ports), fmt.Sprintf("p2psap %d", version), "p2psap 99", 1): "speaks another version",
		strings.Replace(instructionsFor(0, 2, ports), "rank 0", "rank 5", 1):                             "are not whole",
		strings.Replace(instructionsFor(0, 2, ports), "meet 0", "meet 2", 1):                             "are not whole",
		"p2psap 1\nkey 00\nend\n": "cannot be understood",
	} {
		said, err := told(t, program, instructions)()
		if err == nil || !strings.Contains(said, want) {
			t.Errorf("%v, want %q in %q", err, want, said)
		}
	}
}

// shellHost is a host that is reached by a shell: its ports are told, not asked for.
var shellHost = Host{Address: "127.0.0.1", Shell: []string{"sh", "-c"}}

func TestPortInUse(t *testing.T) {
	program := linked(t, "cc", "testdata/mean.c")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	text, out, err := runPeers(t, Options{Clusters: []int{2}, Hosts: []Host{shellHost}, Port: port, Command: []string{program, "1e-9"}})
	if err == nil || out.Status != 4 || !strings.Contains(text, fmt.Sprintf("cannot listen at 127.0.0.1:%d: Address already in use", port)) {
		t.Errorf("%v, %+v, %s", err, out, text)
	}
}
