package analyze

import (
	"cmp"
	"errors"
	"fmt"

	"auspex/fuzzy"
)

// Checked is a contract held against an experiment.
type Checked struct {
	Experiment string          `json:"experiment"`
	Holds      *bool           `json:"holds"` // null where it cannot be judged
	Clauses    []CheckedClause `json:"clauses"`
	Broken     []CheckedClause `json:"broken"`
	Unjudged   []CheckedClause `json:"unjudged"`
}

// CheckedClause is one clause.
type CheckedClause struct {
	Clause   string     `json:"clause"`
	Requires string     `json:"requires"`
	Region   string     `json:"region,omitempty"` // the worst of those it is about
	Regions  int        `json:"regions"`          // how many it is about; 0 for the program
	Needs    float64    `json:"needs"`            // the degree at which it holds
	Degree   Real       `json:"degree"`           // null where it cannot be judged
	Holds    *bool      `json:"holds"`
	Why      string     `json:"why,omitempty"` // it cannot be judged
	Evidence []Evidence `json:"evidence"`
	Words    string     `json:"words"` // for people, from package report
}

// Check holds an experiment against a contract. open gives the experiments
// that clauses compare with. What is wrong with the contract itself is an
// error; what cannot be judged is part of the result.
func Check(d *Dataset, words Words, c *fuzzy.Contract, open func(name string) (*Dataset, error)) (*Checked, error) {
	result := &Checked{Experiment: d.Name, Clauses: []CheckedClause{}, Broken: []CheckedClause{}, Unjudged: []CheckedClause{}}
	for _, clause := range c.Clauses {
		base, err := baselineOf(clause, c, open)
		checked := CheckedClause{Clause: clause.Name, Requires: clause.Text(), Needs: clause.Degree, Degree: Missing, Evidence: []Evidence{}}
		if err == nil {
			err = checked.check(d, words, clause, base)
		}
		why := (*notJudged)(nil)
		switch {
		case errors.As(err, &why):
			checked.Why = why.why
			result.Unjudged = append(result.Unjudged, checked)
		case err != nil:
			return nil, fmt.Errorf("%s: clause %s: %w", c.File, clause.Name, cannotJudge(err)) // without a place, which is that of a word in a clause
		case !*checked.Holds:
			result.Broken = append(result.Broken, checked)
		}
		result.Clauses = append(result.Clauses, checked)
	}
	if holds := len(result.Broken) == 0; !holds || len(result.Unjudged) == 0 {
		result.Holds = &holds
	}
	return result, nil
}

// baselineOf opens what a clause compares with.
func baselineOf(clause *fuzzy.Clause, c *fuzzy.Contract, open func(string) (*Dataset, error)) (*Dataset, error) {
	name := clause.ComparedWith
	if name == "" {
		return nil, nil
	}
	if name == "baseline" && c.Baseline == "" {
		return nil, &notJudged{"no baseline was given; --baseline EXPERIMENT names one"}
	}
	if name == "baseline" {
		name = c.Baseline
	}
	base, err := open(name)
	if err != nil {
		return nil, cannotJudge(err)
	}
	return base, nil
}

// check judges the clause for every region it is about; the worst counts.
func (checked *CheckedClause) check(d *Dataset, words Words, clause *fuzzy.Clause, base *Dataset) error {
	by := ByProgram
	rows := []int{0}
	if clause.Region != "" {
		by = ByRegion
		var err error
		if rows, err = d.chooseRegions([]string{clause.Region}); err != nil {
			return cannotJudge(err)
		}
		checked.Regions = len(rows)
	}
	j, err := newJudge(d, words, by, OverMean, base)
	if err != nil {
		return err
	}
	j.compared = base != nil
	missing, err := j.prepare(clause.Require)
	if err != nil {
		return err
	}
	worst := -1
	for _, row := range rows {
		degree := Real(fuzzy.Combine(clause.Require, words.Logic, j.degree(row)))
		if !degree.IsMissing() && !(degree >= checked.Degree) {
			checked.Degree, worst = degree, row
		}
	}
	if worst < 0 && missing == nil && base != nil && clause.Region != "" {
		if _, err := base.chooseRegions([]string{clause.Region}); err != nil {
			return &notJudged{fmt.Sprintf("%s, which it is compared with, has no region %s", base.Name, clause.Region)}
		}
	}
	if worst < 0 {
		return cmp.Or(missing, &notJudged{"its metrics have no values here"})
	}
	if by == ByRegion {
		checked.Region = d.Paths[worst]
	}
	checked.Evidence = j.evidence(clause.Require, worst)
	holds := checked.Degree >= Real(clause.Degree)
	checked.Holds = &holds
	return nil
}
