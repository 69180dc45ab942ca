package perfql

import (
	"errors"
	"strconv"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
)

// Query is a parsed query.
type Query struct {
	Source    string // the text it was parsed from
	Condition fuzzy.Condition
	Over      []ExperimentName // experiments by name; none means those the caller has
	Where     Filter           // nil for everything
	By        Grouping
	Degree    *Threshold // nil for every degree above 0
	Order     []Key      // none means best degree first
	Limit     int        // 0 for no limit
}

// ExperimentName is an experiment's name and where it stands in the query.
type ExperimentName struct {
	Name   string
	Offset int
}

// Grouping says what a row of the answer is.
type Grouping int

// The groupings.
const (
	ByDefault Grouping = iota // regions; names where the experiment says more by them
	ByRegion                  // a region, over all units
	ByUnit                    // a unit, over all regions
	BySummary                 // a region in a unit
	ByName                    // all regions of a name, over all units
)

// String gives the word of the query language.
func (g Grouping) String() string {
	return [...]string{"region", "region", "unit", "summary", "name"}[g]
}

// rows is what a row is once names have become regions.
func (g Grouping) rows() Grouping {
	if g == ByDefault || g == ByName {
		return ByRegion
	}
	return g
}

// Threshold is WITH DEGREE > 0.3.
type Threshold struct {
	OrEqual bool
	Value   float64
}

// String prints the comparison.
func (t Threshold) String() string {
	if t.OrEqual {
		return ">= " + number(t.Value)
	}
	return "> " + number(t.Value)
}

// Reached tells whether a degree is enough. A missing one is not.
func (t Threshold) Reached(degree float64) bool {
	return degree > t.Value || t.OrEqual && degree == t.Value
}

// Threshold is what a degree must exceed to be an answer.
func (q *Query) Threshold() Threshold {
	if q.Degree == nil {
		return Threshold{}
	}
	return *q.Degree
}

// Key is one key of ORDER BY.
type Key struct {
	By     string    // "degree", "region", "unit", or "" for Metric
	Metric expr.Node // what to order by, if By is ""
	Desc   bool
}

// defaultDesc is the direction that a key has when none is given: what is
// large comes first, names come in their order.
func (k Key) defaultDesc() bool { return k.By == "" || k.By == "degree" }

// ErrorAt makes an error that points into the query.
func (q *Query) ErrorAt(offset int, message, hint string) *expr.Error {
	return &expr.Error{Source: q.Source, Offset: offset, Message: message, Hint: hint}
}

// Of names the experiment that an error about one of several is of.
func (q *Query) Of(experiment string, err error) error {
	var place *expr.Error
	if errors.As(err, &place) {
		place.Message = "experiment " + expr.Quote(experiment) + ": " + place.Message
	}
	return err
}

// String prints the query in its normal form, which parses back to an equal
// query.
func (q *Query) String() string {
	var b strings.Builder
	b.WriteString(q.Condition.String())
	for i, e := range q.Over {
		if i == 0 {
			b.WriteString(" OVER experiments ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(expr.Quote(e.Name))
	}
	if q.Where != nil {
		b.WriteString(" WHERE ")
		q.Where.write(&b, false)
	}
	if q.By != ByDefault {
		b.WriteString(" BY " + q.By.String())
	}
	if q.Degree != nil {
		b.WriteString(" WITH DEGREE " + q.Degree.String())
	}
	for i, k := range q.Order {
		if i == 0 {
			b.WriteString(" ORDER BY ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(k.String())
	}
	if q.Limit > 0 {
		b.WriteString(" LIMIT " + strconv.Itoa(q.Limit))
	}
	return b.String()
}

// String prints the key; a direction that goes without saying is left out.
func (k Key) String() string {
	text := k.By
	if text == "" {
		text = k.Metric.String()
		if isKeyWord(text) { // a metric of that name
			text = `"` + text + `"`
		}
	}
	switch {
	case k.Desc == k.defaultDesc():
		return text
	case k.Desc:
		return text + " DESC"
	}
	return text + " ASC"
}

func isKeyWord(word string) bool {
	switch strings.ToLower(word) {
	case "degree", "region", "unit":
		return true
	}
	return false
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
