package analyze

import (
	"strings"
	"testing"

	"auspex/fuzzy"
)

// What is wrong with a contract is told with its file and clause, and a region that
// the baseline lacks is not said to be missing here.
func TestCheckMistakes(t *testing.T) {
	for require, want := range map[string]string{
		"wtime IS hihg": "perf.toml: clause x: unknown term hihg of wtime; did you mean high?",
		"wtiem IS high": "did you mean wtime?",
	} {
		c, err := fuzzy.ReadContract("perf.toml", []byte("[clause.x]\nrequire = '"+require+"'\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Check(scored(t, 1), ShippedWords(), c, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "perf.toml: clause x: ") || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "column") {
			t.Errorf("%s: %v", require, err)
		}
	}
	c, err := fuzzy.ReadContract("perf.toml", []byte("baseline = 'old'\n[clause.x]\nregion = 'render'\nrequire = 'wtime IS NOT high COMPARED WITH baseline'\n"))
	if err != nil {
		t.Fatal(err)
	}
	checked, err := Check(other(t, "movie"), ShippedWords(), c, func(string) (*Dataset, error) { return scored(t, 1), nil })
	if err != nil || len(checked.Unjudged) != 1 || !strings.HasSuffix(checked.Unjudged[0].Why, "which it is compared with, has no region render") {
		t.Errorf("%+v, %v", checked, err)
	}
}

// A weight that is no number is not taken for a part of the shape.
func TestWrongWeight(t *testing.T) {
	if _, err := ParseScoreMetric("wtime@S:abc"); err == nil || !strings.Contains(err.Error(), `must be a number, not "abc"`) {
		t.Error(err)
	}
	if _, err := ParseScoreMetric("PAPI:hits"); err != nil {
		t.Error(err)
	}
}
