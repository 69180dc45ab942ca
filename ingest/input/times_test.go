package input

import (
	"context"
	"strings"
	"testing"

	"auspex/model"
)

// timesOf reads a profile of one process whose regions took the given times.
func timesOf(values ...float64) (*model.Experiment, error) {
	format := Format{Name: "x", Reader: func(context.Context, *Source) (*model.Experiment, error) {
		b := model.NewBuilder()
		unit, metric := b.Unit(model.Unit{}), b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		for i, v := range values {
			b.Set(unit, b.Region(model.Region{Name: string(rune('a' + i)), Parent: model.NoParent}), metric, v)
		}
		return b.Build(model.Header{})
	}}
	return (&Source{Format: "x", Given: "p\x1b.x", Label: "p\x1b"}).Read(context.Background(), []Format{format})
}

func TestTimesBelowZero(t *testing.T) {
	e, err := timesOf(100, -1e-9, 5)
	if err != nil || e.Summaries.Values[0][1] != 0 || len(e.Notes) != 0 {
		t.Errorf("rounding: %v, %v, notes %q", err, e.Summaries.Values, e.Notes)
	}
	e, err = timesOf(100, -0.5, 5)
	if err != nil || e.Summaries.Values[0][1] != 0 || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "1 values of wtime.exc are below zero, down to -0.5 s") {
		t.Errorf("a clock set back: %v, notes %q", err, e.Notes)
	}
	if _, err = timesOf(100, -60); err == nil || !strings.Contains(err.Error(), "below zero") {
		t.Errorf("no times at all: %v", err)
	}
	if _, err = timesOf(1, 1e16); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("beyond all reason: %v", err)
	}
	if _, err = timesOf(1, 1e308); err == nil || !strings.Contains(err.Error(), "cannot be added up") {
		t.Errorf("beyond what adds up: %v", err)
	}
}

func TestNamesOfFilesAreShownSafely(t *testing.T) {
	e, err := timesOf(1)
	if err != nil || e.Name != "p␛" || e.Sources[0] != "p␛.x" {
		t.Errorf("%v, name %q, sources %q", err, e.Name, e.Sources)
	}
}
