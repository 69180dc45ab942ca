package fuzzy

import (
	"slices"
	"strings"

	"auspex/internal/mistake"
)

// NamedRule is a rule of a rule base: when it is asked, and what a person
// would advise where it holds.
type NamedRule struct {
	Name   string
	About  string
	Rule   *Rule
	By     string   // what is judged: region, unit or program
	Where  []string // globs of regions' names; none means all
	Of     string   // what the time of the regions is, as in a vocabulary's times; empty for any
	Advice string
}

// ruleTable is the TOML of a rule.
type ruleTable struct {
	About  string   `toml:"about"`
	Rule   string   `toml:"rule"`
	By     string   `toml:"by"`
	Where  []string `toml:"where"`
	Of     string   `toml:"of"`
	Advice string   `toml:"advice"`
}

// ReadRules reads the TOML of a rule base. file is only used in errors, which
// are [mistake.Placed].
//
//	[rule.load_imbalance]
//	about = "some units have more work than others"
//	rule = "IF imbalance IS high AND time_share IS NOT low THEN problem IS load_imbalance AND severity IS high"
//	by = "region"
//	advice = "Spread the work more evenly."
func ReadRules(file string, data []byte) ([]*NamedRule, error) {
	var table struct {
		Rule map[string]ruleTable `toml:"rule"`
	}
	r, err := decode(file, data, &table, []string{"rule", "about", "by", "where", "of", "advice"})
	if err != nil {
		return nil, err
	}
	var rules []*NamedRule
	for _, name := range r.places.keys("rule", keysOf(table.Rule)) {
		t := table.Rule[name]
		at := func(key string) []string { return []string{"rule", name, key} }
		if t.Rule == "" {
			return nil, r.fail(at(""), "rule %s says nothing; write rule = \"IF … THEN problem IS …\"", name)
		}
		parsed, err := ParseRule(t.Rule)
		if err != nil {
			return nil, r.fail(at("rule"), "rule %s: %v", name, err)
		}
		if t.By == "" {
			t.By = "region"
		}
		if !slices.Contains([]string{"region", "unit", "program"}, t.By) {
			return nil, r.fail(at("by"), "rule %s is by region, unit or program, not by %q", name, t.By)
		}
		if len(t.Where) > 0 && t.By != "region" {
			return nil, r.fail(at("where"), "rule %s: only rules by region are asked of some regions", name)
		}
		if t.Of != "" && (t.By != "region" || !slices.Contains(TimeWords, t.Of)) {
			return nil, r.fail(at("of"), "rule %s: of narrows a rule by region to regions of one kind of time: %s", name, strings.Join(TimeWords, ", "))
		}
		rules = append(rules, &NamedRule{Name: name, About: t.About, Rule: parsed, By: t.By, Where: t.Where, Of: t.Of, Advice: t.Advice})
	}
	if len(rules) == 0 {
		return nil, mistake.InFile(file, "holds no rules; write them under [rule.NAME]")
	}
	return rules, nil
}
