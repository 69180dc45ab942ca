package web_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"auspex/internal/cli"
)

// shown is what the page had at one place: the commands it gave and its tables
// as they are saved, heads first.
type shown struct {
	Place    string
	Commands []string
	Tables   map[string][][]string
}

// holdAgainstCommands runs every command that the page showed, as the shell would
// read it, but for those that want a file of the reader's or take a whole build,
// and looks for the numbers of the page's tables among those it prints.
func holdAgainstCommands(t *testing.T, place, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return // no place was visited, or the time was up
	}
	printed := map[string][]float64{}
	compared, ran := 0, 0
	for line := range strings.Lines(string(text)) {
		var at shown
		if err := json.Unmarshal([]byte(line), &at); err != nil {
			t.Fatal(err)
		}
		var numbers []float64
		for _, command := range at.Commands {
			args := shellWords(t, command)
			if args[0] == "check" || args[0] == "predict" || slices.Contains(args, "--vocabulary") {
				continue
			}
			if _, known := printed[command]; !known {
				auspex(t, place, args...)
				printed[command] = numbersOf(t, place, args)
				ran++
			}
			numbers = append(numbers, printed[command]...)
		}
		if len(numbers) == 0 {
			continue // no command that can be run here
		}
		slices.Sort(numbers)
		for label, rows := range at.Tables {
			compared += compareTable(t, at.Place, label, rows, numbers)
		}
	}
	t.Logf("%d commands printed %d numbers that the page shows", ran, compared)
	if ran < 10 || compared < 500 {
		t.Errorf("only %d commands could be run, and %d numbers compared", ran, compared)
	}
}

// derived are columns that the page works out of others, or of which no command
// tells: those of a table, or all of it where none are named.
var derived = map[string][]string{
	"Experiments":           {"run time (s)", "efficiency", "largest loss (share)"}, // show tells them, of one experiment
	"Regions":               {"with all it calls (share)"},
	"Metrics of the region": {}, // show tells one metric at a time
	"Call tree":             {"largest / mean", "in after"},
	"Discernibility matrix": {}, // −1 stands for no number
	"Regions of both":       {"difference (s)"},
	"Runs":                  {"difference (s)"},
	"Points":                {"× shortest"},
	"What to run next":      {}, // sweep table --next tells them
}

func isDerived(label, head string) bool {
	heads, known := derived[label]
	return known && (len(heads) == 0 || slices.Contains(heads, head))
}

// compareTable looks for the numbers of a table among those that were printed.
func compareTable(t *testing.T, place, label string, rows [][]string, printed []float64) (compared int) {
	t.Helper()
	for c, head := range rows[0] {
		if isDerived(label, head) {
			continue
		}
		var missing []string
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[c], 64)
			if err != nil {
				continue // a name, or nothing
			}
			if among(printed, v) {
				compared++
			} else {
				missing = append(missing, row[c])
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s, table %q, column %q: the command does not print %d of %d numbers, such as %v", place, label, head, len(missing), len(rows)-1, missing[:min(3, len(missing))])
		}
	}
	return compared
}

// among tells whether a sorted list has a number, but for rounding.
func among(sorted []float64, v float64) bool {
	near := 1e-9 * math.Abs(v)
	i, _ := slices.BinarySearch(sorted, v-near)
	return i < len(sorted) && sorted[i] <= v+near
}

// shellWords are a command's arguments, without the program.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	words, err := exec.Command("sh", "-c", "printf '%s\\0' "+strings.TrimPrefix(line, "auspex ")).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
}

// numbersOf are all numbers that a command prints as JSON.
func numbersOf(t *testing.T, place string, args []string) []float64 {
	t.Helper()
	var out, complaints bytes.Buffer
	if status := cli.Main(append([]string{"--store", place, "--json"}, args...), strings.NewReader(""), &out, &complaints); status != 0 {
		t.Fatalf("auspex %s --json: exit status %d\n%s", strings.Join(args, " "), status, &complaints)
	}
	var numbers []float64
	decoder := json.NewDecoder(&out)
	for {
		token, err := decoder.Token()
		if err != nil {
			return numbers
		}
		switch v := token.(type) {
		case float64:
			numbers = append(numbers, v)
		case string: // the value of an axis, say
			if n, err := strconv.ParseFloat(v, 64); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
}
