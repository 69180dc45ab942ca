package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Spans are what simulated ranks did when, a column each, ordered by rank and
// time.
type Spans struct {
	Rank  []int32
	Part  []int32 // what it did, counted as the simulator does
	Begin []float64
	End   []float64
}

// The files of a simulation: what came out, and rank, part, begin and end of
// what was done.
const (
	simulationFile = "simulation.json"
	timelineFile   = "timeline.parquet"
)

// PutSimulation keeps a simulation. A name already there is refused with
// ErrExists unless replace is set. result is JSON.
func (s *Store) PutSimulation(name string, result []byte, timeline Spans, replace bool) error {
	return s.putFiles(Simulations, name, replace, func(d *draft) error {
		if len(timeline.Rank) > 0 {
			columns := []column{{name: "rank", ints: timeline.Rank}, {name: "part", ints: timeline.Part}, {name: "begin", reals: timeline.Begin}, {name: "end", reals: timeline.End}}
			if err := writeTable(d, timelineFile, "timeline", columns, len(timeline.Rank)); err != nil {
				return err
			}
		}
		return d.write(simulationFile, result)
	})
}

// Simulations lists the names of those that are kept, sorted.
func (s *Store) Simulations() ([]string, error) { return s.shelf(Simulations).list() }

// Simulation reads what came out of one.
func (s *Store) Simulation(name string) (data []byte, err error) {
	err = s.shelf(Simulations).open(name, func(f *folder) error {
		data, err = f.read(simulationFile)
		return err
	})
	return data, err
}

// Timeline reads what the ranks of a simulation did; none where it was not
// recorded.
func (s *Store) Timeline(name string) (t Spans, err error) {
	err = s.shelf(Simulations).open(name, func(f *folder) error {
		t, err = readTimeline(f)
		if errors.Is(err, fs.ErrNotExist) {
			t, err = Spans{}, nil
		}
		return err
	})
	return t, err
}

func readTimeline(dir *folder) (t Spans, err error) {
	f, err := openColumns(dir, timelineFile)
	if err != nil {
		return Spans{}, err
	}
	defer f.Close()
	if t.Rank, err = f.ints("rank"); err != nil {
		return Spans{}, err
	}
	if t.Part, err = f.ints("part"); err != nil {
		return Spans{}, err
	}
	if t.Begin, err = f.realColumn("begin", len(t.Rank)); err != nil {
		return Spans{}, err
	}
	if t.End, err = f.realColumn("end", len(t.Rank)); err != nil {
		return Spans{}, err
	}
	if len(t.Part) != len(t.Rank) || !slices.IsSorted(t.Rank) || len(t.Rank) > 0 && t.Rank[0] < 0 {
		return Spans{}, damagedError(f.path, fmt.Errorf("its columns do not fit"))
	}
	return t, nil
}

// RemoveSimulation deletes one.
func (s *Store) RemoveSimulation(name string) error { return s.shelf(Simulations).remove(name) }
