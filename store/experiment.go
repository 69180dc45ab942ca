package store

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"auspex/model"
)

// Experiment is a stored experiment: its header, and the rest read on demand.
// It may be used by several goroutines.
type Experiment struct {
	model.Header
	folder *folder

	remote Remote                            // nil for one in files
	whole  func() (*model.Experiment, error) // of a remote one

	units   func() ([]model.Unit, error)
	regions func() ([]model.Region, error)
	index   func() (rowIndex, error)

	verified struct { // tables that were checked for DuckDB, as they were then
		sync.Mutex
		as map[string]os.FileInfo
	}
}

// rowIndex tells which unit and region each row of values.parquet is about.
type rowIndex struct{ unit, region []int32 }

// Get finds an experiment by its name, or by its id where no name fits.
func (s *Store) Get(name string) (*Experiment, error) {
	if s.remote != nil {
		return s.getRemote(name)
	}
	e, err := s.get(name)
	if !errors.Is(err, ErrNotFound) || !isID(name) {
		return e, err
	}
	headers, _, listErr := s.List()
	for _, h := range headers {
		if listErr == nil && h.ID == name {
			return s.get(h.Name)
		}
	}
	return nil, err
}

func (s *Store) get(name string) (*Experiment, error) {
	header, dir, err := s.header(name)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Header: header, folder: dir}
	e.units = sync.OnceValues(func() ([]model.Unit, error) { return readUnits(dir) })
	e.regions = sync.OnceValues(func() ([]model.Region, error) { return readRegions(dir) })
	e.index = sync.OnceValues(e.readIndex)
	e.verified.as = map[string]os.FileInfo{}
	return e, nil
}

// Units returns the processing units.
func (e *Experiment) Units() ([]model.Unit, error) { return e.units() }

// Regions returns the region tree.
func (e *Experiment) Regions() ([]model.Region, error) { return e.regions() }

// full tells whether every unit entered every region. Rows are ordered and none
// is there twice, so that their places are known without reading them.
func (e *Experiment) full() bool {
	return e.folder.files != nil && e.SummaryCount == e.UnitCount*e.RegionCount
}

func (e *Experiment) readIndex() (rowIndex, error) {
	if e.full() {
		index := rowIndex{make([]int32, 0, e.SummaryCount), make([]int32, 0, e.SummaryCount)}
		for u := range e.UnitCount {
			for r := range e.RegionCount {
				index.unit, index.region = append(index.unit, int32(u)), append(index.region, int32(r))
			}
		}
		return index, nil
	}
	f, err := openColumns(e.folder, "values.parquet")
	if err != nil {
		return rowIndex{}, err
	}
	defer f.Close()
	unit, err := f.ints(unitColumn)
	if err != nil {
		return rowIndex{}, err
	}
	region, err := f.ints(regionColumn)
	if err != nil {
		return rowIndex{}, err
	}
	for i := range unit {
		if uint(unit[i]) >= uint(e.UnitCount) || uint(region[i]) >= uint(e.RegionCount) {
			return rowIndex{}, damagedError(f.path, fmt.Errorf("row %d names unit %d and region %d, which do not exist", i, unit[i], region[i]))
		}
	}
	return rowIndex{unit, region}, nil
}

// Matrix loads one metric densely: units × regions, a unit that never entered
// a region holding what the metric says missing means.
func (e *Experiment) Matrix(metric int) (model.Matrix, error) {
	if e.remote != nil {
		return e.remoteMatrix(metric, false)
	}
	return e.matrix(e.Metrics[metric].Column(), e.Metrics[metric].Missing)
}

// Deviation loads the standard deviations of a metric over repeated runs. It
// is an error where Runs is 1.
func (e *Experiment) Deviation(metric int) (model.Matrix, error) {
	if e.remote != nil {
		return e.remoteMatrix(metric, true)
	}
	return e.matrix(e.Metrics[metric].Column()+deviationEnding, e.Metrics[metric].Missing)
}

func (e *Experiment) matrix(columnName string, missing model.Missing) (model.Matrix, error) {
	f, err := openColumns(e.folder, "values.parquet")
	if err != nil {
		return model.Matrix{}, err
	}
	defer f.Close()
	if e.full() {
		return e.wholeMatrix(f, columnName, missing)
	}
	index, err := e.index()
	if err != nil {
		return model.Matrix{}, err
	}
	m := model.NewMatrix(e.UnitCount, e.RegionCount, missing)
	err = f.reals(columnName, func(row int, values []float64) error {
		if row+len(values) > len(index.unit) {
			return damagedError(f.path, fmt.Errorf("column %s is longer than the others", columnName))
		}
		m.Scatter(index.unit[row:], index.region[row:], values, missing)
		return nil
	})
	return m, err
}

// wholeMatrix reads a column that is the matrix as it stands.
func (e *Experiment) wholeMatrix(f *columnFile, columnName string, missing model.Missing) (model.Matrix, error) {
	data, err := f.realColumn(columnName, e.SummaryCount)
	if missing == model.Zero {
		for i, v := range data {
			if v != v {
				data[i] = 0
			}
		}
	}
	return model.Matrix{Units: e.UnitCount, Regions: e.RegionCount, Data: data}, err
}

// Load reads the whole experiment into memory.
func (e *Experiment) Load() (*model.Experiment, error) {
	if e.remote != nil {
		return e.whole()
	}
	units, err := e.units()
	if err != nil {
		return nil, err
	}
	regions, err := e.regions()
	if err != nil {
		return nil, err
	}
	index, err := e.index()
	if err != nil {
		return nil, err
	}
	whole := &model.Experiment{Header: e.Header, Units: units, Regions: regions}
	s := &whole.Summaries
	s.Unit, s.Region = index.unit, index.region
	f, err := openColumns(e.folder, "values.parquet")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, metric := range e.Metrics {
		values, err := f.realColumn(metric.Column(), s.Rows())
		if err != nil {
			return nil, err
		}
		s.Values = append(s.Values, values)
		if e.Runs > 1 {
			deviation, err := f.realColumn(metric.Column()+deviationEnding, s.Rows())
			if err != nil {
				return nil, err
			}
			s.Deviation = append(s.Deviation, deviation)
		}
	}
	if e.Runs > 1 {
		if s.Count, err = f.ints(runsColumn); err != nil {
			return nil, err
		}
	}
	return whole, whole.Check()
}

// Index tells which unit and region each stored summary is about, ordered by
// unit and region. The slices are shared: do not change them.
func (e *Experiment) Index() (unit, region []int32, err error) {
	index, err := e.index()
	return index.unit, index.region, err
}
