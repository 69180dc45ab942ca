package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// vocabularyEnding is that of the files in vocabularies/.
const vocabularyEnding = ".toml"

func (s *Store) vocabulariesDir() string { return filepath.Join(s.dir, "vocabularies") }

// VocabularyFile is where a vocabulary of that name is kept.
func (s *Store) VocabularyFile(name string) string {
	return filepath.Join(s.vocabulariesDir(), escapeName(name)+vocabularyEnding)
}

// Vocabularies lists the names of the vocabularies kept beside the
// experiments, sorted.
func (s *Store) Vocabularies() ([]string, error) {
	entries, err := os.ReadDir(s.vocabulariesDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		file, isTOML := strings.CutSuffix(e.Name(), vocabularyEnding)
		if name, err := url.PathUnescape(file); err == nil && isTOML && !strings.HasPrefix(file, ".") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// Vocabulary reads one.
func (s *Store) Vocabulary(name string) ([]byte, error) {
	data, err := os.ReadFile(s.VocabularyFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &namedError{fmt.Sprintf("there is no vocabulary %q in the store", name), ErrNotFound}
	}
	return data, err
}

// PutVocabulary keeps one. A name already there is refused with ErrExists
// unless replace is set.
func (s *Store) PutVocabulary(name string, data []byte, replace bool) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(s.vocabulariesDir(), 0o777); err != nil {
		return fmt.Errorf("the store cannot be made: %w", err)
	}
	temporary := filepath.Join(s.vocabulariesDir(), temporaryName(newID()))
	if err := writeFile(temporary, data); err != nil {
		return err
	}
	defer os.Remove(temporary)
	path := s.VocabularyFile(name)
	if replace {
		if err := os.Rename(temporary, path); err != nil {
			return err
		}
		return syncDir(s.vocabulariesDir())
	}
	err := os.Link(temporary, path)
	if errors.Is(err, fs.ErrExist) {
		return &namedError{fmt.Sprintf("a vocabulary of the name %q exists", name), ErrExists}
	}
	if err != nil {
		return err
	}
	return syncDir(s.vocabulariesDir())
}
