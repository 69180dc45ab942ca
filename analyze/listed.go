package analyze

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"auspex/expr"
	"auspex/model"
	"auspex/store"
)

// Listed is an experiment in a listing of the store.
type Listed struct {
	Name       string         `json:"name"`
	ID         string         `json:"id"`
	Units      int            `json:"units"`
	Regions    int            `json:"regions"`
	Metrics    []string       `json:"metrics"`
	Created    time.Time      `json:"created"`
	Format     string         `json:"format"`
	Runs       int            `json:"runs"`
	Factors    map[string]any `json:"factors"`
	Program    string         `json:"program"` // that it is a run of
	Incomplete string         `json:"incomplete,omitempty"`
}

// Listing is what a store holds, and what of it cannot be read.
type Listing struct {
	Experiments []Listed `json:"experiments"`
	Problems    []string `json:"problems"`
}

// List describes experiments by their headers alone.
func List(headers []model.Header, problems []error) *Listing {
	l := &Listing{Experiments: []Listed{}, Problems: []string{}}
	for _, p := range problems {
		l.Problems = append(l.Problems, p.Error())
	}
	for _, h := range headers {
		row := Listed{Name: h.Name, ID: h.ID, Units: h.UnitCount, Regions: h.RegionCount, Created: h.Created, Format: h.Format,
			Runs: h.Runs, Program: ProgramOf(&h), Incomplete: h.Incomplete, Metrics: []string{}, Factors: map[string]any{}}
		for _, m := range h.Metrics {
			row.Metrics = append(row.Metrics, m.Column())
		}
		for _, f := range h.Factors {
			row.Factors[f.Name] = f.Value()
		}
		l.Experiments = append(l.Experiments, row)
	}
	return l
}

// Find gets an experiment by name; the error for one that is not there says
// what may have been meant and wraps store.ErrNotFound.
func Find(s *store.Store, name string) (*store.Experiment, error) {
	e, err := s.Get(name)
	if !errors.Is(err, store.ErrNotFound) {
		return e, err
	}
	names, listErr := s.Names()
	message := fmt.Sprintf("there is no experiment %q; `auspex ls` lists the %d there are", name, len(names))
	if len(names) == 1 {
		message = fmt.Sprintf("there is no experiment %q; the only one is %q", name, names[0])
	}
	if listErr != nil || len(names) == 0 {
		message = fmt.Sprintf("there is no experiment %q: the store %s is empty; `auspex import PATH` fills it", name, s.Dir())
	} else if near := expr.Suggest(name, names); len(near) > 0 {
		message = fmt.Sprintf("there is no experiment %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return nil, &notFound{message}
}

// notFound has words of its own for store.ErrNotFound.
type notFound struct{ message string }

func (e *notFound) Error() string { return e.message }
func (e *notFound) Unwrap() error { return store.ErrNotFound }

// sizes are the numbers, and what parts them, at the end of an experiment's name.
var sizes = regexp.MustCompile(`[-_.x ]*[0-9][-_.x0-9]*$`)

// ProgramOf names the program that an experiment is a run of: as it was recorded,
// else the experiment's name without the size at its end.
func ProgramOf(h *model.Header) string {
	if h.Program != "" {
		return path.Base(strings.ReplaceAll(h.Program, `\`, "/"))
	}
	if stem := sizes.ReplaceAllString(h.Name, ""); stem != "" {
		return stem
	}
	return h.Name
}
