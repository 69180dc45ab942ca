package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Predictions are a kind of their own beside experiments: one file of JSON each,
// predictions/<name>.json, written whole and then given its name.

// ErrNoPrediction tells that there is no prediction of a name.
var ErrNoPrediction = errors.New("no such prediction")

// Prediction is a stored prediction: Body is what package predict answered.
type Prediction struct {
	Name    string          `json:"name"`
	Created time.Time       `json:"created"`
	Body    json.RawMessage `json:"prediction"`
}

func (s *Store) predictionsDir() string { return filepath.Join(s.dir, "predictions") }

const predictionEnding = ".json"

func (s *Store) predictionPath(name string) string {
	return filepath.Join(s.predictionsDir(), escapeName(name)+predictionEnding)
}

// PutPrediction stores a prediction under its name. A name that is there, as a
// prediction or as an experiment, is refused with ErrExists; replace lets a
// prediction take another's place.
func (s *Store) PutPrediction(p *Prediction, replace bool) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	if _, err := os.Stat(s.namePath(p.Name)); err == nil {
		return fmt.Errorf("%w: %q", ErrExists, p.Name)
	}
	if err := os.MkdirAll(s.predictionsDir(), 0o777); err != nil {
		return fmt.Errorf("the store cannot be made: %w", err)
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	path := s.predictionPath(p.Name)
	temporary := filepath.Join(s.predictionsDir(), temporaryName(newID()))
	if err := writeFile(temporary, append(data, '\n')); err != nil {
		return err
	}
	defer os.Remove(temporary)
	if replace {
		err = os.Rename(temporary, path)
	} else if err = os.Link(temporary, path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: the prediction %q", ErrExists, p.Name)
	} else if err != nil {
		// a file system without links: the name is looked for, then taken
		if _, there := os.Stat(path); there == nil {
			return fmt.Errorf("%w: the prediction %q", ErrExists, p.Name)
		}
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return err
	}
	return syncDir(s.predictionsDir())
}

// Prediction reads a prediction by name.
func (s *Store) Prediction(name string) (*Prediction, error) {
	data, err := os.ReadFile(s.predictionPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %q", ErrNoPrediction, name)
	}
	if err != nil {
		return nil, err
	}
	p := &Prediction{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("the prediction %q is damaged: %w; remove it with `auspex rm`", name, err)
	}
	p.Name = name
	return p, nil
}

// Predictions lists the names of predictions, sorted.
func (s *Store) Predictions() ([]string, error) {
	entries, err := os.ReadDir(s.predictionsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		file, ok := strings.CutSuffix(e.Name(), predictionEnding)
		if !ok || strings.HasPrefix(file, ".") {
			continue
		}
		if name, err := url.PathUnescape(file); err == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// RemovePrediction deletes a prediction.
func (s *Store) RemovePrediction(name string) error {
	err := os.Remove(s.predictionPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %q", ErrNoPrediction, name)
	}
	return err
}
