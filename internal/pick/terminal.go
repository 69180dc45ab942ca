package pick

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the alternate screen, no cursor
	leaveScreen = "\x1b[0m\x1b[?25h\x1b[?1049l"
)

// Run shows the model on a terminal and gives it the keys pressed there until
// the person is done. save is called when the person wants that; where it
// fails, the person is told and goes on.
func Run(ctx context.Context, in, out *os.File, m *Model, save func() error) error {
	t := &terminal{in: in, out: out}
	if err := t.start(); err != nil {
		return err
	}
	defer t.stop() // on every way out, a panic included
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGHUP)
	defer signal.Stop(signals)
	input := make(chan []byte)
	ended := make(chan error, 1)
	go read(in, input, ended)

	var pending []byte
	for {
		if err := t.draw(m); err != nil {
			return err
		}
		var wait <-chan time.Time
		if len(pending) > 0 {
			wait = time.After(50 * time.Millisecond) // a lone escape stays one
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case s := <-signals:
			if s == syscall.SIGHUP {
				return context.Canceled
			}
		case <-wait:
			key, _ := decode(pending)
			pending = nil
			m.Press(key)
		case some := <-input:
			pending = append(pending, some...)
			for !m.Done() {
				key, n := decode(pending)
				if n == 0 {
					break
				}
				pending = pending[n:]
				if key == Suspend {
					if err := t.suspend(); err != nil {
						return err
					}
					continue
				}
				m.Press(key)
				if m.Saved() {
					if err := save(); err != nil {
						m.Fail(err)
					}
				}
				if key == Interrupt {
					return context.Canceled
				}
			}
		}
		if m.Done() {
			return nil
		}
	}
}

// read hands on what comes from the keyboard. It ends with the program: a read
// from a terminal cannot be called back.
func read(in io.Reader, to chan<- []byte, ended chan<- error) {
	for {
		buffer := make([]byte, 256)
		n, err := in.Read(buffer)
		if n > 0 {
			to <- buffer[:n]
		}
		if err != nil {
			ended <- err
			return
		}
	}
}

// terminal is the one in use and what it was like before.
type terminal struct {
	in, out *os.File
	before  *term.State
}

func (t *terminal) start() error {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return err
	}
	t.before = before
	_, err = t.out.WriteString(enterScreen)
	return err
}

func (t *terminal) stop() {
	t.out.WriteString(leaveScreen)
	term.Restore(int(t.in.Fd()), t.before)
}

// suspend hands the terminal back to the shell until the job is resumed.
func (t *terminal) suspend() error {
	t.stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	return t.start()
}

var looks = map[Look]string{Plain: "", Strong: "\x1b[1m", Faint: "\x1b[2m", Chosen: "\x1b[7m"}

// draw writes the whole screen over the one before, in one piece.
func (t *terminal) draw(m *Model) error {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range m.Screen(width, height) {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(looks[line.Look] + line.Text + "\x1b[0m\x1b[K")
	}
	_, err = t.out.WriteString(b.String())
	return err
}
