package torture

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// watch ends the process when an input hangs or eats memory, and says which.
// What counts is processor time, so that a busy machine is no hang; an input
// that waits for ever without using any has maxWait.
type watch struct {
	at    *atomic.Int64
	cpu   atomic.Int64 // when the input began, in processor time
	wall  atomic.Int64
	done  chan struct{}
	ended chan struct{}
}

const maxWait = 10 * time.Minute

func startWatch(at *atomic.Int64) *watch {
	w := &watch{at: at, done: make(chan struct{}), ended: make(chan struct{})}
	w.begin()
	go w.look()
	return w
}

func (w *watch) begin() {
	w.cpu.Store(int64(processorTime()))
	w.wall.Store(time.Now().UnixNano())
}

func (w *watch) stop() {
	close(w.done)
	<-w.ended
}

func (w *watch) look() {
	defer close(w.ended)
	for {
		select {
		case <-w.done:
			return
		case <-time.After(100 * time.Millisecond):
		}
		used := processorTime() - time.Duration(w.cpu.Load())
		waited := time.Duration(time.Now().UnixNano() - w.wall.Load())
		switch memory := residentBytes(); {
		case used > MaxCPU:
			w.give("has used %v of processor time", used)
		case waited > maxWait:
			w.give("is not done after %v", waited)
		case memory > MaxMemory:
			w.give("needs %d MiB", memory>>20)
		}
	}
}

// give up: the input's goroutine cannot be stopped.
func (w *watch) give(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "torture: input %d %s\n", w.at.Load(), fmt.Sprintf(format, args...))
	pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	os.Exit(3)
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// residentBytes is 0 where the system does not tell.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}
