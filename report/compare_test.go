package report

import (
	"strings"
	"testing"

	"auspex/analyze"
)

// TestThroughWords: what is named moved the product the way it went.
func TestThroughWords(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after analyze.Efficiency
		want          string
	}{
		{"rises though balance falls", analyze.Efficiency{LoadBalance: 0.973, Communication: 0.364, Parallel: 0.354}, analyze.Efficiency{LoadBalance: 0.853, Communication: 0.458, Parallel: 0.390}, "communication (0.364 to 0.458)"},
		{"falls with balance", analyze.Efficiency{LoadBalance: 0.95, Communication: 0.8, Parallel: 0.76}, analyze.Efficiency{LoadBalance: 0.5, Communication: 0.9, Parallel: 0.45}, "load balance (0.950 to 0.500)"},
		{"falls with communication", analyze.Efficiency{LoadBalance: 0.9, Communication: 0.8, Parallel: 0.72}, analyze.Efficiency{LoadBalance: 0.95, Communication: 0.4, Parallel: 0.38}, "communication (0.800 to 0.400)"},
		{"by shares, not by points", analyze.Efficiency{LoadBalance: 0.9, Communication: 0.1, Parallel: 0.09}, analyze.Efficiency{LoadBalance: 0.75, Communication: 0.05, Parallel: 0.0375}, "communication (0.100 to 0.050)"},
		{"nothing known", analyze.Efficiency{LoadBalance: analyze.Missing, Communication: 0.8, Parallel: 0.7}, analyze.Efficiency{LoadBalance: 0.5, Communication: 0.8, Parallel: 0.4}, ""},
	} {
		if got := throughWords(c.before, c.after); (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
