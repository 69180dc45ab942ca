package report

import (
	"fmt"

	"auspex/analyze"
)

// Checked writes whether a contract holds, and why not.
func (p *Page) Checked(c *analyze.Checked) {
	p.Paragraph(CheckedWords(c))
	for _, clause := range c.Clauses {
		mark := "✓"
		switch {
		case clause.Holds == nil:
			mark = "?"
		case !*clause.Holds:
			mark = "✗"
		}
		p.Paragraph(fmt.Sprintf("%s %s: %s", mark, clause.Clause, ClauseWords(clause)))
	}
}

// FillClauseWords puts the clauses into words, for JSON.
func FillClauseWords(c *analyze.Checked) {
	for _, list := range [][]analyze.CheckedClause{c.Clauses, c.Broken, c.Unjudged} {
		for i := range list {
			list[i].Words = ClauseWords(list[i])
		}
	}
}

// CheckedWords sums a contract up.
func CheckedWords(c *analyze.Checked) string {
	switch {
	case c.Holds == nil:
		return fmt.Sprintf("Whether the contract holds for %s cannot be judged: %d of %s cannot.", c.Experiment, len(c.Unjudged), plural(len(c.Clauses), "clause"))
	case *c.Holds:
		return fmt.Sprintf("The contract holds for %s: %s kept.", c.Experiment, plural(len(c.Clauses), "clause"))
	}
	return fmt.Sprintf("The contract is broken by %s: %d of %s.", c.Experiment, len(c.Broken), plural(len(c.Clauses), "clause"))
}

// ClauseWords says how one clause turned out.
func ClauseWords(c analyze.CheckedClause) string {
	if c.Holds == nil {
		return fmt.Sprintf("%s cannot be judged: %s.", c.Requires, c.Why)
	}
	verb, where := "holds", ""
	if !*c.Holds {
		verb = "does not hold"
	}
	if c.Region != "" {
		where = " in " + c.Region
		if c.Regions > 1 {
			where += fmt.Sprintf(", the worst of %s", plural(c.Regions, "region"))
		}
	}
	return fmt.Sprintf("%s %s%s %s, needs %s: %s.", c.Requires, verb, where, degreeText(c.Degree), Ratio(analyze.Real(c.Needs), 2), EvidenceWords(c.Evidence))
}
