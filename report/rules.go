package report

import (
	"fmt"
	"strings"

	"auspex/analyze"
	"auspex/internal/lazyregexp"
)

// Problems writes what the rules found, with advice.
func (p *Page) Problems(r *analyze.Problems, top int) {
	p.Paragraph(ProblemsWords(r))
	p.notes(r.Warnings)
	for _, problem := range r.Problems {
		p.Heading(fmt.Sprintf("%s %s", plainWord(problem.Problem), degreeText(problem.Degree)))
		for i, place := range problem.Places {
			if i == top {
				p.Line("  … and in %s more", plural(len(problem.Places)-top, "place"))
				break
			}
			p.Paragraph("  " + placeWords(place))
		}
		p.Paragraph("  " + problem.Advice)
	}
	if len(r.Unjudged) > 0 {
		p.Heading("Not judged")
		for _, u := range r.Unjudged {
			p.Paragraph(fmt.Sprintf("  %s: %s", plainWord(u.Problem), u.Why))
		}
	}
}

// ProblemsWords sums up what was found.
func ProblemsWords(r *analyze.Problems) string {
	judged := len(r.Problems) + len(r.Absent)
	if judged == 0 {
		return fmt.Sprintf("No problem could be judged in %s: what it takes was not measured.", r.Experiment)
	}
	if len(r.Problems) == 0 {
		return fmt.Sprintf("None of the %s that could be judged was found in %s.", plural(judged, "problem"), r.Experiment)
	}
	var names []string
	for _, problem := range r.Problems {
		names = append(names, fmt.Sprintf("%s (%s)", plainWord(problem.Problem), Ratio(problem.Degree, 2)))
	}
	return fmt.Sprintf("%d of %s that could be judged fit %s: %s.", len(r.Problems), plural(judged, "problem"), r.Experiment, listed(names))
}

// placeWords says where a problem is and what it rests on.
func placeWords(place analyze.Place) string {
	who := spoken(place.Region, place.Unit)
	if who == "" {
		who = "the program"
	}
	return fmt.Sprintf("%s: %s.", who, EvidenceWords(place.Evidence))
}

// EvidenceWords says the statements with their values and degrees.
func EvidenceWords(evidence []analyze.Evidence) string {
	var parts []string
	for _, e := range evidence {
		if e.Degree.IsMissing() {
			continue
		}
		numbers := value(e.Value)
		if !e.Baseline.IsMissing() {
			numbers = fmt.Sprintf("%s against %s", value(e.Value), value(e.Baseline))
		}
		statement := e.Statement
		if inner, ok := strings.CutPrefix(statement, "("); ok {
			statement = strings.TrimSuffix(inner, ")")
		}
		parts = append(parts, fmt.Sprintf("%s (%s, %s)", shapeWords(statement, e.Degree), numbers, degreeSaid(e.Degree)))
	}
	return listed(parts)
}

// risingShape is a statement with a curve in place of a word: up from 0 to 1, or
// down.
var risingShape = lazyregexp.New(`^(.* is )([SZ])\(([^(),]+), ([^(),]+)\)$`)

// shapeWords says in words what a statement that holds says with a curve.
func shapeWords(statement string, degree analyze.Real) string {
	m := risingShape.FindStringSubmatch(statement)
	switch {
	case m == nil || degree == 0:
		return statement
	case m[2] == "S" && degree >= fits:
		return m[1] + "well above " + m[3]
	case m[2] == "S":
		return m[1] + "above " + m[3]
	case degree >= fits:
		return m[1] + "well below " + m[4]
	}
	return m[1] + "below " + m[4]
}

// VariableInfo is a linguistic variable as it is printed.
type VariableInfo struct {
	Name     string     `json:"name"`
	About    string     `json:"about"`
	Metric   string     `json:"metric"`
	Universe [2]float64 `json:"universe"`
	Terms    []TermInfo `json:"terms"`
}

// TermInfo is a word and what it means.
type TermInfo struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Variable writes a linguistic variable and what its terms mean.
func (p *Page) Variable(v VariableInfo) {
	title := p.Strong(v.Name)
	if v.Metric != v.Name {
		title += " = " + v.Metric
	}
	if v.About != "" {
		title += ": " + v.About
	}
	p.Line("%s", title)
	for _, t := range v.Terms {
		p.Line("  %-28s %s", t.Name, t.Meaning)
	}
}
