package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"auspex/internal/lazyregexp"
)

// Attachment is a small file kept beside an experiment's tables, such as the
// CPU utilisation of its nodes over time.
type Attachment struct {
	Name string // of letters, digits and dashes, and an ending: cpu.csv
	Data []byte
}

var attachmentName = lazyregexp.New(`^[a-z0-9-]+\.(csv|txt|json|trace|gob)$`)

// attach writes attachments into the folder of an experiment that is being
// made.
func attach(d *draft, list []Attachment) error {
	for _, a := range list {
		if !attachmentName.MatchString(a.Name) || a.Name == headerFile {
			return fmt.Errorf("an attachment cannot be called %q: use small letters, digits and dashes with .csv, .txt, .json, .trace or .gob", a.Name)
		}
		if err := d.write(a.Name, a.Data); err != nil {
			return err
		}
	}
	return nil
}

// Attachment reads a file that was stored with the experiment; ErrNotFound
// where there is none of the name.
func (e *Experiment) Attachment(name string) ([]byte, error) {
	missing := &namedError{fmt.Sprintf("the experiment %q has no attachment %q", e.Name, name), ErrNotFound}
	if !attachmentName.MatchString(name) || name == headerFile {
		return nil, missing
	}
	if e.remote != nil {
		return e.remote.Attachment(e.ID, name)
	}
	data, err := e.folder.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	return data, err
}

// Attached lists the files that were stored with an experiment, sorted; those
// of a site's are not told.
func (e *Experiment) Attached() []string {
	if e.folder == nil {
		return nil
	}
	var names []string
	for name := range e.folder.files {
		if attachmentName.MatchString(name) && name != headerFile {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
