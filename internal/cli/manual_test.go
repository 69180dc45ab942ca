package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command has a man page with its flags, and man shows it without a
// complaint.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	root := (&app{}).rootCommand(nil)
	written, err := writeManual(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"auspex.1", "auspex-run.1", "auspex-lab-up.1", "auspex-terms-learn.1"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip("there is no man here to open the pages with")
	}
	if told, _ := exec.Command(man, "--version").Output(); !strings.HasPrefix(string(told), "man 2") {
		t.Skip("what is called man here is not man-db")
	}
	for _, page := range written {
		shown := exec.Command(man, "-E", "UTF-8", "-l", filepath.Join(dir, page))
		shown.Env = append(os.Environ(), "MANPAGER=cat", "PAGER=cat", "MANWIDTH=100", "LC_ALL=C.UTF-8")
		var out, complaints bytes.Buffer
		shown.Stdout, shown.Stderr = &out, &complaints
		if err := shown.Run(); err != nil || complaints.Len() > 0 {
			t.Errorf("man -l %s: %v %s", page, err, complaints.String())
		}
		name := strings.TrimSuffix(page, ".1")
		for _, want := range []string{"NAME", name, "SYNOPSIS", "DESCRIPTION"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("man -l %s does not show %q", page, want)
			}
		}
	}
	text, err := exec.Command(man, "-E", "UTF-8", "-l", filepath.Join(dir, "auspex-run.1")).Output()
	if err == nil && !strings.Contains(string(text), "--repeat") {
		t.Error("man auspex-run does not show --repeat")
	}
}

func TestRoffEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"--top 3":        `\-\-top 3`,
		".auspex\n'tis":  "\\&.auspex\n\\&'tis",
		`C:\x`:           `C:\ex`,
		"plain":          "plain",
		"a.b 'quoted' x": "a.b 'quoted' x",
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}
