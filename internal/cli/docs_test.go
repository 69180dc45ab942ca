package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"auspex/internal/testclickhouse"
)

var update = flag.Bool("update", false, "write what the commands print into the documents")

// TestDocumentsTellTheTruth runs the examples of README.md and docs. In a
// block fenced as ```console, a line that begins with "$ " is run by the shell
// and the lines below it are what it prints; a line "…" stands for any lines,
// and "[exit status 1]" for a command that fails so. One document's blocks
// share a store. A document whose examples need the profiles beside the
// project says so by using $DATA, and one that needs a site's store by $SITE.
// $SQL is where that store takes statements.
func TestDocumentsTellTheTruth(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(documents, "../../README.md") {
		t.Run(filepath.Base(path), func(t *testing.T) { runDocument(t, path) })
	}
}

func runDocument(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```console\n") {
		t.Skip("no examples")
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "$DATA") {
		if _, err := os.Stat(sharedData(t)); err != nil {
			t.Skip("the examples need the real profiles that lie beside the project in ../shared/data")
		}
	}
	site, sql := "", ""
	if strings.Contains(string(text), "$SITE") {
		server := testclickhouse.Start(t)
		site, sql = "clickhouse://"+server.Host+"/auspex", server.URL
	}
	shell := func(command string) string {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "AUSPEX_STORE="+filepath.Join(dir, "store"), "DATA="+sharedData(t), "NO_COLOR=1", "SITE="+site, "SQL="+sql)
		out, err := cmd.CombinedOutput()
		if exit, ok := err.(*exec.ExitError); ok {
			out = fmt.Appendf(out, "[exit status %d]\n", exit.ExitCode())
		} else if err != nil {
			t.Fatal(err)
		}
		return strings.TrimRight(string(out), "\n")
	}
	var fresh strings.Builder
	lines := strings.SplitAfter(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		fresh.WriteString(lines[i])
		if lines[i] != "```console\n" {
			continue
		}
		for i++; i < len(lines) && lines[i] != "```\n"; {
			command, ok := strings.CutPrefix(lines[i], "$ ")
			if !ok {
				t.Fatalf("line %d: expected a command, found %q", i+1, lines[i])
			}
			fresh.WriteString(lines[i])
			start := i + 1
			var want []string
			for i++; i < len(lines) && lines[i] != "```\n" && !strings.HasPrefix(lines[i], "$ "); i++ {
				want = append(want, strings.TrimRight(lines[i], "\n"))
			}
			got := shell(strings.TrimSpace(command))
			if !*update && !matches(want, strings.Split(got, "\n")) {
				t.Errorf("line %d: %s\nprints:\n%s\nnot:\n%s", start, strings.TrimSpace(command), got, strings.Join(want, "\n"))
			}
			if *update && len(want) > 0 && !matches(want, strings.Split(got, "\n")) {
				want = strings.Split(got, "\n")
			}
			for _, line := range want {
				fresh.WriteString(line + "\n")
			}
		}
		fresh.WriteString("```\n")
	}
	if *update && fresh.String() != string(text) {
		if err := os.WriteFile(path, []byte(fresh.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// matches compares printed lines with expected ones. No expected lines at all
// match anything that does not fail.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return !strings.HasPrefix(got[len(got)-1], "[exit status")
	}
	if want[0] == "…" {
		for skip := 0; skip <= len(got); skip++ {
			if len(want) == 1 || skip < len(got) && matches(want[1:], got[skip:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 || strings.TrimRight(want[0], " ") != strings.TrimRight(got[0], " ") {
		return false
	}
	if len(want) == 1 {
		return len(got) == 1
	}
	return len(got) > 1 && matches(want[1:], got[1:])
}

// TestOptionsAreDocumented: README.md or docs names every option, by its long or its
// short name.
func TestOptionsAreDocumented(t *testing.T) {
	var all strings.Builder
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	named := func(option string) bool {
		return regexp.MustCompile(`[^-\w]` + regexp.QuoteMeta(option) + `\b[^-]`).MatchString(all.String())
	}
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" && !named("--"+f.Name) && (f.Shorthand == "" || !named("-"+f.Shorthand)) {
				t.Errorf("no document names --%s of %s", f.Name, cmd.CommandPath())
			}
		})
		for _, sub := range cmd.Commands() {
			if sub.Name() != "completion" && sub.Name() != "help" && !sub.Hidden {
				look(sub)
			}
		}
	}
	look((&app{}).rootCommand(nil))
}
