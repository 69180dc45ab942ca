package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// watcher notes in which order the processes of this node come to their end:
// when one rank dies, the launcher kills the others, and who was first is no
// longer to be seen from what they leave behind.
type watcher struct {
	dir, host string
	open      map[string]int // file of a living process to its descriptor
	order     [][]string     // files, first dead first; those of one list were found dead together
	seen      map[string]bool
	stop      chan struct{}
	done      chan struct{}
}

const watchInterval = 50 * time.Millisecond

// watch begins to watch the processes that write into dir.
func watch(dir string) *watcher {
	host, _ := os.Hostname()
	w := &watcher{dir: dir, host: host, open: map[string]int{}, seen: map[string]bool{}, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			select {
			case <-w.stop:
				return
			default:
				w.wait(w.look())
			}
		}
	}()
	return w
}

// end stops watching and tells the order of deaths as far as it was seen.
func (w *watcher) end() [][]string {
	close(w.stop)
	<-w.done
	for _, fd := range w.open {
		syscall.Close(fd)
	}
	return w.order
}

// look finds processes that are new, and gives those that are dead already.
func (w *watcher) look() (gone []string) {
	files, _ := filepath.Glob(filepath.Join(w.dir, "*.probe"))
	for _, file := range files {
		if w.seen[file] {
			continue
		}
		w.seen[file] = true
		name := strings.TrimSuffix(filepath.Base(file), ".probe")
		host, number, _ := cutLast(name, ".")
		pid, err := strconv.Atoi(number)
		if host != w.host || err != nil {
			continue
		}
		const pidfdOpen = 434 // the same on all architectures
		fd, _, errno := syscall.Syscall(pidfdOpen, uintptr(pid), 0, 0)
		switch errno {
		case 0:
			w.open[file] = int(fd)
		case syscall.ESRCH: // dead before it was seen alive
			gone = append(gone, file)
		}
	}
	return gone
}

// wait waits a little for the next death. Who died before it was seen alive may
// have been first, so those found then count as dead together.
func (w *watcher) wait(gone []string) {
	if len(w.open) == 0 && len(gone) == 0 {
		time.Sleep(watchInterval / 5)
		return
	}
	if len(gone) == 0 {
		gone = w.ended(watchInterval)
	}
	if len(gone) > 0 {
		gone = append(gone, w.look()...)
		w.order = append(w.order, append(gone, w.ended(0)...))
	}
}

// ended gives those of the living that come to their end within a time.
func (w *watcher) ended(within time.Duration) (together []string) {
	type pollfd struct {
		fd              int32
		events, revents int16
	}
	if len(w.open) == 0 {
		return nil
	}
	const pollIn = 1
	var names []string
	var list []pollfd
	for name, fd := range w.open {
		names = append(names, name)
		list = append(list, pollfd{fd: int32(fd), events: pollIn})
	}
	timeout := syscall.NsecToTimespec(int64(within))
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&list[0])), uintptr(len(list)), uintptr(unsafe.Pointer(&timeout)), 0, 0, 0)
	if errno != 0 || n == 0 {
		return nil
	}
	for i, p := range list {
		if p.revents != 0 {
			syscall.Close(int(p.fd))
			delete(w.open, names[i])
			together = append(together, names[i])
		}
	}
	return together
}
