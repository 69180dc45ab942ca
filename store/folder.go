package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"auspex/internal/lazyregexp"
	"auspex/internal/scratch"
)

// draft is a folder that is being made. Nobody sees it before a name stands
// for it.
type draft struct {
	shelf *shelf
	id    string
	dir   string
	files map[string]*fileSum
}

func (k *shelf) draft() (*draft, error) {
	if err := os.MkdirAll(k.folders, 0o777); err != nil {
		return nil, fmt.Errorf("the store cannot be made: %w", err)
	}
	d := &draft{shelf: k, id: newID(), files: map[string]*fileSum{}}
	d.dir = filepath.Join(k.folders, temporaryName(d.id))
	return d, os.Mkdir(d.dir, 0o777)
}

// create begins a file of the folder.
func (d *draft) create(name string) (*summedFile, error) {
	return createSummed(filepath.Join(d.dir, name), func(sum fileSum) { d.files[name] = &sum })
}

func (d *draft) write(name string, data []byte) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// discard removes what was not committed.
func (d *draft) discard() {
	if d.dir != "" {
		os.RemoveAll(d.dir)
	}
}

// commit gives the folder its place and its name. What the name stood for is
// left to Collect: it may be being read.
func (d *draft) commit(name string, replace bool) error {
	if err := syncDir(d.dir); err != nil {
		return err
	}
	place := filepath.Join(d.shelf.folders, d.id)
	err := d.shelf.put(name, (&receipt{d.id, d.files}).text(), replace, func() error {
		err := renamed(d.dir, place, func() bool { _, err := os.Stat(place); return err == nil })
		if err != nil {
			return err
		}
		d.dir = place
		if previous, err := d.shelf.receipt(name); err == nil {
			now := time.Now() // from here on it counts as left behind
			os.Chtimes(filepath.Join(d.shelf.folders, previous.id), now, now)
		}
		return syncDir(d.shelf.folders)
	})
	if now, readErr := d.shelf.receipt(name); err == nil || readErr == nil && now.id == d.id {
		d.dir = "" // what has its name is not discarded, whatever failed afterwards
	}
	if err != nil {
		return err
	}
	if replace {
		d.shelf.store.sweepOnce(d.shelf)
	}
	return nil
}

// receipt reads what a name stands for.
func (k *shelf) receipt(name string) (*receipt, error) {
	data, err := k.read(name)
	if err != nil {
		return nil, err
	}
	return parseReceipt(k.place(name), data)
}

// folder is a thing's files as a reader finds them.
type folder struct {
	shelf *shelf
	name  string
	dir   string
	*receipt
}

// open finds the folder that a name stands for and calls read with it, again
// if the name stands for another by the time that something is missing.
func (k *shelf) open(name string, read func(*folder) error) error {
	for tries := 0; ; tries++ {
		f, err := k.find(name)
		if err != nil {
			return err
		}
		err = read(f)
		if !errors.Is(err, errGone) || tries == 10 {
			return err
		}
		if again, findErr := k.find(name); findErr == nil && again.id == f.id {
			return damagedError(k.place(name), fmt.Errorf("the folder %s that it stands for is not there; `auspex gc` removes the name", f.dir))
		}
	}
}

func (k *shelf) find(name string) (*folder, error) {
	r, err := k.receipt(name)
	if errors.Is(err, ErrNotFound) {
		if old := k.old(name); old != "" {
			return &folder{k, name, old, &receipt{}}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &folder{k, name, filepath.Join(k.folders, r.id), r}, nil
}

// errGone tells that a folder vanished under a reader.
var errGone = errors.New("it was removed or replaced while it was being read; ask again")

// file is a file's place and sum; the sum is nil where none was taken.
func (f *folder) file(name string) (path string, sum *fileSum, err error) {
	path = filepath.Join(f.dir, name)
	if f.files == nil {
		return path, nil, nil
	}
	if sum = f.files[name]; sum == nil {
		return path, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return path, sum, nil
}

// explain tells a file that is missing from a folder that is.
func (f *folder) explain(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || f.files != nil && f.files[name] == nil {
		return err
	}
	if _, gone := os.Stat(f.dir); errors.Is(gone, fs.ErrNotExist) {
		return fmt.Errorf("%s %q: %w", f.shelf.noun, f.name, errGone)
	}
	if f.files != nil {
		return damagedError(filepath.Join(f.dir, name), errors.New("it is missing"))
	}
	return err
}

// read reads a whole file; fs.ErrNotExist where the folder was stored without.
func (f *folder) read(name string) ([]byte, error) {
	path, sum, err := f.file(name)
	if err != nil {
		return nil, err
	}
	data, err := readChecked(path, sum)
	return data, f.explain(name, err)
}

// openFile opens a file to read parts of it.
func (f *folder) openFile(name string) (*checkedFile, error) {
	path, sum, err := f.file(name)
	if err != nil {
		return nil, err
	}
	file, err := openChecked(path, sum)
	return file, f.explain(name, err)
}

// verify checks a whole file before another program reads it.
func (f *folder) verify(name string) error {
	file, err := f.openFile(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.check(0, int64(len(file.checked)))
}

// remove takes a name away, and what it stood for.
func (k *shelf) remove(name string) error {
	held, err := k.take(name)
	if err != nil || held == nil || k.folders == "" {
		return err
	}
	r, err := parseReceipt(k.place(name), held)
	if err != nil {
		return nil // its folder is left to Collect
	}
	return os.RemoveAll(filepath.Join(k.folders, r.id))
}

var idForm = lazyregexp.New(`^\d{8}T\d{6}-[0-9a-f]{12}$`)

// isID tells a folder's id from the names that an earlier auspex gave folders.
func isID(file string) bool { return idForm.MatchString(file) }

// temporaryName tells Collect which process is writing, so that a living one
// is left in peace.
func temporaryName(id string) string { return ".tmp-" + scratch.Self() + "-" + id }
