//go:build linux

package pick

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// TestMain lets the test binary be a picker in a terminal of its own.
func TestMain(m *testing.M) {
	if how := os.Getenv("PICK_IN_TERMINAL"); how != "" {
		os.Exit(pickerProcess(how))
	}
	os.Exit(m.Run())
}

func pickerProcess(how string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	m := example(&testing.T{})
	saves := 0
	err := Run(ctx, os.Stdin, os.Stdout, m, func() error {
		if saves++; how == "panic" {
			panic("on purpose")
		}
		if how == "full" && saves == 1 {
			return errors.New("the disk is full")
		}
		return m.WriteFilter(os.Stderr, "src")
	})
	fmt.Printf("ended: %v, saved %v\r\n", err, m.Saved())
	return 0
}

// console is the other end of a pseudo terminal in which a picker runs.
type console struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	before *term.State
	cmd    *exec.Cmd
	mu     sync.Mutex
	seen   strings.Builder
	errors strings.Builder
}

func start(t *testing.T, how string) *console {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	slave, err := os.OpenFile(filepath.Join("/dev/pts", fmt.Sprint(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	c := &console{t: t, master: master, slave: slave}
	c.size(80, 24)
	if c.before, err = term.GetState(int(slave.Fd())); err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), "PICK_IN_TERMINAL="+how)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, &c.errors
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			c.mu.Lock()
			c.seen.Write(buffer[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { c.cmd.Process.Kill(); master.Close(); slave.Close() })
	return c
}

func (c *console) size(columns, rows uint16) {
	if err := unix.IoctlSetWinsize(int(c.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.String()
}

// expect waits until a text has been shown since the latest expect.
func (c *console) expect(text string) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		all := c.seen.String()
		if i := strings.Index(all, text); i >= 0 {
			c.seen.Reset()
			c.seen.WriteString(all[i+len(text):])
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
	}
	c.t.Fatalf("%q is not shown:\n%q", text, c.output())
}

func (c *console) send(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// ended waits for the end and checks that the terminal is as it was.
func (c *console) ended() {
	c.t.Helper()
	c.expect(leaveScreen)
	c.cmd.Wait()
	after, err := term.GetState(int(c.slave.Fd()))
	if err != nil {
		c.t.Fatal(err)
	}
	if *after != *c.before {
		c.t.Errorf("the terminal is %+v, was %+v", after, c.before)
	}
}

func TestInTerminal(t *testing.T) {
	t.Run("pick and save", func(t *testing.T) {
		c := start(t, "plain")
		c.expect(enterScreen)
		c.expect("solver.c")
		c.send("n\x1b[C\x1b[B ")
		c.expect("1 of 12 regions in 3 files ticked")
		c.send("s")
		c.ended()
		c.expect("saved true")
		if want := "include src/solver.c:step\n"; !strings.Contains(c.errors.String(), want) {
			t.Errorf("written:\n%s", c.errors.String())
		}
	})
	t.Run("a lone escape", func(t *testing.T) {
		c := start(t, "plain")
		c.expect("gpu/kernels.cu")
		c.send("/zzz")
		c.expect("nothing holds zzz")
		c.send("\x1b")
		c.expect("gpu/kernels.cu")
		c.send("q")
		c.ended()
	})
	t.Run("another size", func(t *testing.T) {
		c := start(t, "plain")
		c.expect("space tick  / find")
		c.size(40, 6)
		c.expect("space tick  / find  ←→ fold  + − all  n…")
		c.send("q")
		c.ended()
	})
	t.Run("a save that fails", func(t *testing.T) {
		c := start(t, "full")
		c.send("s")
		c.expect("the disk is full")
		c.send("s")
		c.ended()
		c.expect("saved true")
	})
	for what, end := range map[string]func(c *console){
		"interrupt":         func(c *console) { c.send("\x03") },
		"interrupt, typing": func(c *console) { c.send("/x\x03") },
		"kill":              func(c *console) { c.cmd.Process.Signal(syscall.SIGTERM) },
		"hang up":           func(c *console) { c.cmd.Process.Signal(syscall.SIGHUP) },
		"panic":             func(c *console) { c.send("s") },
	} {
		t.Run(what, func(t *testing.T) {
			c := start(t, what)
			c.expect("space tick")
			end(c)
			c.ended()
			if what != "panic" {
				c.expect("saved false")
			}
		})
	}
	t.Run("suspend and resume", func(t *testing.T) {
		c := start(t, "plain")
		c.expect("space tick")
		c.send("\x1a")
		c.expect(leaveScreen)
		c.cmd.Process.Signal(syscall.SIGCONT)
		c.expect(enterScreen)
		c.expect("space tick")
		c.send("q")
		c.ended()
	})
}
