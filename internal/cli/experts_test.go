package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The table of real sets in docs/diagnose.md says what is said of them.
func TestExpertsAgree(t *testing.T) {
	if _, err := os.Stat(sharedData(t)); err != nil {
		t.Skip("needs the real profiles that lie beside the project in ../shared/data")
	}
	text, err := os.ReadFile("../../docs/diagnose.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| set | what is so | asked | said |\n|---|---|---|---|\n")
	if !ok {
		t.Fatal("docs/diagnose.md has no table of real sets")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 4 {
			t.Fatalf("%q has %d cells", row, len(cells))
		}
		t.Run(cells[0], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var script strings.Builder
			for command := range strings.SplitSeq(strings.Trim(cells[2], "`"), "; ") {
				script.WriteString("auspex " + command + " || exit 1\n")
			}
			cmd := exec.Command("sh", "-c", script.String())
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "AUSPEX_STORE="+filepath.Join(dir, "store"), "DATA="+sharedData(t), "NO_COLOR=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.Contains(string(out), cells[3]) {
				t.Errorf("does not say %q:\n%.2000s", cells[3], out)
			}
		})
	}
}
