package analyze

import (
	"fmt"
	"slices"

	"auspex/model"
)

// unstored is an experiment in memory as the values of a dataset.
type unstored struct{ e *model.Experiment }

// Matrix is the experiment's own column where every unit entered every region.
func (u unstored) Matrix(metric int) (model.Matrix, error) {
	e := u.e
	values := e.Summaries.Values[metric]
	missing := func(v float64) bool { return v != v }
	if len(values) != len(e.Units)*len(e.Regions) || e.Metrics[metric].Missing == model.Zero && slices.ContainsFunc(values, missing) {
		return e.Matrix(metric), nil
	}
	return model.Matrix{Units: len(e.Units), Regions: len(e.Regions), Data: values}, nil
}

// Deviation has none: nothing of the digest rests on them.
func (u unstored) Deviation(int) (model.Matrix, error) { return model.Matrix{}, errNoDeviation }

// Index tells which unit and region each summary is about.
func (u unstored) Index() (unit, region []int32, err error) {
	return u.e.Summaries.Unit, u.e.Summaries.Region, nil
}

// Load is the experiment itself.
func (u unstored) Load() (*model.Experiment, error) { return u.e, nil }

// Table refuses: it is in no file yet.
func (u unstored) Table(string) (string, error) {
	return "", fmt.Errorf("experiment %q is not stored yet", u.e.Name)
}
