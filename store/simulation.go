package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"auspex/replay"
)

// The files of a simulation: what came out, and rank, part, begin and end of
// what was done.
const (
	simulationFile = "simulation.json"
	timelineFile   = "timeline.parquet"
)

// PutSimulation keeps a replay under its name. A name already there is refused
// with ErrExists unless replace is set.
func (s *Store) PutSimulation(r *replay.Record, replace bool) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.putFiles(Simulations, r.Name, replace, func(d *draft) error {
		if t := r.Timeline; t != nil && len(t.Rank) > 0 {
			columns := []column{{name: "rank", ints: t.Rank}, {name: "part", ints: t.Part}, {name: "begin", reals: t.Begin}, {name: "end", reals: t.End}}
			if err := writeTable(d, timelineFile, "timeline", columns, len(t.Rank)); err != nil {
				return err
			}
		}
		return d.write(simulationFile, data)
	})
}

// Simulations lists the names of those that are kept, sorted.
func (s *Store) Simulations() ([]string, error) { return s.shelf(Simulations).list() }

// Simulation reads one, without its timeline.
func (s *Store) Simulation(name string) (*replay.Record, error) {
	r := &replay.Record{}
	err := s.shelf(Simulations).open(name, func(f *folder) error {
		data, err := f.read(simulationFile)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, r); err != nil {
			return damagedError(filepath.Join(f.dir, simulationFile), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Name = name
	return r, nil
}

// Timeline reads what the ranks of a simulation did; none where it was not
// recorded.
func (s *Store) Timeline(name string) (t *replay.Spans, err error) {
	err = s.shelf(Simulations).open(name, func(f *folder) error {
		t, err = readTimeline(f)
		if errors.Is(err, fs.ErrNotExist) {
			t, err = &replay.Spans{}, nil
		}
		return err
	})
	return t, err
}

func readTimeline(dir *folder) (*replay.Spans, error) {
	f, err := openColumns(dir, timelineFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &replay.Spans{}
	if t.Rank, err = f.ints("rank"); err != nil {
		return nil, err
	}
	if t.Part, err = f.ints("part"); err != nil {
		return nil, err
	}
	if t.Begin, err = f.realColumn("begin", len(t.Rank)); err != nil {
		return nil, err
	}
	if t.End, err = f.realColumn("end", len(t.Rank)); err != nil {
		return nil, err
	}
	if len(t.Part) != len(t.Rank) || !slices.IsSorted(t.Rank) || len(t.Rank) > 0 && t.Rank[0] < 0 {
		return nil, damagedError(f.path, errors.New("its columns do not fit"))
	}
	return t, nil
}

// RemoveSimulation deletes one.
func (s *Store) RemoveSimulation(name string) error { return s.shelf(Simulations).remove(name) }
