package view

import (
	"math"

	"auspex/analyze"
	"auspex/fuzzy"
)

// DrawnVariable is a variable of the vocabulary as a picture needs it.
type DrawnVariable struct {
	Name      string      `json:"name"`
	About     string      `json:"about"`
	Metric    string      `json:"metric"`
	Universe  [2]float64  `json:"universe"`
	Terms     []DrawnTerm `json:"terms"`
	Histogram *Histogram  `json:"histogram,omitempty"`
}

// DrawnTerm is a word with its curve.
type DrawnTerm struct {
	Name     string        `json:"name"`
	Meaning  string        `json:"meaning"` // as written
	Shape    *string       `json:"shape"`   // nil where it is made of other terms
	Params   []float64     `json:"params"`
	Controls []DrawControl `json:"controls"`
	Global   bool          `json:"global"`
	X        Cells         `json:"x"`
	Y        Cells         `json:"y"`
}

// DrawControl is a point of the curve that can be dragged along x:
// params[param] = x − base.
type DrawControl struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Param int     `json:"param"`
	Base  float64 `json:"base"`
}

// Histogram counts values over the universe of a variable.
type Histogram struct {
	Edges   Cells `json:"edges"`
	Counts  []int `json:"counts"`
	Below   int   `json:"below"`
	Above   int   `json:"above"`
	Missing int   `json:"missing"`
}

const histogramBins = 40

// DrawTerms draws all words.
func DrawTerms(words analyze.Words) []DrawnVariable {
	drawn := []DrawnVariable{}
	for _, v := range words.Variables {
		drawn = append(drawn, DrawVariable(v))
	}
	return drawn
}

// DrawTermsOf draws the words that can be said of an experiment's regions,
// with the histogram of their values.
func DrawTermsOf(d *analyze.Dataset, words analyze.Words) ([]DrawnVariable, error) {
	drawn := []DrawnVariable{}
	rows, err := d.Rows(analyze.ByRegion)
	if err != nil {
		return nil, err
	}
	for _, v := range words.Variables {
		node, err := d.Expand(words, v.Metric)
		if err != nil {
			continue // not measured here
		}
		values, err := rows.Eval(node)
		if err != nil {
			continue // of the whole program, not of regions
		}
		picture := DrawVariable(v)
		picture.Histogram = count(values, v.Low, v.High)
		drawn = append(drawn, picture)
	}
	return drawn, nil
}

// DrawVariable draws one variable.
func DrawVariable(v *fuzzy.Variable) DrawnVariable {
	d := DrawnVariable{Name: v.Name, About: v.About, Metric: v.Metric.String(), Universe: [2]float64{v.Low, v.High}, Terms: []DrawnTerm{}}
	for _, t := range v.Terms {
		d.Terms = append(d.Terms, drawTerm(t, v, false))
	}
	for _, t := range v.Global {
		d.Terms = append(d.Terms, drawTerm(t, v, true))
	}
	return d
}

func drawTerm(t *fuzzy.Term, v *fuzzy.Variable, global bool) DrawnTerm {
	d := DrawnTerm{Name: t.Name, Meaning: t.Definition.String(), Params: []float64{}, Controls: []DrawControl{}, Global: global}
	xs, ys := fuzzy.Draw(t.Set, v.Low, v.High)
	d.X, d.Y = xs, ys
	if literal, ok := t.Definition.(*fuzzy.Literal); ok {
		kind := string(literal.Shape.Kind())
		d.Shape, d.Params, d.Controls = &kind, literal.Shape.Params(), controls(literal.Shape)
	}
	return d
}

// controls are the points that the numbers of a shape stand for.
func controls(s *fuzzy.Shape) []DrawControl {
	p := s.Params()
	at := func(degrees ...float64) []DrawControl {
		points := []DrawControl{}
		for i, y := range degrees {
			points = append(points, DrawControl{X: p[i], Y: y, Param: i})
		}
		return points
	}
	switch s.Kind() {
	case fuzzy.Linear, fuzzy.SCurve:
		return at(0, 1)
	case fuzzy.ZCurve:
		return at(1, 0)
	case fuzzy.Triangle:
		return at(0, 1, 0)
	case fuzzy.Trapezoid:
		return at(0, 1, 1, 0)
	case fuzzy.Singleton:
		return at(1)
	case fuzzy.PiCurve:
		return append(at(1), DrawControl{X: p[0] + p[1], Y: 0, Param: 1, Base: p[0]})
	case fuzzy.Gaussian:
		return append(at(1), DrawControl{X: p[0] + p[1], Y: math.Exp(-0.5), Param: 1, Base: p[0]})
	}
	points := []DrawControl{}
	for i := 0; i+1 < len(p); i += 2 {
		points = append(points, DrawControl{X: p[i], Y: p[i+1], Param: i})
	}
	return points
}

func count(values []float64, low, high float64) *Histogram {
	h := &Histogram{Counts: make([]int, histogramBins)}
	for i := range histogramBins + 1 {
		h.Edges = append(h.Edges, low+(high-low)*float64(i)/histogramBins)
	}
	for _, v := range values {
		switch {
		case v != v:
			h.Missing++
		case v < low:
			h.Below++
		case v > high:
			h.Above++
		default:
			bin := int((v - low) / (high - low) * histogramBins)
			h.Counts[min(bin, histogramBins-1)]++ // the last edge belongs to the last bin
		}
	}
	return h
}
