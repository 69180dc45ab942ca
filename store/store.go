// Package store keeps experiments on disk.
//
// A store is a directory:
//
//	experiments/<id>/experiment.json   header: name, program, factors, metrics, counts
//	experiments/<id>/units.parquet     id, node, process, thread
//	experiments/<id>/regions.parquet   id, parent, name, path, kind, file, line
//	experiments/<id>/values.parquet    unit, region, a column per metric
//	experiments/<id>/<what>.derived    what was worked out of it later, see derived.go
//	names/<name>                       the experiment's receipt: its id, and sums of its files
//	predictions/<id>/prediction.json   a prediction; its receipt is predictions/<name>.kept
//	simulations/<id>/simulation.json   a replay; its receipt is simulations/<name>.kept
//	simulations/<id>/timeline.parquet  rank, part, begin, end
//	vocabularies/<name>.toml           a vocabulary, whose last line holds its sum
//	filters/<program>.filter           what runs showed to be too short: rules for auspex cc
//	claims/<name>/owner                who is writing under a name just now
//
// Things of all kinds are kept by one means, the shelf: a file for each
// name, which stands for a folder or is the thing itself. What is stored never
// changes. It is written under a temporary name, synced, renamed into place
// and only then given its name, so a crash at any instant leaves nothing half
// visible: what has no name does not exist, and Collect removes it. A name is
// replaced by renaming over its file; what it stood for stays for some minutes
// for those who read it.
//
// Who writes under a name claims it first (see claim.go); readers never wait.
// Everything that is read is checked against the sums in the receipt, also
// before DuckDB reads it.
//
// Use:
//
//  1. Open a store; Put an experiment; List the headers.
//  2. Get an experiment by name: the header is read, the rest on demand.
//  3. Matrix loads one metric densely; Engine runs SQL over the files.
package store

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"auspex/internal/crew"
	"auspex/model"
)

// Store is a directory of experiments.
type Store struct {
	dir      string
	remote   Remote        // nil for a directory
	patience time.Duration // with a name that another is writing
	held     heldClaims
	swept    [5]sync.Once // by Kind
}

// Errors that callers tell apart, for things of every kind.
var (
	ErrNotFound = errors.New("not in the store")
	ErrExists   = errors.New("the name is taken")
	ErrBusy     = fmt.Errorf("something is being written under it: %w", ErrExists)
)

// Open returns the store in dir. The directory need not exist yet: it is made
// by the first Put.
func Open(dir string) *Store { return &Store{dir: dir, patience: claimWait} }

// Dir is the store's directory, or the name of the site that it reads.
func (s *Store) Dir() string {
	if s.remote != nil {
		return s.remote.Place()
	}
	return s.dir
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

// newID makes an identifier that sorts by time: the second, its 65536ths, and chance.
func newID() string {
	now := time.Now().UTC()
	var tail [6]byte
	rand.Read(tail[2:])
	binary.BigEndian.PutUint16(tail[:], uint16(uint64(now.Nanosecond())<<16/1e9))
	return now.Format("20060102T150405") + "-" + hex.EncodeToString(tail[:])
}

// Names lists the experiments' names, sorted.
func (s *Store) Names() ([]string, error) {
	if s.remote != nil {
		return s.remote.Names()
	}
	return s.shelf(Experiments).list()
}

// List reads the headers of all experiments, sorted by name. What cannot be
// read is left out and told in problems.
func (s *Store) List() (headers []model.Header, problems []error, err error) {
	if s.remote != nil {
		headers, err = s.remote.List()
		return headers, nil, err
	}
	names, err := s.Names()
	if err != nil {
		return nil, nil, err
	}
	headers = make([]model.Header, len(names))
	failed := make([]error, len(names))
	var wg crew.Crew
	workers := 2 * runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names); i += workers {
				headers[i], _, failed[i] = s.header(names[i])
			}
		})
	}
	wg.Wait()
	kept := headers[:0]
	for i := range headers {
		if errors.Is(failed[i], ErrNotFound) {
			continue // removed since the names were listed
		}
		if failed[i] != nil {
			problems = append(problems, failed[i])
			continue
		}
		kept = append(kept, headers[i])
	}
	return kept, problems, nil
}

// header reads an experiment's header, and finds its folder.
func (s *Store) header(name string) (h model.Header, dir *folder, err error) {
	err = s.shelf(Experiments).open(name, func(f *folder) error {
		data, err := f.read(headerFile)
		if err != nil {
			return err
		}
		path := filepath.Join(f.dir, headerFile)
		var stored storedHeader
		err = json.Unmarshal(data, &stored)
		switch {
		case stored.Version > storeVersion:
			return newerError(path, stored.Version)
		case err != nil:
			return damagedError(path, err)
		case stored.Version > 0 && f.files == nil:
			return damagedError(f.shelf.place(name), errReceipt)
		}
		h, dir = stored.Header, f
		return nil
	})
	if err != nil {
		return model.Header{}, nil, err
	}
	h.ID, h.Name = dir.id, name
	return h, dir, nil
}

// Remove deletes an experiment: the name first, so that it vanishes at once.
func (s *Store) Remove(name string) error { return s.shelf(Experiments).remove(name) }
