package report

import (
	"strings"
	"testing"

	"auspex/account"
	"auspex/analyze"
)

// TestNarrow: on a narrow terminal what stands last in a line is wrapped beside what
// comes before it, or below; nothing of it is lost, and a pipe gets it as it is.
func TestNarrow(t *testing.T) {
	lines := []account.Line{
		{Kind: account.StartEnd, Share: 0.6, Seconds: 6, Words: "before the first and after the last region, and in starting and ending"},
		{Kind: account.Waiting, Region: "main/solve/exchange/MPI_Sendrecv", Share: 0.4, Seconds: 4, Words: "waiting beyond the imbalance"},
	}
	e := &analyze.Summary{Format: "tau", Sources: []string{"profiles"}, Created: "today", TimeMetric: "wtime", Ledgered: 4, RunSeconds: 2.5, Ledger: lines}
	start := analyze.Real(0.5)
	e.Efficiency.StartEnd = &start
	for _, width := range []int{0, 60, 80, 100} {
		var b strings.Builder
		p := &Page{Out: &b, Width: width}
		p.Summary(e)
		told := strings.Join(strings.Fields(b.String()), " ")
		for _, words := range []string{lines[0].Words, lines[1].Words, "what starting and ending leave of the run; part of communication and transfer"} {
			if width == 0 && !strings.Contains(b.String(), words) || width > 0 && !inOrder(told, strings.Fields(words)) {
				t.Errorf("width %d: %q is not whole in\n%s", width, words, b.String())
			}
		}
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimRight(line, "\n"); width > 0 && cellWidth(line) > width || line != strings.TrimRight(line, " ") {
				t.Errorf("width %d: %d wide: %q", width, cellWidth(line), line)
			}
		}
	}
	var b strings.Builder
	(&Page{Out: &b, Width: 24}).table([]column{region("region"), number("share"), words("")}, [][]string{{"main/solver", "50.0 %", "█████"}, {"main", "10.0 %", "█"}})
	if got := b.String(); strings.Contains(got, "█████") || !strings.Contains(got, "10.0 %  █\n") {
		t.Errorf("a bar without room:\n%s", got)
	}
}

// inOrder tells whether all words are in a text, each after the one before.
func inOrder(text string, words []string) bool {
	for _, w := range words {
		_, after, found := strings.Cut(text, w)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// TestNarrowTables: a table that is wider than the page is set in parts, each with the
// first column; a name too long for that has a line to itself. A pipe gets one table.
func TestNarrowTables(t *testing.T) {
	long := "a_name_of_an_experiment_that_is_longer_than_a_third_of_the_page"
	columns := []column{words("name"), number("units"), number("regions"), words("created"), region("factors")}
	rows := [][]string{{"first", "8", "12", "2026-11-19 10:27", "ranks=8"}, {long, "16", "69", "2009-12-01 12:01", "CPU MHz=2666, ranks=16"}}
	for _, c := range []struct {
		width, parts int
	}{{0, 1}, {160, 1}, {80, 1}, {60, 2}, {40, 3}} {
		var b strings.Builder
		(&Page{Out: &b, Width: c.width}).table(columns, rows)
		if got := strings.Count(b.String(), "name "); got != c.parts {
			t.Errorf("width %d: %d parts, want %d\n%s", c.width, got, c.parts, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimRight(line, "\n"); c.width > 0 && cellWidth(line) > c.width && line != long {
				t.Errorf("width %d: %d wide: %q", c.width, cellWidth(line), line)
			}
		}
		for _, cell := range []string{long, "16", "69", "2009-12-01 12:01", "ranks=16"} {
			if !strings.Contains(b.String(), cell) {
				t.Errorf("width %d: %q is not in\n%s", c.width, cell, b.String())
			}
		}
	}
}
