package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// graceTime is how long something without a name may still be on its way to
// one: the moment between a rename and the claim of a name, with room for a
// slow network file system.
const graceTime = 10 * time.Minute

// Collect removes what crashed or replaced imports left behind and returns
// the paths. Experiments being written by living processes stay.
func (s *Store) Collect() (removed []string, err error) {
	named := map[string]bool{}
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		id, err := s.idOf(name)
		if err != nil {
			continue
		}
		if _, err := os.Stat(s.experimentDir(id)); errors.Is(err, fs.ErrNotExist) {
			removed = append(removed, s.namePath(name))
			continue
		}
		named[id] = true
	}
	for _, dir := range []string{s.experimentsDir(), s.namesDir(), s.predictionsDir(), s.simulationsDir(), s.vocabulariesDir()} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if strings.HasPrefix(entry.Name(), ".tmp-") {
				if !writerAlive(entry.Name(), age(entry)) {
					removed = append(removed, path)
				}
			} else if dir == s.experimentsDir() && !named[entry.Name()] && age(entry) > graceTime {
				removed = append(removed, path)
			}
		}
	}
	for _, path := range removed {
		if err := os.RemoveAll(path); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

func age(entry fs.DirEntry) time.Duration {
	info, err := entry.Info()
	if err != nil {
		return 0
	}
	return time.Since(info.ModTime())
}

// writerAlive judges from a temporary name whether its process still runs.
// On another host only time can tell: a day.
func writerAlive(name string, age time.Duration) bool {
	pid, rest, _ := strings.Cut(strings.TrimPrefix(name, ".tmp-"), "-")
	n, err := strconv.Atoi(pid)
	if err != nil {
		return age < 24*time.Hour
	}
	if !strings.HasPrefix(rest, hostname()+"-") {
		return age < 24*time.Hour
	}
	return !errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
}
