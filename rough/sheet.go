package rough

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Sheet is a decision table with the texts that its numbers stand for.
type Sheet struct {
	Table
	Decision  string     // name of the decision
	Values    [][]string // by attribute, the texts that its numbers stand for
	Decisions []string   // likewise of the decision
}

// ReadSheet reads a decision table as CSV: a line of names, then a line an object.
// The decision is the column of that name, the last where it is empty; columns to
// ignore, such as the objects' names, are left out. Values are the same where their
// texts are.
func ReadSheet(r io.Reader, decision string, ignore []string) (*Sheet, error) {
	in := csv.NewReader(r)
	in.TrimLeadingSpace, in.ReuseRecord = true, true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the table is empty: its first line must name the columns")
	}
	if err != nil {
		return nil, err
	}
	names := slices.Clone(header)
	at := len(names) - 1
	if decision != "" {
		if at = slices.Index(names, decision); at < 0 {
			return nil, fmt.Errorf("the table has no column %q; it has %s", decision, strings.Join(names, ", "))
		}
	}
	for _, name := range ignore {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("the table has no column %q to ignore; it has %s", name, strings.Join(names, ", "))
		}
	}
	s := &Sheet{Decision: names[at]}
	var columns []int
	for i, name := range names {
		if slices.Index(names, name) != i {
			return nil, fmt.Errorf("two columns are called %q", name)
		}
		if i != at && !slices.Contains(ignore, name) {
			columns, s.Attributes = append(columns, i), append(s.Attributes, name)
		}
	}
	if len(columns) == 0 {
		return nil, errors.New("the table has no attribute beside the decision")
	}
	if len(columns) > MaxAttributes {
		return nil, fmt.Errorf("the table has %d attributes; %d can be reduced", len(columns), MaxAttributes)
	}
	s.Values = make([][]string, len(columns))
	numbers := make([]map[string]int, len(columns)+1)
	for i := range numbers {
		numbers[i] = map[string]int{}
	}
	number := func(column int, text string, texts *[]string) int {
		n, known := numbers[column][text]
		if !known {
			text = strings.Clone(text)
			n = len(*texts)
			numbers[column][text], *texts = n, append(*texts, text)
		}
		return n
	}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		row := Row{ID: len(s.Rows), Decision: number(len(columns), record[at], &s.Decisions)}
		for k, i := range columns {
			row.Values = append(row.Values, number(k, record[i], &s.Values[k]))
		}
		s.Rows = append(s.Rows, row)
	}
	if len(s.Rows) == 0 {
		return nil, errors.New("the table has names but no rows")
	}
	return s, nil
}

// Rule says what follows from the values of some attributes.
type Rule struct {
	Attributes []int
	Values     []int // by attribute of the rule
	Decision   int
	Rows       int // that it covers and that have the decision
	Of         int // that it covers; more than Rows where it is not certain
}

// Rules derives the rules of a decision table over a reduct, those that cover most
// first. A certain rule has no condition that could be left out.
func Rules(t Table, reduct []int) ([]Rule, error) {
	classes, err := Collapse(t)
	if err != nil {
		return nil, err
	}
	covered := func(attributes, values []int, visit func(Class)) {
	rows:
		for _, r := range classes {
			for k, a := range attributes {
				if r.Values[a] != values[k] {
					continue rows
				}
			}
			visit(r)
		}
	}
	certain := func(attributes, values []int, decision int) bool {
		same := true
		covered(attributes, values, func(r Class) { same = same && r.Decision == decision })
		return same
	}
	var rules []Rule
	seen := map[string]bool{}
	for _, r := range classes {
		rule := Rule{Attributes: slices.Clone(reduct), Decision: r.Decision}
		for _, a := range reduct {
			rule.Values = append(rule.Values, r.Values[a])
		}
		whole := fmt.Sprint("whole", rule.Values, rule.Decision)
		if seen[whole] {
			continue
		}
		seen[whole] = true
		if certain(rule.Attributes, rule.Values, rule.Decision) {
			for k := len(rule.Attributes) - 1; k >= 0; k-- {
				attributes, values := slices.Delete(slices.Clone(rule.Attributes), k, k+1), slices.Delete(slices.Clone(rule.Values), k, k+1)
				if certain(attributes, values, rule.Decision) {
					rule.Attributes, rule.Values = attributes, values
				}
			}
		}
		key := fmt.Sprint(rule.Attributes, rule.Values, rule.Decision)
		if seen[key] {
			continue
		}
		seen[key] = true
		covered(rule.Attributes, rule.Values, func(r Class) {
			rule.Of += len(r.IDs)
			if r.Decision == rule.Decision {
				rule.Rows += len(r.IDs)
			}
		})
		rules = append(rules, rule)
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return b.Rows - a.Rows })
	return rules, nil
}
