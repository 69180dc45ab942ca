package report

import (
	"fmt"
	"strings"

	"auspex/rough"
)

// Reduction is what rough sets say of a decision table, by name.
type Reduction struct {
	Decision   string     `json:"decision"`
	Attributes []string   `json:"attributes"`
	Rows       int        `json:"rows"`
	Distinct   int        `json:"distinct"` // rows that differ in something
	Core       []string   `json:"core"`
	Reducts    [][]string `json:"reducts"` // the shortest first
	Complete   bool       `json:"complete"`
	Chosen     []string   `json:"chosen"` // the reduct that the rules are over
	Exact      bool       `json:"exact"`  // none is shorter
	// Inexplicable counts pairs of rows that differ in the decision and in nothing
	// else.
	Inexplicable int64         `json:"inexplicable"`
	Rules        []ReducedRule `json:"rules"` // those that cover most first
	Warnings     []string      `json:"warnings"`
}

// ReducedRule is a rule of a decision table.
type ReducedRule struct {
	If     map[string]string `json:"if"`
	Then   string            `json:"then"`
	Rows   int               `json:"rows"`    // that it covers and that have the decision
	Of     int               `json:"of_rows"` // that it covers
	phrase string
}

// NewReduction puts names to what was found.
func NewReduction(s *rough.Sheet, r *rough.Result, rules []rough.Rule) *Reduction {
	names := func(attributes []int) []string {
		out := []string{}
		for _, a := range attributes {
			out = append(out, s.Attributes[a])
		}
		return out
	}
	out := &Reduction{
		Decision: s.Decision, Attributes: s.Attributes, Rows: len(s.Rows), Distinct: r.Distinct, Core: names(r.Core), Reducts: [][]string{},
		Complete: r.Complete, Chosen: names(r.Chosen), Exact: r.Exact, Inexplicable: r.InexplicablePairs, Rules: []ReducedRule{},
		Warnings: []string{},
	}
	var different []string
	for a, values := range s.Values {
		if len(s.Rows) > 2 && len(values) == len(s.Rows) {
			different = append(different, s.Attributes[a])
		}
	}
	switch len(different) {
	case 0:
	case 1:
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s is different in every row, so it decides whatever it is; if it only names the rows, --ignore %q leaves it out", different[0], different[0]))
	default:
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s are different in every row, so each decides whatever it is; --ignore leaves out those that only name the rows, and numbers are better divided into a few classes", someOf(different, 4)))
	}
	for _, reduct := range r.Reducts {
		out.Reducts = append(out.Reducts, names(reduct))
	}
	for _, rule := range rules {
		said := ReducedRule{If: map[string]string{}, Then: s.Decisions[rule.Decision], Rows: rule.Rows, Of: rule.Of}
		var parts []string
		for k, a := range rule.Attributes {
			text := s.Values[a][rule.Values[k]]
			said.If[s.Attributes[a]] = text
			if text == "" {
				text = "empty"
			}
			parts = append(parts, s.Attributes[a]+" is "+text)
		}
		said.phrase = strings.Join(parts, " and ")
		out.Rules = append(out.Rules, said)
	}
	return out
}

// Reduction writes core, reducts and rules.
func (p *Page) Reduction(r *Reduction) {
	p.Paragraph(ReductionWords(r))
	p.notes(r.Warnings)
	if len(r.Reducts) > 1 {
		p.Heading("Reducts")
		for _, reduct := range r.Reducts {
			p.Line("  %s", strings.Join(reduct, ", "))
		}
	}
	if len(r.Chosen) == 0 {
		return
	}
	p.Heading("Rules over " + listed(r.Chosen))
	var rows [][]string
	for _, rule := range r.Rules {
		certain := "certain"
		if rule.Rows < rule.Of {
			certain = fmt.Sprintf("in %d of %d", rule.Rows, rule.Of)
		}
		rows = append(rows, []string{rule.phrase, r.Decision + " is " + rule.Then, grouped(rule.Rows), certain})
	}
	p.table([]column{region("if"), words("then"), number("rows"), words("")}, rows)
}

// ReductionWords says what decides.
func ReductionWords(r *Reduction) string {
	text := fmt.Sprintf("%s of %s, %s.", plural(r.Rows, "row"), plural(len(r.Attributes), "attribute"), distinctWords(r))
	switch {
	case len(r.Chosen) == 0 && r.Inexplicable == 0:
		return text + fmt.Sprintf(" All have the same %s: there is nothing to explain.", r.Decision)
	case len(r.Chosen) == 0:
		return text + fmt.Sprintf(" No attribute tells rows of different %s apart.", r.Decision)
	case len(r.Reducts) == 1:
		text += fmt.Sprintf(" %s decided by %s", decided(r), listed(r.Chosen))
	default:
		text += fmt.Sprintf(" %s decided by %s, the first of %s", decided(r), listed(r.Chosen), plural(len(r.Reducts), "reduct"))
	}
	switch {
	case !r.Exact:
		text += " (the best found; a shorter set may exist)"
	case len(r.Core) == 0:
		text += "; nothing is in every reduct"
	case len(r.Reducts) > 1 || len(r.Core) < len(r.Chosen):
		text += fmt.Sprintf("; no reduct can do without %s", listed(r.Core))
	}
	text += "."
	if r.Inexplicable > 0 {
		verb := "differ"
		if r.Inexplicable == 1 {
			verb = "differs"
		}
		text += fmt.Sprintf(" %s of rows %s in %s alone.", plural(int(r.Inexplicable), "pair"), verb, r.Decision)
	}
	return text
}

// decided says of the decision whether the attributes decide all of it.
func decided(r *Reduction) string {
	if r.Inexplicable > 0 {
		return "As far as it can be explained, " + r.Decision + " is"
	}
	return r.Decision + " is"
}

func distinctWords(r *Reduction) string {
	if r.Distinct == r.Rows {
		return "all different"
	}
	return fmt.Sprintf("%s different", grouped(r.Distinct))
}
