// Package store keeps experiments on disk.
//
// A store is a directory:
//
//	experiments/<id>/experiment.json   header: name, program, factors, metrics, counts
//	experiments/<id>/units.parquet     id, node, process, thread
//	experiments/<id>/regions.parquet   id, parent, name, path, kind, file, line
//	experiments/<id>/values.parquet    unit, region, a column per metric
//	names/<name>                       the id that the name stands for
//	predictions/<name>.json            a prediction, a kind of its own
//
// An experiment never changes once it is there. It is written under a
// temporary name, synced, renamed into place and only then given its name,
// so a crash at any instant leaves nothing half visible: what has no name
// does not exist, and Collect removes it. There are no locks; a name is
// claimed by creating its file exclusively and replaced by renaming over it.
//
// Use:
//
//  1. Open a store; Put an experiment; List the headers.
//  2. Get an experiment by name: the header is read, the rest on demand.
//  3. Matrix loads one metric densely; Engine runs SQL over the files.
package store

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"auspex/model"
)

// Store is a directory of experiments.
type Store struct{ dir string }

// Errors that callers tell apart.
var (
	ErrNotFound = errors.New("no such experiment")
	ErrExists   = errors.New("an experiment of that name exists")
)

// Open returns the store in dir. The directory need not exist yet: it is made
// by the first Put.
func Open(dir string) *Store { return &Store{dir: dir} }

// Dir is the store's directory.
func (s *Store) Dir() string { return s.dir }

func (s *Store) experimentsDir() string         { return filepath.Join(s.dir, "experiments") }
func (s *Store) namesDir() string               { return filepath.Join(s.dir, "names") }
func (s *Store) experimentDir(id string) string { return filepath.Join(s.experimentsDir(), id) }
func (s *Store) namePath(name string) string {
	return filepath.Join(s.namesDir(), escapeName(name))
}

// CheckName tells whether a text can name an experiment.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("an experiment needs a name")
	case len(escapeName(name)) > 200:
		return fmt.Errorf("the name %.40q… is too long: 200 bytes at most", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }):
		return fmt.Errorf("the name %q holds control characters", name)
	case strings.HasPrefix(name, "-"):
		return fmt.Errorf("the name %q begins with a dash and would read as a flag", name)
	}
	return nil
}

// escapeName makes a file name of an experiment's name. A leading dot is
// escaped too: such files are ours while they are being written.
func escapeName(name string) string {
	escaped := url.PathEscape(name)
	if strings.HasPrefix(escaped, ".") {
		escaped = "%2E" + escaped[1:]
	}
	return escaped
}

// newID makes an identifier that sorts by time.
func newID() string {
	var random [6]byte
	rand.Read(random[:])
	return time.Now().UTC().Format("20060102T150405") + "-" + hex.EncodeToString(random[:])
}

// idOf reads which experiment a name stands for.
func (s *Store) idOf(name string) (string, error) {
	data, err := readSmall(s.namePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %q", ErrNotFound, name)
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(data))
	if id == "" || id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return "", fmt.Errorf("the store's entry for %q is damaged; remove it with `auspex rm`", name)
	}
	return id, nil
}

// Names lists the names in the store, sorted.
func (s *Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.namesDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if name, err := url.PathUnescape(e.Name()); err == nil {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// List reads the headers of all experiments, sorted by name. What cannot be
// read is left out and told in problems.
func (s *Store) List() (headers []model.Header, problems []error, err error) {
	names, err := s.Names()
	if err != nil {
		return nil, nil, err
	}
	headers = make([]model.Header, len(names))
	failed := make([]error, len(names))
	var wg sync.WaitGroup
	workers := 2 * runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names); i += workers {
				headers[i], failed[i] = s.header(names[i])
			}
		})
	}
	wg.Wait()
	kept := headers[:0]
	for i := range headers {
		if failed[i] != nil {
			problems = append(problems, failed[i])
			continue
		}
		kept = append(kept, headers[i])
	}
	return kept, problems, nil
}

func (s *Store) header(name string) (model.Header, error) {
	id, err := s.idOf(name)
	if err != nil {
		return model.Header{}, err
	}
	path := filepath.Join(s.experimentDir(id), "experiment.json")
	data, err := readSmall(path)
	if err != nil {
		return model.Header{}, fmt.Errorf("experiment %q: %w", name, err)
	}
	var h model.Header
	if err := json.Unmarshal(data, &h); err != nil {
		return model.Header{}, fmt.Errorf("experiment %q: %s is damaged: %w", name, path, err)
	}
	h.ID, h.Name = id, name
	return h, nil
}

// Remove deletes an experiment: the name first, so that it vanishes at once.
func (s *Store) Remove(name string) error {
	id, idErr := s.idOf(name)
	if errors.Is(idErr, ErrNotFound) {
		return idErr
	}
	if err := os.Remove(s.namePath(name)); err != nil {
		return err
	}
	if idErr != nil {
		return nil
	}
	return os.RemoveAll(s.experimentDir(id))
}
