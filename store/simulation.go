package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Spans are what simulated ranks did when, a column each, ordered by rank and
// time.
type Spans struct {
	Rank  []int32
	Part  []int32 // what it did, counted as the simulator does
	Begin []float64
	End   []float64
}

// Simulations are kept beside the experiments:
//
//	simulations/<name>/simulation.json   what came out
//	simulations/<name>/timeline.parquet  rank, part, begin, end
func (s *Store) simulationsDir() string { return filepath.Join(s.dir, "simulations") }
func (s *Store) simulationDir(name string) string {
	return filepath.Join(s.simulationsDir(), escapeName(name))
}

// PutSimulation keeps a simulation. A name already there is refused with
// ErrExists unless replace is set. result is JSON.
func (s *Store) PutSimulation(name string, result []byte, timeline Spans, replace bool) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(s.simulationsDir(), 0o777); err != nil {
		return fmt.Errorf("the store cannot be made: %w", err)
	}
	temporary := filepath.Join(s.simulationsDir(), temporaryName(newID()))
	if err := os.Mkdir(temporary, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(temporary) // gone by then when all went well
	columns := []column{{name: "rank", ints: timeline.Rank}, {name: "part", ints: timeline.Part}, {name: "begin", reals: timeline.Begin}, {name: "end", reals: timeline.End}}
	if len(timeline.Rank) > 0 {
		if err := writeTable(filepath.Join(temporary, "timeline.parquet"), "timeline", columns, len(timeline.Rank)); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(temporary, "simulation.json"), result); err != nil {
		return err
	}
	if err := syncDir(temporary); err != nil {
		return err
	}
	place := s.simulationDir(name)
	if _, err := os.Stat(place); err == nil {
		if !replace {
			return &namedError{fmt.Sprintf("a simulation of the name %q exists", name), ErrExists}
		}
		if err := os.RemoveAll(place); err != nil {
			return err
		}
	}
	if err := os.Rename(temporary, place); err != nil {
		return err
	}
	return syncDir(s.simulationsDir())
}

// Simulations lists the names of those that are kept, sorted.
func (s *Store) Simulations() ([]string, error) {
	entries, err := os.ReadDir(s.simulationsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, err := url.PathUnescape(e.Name()); err == nil && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Simulation reads what came out of one.
func (s *Store) Simulation(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.simulationDir(name), "simulation.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &namedError{fmt.Sprintf("there is no simulation %q in the store", name), ErrNotFound}
	}
	return data, err
}

// Timeline reads what the ranks of a simulation did; none where it was not
// recorded.
func (s *Store) Timeline(name string) (Spans, error) {
	f, err := openColumns(filepath.Join(s.simulationDir(name), "timeline.parquet"))
	if errors.Is(err, fs.ErrNotExist) {
		return Spans{}, nil
	}
	if err != nil {
		return Spans{}, err
	}
	defer f.Close()
	var t Spans
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
		return Spans{}, fmt.Errorf("%s is damaged: its columns do not fit", f.path)
	}
	return t, nil
}

// RemoveSimulation deletes one.
func (s *Store) RemoveSimulation(name string) error {
	if _, err := s.Simulation(name); err != nil {
		return err
	}
	return os.RemoveAll(s.simulationDir(name))
}
