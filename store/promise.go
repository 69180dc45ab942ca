package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A promise is what a change to a program should bring, said before it was made.
// It belongs to the experiment it was made for, by that one's id: an experiment
// that takes its name has none. The latest promise counts.

func (s *Store) promiseFile(id string) string {
	return filepath.Join(s.dir, "promises", escapeName(id)+".json")
}

// PutPromise keeps a promise beside an experiment, in place of an earlier one.
func (s *Store) PutPromise(id string, data []byte) error {
	file := s.promiseFile(id)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(file), ".promise-")
	if err != nil {
		return err
	}
	_, err = draft.Write(data)
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), file)
	}
	if err != nil {
		os.Remove(draft.Name())
	}
	return err
}

// Promise reads the promise of an experiment; ErrNotFound where there is none.
func (s *Store) Promise(id string) ([]byte, error) {
	data, err := readSmall(s.promiseFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &namedError{fmt.Sprintf("the experiment %q has no promise", id), ErrNotFound}
	}
	return data, err
}
