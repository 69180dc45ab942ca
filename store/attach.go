package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// Attachment is a small file kept beside an experiment's tables, such as the
// CPU utilisation of its nodes over time.
type Attachment struct {
	Name string // of letters, digits and dashes, and an ending: cpu.csv
	Data []byte
}

var attachmentName = regexp.MustCompile(`^[a-z0-9-]+\.(csv|txt|json)$`)

// attach writes attachments into the directory of an experiment that is being
// made.
func attach(dir string, list []Attachment) error {
	for _, a := range list {
		if !attachmentName.MatchString(a.Name) || a.Name == "experiment.json" {
			return fmt.Errorf("an attachment cannot be called %q: use small letters, digits and dashes with .csv, .txt or .json", a.Name)
		}
		if err := writeFile(filepath.Join(dir, a.Name), a.Data); err != nil {
			return err
		}
	}
	return nil
}

// Attachment reads a file that was stored with the experiment; ErrNotFound
// where there is none of the name.
func (e *Experiment) Attachment(name string) ([]byte, error) {
	if !attachmentName.MatchString(name) {
		return nil, fmt.Errorf("%w: attachment %q of %s", ErrNotFound, name, e.Name)
	}
	data, err := os.ReadFile(filepath.Join(e.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: attachment %q of %s", ErrNotFound, name, e.Name)
	}
	return data, err
}
