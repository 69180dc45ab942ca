package analyze

import (
	"errors"
	"math"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
)

// growthMetric is time summed over units, over that of a baseline with another number
// of them: 1 is perfect strong scaling.
const growthMetric = "growth"

// changeVariable holds the words for a value compared with a baseline's.
const changeVariable = "change"

// Evidence is one statement of a rule or clause, as it turned out.
type Evidence struct {
	Statement string `json:"statement"` // as written
	Quantity  string `json:"quantity"`  // what was compared
	Value     Real   `json:"value"`
	Baseline  Real   `json:"baseline"` // null where nothing was compared with
	Degree    Real   `json:"degree"`
}

// judge computes how far statements hold for rows.
type judge struct {
	d        *Dataset
	words    Words
	rows     *Rows
	base     *Dataset // or nil
	baseRows *Rows
	compared bool // statements are about values over the baseline's
	cache    map[*fuzzy.Is]*judgement
}

// judgement is a statement judged for every row.
type judgement struct {
	quantity                string
	values, theirs, degrees []float64 // theirs is nil where nothing was compared with
}

// notJudged is what the experiment cannot answer, as opposed to a rule that is
// wrong.
type notJudged struct{ why string }

func (e *notJudged) Error() string { return e.why }

// cannotJudge keeps an error's words; its place in a rule helps nobody.
func cannotJudge(err error) error {
	if place := (*expr.Error)(nil); errors.As(err, &place) {
		if place.Hint != "" {
			return &notJudged{place.Message + "; " + place.Hint}
		}
		return &notJudged{place.Message}
	}
	return &notJudged{err.Error()}
}

func newJudge(d *Dataset, words Words, by By, over Over, base *Dataset) (*judge, error) {
	j := &judge{d: d, words: words, base: base, cache: map[*fuzzy.Is]*judgement{}}
	var err error
	if j.rows, err = d.Rows(by); err != nil {
		return nil, err
	}
	j.rows.Over = over
	if base != nil {
		if j.baseRows, err = base.Rows(by); err != nil {
			return nil, err
		}
		j.baseRows.Over = over
	}
	return j, nil
}

// judged computes a statement once for all rows.
func (j *judge) judged(is *fuzzy.Is) (*judgement, error) {
	if v, ok := j.cache[is]; ok {
		return v, nil
	}
	var v *judgement
	var err error
	if j.compared {
		v, err = j.change(is)
	} else {
		v, err = j.value(is)
	}
	if err == nil {
		j.cache[is] = v
	}
	return v, err
}

// value judges a metric by its own words.
func (j *judge) value(is *fuzzy.Is) (*judgement, error) {
	meaning, err := j.words.Resolve(j.d.canonical(is.Metric), is.Phrase, j.words.Logic)
	if err != nil {
		for _, name := range expr.Names(is.Metric) {
			if _, _, builtIn := findBuiltIn(name); !builtIn && !j.d.Has(name) && j.words.Variable(name) == nil && name != growthMetric {
				return nil, j.d.unknown(name) // that it has no words is not what is wrong
			}
		}
		return nil, err
	}
	node, err := j.expand(j.d, meaning.Metric)
	if err != nil {
		return nil, err
	}
	values, err := expr.Eval(node, j.rows.Len(), j.column)
	if err != nil {
		return nil, cannotJudge(err)
	}
	return newJudgement(node.String(), values, nil, values, meaning.Set), nil
}

// change judges a metric by the words for what it is over the baseline's.
func (j *judge) change(is *fuzzy.Is) (*judgement, error) {
	meaning, err := j.words.Resolve(&expr.Name{Name: changeVariable}, is.Phrase, j.words.Logic)
	if err != nil {
		return nil, err
	}
	ours, err := j.eval(j.d, j.rows, is.Metric)
	if err != nil {
		return nil, err
	}
	base, err := j.eval(j.base, j.baseRows, is.Metric)
	if err != nil {
		return nil, err
	}
	theirs := j.align(base)
	over := make([]float64, len(ours))
	for i := range over {
		over[i] = float64(Ratio(ours[i], theirs[i]))
	}
	return newJudgement(is.Metric.String(), ours, theirs, over, meaning.Set), nil
}

func newJudgement(quantity string, values, theirs, compared []float64, set fuzzy.Set) *judgement {
	v := &judgement{quantity: quantity, values: values, theirs: theirs, degrees: make([]float64, len(compared))}
	for i, x := range compared {
		v.degrees[i] = set.Degree(x)
	}
	return v
}

func (j *judge) expand(d *Dataset, n expr.Node) (expr.Node, error) {
	known := func(name string) bool { return d.known(name) || name == growthMetric && j.base != nil }
	node, err := j.words.Expand(n, known, d.knownNames())
	if err != nil {
		for _, name := range expr.Names(n) {
			if name == growthMetric {
				return nil, &notJudged{"it needs a baseline to compare with"}
			}
		}
		return nil, cannotJudge(err)
	}
	return d.canonical(node), nil
}

func (j *judge) eval(d *Dataset, rows *Rows, n expr.Node) ([]float64, error) {
	node, err := j.expand(d, n)
	if err != nil {
		return nil, err
	}
	values, err := rows.Eval(node)
	if err != nil {
		return nil, cannotJudge(err)
	}
	return values, nil
}

// column gives growth beside what Rows knows.
func (j *judge) column(name string) ([]float64, error) {
	if name != growthMetric || j.base == nil || j.d.known(name) {
		return j.rows.Column(name)
	}
	if len(j.d.Units) == len(j.base.Units) {
		return nil, mistake.Refuse("the baseline has as many units: compare tells what takes longer")
	}
	var totals [2][]float64
	for i, d := range []*Dataset{j.d, j.base} {
		time, err := d.TimeMetric()
		if err != nil {
			return nil, err
		}
		rows, err := d.Rows(j.rows.By)
		if err != nil {
			return nil, err
		}
		if totals[i], err = rows.Column(time); err != nil {
			return nil, err
		}
	}
	return Quotients(totals[0], j.align(totals[1])), nil
}

// align puts the baseline's values into the order of the rows; what the
// baseline does not have is missing.
func (j *judge) align(base []float64) []float64 {
	if j.rows.By == ByProgram {
		return base
	}
	at := map[string]float64{}
	for i, v := range base {
		at[j.base.rowName(j.baseRows, i)] = v
	}
	out := make([]float64, j.rows.Len())
	for i := range out {
		v, there := at[j.d.rowName(j.rows, i)]
		if !there {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}

// prepare judges all statements of a condition, so that degree cannot fail. A
// statement that cannot be judged is missing in every row and its reason is
// given: the condition may do without it, as an OR does.
func (j *judge) prepare(c fuzzy.Condition) (missing *notJudged, err error) {
	err = fuzzy.Statements(c, func(is *fuzzy.Is) error {
		_, err := j.judged(is)
		if why := (*notJudged)(nil); errors.As(err, &why) {
			if missing == nil {
				missing = why
			}
			nothing := make([]float64, j.rows.Len())
			for i := range nothing {
				nothing[i] = math.NaN()
			}
			j.cache[is] = &judgement{quantity: is.Metric.String(), values: nothing, degrees: nothing}
			return nil
		}
		return err
	})
	return missing, err
}

// degree looks up a prepared statement.
func (j *judge) degree(row int) func(*fuzzy.Is) float64 {
	return func(is *fuzzy.Is) float64 { return j.cache[is].degrees[row] }
}

// evidence lists what a prepared condition rests on in one row.
func (j *judge) evidence(c fuzzy.Condition, row int) []Evidence {
	list := []Evidence{}
	collect := func(is *fuzzy.Is) error {
		v := j.cache[is]
		e := Evidence{Statement: is.String(), Quantity: v.quantity, Value: Real(v.values[row]), Baseline: Missing, Degree: Real(v.degrees[row])}
		if v.theirs != nil {
			e.Baseline = Real(v.theirs[row])
		}
		list = append(list, e)
		return nil
	}
	if err := fuzzy.Statements(c, collect); err != nil {
		return list
	}
	return list
}
