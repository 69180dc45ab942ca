package analyze

import (
	"strings"
	"testing"
)

// WHERE that selects nothing is told from rows of which none fits.
func TestWhereSelectsNothing(t *testing.T) {
	d := scored(t, 1)
	for query, want := range map[string]string{
		"wtime is high WHERE kind = mpii":                     "WHERE selects nothing: no region has kind = 'mpii'; there are ",
		"wtime is high WHERE process = 77 BY unit":            "WHERE selects nothing: no unit has process = 77",
		"wtime is high WHERE region = 'main/a=b'":             "WHERE selects nothing: no region has region = 'main/a=b'",
		"wtime is high WHERE process = 0 AND NOT process = 0": "WHERE selects nothing: its parts select nothing together",
		"wtime is S(1e8, 1e9) WHERE process = 0":              "",
		"wtime is S(1e8, 1e9)":                                "",
	} {
		answer := ask(t, query, d)
		said := strings.Join(answer.Warnings, "; ")
		if len(answer.Rows) != 0 || want == "" && said != "" || !strings.HasPrefix(said, want) {
			t.Errorf("%s: %d rows, %q, want %q", query, len(answer.Rows), said, want)
		}
	}
	if answer := ask(t, "wtime is high WHERE process = 0", d); len(answer.Warnings) != 0 {
		t.Errorf("%q", answer.Warnings)
	}
}

// A metric that rows of a query cannot have is no unknown one.
func TestQueryOfTheProgramIsRefused(t *testing.T) {
	d := scored(t, 1)
	for query, want := range map[string]string{
		"imbalance_share is high":             "is a line of the ledger, which queries do not read; auspex diagnose",
		"load_balance is poor BY unit":        "load_balance is of the whole program, and rows of a query are regions or units; auspex show",
		"wtime is high ORDER BY idle_share":   "idle_share is of the whole program",
		"imbalance_shar is high":              "unknown metric imbalance_shar",
		"wtime / parallel_efficiency is high": "parallel_efficiency is of the whole program",
	} {
		_, err := tryAsking(t, query, d)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "did you mean imbalance_share") {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}
