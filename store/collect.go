package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/internal/scratch"
)

// graceTime is how long a folder without a name may still be on its way to
// one, or be read by someone who found it before it was replaced.
const graceTime = 10 * time.Minute

// farTime is after how long what a process on another machine was writing
// counts as left behind.
const farTime = 24 * time.Hour

// Collect removes what crashed or replaced imports left behind and returns
// the paths. What living processes are writing stays.
func (s *Store) Collect() (removed []string, err error) {
	if s.remote != nil {
		return nil, errRemote
	}
	remove := func(path string) error {
		removed = append(removed, path)
		return os.RemoveAll(path)
	}
	for _, kind := range append(slices.Clone(kinds), Filters) {
		k := s.shelf(kind)
		err := errors.Join(k.collectDangling(&removed), k.collectFolders(remove))
		for _, dir := range uniqueDirs(k.names, k.folders) {
			err = errors.Join(err, collectTemporary(dir, remove))
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, errors.Join(collectTemporary(s.claimsDir(), remove), s.collectClaims(&removed))
}

func uniqueDirs(a, b string) []string {
	if b == "" || a == b {
		return []string{a}
	}
	return []string{a, b}
}

// entries lists a directory that need not be there.
func entries(dir string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// collectFolders removes folders that no name stands for. Folders are looked
// at before names: what is put meanwhile is not seen, or seen with its name.
func (k *shelf) collectFolders(remove func(string) error) error {
	if k.folders == "" {
		return nil
	}
	found, err := entries(k.folders)
	if err != nil {
		return err
	}
	names, err := k.list()
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, name := range names {
		r, err := k.receipt(name)
		switch {
		case err == nil:
			named[r.id] = true
		case !errors.Is(err, ErrNotFound):
			return nil // a damaged name may stand for any of them
		}
	}
	for _, entry := range found {
		path := filepath.Join(k.folders, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || named[entry.Name()] || !entry.IsDir() {
			continue
		}
		if k.before != nil && !isID(entry.Name()) {
			if _, err := os.Stat(k.head(path)); errors.Is(err, fs.ErrNotExist) { // the stump of a replacing of old
				err = remove(path)
				if err != nil {
					return err
				}
			}
			continue
		}
		if age(entry) > graceTime {
			if err := remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// collectDangling removes names whose folder is gone.
func (k *shelf) collectDangling(removed *[]string) error {
	if k.folders == "" {
		return nil
	}
	names, err := k.list()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !k.dangling(name) {
			continue
		}
		c, _, err := k.store.tryClaim(escapeName(name))
		if errors.Is(err, ErrBusy) {
			continue // somebody is giving it another
		}
		if err != nil {
			return err
		}
		if k.dangling(name) { // nobody can change it now
			*removed = append(*removed, k.place(name))
			err = os.Remove(k.place(name))
		}
		c.release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *shelf) dangling(name string) bool {
	r, err := k.receipt(name)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(k.folders, r.id))
	return errors.Is(err, fs.ErrNotExist)
}

func collectTemporary(dir string, remove func(string) error) error {
	found, err := entries(dir)
	if err != nil {
		return err
	}
	for _, entry := range found {
		if strings.HasPrefix(entry.Name(), ".tmp-") && !writerAlive(entry.Name(), age(entry)) {
			if err := remove(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) collectClaims(removed *[]string) error {
	found, err := entries(s.claimsDir())
	if err != nil {
		return err
	}
	for _, entry := range found {
		if strings.HasPrefix(entry.Name(), ".tmp-") {
			continue
		}
		_, who, _ := readOwner(filepath.Join(s.claimsDir(), entry.Name()))
		if !stale(filepath.Join(s.claimsDir(), entry.Name()), who, time.Now()) {
			continue // or gone
		}
		c, _, err := s.tryClaim(entry.Name()) // who gets it broke it
		if errors.Is(err, ErrBusy) {
			continue
		}
		if err != nil {
			return err
		}
		c.release()
		*removed = append(*removed, c.path)
	}
	return nil
}

// sweepOnce removes what earlier replacing left, once for each Store.
func (s *Store) sweepOnce(k *shelf) {
	s.swept[k.kind].Do(func() {
		k.collectFolders(os.RemoveAll) // gc tells what cannot be removed
	})
}

func age(entry fs.DirEntry) time.Duration {
	info, err := entry.Info()
	if err != nil {
		return 0
	}
	return time.Since(info.ModTime())
}

// writerAlive judges from a temporary name whether its process still runs.
// On another machine only time can tell.
func writerAlive(name string, age time.Duration) bool {
	owner, rest, _ := strings.Cut(strings.TrimPrefix(name, ".tmp-"), "-")
	if alive, known := scratch.Alive(owner); known {
		return alive
	}
	// Before 2026-11-16 the name was .tmp-PID-HOST-ID, and a host's name may
	// hold dashes.
	host, isOld := strings.CutSuffix(rest, "-"+lastTwo(rest))
	if pid, err := strconv.Atoi(owner); err == nil && isOld && host == hostname() {
		return scratch.Running(pid)
	}
	return age < farTime
}

// lastTwo is the id at the end of an old temporary name: a date, a dash and
// random digits.
func lastTwo(text string) string {
	parts := strings.Split(text, "-")
	return strings.Join(parts[max(0, len(parts)-2):], "-")
}
