package fuzzy

import (
	"fmt"
	"math"
)

// Inference is what a set of rules concludes.
type Inference struct {
	Fired    []float64  // per rule: how far its IF holds, times its weight; NaN where a value is missing
	Outcomes []*Outcome // one per output, in the order of first mention
}

// Outcome is what the rules say of one output.
type Outcome struct {
	Output   string
	Labels   []Label   // one per phrase that was said of it, in the order of first mention
	Variable *Variable // what the vocabulary knows of the output, or nil
	Set      Set       // the fuzzy conclusion (Mamdani), nil without a Variable
}

// Label is a phrase with the highest degree that a rule gave it.
type Label struct {
	Phrase string
	Degree float64
	Rule   int // the rule that gave it
}

// Infer applies rules after Mamdani: a rule holds as far as its condition does,
// cuts off the set of its conclusion there (scales it under [Product]), and
// what several rules say of one output is joined by the maximum. degree gives
// the degree of a statement, NaN where it is missing; rules that hang on it
// conclude nothing. outputs gives the variable of an output, or nil for a
// label.
func Infer(rules []*Rule, logic Logic, degree func(*Is) float64, outputs func(name string) *Variable) (*Inference, error) {
	inf := &Inference{Fired: make([]float64, len(rules))}
	byName := map[string]*Outcome{}
	for i, r := range rules {
		fired := Combine(r.If, logic, degree) * r.Weight
		inf.Fired[i] = fired
		for _, then := range r.Then {
			o := byName[then.Output]
			if o == nil {
				o = &Outcome{Output: then.Output, Variable: outputs(then.Output)}
				byName[then.Output] = o
				inf.Outcomes = append(inf.Outcomes, o)
			}
			if err := o.add(i, fired, then.Phrase, logic); err != nil {
				return nil, fmt.Errorf("the rule %s: %w", r, err)
			}
		}
	}
	return inf, nil
}

func (o *Outcome) add(rule int, fired float64, p Phrase, logic Logic) error {
	if o.Variable != nil {
		set, err := Bind(p, logic, func(t *TermRef) (Set, error) {
			if own := find(o.Variable.Terms, t.Name); own != nil {
				return own.Set, nil
			}
			return nil, fmt.Errorf("%s has no term %s", o.Output, t)
		})
		if err != nil {
			return err
		}
		if o.Set == nil {
			o.Set = &joined{or: true}
		}
		if fired > 0 {
			j := o.Set.(*joined)
			j.sets = append(j.sets, &limited{of: set, by: fired, scale: logic == Product})
		}
	}
	if math.IsNaN(fired) {
		fired = 0 // nothing is concluded from what is missing
	}
	text := p.String()
	for i := range o.Labels {
		if l := &o.Labels[i]; l.Phrase == text {
			if fired > l.Degree {
				l.Degree, l.Rule = fired, rule
			}
			return nil
		}
	}
	o.Labels = append(o.Labels, Label{Phrase: text, Degree: fired, Rule: rule})
	return nil
}

// Value is the number that the fuzzy conclusion stands for; it is missing where
// no rule fired or the output is a label.
func (o *Outcome) Value(how Defuzzifier) float64 {
	if j, ok := o.Set.(*joined); !ok || len(j.sets) == 0 {
		return math.NaN()
	}
	return how.Defuzzify(o.Set, o.Variable.Low, o.Variable.High)
}

// limited is a conclusion's set as far as its rule holds.
type limited struct {
	of    Set
	by    float64
	scale bool
}

func (s *limited) Degree(x float64) float64 {
	y := s.of.Degree(x)
	if s.scale || math.IsNaN(y) {
		return y * s.by
	}
	return min(y, s.by)
}

func (s *limited) cut(level float64) (lo, hi float64) {
	if s.scale {
		level /= s.by
	}
	return s.of.cut(min(level, 1))
}

func (s *limited) String() string       { return s.of.String() }
func (s *limited) knots() []float64     { return s.of.knots() }
func (s *limited) peak() (x, y float64) { return findPeak(s) }
