package fuzzy

import (
	"strconv"
	"strings"

	"auspex/expr"
)

// Rule is an implication in words:
//
//	IF imbalance IS high AND mpi_share IS high THEN problem IS load_imbalance
//
// with an optional WITH 0.8 at the end for how far it can be trusted.
type Rule struct {
	If     Condition
	Then   []Conclusion
	Weight float64 // in (0, 1]
}

// Conclusion says a phrase of an output: severity IS very high. An output that
// the vocabulary does not know is a mere label, such as problem.
type Conclusion struct {
	Output string
	Phrase Phrase
}

// ParseRule reads one rule.
func ParseRule(src string) (*Rule, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return nil, err
	}
	r := &Rule{Weight: 1}
	if err := c.ExpectWord("if"); err != nil {
		return nil, err
	}
	if r.If, err = ConditionFrom(c); err != nil {
		return nil, err
	}
	if err := c.ExpectWord("then"); err != nil {
		return nil, err
	}
	for {
		t := c.Next()
		if t.Kind != expr.Quoted && (t.Kind != expr.Word || expr.Reserved(t.Text)) {
			return nil, c.Errorf(t, "expected the name of an output after THEN, found %s", t)
		}
		if err := c.ExpectWord("is"); err != nil {
			return nil, err
		}
		p, err := PhraseFrom(c)
		if err != nil {
			return nil, err
		}
		r.Then = append(r.Then, Conclusion{Output: t.Text, Phrase: p})
		if !c.AcceptWord("and") {
			break
		}
	}
	if c.AcceptWord("with") {
		t := c.Next()
		if t.Kind != expr.Num || t.Value <= 0 || t.Value > 1 {
			return nil, c.Errorf(t, "expected a weight above 0 and up to 1, found %s", t)
		}
		r.Weight = t.Value
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return r, nil
}

// String prints the rule as ParseRule reads it.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString("IF " + r.If.String() + " THEN ")
	for i, c := range r.Then {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(expr.Quote(c.Output) + " is " + c.Phrase.String())
	}
	if r.Weight != 1 {
		b.WriteString(" WITH " + strconv.FormatFloat(r.Weight, 'g', -1, 64))
	}
	return b.String()
}
