package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A turn is the time for which a worker has a piece. Who takes a piece must know
// what came out of the turns before his. The files of results do not tell it by
// themselves: a machine may go on showing a folder, or the size of a file, as it
// was, on NFS for half a minute. So turns are numbered by making a folder each,
// which the server decides, and one that ends well says in a file of its own, that
// nobody has looked for before, how long the file of results was by then.
//
//	turns/<piece>.<number>/ended   the name of the file of results and its length

// latest is how long a machine may show what is no longer so: twice the longest
// that NFS clients do by default.
const latest = 2 * time.Minute

// takeTurn numbers a turn. The piece must be claimed.
func (f *Folder) takeTurn(group string) (number int, err error) {
	for ; ; number++ {
		err := os.Mkdir(f.turn(group, number), 0o777)
		if errors.Is(err, fs.ErrNotExist) { // planned by an earlier auspex
			if err = os.MkdirAll(filepath.Join(f.Dir, "turns"), 0o777); err == nil {
				err = os.Mkdir(f.turn(group, number), 0o777)
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return number, err
		}
	}
}

func (f *Folder) turn(group string, number int) string {
	return filepath.Join(f.Dir, "turns", group+"."+strconv.Itoa(number))
}

// endTurn tells those who come after what to wait for.
func (f *Folder) endTurn(group string, number int, results string, length int64) error {
	return os.WriteFile(filepath.Join(f.turn(group, number), "ended"), fmt.Appendf(nil, "%s %d\n", results, length), 0o666)
}

// catchUp reads all that came out of the turns of a piece before number. A turn
// without an end is that of a worker who died: what he wrote before was shown
// before his claim was broken.
func (l *Ledger) catchUp(ctx context.Context, f *Folder, group string, number int) error {
	if err := l.Refresh(); err != nil {
		return err
	}
	for before := range number {
		data, err := os.ReadFile(filepath.Join(f.turn(group, before), "ended"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		name, text, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
		length, err := strconv.ParseInt(text, 10, 64)
		if err != nil || name != filepath.Base(name) {
			continue // broken off while it was written
		}
		if err := l.reach(ctx, name, length); err != nil {
			return err
		}
	}
	return nil
}

// reach reads a file until it is as long as it is known to be.
func (l *Ledger) reach(ctx context.Context, name string, length int64) error {
	for until := time.Now().Add(latest); ; {
		l.mu.Lock()
		err := l.readNew(name)
		read := l.read[name]
		l.mu.Unlock()
		if read >= length {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("%s has %d bytes of %d that another machine wrote minutes ago: the file system does not show them here", filepath.Join(l.dir, name), read, length)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
