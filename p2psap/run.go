package p2psap

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// version is that of the protocol and of the launcher's instructions.
const version = 3

// MaxPeers is how many peers a run may have: each has a thread for every other.
const MaxPeers = 256

// firstPort is where peers on other hosts listen, each at its rank above it.
const firstPort = 7100

// inherited is a peer's first descriptor after the three of every process: its
// instructions, followed by its port's two sockets.
const inherited = 3

// Host is a place for peers: its address, and the command that runs another
// command there, such as ssh with a name. Without one it is this machine.
type Host struct {
	Address string
	Shell   []string
}

// Options say how peers are started.
type Options struct {
	Clusters []int // sizes; their sum is the number of peers
	Scheme   Scheme
	Command  []string
	Hosts    []Host // peers are dealt to them in turn; none is this machine's loopback
	// Patience is how long a peer waits for anything.
	Patience time.Duration
	// Restarts is how many killed peers are replaced before the run is given up.
	Restarts int
	// Port is the first port on other hosts, 0 for the usual one.
	Port int
	Env  []string
	// Profile has peers tell what a prediction needs.
	Profile  bool
	Out, Err io.Writer
	// Started, where set, is told of every process.
	Started func(rank, incarnation int, process *os.Process)
}

// Outcome is how a run went.
type Outcome struct {
	Status   int // exit status of the first peer that failed
	Replaced []Replacement
	Wall     time.Duration
	Profile  *Profile
}

// Replacement is a peer that died and was started again.
type Replacement struct {
	Rank int    `json:"rank"`
	Why  string `json:"why"`
	Host string `json:"host"` // where its successor runs
}

// launcher is a run in progress.
type launcher struct {
	Options
	key     string
	places  []place // of each rank
	ends    chan end
	mu      sync.Mutex
	running map[int]*exec.Cmd
}

type place struct {
	host, port, incarnation int
	held                    []*os.File // the port's two sockets, until the peer has them
	done                    bool
}

// end is how a process ended.
type end struct {
	rank, status int
	why          string
	killed       bool
}

// Run starts the peers and waits for all of them.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	peers := 0
	for _, size := range o.Clusters {
		peers += size
	}
	if peers < 1 || len(o.Command) == 0 {
		return nil, errors.New("a run needs a command and at least one peer")
	}
	if o.Patience <= 0 {
		o.Patience = 30 * time.Second
	}
	if len(o.Hosts) == 0 {
		o.Hosts = []Host{{Address: "127.0.0.1"}}
	}
	if o.Port == 0 {
		o.Port = firstPort
	}
	var dir string
	if o.Profile {
		var err error
		if dir, err = os.MkdirTemp("", "p2psap-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		o.Env = append(slices.Clone(o.Env), "AUSPEX_P2P_PROFILE="+dir)
	}
	l := launcher{Options: o, places: make([]place, peers), ends: make(chan end, peers), running: map[int]*exec.Cmd{}}
	secret := make([]byte, 16)
	rand.Read(secret) // never fails
	l.key = hex.EncodeToString(secret)
	started := time.Now()
	for rank := range l.places {
		l.places[rank].host = rank % len(o.Hosts)
		if err := l.choosePort(rank); err != nil {
			l.releaseAll()
			return nil, err
		}
	}
	for rank := range l.places {
		if err := l.start(rank); err != nil {
			l.stopAll()
			l.releaseAll()
			return nil, err
		}
	}
	out, err := l.wait(ctx)
	out.Wall = time.Since(started)
	if err == nil && o.Profile {
		out.Profile, err = collectProfile(dir, &o, peers)
	}
	return out, err
}

// choosePort finds a port for a peer. Here it is taken for the peer, which
// inherits it: a port that is only known to be free can be another's by then. On
// another host it is told, and one in use is an error there.
func (l *launcher) choosePort(rank int) error {
	p := &l.places[rank]
	if l.Hosts[p.host].Shell != nil {
		p.port = l.Port + rank + p.incarnation*len(l.places)
		return nil
	}
	for range 100 {
		stream, err := net.Listen("tcp", l.Hosts[p.host].Address+":0")
		if err != nil {
			return err
		}
		p.port = stream.Addr().(*net.TCPAddr).Port
		packets, err := net.ListenPacket("udp", stream.Addr().String())
		if err == nil {
			err = p.hold(stream.(*net.TCPListener), packets.(*net.UDPConn))
			packets.Close()
			stream.Close()
			return err
		}
		stream.Close()
	}
	return errors.New("no port is free for both TCP and UDP")
}

func (p *place) hold(sockets ...interface{ File() (*os.File, error) }) error {
	for _, s := range sockets {
		f, err := s.File()
		if err != nil {
			p.release()
			return err
		}
		p.held = append(p.held, f)
	}
	return nil
}

// release closes what is held for a peer here.
func (p *place) release() {
	for _, f := range p.held {
		f.Close()
	}
	p.held = nil
}

func (l *launcher) releaseAll() {
	for rank := range l.places {
		l.places[rank].release()
	}
}

// instructions are what a peer is told.
func (l *launcher) instructions(rank int) string {
	p := l.places[rank]
	sizes := strings.Trim(fmt.Sprint(l.Clusters), "[]")
	held := ""
	if len(p.held) > 0 {
		held = fmt.Sprintf("held %d %d\n", inherited+1, inherited+2)
	}
	return fmt.Sprintf("p2psap %d\nkey %s\nclusters %s\nrank %d\nincarnation %d\nscheme %d\npatience %g\nlisten %s %d\n%s%send\n",
		version, l.key, sizes, rank, p.incarnation, l.Scheme, l.Patience.Seconds(),
		l.Hosts[p.host].Address, p.port, held, l.rendezvous(rank))
}

// rendezvous are the peers that another one meets first. At the start that is the
// first of all. One that takes another's place is told of all others, for of those
// some may have died with it: the last to be replaced knows where all are.
func (l *launcher) rendezvous(rank int) string {
	var text strings.Builder
	for other, p := range l.places {
		switch {
		case l.places[rank].incarnation == 0 && other > 0:
		case p.done:
			fmt.Fprintf(&text, "finished %d\n", other)
		case other != rank || other == 0:
			fmt.Fprintf(&text, "meet %d %s %d %d\n", other, l.Hosts[p.host].Address, p.port, p.incarnation)
		}
	}
	return text.String()
}

func (l *launcher) start(rank int) error {
	p := l.places[rank]
	host := l.Hosts[p.host]
	cmd := exec.Command(l.Command[0], l.Command[1:]...)
	cmd.Env = append(os.Environ(), l.Env...)
	cmd.Stdout, cmd.Stderr = l.Out, l.Err
	cmd.WaitDelay = 3 * time.Second
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	defer l.places[rank].release()
	if host.Shell != nil {
		line := "exec env AUSPEX_P2P_FD=0"
		for _, setting := range l.Env {
			line += " " + quote(setting)
		}
		if dir, err := os.Getwd(); err == nil {
			line = "cd " + quote(dir) + " && " + line
		}
		for _, word := range l.Command {
			line += " " + quote(word)
		}
		cmd = exec.Command(host.Shell[0], append(append([]string{}, host.Shell[1:]...), line)...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = l.Out, l.Err, 3*time.Second
		cmd.Stdin = in
	} else {
		cmd.ExtraFiles = append([]*os.File{in}, p.held...)
		cmd.Env = append(cmd.Env, fmt.Sprintf("AUSPEX_P2P_FD=%d", inherited))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a peer ends with all it started
	if err := cmd.Start(); err != nil {
		out.Close()
		return fmt.Errorf("cannot start peer %d: %w", rank, err)
	}
	if _, err := io.WriteString(out, l.instructions(rank)); err != nil {
		return fmt.Errorf("peer %d does not take its instructions: %w", rank, err)
	}
	l.mu.Lock()
	l.running[rank] = cmd
	l.mu.Unlock()
	if l.Started != nil {
		l.Started(rank, p.incarnation, cmd.Process)
	}
	go func() {
		err := cmd.Wait()
		out.Close() // a peer ends where this is closed before
		e := end{rank: rank, why: "exit status 0"}
		if err != nil {
			e.why = err.Error()
			e.status = 1
		}
		if state := cmd.ProcessState; state != nil {
			e.status = state.ExitCode()
			if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
				e.status, e.killed = 128+int(ws.Signal()), true
			}
			e.killed = e.killed || e.status > 128 // as shells tell it of what they ran
		}
		l.ends <- e
	}()
	return nil
}

// quote makes a word that a shell leaves as it is.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// wait takes the ends of peers. One that was killed is replaced, as often as is
// allowed; anything else that is no success ends the run.
func (l *launcher) wait(ctx context.Context) (*Outcome, error) {
	out := &Outcome{}
	var failed error
	for left := len(l.places); left > 0; {
		var e end
		select {
		case e = <-l.ends:
		case <-ctx.Done():
			l.stopAll()
			l.drain(left)
			return out, ctx.Err()
		}
		l.mu.Lock()
		delete(l.running, e.rank)
		l.mu.Unlock()
		switch {
		case e.status == 0 || failed != nil:
			left--
			l.places[e.rank].done = true
		case e.killed && len(out.Replaced) < l.Restarts && left > 1:
			r, err := l.replace(e)
			if err == nil {
				out.Replaced = append(out.Replaced, r)
				break
			}
			e.why = fmt.Sprintf("%s, and could not be replaced: %v", e.why, err)
			fallthrough
		default:
			left--
			out.Status = e.status
			failed = fmt.Errorf("peer %d ended early: %s", e.rank, e.why)
			if e.killed && len(out.Replaced) >= l.Restarts {
				failed = fmt.Errorf("peer %d died: %s; no more than %d are replaced", e.rank, e.why, l.Restarts)
			}
			l.stopAll()
		}
	}
	return out, failed
}

// replace starts a peer again, on the next host.
func (l *launcher) replace(e end) (Replacement, error) {
	p := &l.places[e.rank]
	p.host = (p.host + 1) % len(l.Hosts)
	p.incarnation++
	if err := l.choosePort(e.rank); err != nil {
		return Replacement{}, err
	}
	return Replacement{e.rank, e.why, l.Hosts[p.host].Address}, l.start(e.rank)
}

// drain waits for processes that were told to end.
func (l *launcher) drain(left int) {
	for range left {
		<-l.ends
	}
}

// stopAll ends what runs: by asking, and after a while by force.
func (l *launcher) stopAll() {
	signal := func(s syscall.Signal) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, cmd := range l.running {
			syscall.Kill(-cmd.Process.Pid, s)
		}
	}
	signal(syscall.SIGTERM)
	time.AfterFunc(3*time.Second, func() { signal(syscall.SIGKILL) })
}
