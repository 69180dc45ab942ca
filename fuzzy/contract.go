package fuzzy

import (
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/internal/mistake"
)

// Contract is a service level agreement in words.
type Contract struct {
	File     string  // for errors
	Baseline string  // an experiment that clauses may compare with, or ""
	Degree   float64 // a clause holds where its degree is this or more
	Clauses  []*Clause
}

// Clause is one promise of a contract.
type Clause struct {
	Name         string
	Region       string    // a region or a glob; "" for the whole program
	Require      Condition // what must hold
	ComparedWith string    // "baseline" or an experiment; "" for the values themselves
	Degree       float64   // of this clause
}

// defaultDegree: what holds more than not, holds.
const defaultDegree = 0.5

// comparison parts what is required from what it is compared with.
var comparison = lazyregexp.New(`(?i)^(.*\S)\s+compared\s+with\s*(.*)$`)

type clauseTable struct {
	Region  string  `toml:"region"`
	Require string  `toml:"require"`
	Degree  float64 `toml:"degree"`
}

// ReadContract reads the TOML of a contract. file is only used in errors,
// which are [mistake.Placed].
//
//	baseline = "nightly"
//	[clause.solve_time]
//	region = "main/solve"
//	require = "wtime IS NOT very high COMPARED WITH baseline"
//	[clause.balance]
//	require = "load_balance IS NOT poor"
func ReadContract(file string, data []byte) (*Contract, error) {
	var table struct {
		Baseline string                 `toml:"baseline"`
		Degree   float64                `toml:"degree"`
		Clause   map[string]clauseTable `toml:"clause"`
	}
	r, err := decode(file, data, &table, []string{"baseline", "degree", "clause", "region", "require"})
	if err != nil {
		return nil, err
	}
	c := &Contract{File: file, Baseline: table.Baseline, Degree: table.Degree}
	if c.Degree == 0 {
		c.Degree = defaultDegree
	}
	if !(c.Degree > 0 && c.Degree <= 1) {
		return nil, r.fail([]string{"degree"}, "the degree must be above 0 and up to 1, not %v", c.Degree)
	}
	for _, name := range r.places.keys("clause", keysOf(table.Clause)) {
		clause, err := r.clause(name, table.Clause[name], c.Degree)
		if err != nil {
			return nil, err
		}
		c.Clauses = append(c.Clauses, clause)
	}
	if len(c.Clauses) == 0 {
		return nil, mistake.InFile(file, "promises nothing; write clauses under [clause.NAME]")
	}
	return c, nil
}

func (r reader) clause(name string, t clauseTable, degree float64) (*Clause, error) {
	at := func(key string) []string { return []string{"clause", name, key} }
	c := &Clause{Name: name, Region: t.Region, Degree: t.Degree}
	if c.Degree == 0 {
		c.Degree = degree
	}
	if !(c.Degree > 0 && c.Degree <= 1) {
		return nil, r.fail(at("degree"), "the degree of %s must be above 0 and up to 1, not %v", name, c.Degree)
	}
	if t.Require == "" {
		return nil, r.fail(at(""), "clause %s requires nothing; write require = \"load_balance IS NOT poor\"", name)
	}
	text := t.Require
	if parts := comparison.FindStringSubmatch(text); parts != nil {
		text, c.ComparedWith = parts[1], strings.TrimSpace(parts[2])
		if c.ComparedWith == "" {
			return nil, r.fail(at("require"), "clause %s is compared with nothing; write COMPARED WITH baseline", name)
		}
	}
	var err error
	if c.Require, err = ParseCondition(text); err != nil {
		return nil, r.fail(at("require"), "clause %s: %v", name, err)
	}
	return c, nil
}

// Text is the clause as it was written, but for the words' case.
func (c *Clause) Text() string {
	text := c.Require.String()
	if c.ComparedWith != "" {
		text += " compared with " + c.ComparedWith
	}
	return text
}
