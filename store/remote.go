package store

import (
	"context"
	"errors"
	"sync"

	"auspex/model"
)

// Remote is a site's store: experiments that are in no files here. Names are
// unique in it.
type Remote interface {
	// Place names it for people.
	Place() string
	Names() ([]string, error)
	List() ([]model.Header, error)
	// Header finds an experiment by name or id; ErrNotFound where there is none.
	Header(name string) (model.Header, error)
	// Load reads the whole experiment with the id.
	Load(id string) (*model.Experiment, error)
	// Attachment reads a file that was pushed with it; ErrNotFound where there
	// is none of the name.
	Attachment(id, name string) ([]byte, error)
	// Table is one of the experiment's tables as it stands after FROM, with the
	// columns that the file of the name has; metrics are those of "values" that
	// are needed, by the names that they are to have. What users wrote goes into
	// the parameters.
	Table(id, table string, metrics map[string]string, parameters map[string]string) (string, error)
	// Ask runs a query; its parameters are handed over apart from it.
	Ask(ctx context.Context, query string, parameters map[string]string) (Rows, error)
}

// Rows are the rows of an answer, read as those of database/sql.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close() error
}

// OpenRemote reads from a site's store. What is written goes elsewhere: Put and
// its like refuse.
func OpenRemote(r Remote) *Store { return &Store{remote: r, patience: claimWait} }

// errRemote refuses to write.
var errRemote = errors.New("a site's store is read here; `auspex push` writes to it, and everything else into a directory: give --store DIR")

// Remote is the site behind the store; nil for a directory.
func (s *Store) Remote() Remote { return s.remote }

// Remote is the site that the experiment is in; nil for one in files.
func (e *Experiment) Remote() Remote { return e.remote }

func (s *Store) getRemote(name string) (*Experiment, error) {
	h, err := s.remote.Header(name)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Header: h, remote: s.remote}
	whole := sync.OnceValues(func() (*model.Experiment, error) {
		w, err := s.remote.Load(h.ID)
		if err != nil {
			return nil, err
		}
		w.Header = h
		return w, w.Check()
	})
	e.whole = whole
	e.units = func() ([]model.Unit, error) {
		w, err := whole()
		if err != nil {
			return nil, err
		}
		return w.Units, nil
	}
	e.regions = func() ([]model.Region, error) {
		w, err := whole()
		if err != nil {
			return nil, err
		}
		return w.Regions, nil
	}
	e.index = func() (rowIndex, error) {
		w, err := whole()
		if err != nil {
			return rowIndex{}, err
		}
		return rowIndex{w.Summaries.Unit, w.Summaries.Region}, nil
	}
	return e, nil
}

// remoteMatrix is a metric, or its deviations, of an experiment that is in no
// files.
func (e *Experiment) remoteMatrix(metric int, deviation bool) (model.Matrix, error) {
	w, err := e.whole()
	if err != nil {
		return model.Matrix{}, err
	}
	columns := w.Summaries.Values
	if deviation {
		columns = w.Summaries.Deviation
	}
	if metric >= len(columns) {
		return model.Matrix{}, errors.New("the experiment has no deviations")
	}
	missing := e.Metrics[metric].Missing
	m := model.NewMatrix(e.UnitCount, e.RegionCount, missing)
	m.Scatter(w.Summaries.Unit, w.Summaries.Region, columns[metric], missing)
	return m, nil
}
