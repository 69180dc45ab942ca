package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Kind is one of the kinds of things that a store keeps.
type Kind int

const (
	Experiments Kind = iota
	Predictions
	Simulations
	Vocabularies
	Filters
)

// kinds are those that people name and keep; filters come of runs.
var kinds = []Kind{Experiments, Predictions, Simulations, Vocabularies}

// shelf keeps things of one kind by name: a file each, which is there whole or
// not at all, and is replaced by renaming another over it. All writing under a
// name is done by who claimed it.
type shelf struct {
	store  *Store
	kind   Kind
	noun   string
	names  string // where the names' files are
	ending string // of their names

	// folders is where the folders are that names stand for; "" for a kind
	// whose things are in the names' files themselves.
	folders string

	// before is where a thing was kept by auspex before 2026-11-16, "" where
	// that was as it is now. Such things are read, replaced and removed.
	before func(file string) string
}

func (s *Store) shelf(kind Kind) *shelf {
	in := func(dir string) string { return filepath.Join(s.dir, dir) }
	switch kind {
	case Predictions:
		return &shelf{store: s, kind: kind, noun: "prediction", names: in("predictions"), ending: ".kept", folders: in("predictions"),
			before: func(file string) string { return filepath.Join(in("predictions"), file+".json") }}
	case Simulations:
		return &shelf{store: s, kind: kind, noun: "simulation", names: in("simulations"), ending: ".kept", folders: in("simulations"),
			before: func(file string) string { return filepath.Join(in("simulations"), file) }}
	case Vocabularies:
		return &shelf{store: s, kind: kind, noun: "vocabulary", names: in("vocabularies"), ending: ".toml"}
	case Filters:
		return &shelf{store: s, kind: kind, noun: "filter", names: in("filters"), ending: ".filter"}
	}
	return &shelf{store: s, kind: Experiments, noun: "experiment", names: in("names"), folders: in("experiments")}
}

// place is the file of a name.
func (k *shelf) place(name string) string {
	return filepath.Join(k.names, escapeName(name)+k.ending)
}

// old is where an earlier auspex kept what is not in place; "" if it did not.
func (k *shelf) old(name string) string {
	if k.before == nil || k.store.remote != nil {
		return ""
	}
	path := k.before(escapeName(name))
	if isID(filepath.Base(path)) {
		return ""
	}
	if _, err := os.Stat(k.head(path)); err != nil {
		return ""
	}
	return path
}

// head is the file without which what an earlier auspex left is a stump.
func (k *shelf) head(path string) string {
	if k.kind == Simulations {
		return filepath.Join(path, simulationFile)
	}
	return path
}

// has tells whether a name is taken.
func (k *shelf) has(name string) (bool, error) {
	if k.store.remote != nil {
		return false, nil
	}
	_, err := os.Lstat(k.place(name))
	if errors.Is(err, fs.ErrNotExist) {
		return k.old(name) != "", nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return false, k.noDirectory()
	}
	return err == nil, err
}

func (k *shelf) noDirectory() error {
	return fmt.Errorf("the store %s is not a directory", k.store.dir)
}

// list gives the names that are taken, sorted.
func (k *shelf) list() ([]string, error) {
	if k.store.remote != nil {
		return nil, nil
	}
	entries, err := os.ReadDir(k.names)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, k.noDirectory()
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		file, there := strings.CutSuffix(entry.Name(), k.ending)
		if !there || entry.IsDir() || strings.HasPrefix(file, ".") {
			if file, there = k.listedBefore(entry); !there {
				continue
			}
		}
		if name, err := url.PathUnescape(file); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// listedBefore tells the file name behind an entry that an earlier auspex made.
func (k *shelf) listedBefore(entry fs.DirEntry) (file string, there bool) {
	if k.before == nil || strings.HasPrefix(entry.Name(), ".") || isID(entry.Name()) {
		return "", false
	}
	ending := filepath.Ext(k.before("x"))
	if file, there = strings.CutSuffix(entry.Name(), ending); !there {
		return "", false
	}
	_, err := os.Stat(k.head(k.before(file)))
	return file, err == nil
}

// read gives what a name's file holds.
func (k *shelf) read(name string) ([]byte, error) {
	if k.store.remote != nil {
		return nil, k.notFound(name)
	}
	data, err := readSmall(k.place(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, k.notFound(name)
	}
	return data, err
}

func (k *shelf) notFound(name string) error {
	return &namedError{fmt.Sprintf("there is no %s %q in the store", k.noun, name), ErrNotFound}
}

func (k *shelf) exists(name string) error {
	article := "a"
	if k.kind == Experiments {
		article = "an"
	}
	return &namedError{fmt.Sprintf("%s %s of the name %q exists", article, k.noun, name), ErrExists}
}

// refuse tells whether a name cannot be had. An experiment's name is never a
// prediction's: both are shown by it.
func (k *shelf) refuse(name string, replace bool) error {
	if k.store.remote != nil {
		return errRemote
	}
	if k.kind == Predictions {
		experiments := k.store.shelf(Experiments)
		if taken, err := experiments.has(name); err != nil {
			return err
		} else if taken {
			return experiments.exists(name)
		}
	}
	if replace {
		return nil
	}
	if taken, err := k.has(name); err != nil {
		return err
	} else if taken {
		return k.exists(name)
	}
	return nil
}

// put writes a name's file, in place of another if replace is set. before is
// called when the name is ours and nothing has changed yet.
func (k *shelf) put(name string, content []byte, replace bool, before func() error) error {
	if k.store.remote != nil {
		return errRemote
	}
	if err := CheckName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(k.names, 0o777); err != nil {
		return fmt.Errorf("the store cannot be made: %w", err)
	}
	claimed, err := k.store.claim(name)
	if err != nil {
		return err
	}
	if k.store.held.find(name) == nil {
		defer claimed.release()
	}
	if err := k.refuse(name, replace); err != nil {
		return err
	}
	temporary := filepath.Join(k.names, temporaryName(newID()))
	defer os.Remove(temporary)
	if err := errors.Join(writeFile(temporary, content), before()); err != nil {
		return err
	}
	if !claimed.holds() {
		return fmt.Errorf("the claim of the name %q was lost: this process was out of reach of the store for minutes; try again", name)
	}
	place := k.place(name)
	err = renamed(temporary, place, func() bool {
		data, err := os.ReadFile(place)
		return err == nil && bytes.Equal(data, content)
	})
	if err != nil {
		return err
	}
	if err := syncDir(k.names); err != nil {
		return err
	}
	if old := k.old(name); old != "" {
		return os.RemoveAll(old) // hidden by the new one
	}
	return nil
}

// take removes a name and gives what its file held, nil where an earlier
// auspex had kept it. The name is gone at once.
func (k *shelf) take(name string) ([]byte, error) {
	if k.store.remote != nil {
		return nil, errRemote
	}
	if taken, err := k.has(name); err != nil {
		return nil, err
	} else if !taken {
		return nil, k.notFound(name)
	}
	gone := filepath.Join(k.names, temporaryName(newID()))
	defer os.RemoveAll(gone)
	if old := k.old(name); old != "" { // first, lest it come to light again
		if err := os.Rename(old, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := os.RemoveAll(gone); err != nil {
			return nil, err
		}
	}
	err := os.Rename(k.place(name), gone)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, syncDir(k.names)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(gone)
	return data, errors.Join(err, syncDir(k.names))
}

// renamed renames. Over a network the answer may be lost and the question
// asked again, which then fails though all is well: landed looks.
func renamed(from, to string, landed func() bool) error {
	if err := os.Rename(from, to); err != nil && !landed() {
		return err
	}
	return nil
}
