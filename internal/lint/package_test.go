package lint

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkPackages makes the packages of a binary and installs them into empty
// roots, as `make package` and their users do.
func checkPackages(t *testing.T, binary string) {
	place := t.TempDir()
	fetch := exec.Command("go", "install", nfpm(t))
	fetch.Env = append(os.Environ(), "GOBIN="+place)
	if out, err := fetch.CombinedOutput(); err != nil {
		// The module's version is pinned, so only the network can be the reason.
		t.Skipf("the packager cannot be fetched: %v\n%s", err, out)
	}
	packager := filepath.Join(place, "nfpm")
	out := t.TempDir()
	made := exec.Command(filepath.Join(root, "scripts/package"), binary, "1.2.3", out)
	made.Env = append(os.Environ(), "NFPM="+packager)
	if text, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}

	t.Run("tar", func(t *testing.T) {
		to := t.TempDir()
		do(t, "tar", "-C", to, "-xzf", only(t, out, "*.tar.gz"))
		checkInstalled(t, filepath.Join(to, "auspex-1.2.3"))
	})
	t.Run("deb", func(t *testing.T) {
		if _, err := exec.LookPath("dpkg"); err != nil {
			t.Skip("there is no dpkg here")
		}
		to := t.TempDir()
		for _, part := range []string{"updates", "info", "triggers"} {
			if err := os.MkdirAll(filepath.Join(to, "var/lib/dpkg", part), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(to, "var/lib/dpkg/status"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		do(t, "dpkg", "--root="+to, "--force-not-root", "-i", only(t, out, "*.deb"))
		checkInstalled(t, filepath.Join(to, "usr"))
		if told := do(t, "dpkg", "-I", only(t, out, "*.deb")); !strings.Contains(told, "Version: 1.2.3") || strings.Contains(told, "Depends:") {
			t.Errorf("the package says of itself\n%s", told)
		}
	})
	t.Run("rpm", func(t *testing.T) {
		data, err := os.ReadFile(only(t, out, "*.rpm"))
		if err != nil || !bytes.HasPrefix(data, []byte("\xed\xab\xee\xdb")) || len(data) < 10<<20 {
			t.Errorf("%d bytes that begin with %x: %v", len(data), data[:min(4, len(data))], err)
		}
	})
}

// nfpm is the packager as the Makefile pins it.
func nfpm(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, module, ok := strings.Cut(line, "$(GO) run github.com/goreleaser"); ok {
			return "github.com/goreleaser" + strings.TrimSpace(module)
		}
	}
	t.Fatal("the Makefile does not say how packages are made")
	return ""
}

// checkInstalled looks at all that lies below a prefix.
func checkInstalled(t *testing.T, prefix string) {
	runs(t, filepath.Join(prefix, "bin/auspex"))
	for file, want := range map[string]string{
		"share/man/man1/auspex.1":                     ".TH AUSPEX 1",
		"share/man/man1/auspex-run.1":                 "auspex\\-run",
		"share/bash-completion/completions/auspex":    "bash completion",
		"share/zsh/site-functions/_auspex":            "#compdef auspex",
		"share/fish/vendor_completions.d/auspex.fish": "complete -c auspex",
		"share/modulefiles/auspex/1.2.3":              "prepend-path PATH",
		"share/doc/auspex/LICENSE":                    "Apache",
	} {
		if data, err := os.ReadFile(filepath.Join(prefix, file)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s does not hold %q: %v", file, want, err)
		}
	}
}

// runs makes sure that a binary starts.
func runs(t *testing.T, binary string) {
	t.Helper()
	if out, err := exec.Command(binary, "version").Output(); err != nil || !strings.HasPrefix(string(out), "auspex ") {
		t.Errorf("%v: %s", err, out)
	}
}

func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

func do(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
