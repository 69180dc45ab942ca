package predict

import (
	"fmt"
	"math"
	"slices"

	models "auspex/growth"

	"auspex/internal/figure"
)

// workLaw is how what a process computes changes with the number of processes.
type workLaw struct {
	most          int           // of the processes that were run
	fixed, shared float64       // computation of a process is fixed + shared / np,
	grows         bool          // or fixed + shared · np,
	model         *models.Model // or this
}

// fit finds what a process computes on average.
func (w *workLaw) fit(measured []*counted) error {
	w.most = measured[len(measured)-1].NP()
	var points []models.Point
	for _, t := range measured {
		y := 0.0
		for rank := range t.NP() {
			y += computed(t.Trace, rank) / float64(t.NP())
		}
		points = append(points, models.Point{P: float64(t.NP()), Value: y})
	}
	if model, err := models.Fit(points); err == nil {
		w.model = &model
	}
	for _, w.grows = range []bool{false, true} {
		w.line(points)
		if w.follows(points) && (!w.grows || len(points) > 2) { // a line goes through any two
			return nil
		}
	}
	if w.model != nil {
		return nil
	}
	first, last := points[0], points[len(points)-1]
	return fmt.Errorf("a process computes for %s with %.0f processes and for %s with %.0f, and these counts do not show by which law (%d or more might)",
		short(first.Value), first.P, short(last.Value), last.P, models.Fewest)
}

// line finds fixed and shared by least squares; neither is below 0.
func (w *workLaw) line(points []models.Point) {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		x, y := w.part(p.P), p.Value
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	w.shared = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	w.fixed = (sy - w.shared*sx) / n
	switch {
	case w.shared < 0:
		w.fixed, w.shared = sy/n, 0
	case w.fixed < 0:
		w.fixed, w.shared = 0, sxy/sxx
	}
}

// follows tells whether no count is further from the line than one run of a program is
// from another.
func (w *workLaw) follows(points []models.Point) bool {
	return !slices.ContainsFunc(points, func(p models.Point) bool {
		return math.Abs(w.value(p.P)-p.Value) > normal90*runSpread*p.Value
	})
}

// part is how much of shared a process has.
func (w *workLaw) part(np float64) float64 {
	if w.grows {
		return np
	}
	return 1 / np
}

func (w *workLaw) value(np float64) float64 { return w.fixed + w.shared*w.part(np) }

// compute is what a process computes of what its like did in the largest run.
func (w *workLaw) compute(np int) float64 {
	if w.model != nil {
		now, _, _ := w.model.At(float64(w.most))
		if then, _, _ := w.model.At(float64(np)); now > 0 && then > 0 {
			return then / now
		}
	}
	of := w.value(float64(w.most))
	if of == 0 {
		return 1
	}
	return w.value(float64(np)) / of
}

// law is what a process computes.
func (w *workLaw) String() string {
	if w.model != nil {
		return fmt.Sprintf("%s ns (np is p; off by %.1f %% when each count is foretold from the others)", w.model, 100*w.model.SMAPE)
	}
	if w.grows {
		return fmt.Sprintf("%s + %s · np", short(w.fixed), short(w.shared))
	}
	return fmt.Sprintf("%s + %s / np", short(w.fixed), short(w.shared))
}

func short(ns float64) string { return figure.Seconds(ns/1e9, 3) }
