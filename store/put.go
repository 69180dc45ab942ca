package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"auspex/model"
)

// Put stores an experiment under its name, and what is attached to it. A name
// already there is refused with ErrExists unless replace is set.
func (s *Store) Put(e *model.Experiment, replace bool, attached ...Attachment) error {
	if err := CheckName(e.Name); err != nil {
		return err
	}
	if err := e.Check(); err != nil {
		return err
	}
	for _, dir := range []string{s.experimentsDir(), s.namesDir()} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("the store cannot be made: %w", err)
		}
	}
	if !replace {
		// Claiming the name below decides; asking first spares the writing.
		if _, err := os.Stat(s.namePath(e.Name)); err == nil {
			return fmt.Errorf("%w: %q", ErrExists, e.Name)
		}
	}
	id := newID()
	temporary := filepath.Join(s.experimentsDir(), temporaryName(id))
	if err := os.Mkdir(temporary, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(temporary) // gone by then when all went well
	if err := errors.Join(attach(temporary, attached), writeExperiment(temporary, e)); err != nil {
		return fmt.Errorf("storing %q: %w", e.Name, err)
	}
	if err := os.Rename(temporary, s.experimentDir(id)); err != nil {
		return err
	}
	if err := syncDir(s.experimentsDir()); err != nil {
		return err
	}
	previous, err := s.claim(e.Name, id, replace)
	if err != nil {
		os.RemoveAll(s.experimentDir(id))
		return err
	}
	if previous != "" {
		os.RemoveAll(s.experimentDir(previous))
	}
	e.ID = id
	return nil
}

// temporaryName tells Collect which process is writing, so that a living one
// is left in peace.
func temporaryName(id string) string {
	return ".tmp-" + strconv.Itoa(os.Getpid()) + "-" + hostname() + "-" + id
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// claim points a name at an id and returns the id it pointed at before. A
// hard link is created exclusively and whole, on every file system that has
// links; elsewhere an exclusive create comes closest.
func (s *Store) claim(name, id string, replace bool) (previous string, err error) {
	path := s.namePath(name)
	temporary := filepath.Join(s.namesDir(), temporaryName(id))
	if err := writeFile(temporary, []byte(id+"\n")); err != nil {
		return "", err
	}
	defer os.Remove(temporary)
	if replace {
		previous, _ = s.idOf(name)
		if err := os.Rename(temporary, path); err != nil {
			return "", err
		}
		return previous, syncDir(s.namesDir())
	}
	err = os.Link(temporary, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = createExclusive(path, id)
	}
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%w: %q", ErrExists, name)
	}
	if err != nil {
		return "", err
	}
	return "", syncDir(s.namesDir())
}

func createExclusive(path, id string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

func writeExperiment(dir string, e *model.Experiment) error {
	if err := writeUnits(filepath.Join(dir, "units.parquet"), e.Units); err != nil {
		return err
	}
	if err := writeRegions(filepath.Join(dir, "regions.parquet"), e.Regions); err != nil {
		return err
	}
	if err := writeValues(filepath.Join(dir, "values.parquet"), e); err != nil {
		return err
	}
	header := e.Header
	header.ID = ""
	header.UnitCount, header.RegionCount, header.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	data, err := json.MarshalIndent(header, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "experiment.json"), append(data, '\n')); err != nil {
		return err
	}
	return syncDir(dir)
}

func writeFile(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes renames and creations in a directory last. File systems that
// cannot sync a directory say EINVAL; nothing more can be done there.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
