package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// predictionFile is a prediction's only file.
const predictionFile = "prediction.json"

// Prediction is a stored prediction: Body is what package predict answered.
type Prediction struct {
	Name    string          `json:"name"`
	Created time.Time       `json:"created"`
	Body    json.RawMessage `json:"prediction"`
}

// PutPrediction stores a prediction under its name. A name that is there, as a
// prediction or as an experiment, is refused with ErrExists; replace lets a
// prediction take another's place.
func (s *Store) PutPrediction(p *Prediction, replace bool) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return s.putFiles(Predictions, p.Name, replace, func(d *draft) error {
		return d.write(predictionFile, append(data, '\n'))
	})
}

// putFiles stores a folder whose files write makes.
func (s *Store) putFiles(kind Kind, name string, replace bool, write func(*draft) error) error {
	shelf := s.shelf(kind)
	if err := CheckName(name); err != nil {
		return err
	}
	if err := shelf.refuse(name, replace); err != nil { // before the writing
		return err
	}
	d, err := shelf.draft()
	if err != nil {
		return err
	}
	defer d.discard()
	if err := write(d); err != nil {
		return fmt.Errorf("storing %q: %w", name, err)
	}
	return d.commit(name, replace)
}

// Prediction reads a prediction by name.
func (s *Store) Prediction(name string) (*Prediction, error) {
	p := &Prediction{}
	err := s.shelf(Predictions).open(name, func(f *folder) error {
		data, err := f.read(predictionFile)
		if f.id == "" { // of an earlier auspex: the file is all there is
			data, err = readSmall(f.dir)
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, p); err != nil {
			return fmt.Errorf("the prediction %q is damaged: %w; remove it with `auspex rm`", name, err)
		}
		return nil
	})
	p.Name = name
	return p, err
}

// Predictions lists the names of predictions, sorted.
func (s *Store) Predictions() ([]string, error) { return s.shelf(Predictions).list() }

// RemovePrediction deletes a prediction.
func (s *Store) RemovePrediction(name string) error { return s.shelf(Predictions).remove(name) }
