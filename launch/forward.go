package launch

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"auspex/internal/lazyregexp"
)

// forwarded are the signals by which people, terminals and batch systems speak to a
// program. Those that auspex was started to ignore stay ignored, for the program too.
var forwarded = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// Asked are those of the signals that are not ignored.
func Asked(signals ...os.Signal) (list []os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// forwarder hands signals that are sent to this process alone on to a command. Ctrl-C
// and the like go to all processes of the terminal's foreground group, of which the
// command is one: a second one could stop it from saving what it has.
type forwarder struct {
	signals chan os.Signal
	done    chan struct{}
	busy    sync.WaitGroup
	witness *witness
}

// newForwarder begins to take signals, which wait for the command.
func newForwarder() *forwarder {
	f := &forwarder{signals: make(chan os.Signal, 16), done: make(chan struct{}), witness: newWitness()}
	signal.Notify(f.signals, Asked(forwarded...)...)
	return f
}

// to hands signals on, in the background.
func (f *forwarder) to(command *os.Process) {
	f.busy.Go(func() {
		for {
			select {
			case <-f.done:
				return
			case s := <-f.signals:
				if !f.witness.got(s) {
					command.Signal(s)
				}
			}
		}
	})
}

// stop is called when the command has ended.
func (f *forwarder) stop() {
	signal.Stop(f.signals)
	close(f.done)
	f.busy.Wait()
	f.witness.end()
}

// witness is a process of the same group that does nothing: a signal that ends it was
// sent to the whole group.
type witness struct {
	cmd   *exec.Cmd
	hold  io.Closer // it ends when this is closed, by us or with us
	ended chan struct{}
	since map[os.Signal]time.Time // a signal was last seen to be the group's
}

// together is how long a signal to the group may take to reach all of it. timeout
// sends one to its command, and then to the group.
const together = 50 * time.Millisecond

func newWitness() *witness {
	w := &witness{since: map[os.Signal]time.Time{}}
	w.start()
	return w
}

func (w *witness) start() {
	w.ended = make(chan struct{})
	w.cmd = exec.Command("cat")
	in, err := w.cmd.StdinPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		w.cmd = nil
		return
	}
	w.hold = in
	none := syscall.Rlimit{} // a core file is the program's
	syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(w.cmd.Process.Pid), syscall.RLIMIT_CORE, uintptr(unsafe.Pointer(&none)), 0, 0, 0)
	go func() {
		w.cmd.Wait()
		close(w.ended)
	}()
}

// got tells whether the group had the signal that this process just got.
func (w *witness) got(s os.Signal) bool {
	if w.cmd == nil || time.Since(w.since[s]) < together {
		return w.cmd != nil
	}
	select {
	case <-time.After(together):
		if status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid)); !dying(string(status)) {
			return false
		}
		<-w.ended
	case <-w.ended:
	}
	status, ok := w.cmd.ProcessState.Sys().(syscall.WaitStatus)
	same := ok && status.Signaled() && status.Signal() == s
	w.start()
	if same {
		w.since[s] = time.Now()
	}
	return same
}

// pending is a signal that a process has not taken yet, or its end, in what the kernel
// says of it.
var pending = lazyregexp.New(`(?m)^S(ig|hd)Pnd:\t.*[1-9a-f]|^State:\t[ZX]`)

// dying tells of what the kernel says of the witness whether a signal reached it that
// it has yet to die of, for which it needs a core.
func dying(status string) bool { return pending.MatchString(status) }

func (w *witness) end() {
	if w.cmd != nil {
		w.hold.Close()
		<-w.ended
	}
}
