package launch

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"syscall"
)

// watcher notes in which order the processes of this node come to their end:
// when one rank dies, the launcher kills the others, and who was first is no
// longer to be seen from what they leave behind. A process keeps its file open
// as long as it lives, so the kernel's list of files closed after writing is the
// list of deaths. Waiting for the processes themselves would be too late: a
// launcher may learn of a death from a closed pipe, well before the process
// counts as ended.
type watcher struct {
	dir string
	fd  int
}

// watch begins to watch the processes that write into dir. Where the kernel
// refuses (a person may watch only so many things), the order stays unknown.
func watch(dir string) watcher {
	w := watcher{dir: dir}
	w.fd, _ = syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	syscall.InotifyAddWatch(w.fd, dir, syscall.IN_CLOSE_WRITE)
	return w
}

// end stops watching and tells the files of the dead, first dead first.
func (w watcher) end() (order []string) {
	defer syscall.Close(w.fd)
	buffer := make([]byte, 64<<10)
	for {
		n, err := syscall.Read(w.fd, buffer)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			return order
		}
		for rest := buffer[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			length := int(binary.NativeEndian.Uint32(rest[12:]))
			name := string(bytes.TrimRight(rest[syscall.SizeofInotifyEvent:][:length], "\x00"))
			rest = rest[syscall.SizeofInotifyEvent+length:]
			if strings.HasSuffix(name, ".probe") {
				order = append(order, filepath.Join(w.dir, name))
			}
		}
	}
}
