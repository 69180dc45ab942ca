package fuzzy

import (
	"strings"
	"testing"
)

func TestReadRules(t *testing.T) {
	rules, err := ReadRules("r.toml", []byte(`
[rule.second]
rule = "IF imbalance IS high THEN problem IS second WITH 0.8"
by = "program"
[rule.first]
about = "what"
rule = "IF imbalance IS high THEN problem IS first AND severity IS low"
where = ["MPI_*"]
advice = "do"`))
	if err != nil {
		t.Fatal(err)
	}
	if len(rules) != 2 || rules[0].Name != "second" || rules[0].By != "program" || rules[0].Rule.Weight != 0.8 {
		t.Errorf("%+v", rules[0])
	}
	if r := rules[1]; r.By != "region" || r.Advice != "do" || r.About != "what" || len(r.Where) != 1 || len(r.Rule.Then) != 2 {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]string{
		"":                          "r.toml: holds no rules",
		"[rule.x]":                  "r.toml:1: rule x says nothing",
		"[rule.x]\nrul = \"\"":      "r.toml:2:1: unknown key rule.x.rul; did you mean rule?",
		"[rule.x]\nrule = \"WHEN\"": "r.toml:2: rule x: column 1: expected IF",
		"[rule.x]\n\nrule = 3":      "r.toml:3:8",
		"[rule.x]\nrule = \"IF a IS b THEN c IS d\"\nby = \"moon\"":                      "r.toml:3: rule x is by region, unit or program",
		"[rule.x]\nrule = \"IF a IS b THEN c IS d\"\nby = \"unit\"\nwhere = [\"MPI_*\"]": "r.toml:4: rule x: only rules by region",
	} {
		if _, err := ReadRules("r.toml", []byte(text)); err == nil || !strings.HasPrefix(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestReadContract(t *testing.T) {
	c, err := ReadContract("c.toml", []byte(`
baseline = "nightly"
degree = 0.6
[clause.time]
region = "main/solve"
require = "wtime IS NOT very high  Compared With baseline"
[clause.balance]
degree = 0.9
require = "load_balance IS NOT poor AND imbalance IS low"`))
	if err != nil {
		t.Fatal(err)
	}
	time, balance := c.Clauses[0], c.Clauses[1]
	if c.Baseline != "nightly" || time.Degree != 0.6 || time.ComparedWith != "baseline" || time.Text() != "wtime is not very high compared with baseline" {
		t.Errorf("%+v, %q", time, time.Text())
	}
	if balance.Degree != 0.9 || balance.ComparedWith != "" || balance.Region != "" {
		t.Errorf("%+v", balance)
	}
	for text, want := range map[string]string{
		"":                                     "c.toml: promises nothing",
		"[clause.x]":                           "c.toml:1: clause x requires nothing",
		"degree = 2\n[clause.x]":               "c.toml:1: the degree must be",
		"[clause.x]\ndegree = -1":              "c.toml:2: the degree of x",
		"[clause.x]\nrequire = \"wtime high\"": "c.toml:2: clause x: column",
		"[clause.x]\nrequire = \"wtime is high compared with \"": "c.toml:2: clause x is compared with nothing",
		"[clause.x]\nrequires = \"wtime is high\"":               "c.toml:2:1: unknown key clause.x.requires; did you mean require?",
	} {
		if _, err := ReadContract("c.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzReadRules(f *testing.F) {
	f.Add([]byte("[rule.x]\nrule = \"IF a IS b THEN c IS d\"\nwhere = [\"*\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := ReadRules("r.toml", data)
		if err != nil {
			return
		}
		for _, r := range rules {
			if _, err := ParseRule(r.Rule.String()); err != nil {
				t.Errorf("%q does not parse back: %v", r.Rule, err)
			}
		}
	})
}

func FuzzReadContract(f *testing.F) {
	f.Add([]byte("baseline = \"b\"\n[clause.x]\nrequire = \"a IS b COMPARED WITH baseline\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadContract("c.toml", data)
		if err != nil {
			return
		}
		for _, clause := range c.Clauses {
			if _, err := ParseCondition(clause.Require.String()); err != nil {
				t.Errorf("%q does not parse back: %v", clause.Require, err)
			}
		}
	})
}
