package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallTellsPath: who installs where the shell does not look is told, no one else.
func TestInstallTellsPath(t *testing.T) {
	prefix := t.TempDir()
	binary := filepath.Join(t.TempDir(), "auspex")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	install := func(path string, more ...string) string {
		cmd := exec.Command("../../scripts/install", append([]string{binary, "1", prefix}, more...)...)
		cmd.Env = append(os.Environ(), "PATH="+path)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	path := os.Getenv("PATH")
	if said := install(path); !strings.Contains(said, "export PATH="+prefix+"/bin:$PATH") {
		t.Errorf("not in $PATH: %q", said)
	}
	if said := install(prefix + "/bin:" + path); said != "" {
		t.Errorf("in $PATH: %q", said)
	}
	if said := install(path, t.TempDir()); said != "" {
		t.Errorf("for a package: %q", said)
	}
}
