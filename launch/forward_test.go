package launch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestForeground: a signal to auspex alone is the program's, which ends as it likes.
func TestForeground(t *testing.T) {
	for _, c := range []struct {
		name, signal, trap string
		status             int
		printed            string
	}{
		{"handled", "INT", "trap 'echo saved; exit 5' INT", 5, "saved\n"},
		{"ignored", "INT", "trap '' INT", 7, ""},
		{"not handled", "INT", "", 130, ""},
		{"ended", "TERM", "trap 'echo saved; exit 5' TERM", 5, "saved\n"},
		{"quit", "QUIT", "trap 'echo saved; exit 6' QUIT", 6, "saved\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			script := c.trap + "\nkill -" + c.signal + " $PPID\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 0.02; done\nexit 7"
			r := Runner{Command: []string{"sh", "-c", script}, Foreground: true, Out: &out, Err: os.Stderr}
			ended, err := r.execute(t.Context(), r.Command, nil)
			if err != nil || ended.Status != c.status || out.String() != c.printed {
				t.Errorf("status %d, want %d; printed %q, want %q (%v)", ended.Status, c.status, out.String(), c.printed, err)
			}
		})
	}
}

// TestInterruptedBefore: a command is not started after Ctrl-C.
func TestInterruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	r := Runner{Command: []string{"echo", "started"}, Foreground: true, Out: &out}
	if _, err := r.execute(ctx, r.Command, nil); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v, printed %q", err, out.String())
	}
}

// TestWitness: what was sent to the whole group is not handed on.
func TestWitness(t *testing.T) {
	w := newWitness()
	defer w.end()
	if w.got(os.Interrupt) {
		t.Error("a signal to auspex alone is taken for the group's")
	}
	for range 2 {
		w.cmd.Process.Signal(syscall.SIGTERM)
		if !w.got(syscall.SIGTERM) {
			t.Error("a signal to the group is taken for auspex's own")
		}
	}
	if w.got(os.Interrupt) {
		t.Error("another signal is taken for the group's")
	}
}
