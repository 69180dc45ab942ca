package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"auspex/model"
)

// headerFile is the experiment's header; the tables are beside it.
const headerFile = "experiment.json"

// storedHeader is the header as it is written.
type storedHeader struct {
	Version int `json:"version"` // 0 before 2026-11-16
	model.Header
}

// Put stores an experiment under its name, and what is attached to it. A name
// already there is refused with ErrExists unless replace is set.
func (s *Store) Put(e *model.Experiment, replace bool, attached ...Attachment) error {
	if err := CheckName(e.Name); err != nil {
		return err
	}
	if err := e.Check(); err != nil {
		return err
	}
	shelf := s.shelf(Experiments)
	if err := shelf.refuse(e.Name, replace); err != nil { // before the writing
		return err
	}
	d, err := shelf.draft()
	if err != nil {
		return err
	}
	defer d.discard()
	if err := errors.Join(attach(d, attached), writeExperiment(d, e)); err != nil {
		return fmt.Errorf("storing %q: %w", e.Name, err)
	}
	if err := d.commit(e.Name, replace); err != nil {
		return err
	}
	e.ID = d.id
	return nil
}

func writeExperiment(d *draft, e *model.Experiment) error {
	if err := writeUnits(d, e.Units); err != nil {
		return err
	}
	if err := writeRegions(d, e.Regions); err != nil {
		return err
	}
	if err := writeValues(d, e); err != nil {
		return err
	}
	header := storedHeader{storeVersion, e.Header}
	header.ID = ""
	header.UnitCount, header.RegionCount, header.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	data, err := json.MarshalIndent(header, "", "  ")
	if err != nil {
		return err
	}
	return d.write(headerFile, append(data, '\n'))
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "unknown"
	}
	return name
}

func writeFile(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes renames and creations in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return unlessUnsyncable(d.Sync())
}

// unlessUnsyncable passes over what file systems say that cannot sync a
// directory: nothing more can be done there.
func unlessUnsyncable(err error) error {
	for _, cannot := range []error{syscall.EINVAL, syscall.ENOTSUP, syscall.ENOSYS} {
		if errors.Is(err, cannot) {
			return nil
		}
	}
	return err
}
