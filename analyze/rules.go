package analyze

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"auspex/fuzzy"
	"auspex/model"
)

//go:embed rules.toml
var shippedRules []byte

// ShippedRules is the rule base of well-known performance problems. It is
// shared and must not be changed.
var ShippedRules = sync.OnceValue(func() []*fuzzy.NamedRule {
	rules, err := fuzzy.ReadRules("rules.toml", shippedRules)
	if err != nil {
		panic(err)
	}
	return rules
})

// MergeRules puts other rules beside the given ones; a rule of the same name
// takes the place of the old one.
func MergeRules(rules, others []*fuzzy.NamedRule) []*fuzzy.NamedRule {
	merged := slices.Clone(rules)
	for _, r := range others {
		if i := slices.IndexFunc(merged, func(old *fuzzy.NamedRule) bool { return old.Name == r.Name }); i >= 0 {
			merged[i] = r
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

// Problems is what rules say of an experiment.
type Problems struct {
	Experiment string     `json:"experiment"`
	Baseline   string     `json:"baseline"` // "" without
	Problems   []Problem  `json:"problems"` // the most certain first
	Absent     []string   `json:"absent"`   // rules that were judged and do not hold
	Unjudged   []Unjudged `json:"unjudged"`
	Warnings   []string   `json:"warnings"`
}

// Problem is a rule that holds.
type Problem struct {
	Problem string  `json:"problem"`
	About   string  `json:"about"`
	Degree  Real    `json:"degree"`
	By      By      `json:"by"`
	Rule    string  `json:"rule"`
	Advice  string  `json:"advice"`
	Places  []Place `json:"places"` // where it holds, the surest first
}

// Place is where a problem was found.
type Place struct {
	Region   string     `json:"region,omitempty"`
	Unit     any        `json:"unit,omitempty"`
	Degree   Real       `json:"degree"`
	Severity Real       `json:"severity"` // of all that was found there, defuzzified
	Evidence []Evidence `json:"evidence"`
}

// Unjudged is a rule that needs what the experiment does not have.
type Unjudged struct {
	Problem string `json:"problem"`
	Why     string `json:"why"`
}

// leastDegree is how far a rule must hold to be mentioned.
const leastDegree = 0.25

// ApplyRules finds the problems that rules describe. baseline may be nil;
// rules that compare with one are then not judged.
func ApplyRules(d *Dataset, words Words, rules []*fuzzy.NamedRule, baseline *Dataset, how fuzzy.Defuzzifier) (*Problems, error) {
	p := &Problems{Experiment: d.Name, Problems: []Problem{}, Absent: []string{}, Unjudged: []Unjudged{}, Warnings: []string{}}
	if baseline != nil {
		p.Baseline = baseline.Name
	}
	for _, by := range []By{ByProgram, ByRegion, ByUnit} {
		if err := p.apply(d, words, rules, baseline, how, by); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.Problems, func(a, b Problem) int { return cmp.Compare(b.Degree, a.Degree) })
	return p, nil
}

// apply judges the rules about one kind of row.
func (p *Problems) apply(d *Dataset, words Words, rules []*fuzzy.NamedRule, baseline *Dataset, how fuzzy.Defuzzifier, by By) error {
	j, err := newJudge(d, words, by, "", baseline)
	if err != nil {
		return err
	}
	var asked []*fuzzy.NamedRule
	var missing []*notJudged // by rule: what it had to do without
	for _, r := range rules {
		if By(r.By) != by {
			continue
		}
		without, err := j.prepare(r.Rule.If)
		if err != nil {
			return fmt.Errorf("rule %s: %w", r.Name, err)
		}
		asked, missing = append(asked, r), append(missing, without)
	}
	found := make([]Problem, len(asked))
	known := make([]bool, len(asked)) // in some row
	for i, r := range asked {
		found[i] = Problem{Problem: r.Name, About: r.About, By: by, Rule: r.Rule.String(), Advice: r.Advice, Places: []Place{}}
	}
	fits := ruleMasks(d, asked)
	if err := j.check(asked); err != nil {
		return err
	}
	for row := range j.rows.Len() {
		if by == ByRegion && d.Regions[row].Name == model.Outside {
			continue // advice on code has nothing to say of it
		}
		if err := j.infer(asked, fits, row, how, found, known); err != nil {
			return err
		}
	}
	for i := range found {
		slices.SortStableFunc(found[i].Places, func(a, b Place) int { return cmp.Compare(b.Degree, a.Degree) })
		switch {
		case len(found[i].Places) > 0:
			found[i].Degree = found[i].Places[0].Degree
			p.Problems = append(p.Problems, found[i])
		case known[i] || fits[i] != nil && !slices.Contains(fits[i], true) && j.answers(asked[i]): // no such regions, no such problem
			p.Absent = append(p.Absent, asked[i].Name)
		default:
			p.Unjudged = append(p.Unjudged, Unjudged{asked[i].Name, whyNot(missing[i])})
		}
	}
	return nil
}

// answers tells whether a rule could be judged in any row.
func (j *judge) answers(r *fuzzy.NamedRule) bool {
	for row := range j.rows.Len() {
		if degree := fuzzy.Combine(r.Rule.If, j.words.Logic, j.degree(row)); degree == degree {
			return true
		}
	}
	return false
}

func whyNot(missing *notJudged) string {
	if missing != nil {
		return missing.why
	}
	return "its metrics have no values"
}

// check concludes from all rules once: one whose conclusion is not known is refused,
// be it that it never holds.
func (j *judge) check(asked []*fuzzy.NamedRule) error {
	var rules []*fuzzy.Rule
	for _, r := range asked {
		rules = append(rules, r.Rule)
	}
	_, err := fuzzy.Infer(rules, j.words.Logic, func(*fuzzy.Is) float64 { return 0 }, j.words.Variable)
	return err
}

// infer applies the rules that are asked of a row.
func (j *judge) infer(asked []*fuzzy.NamedRule, fits [][]bool, row int, how fuzzy.Defuzzifier, found []Problem, known []bool) error {
	var rules []*fuzzy.Rule
	var index []int
	for i, r := range asked {
		if fits[i] == nil || fits[i][row] {
			rules, index = append(rules, r.Rule), append(index, i)
		}
	}
	holds := false
	for k, rule := range rules {
		fired := fuzzy.Combine(rule.If, j.words.Logic, j.degree(row)) * rule.Weight
		known[index[k]] = known[index[k]] || fired == fired
		holds = holds || fired >= leastDegree
	}
	if !holds { // as in most rows, of which there may be half a million
		return nil
	}
	result, err := fuzzy.Infer(rules, j.words.Logic, j.degree(row), j.words.Variable)
	if err != nil {
		return err
	}
	severity := Missing
	for _, o := range result.Outcomes {
		if o.Output == "severity" {
			severity = Real(o.Value(how))
		}
	}
	for k, fired := range result.Fired {
		i := index[k]
		if !(fired >= leastDegree) {
			continue
		}
		place := Place{Degree: Real(fired), Severity: severity, Evidence: j.evidence(asked[i].Rule.If, row)}
		switch j.rows.By {
		case ByRegion:
			place.Region = j.d.Paths[j.rows.Region[row]]
		case ByUnit:
			place.Unit = unitValue(j.d.Units[j.rows.Unit[row]])
		}
		found[i].Places = append(found[i].Places, place)
	}
	return nil
}

// ruleMasks tells of which regions each rule is asked; nil for all.
func ruleMasks(d *Dataset, rules []*fuzzy.NamedRule) [][]bool {
	masks := make([][]bool, len(rules))
	if !slices.ContainsFunc(rules, func(r *fuzzy.NamedRule) bool { return len(r.Where) > 0 || r.Of != "" }) {
		return masks
	}
	// Call paths are many, names are few.
	named := make([]int, len(d.Regions))
	number := map[string]int{}
	var names [][]rune
	for g, region := range d.Regions {
		k, known := number[region.Name]
		if !known {
			k = len(names)
			number[region.Name] = k
			names = append(names, []rune(strings.ToLower(region.Name)))
		}
		named[g] = k
	}
	for i, r := range rules {
		if len(r.Where) == 0 && r.Of == "" {
			continue
		}
		fits := slices.Repeat([]bool{len(r.Where) == 0}, len(names))
		for _, pattern := range r.Where {
			glob := newGlob(pattern)
			for k, name := range names {
				fits[k] = fits[k] || glob.matchLower(name)
			}
		}
		masks[i] = make([]bool, len(d.Regions))
		for g, k := range named {
			masks[i][g] = fits[k] && (r.Of == "" || d.Classes[g] == timeClasses[r.Of])
		}
	}
	return masks
}
