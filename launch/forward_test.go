package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestForeground: a signal to auspex alone is the program's, which ends as it likes.
func TestForeground(t *testing.T) {
	for _, c := range []struct {
		name, signal, trap string
		turns              int // that it goes on for, unless it is ended
		status             int
		printed            string
	}{
		{"handled", "INT", "trap 'echo saved; exit 5' INT", 3000, 5, "saved\n"},
		{"ignored", "INT", "trap '' INT", 15, 7, ""},
		{"not handled", "INT", "", 3000, 130, ""},
		{"ended", "TERM", "trap 'echo saved; exit 5' TERM", 3000, 5, "saved\n"},
		{"quit", "QUIT", "trap 'echo saved; exit 6' QUIT", 3000, 6, "saved\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			script := fmt.Sprintf("%s\nkill -%s $PPID\nfor i in $(seq %d); do sleep 0.02; done\nexit 7", c.trap, c.signal, c.turns)
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

// TestDying: a process without a core dies later than it was ended.
func TestDying(t *testing.T) {
	const status = "Name:\tSigPnd: 1\nState:\tS (sleeping)\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\nSigBlk:\t0000000000004000\n"
	for text, want := range map[string]bool{
		status: false,
		strings.Replace(status, "SigPnd:\t0000000000000000", "SigPnd:\t0000000000000100", 1): true,
		strings.Replace(status, "ShdPnd:\t0000000000000000", "ShdPnd:\t0000000000004000", 1): true,
		strings.Replace(status, "S (sleeping)", "Z (zombie)", 1):                             true,
		"": false, // where nothing is known
	} {
		if got := dying(text); got != want {
			t.Errorf("dying: %v of\n%s", got, text)
		}
	}
}
