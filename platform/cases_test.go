package platform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/internal/mistake"
)

// cases finds the shared conformance cases.
func cases(t *testing.T, kind string) []string {
	dirs, _ := filepath.Glob(filepath.Join("..", "..", "shared", "replay", kind, "*"))
	if len(dirs) == 0 {
		t.Skip("the conformance cases (../shared/replay) are not here")
	}
	return dirs
}

// TestCases reads every platform and hostfile of the conformance cases.
func TestCases(t *testing.T) {
	for _, dir := range cases(t, "dev") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			p := readFile(t, filepath.Join(dir, "platform.xml"))
			f, err := os.Open(filepath.Join(dir, "hostfile"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			slots, err := ReadHostfile("hostfile", f, p)
			if err != nil {
				t.Fatal(err)
			}
			hosts := Map(slots, 40)
			for _, a := range hosts {
				for _, b := range hosts {
					if _, err := p.Route(a, b, nil); err != nil && a != b {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// TestBadCases holds the refusals to file, line and reason.
func TestBadCases(t *testing.T) {
	want := map[string]struct {
		line   int
		reason string
	}{
		"duplicate-host":      {6, `"a" is taken`},
		"missing-link":        {7, `no link "nolink"`},
		"negative-bandwidth":  {7, "must be above 0"},
		"zero-bandwidth":      {7, "must be above 0"},
		"unknown-unit":        {5, `unknown unit "Zorf"`},
		"xml-entity-bomb":     {2, "DOCTYPE"},
		"xml-external-entity": {2, "DOCTYPE"},
		"xml-not-closed":      {4, "not well-formed"},
		"xml-unknown-tag":     {4, "<hosst>"},
		"hostfile-empty":      {0, "no host"},
		"unknown-host":        {2, `no host "nowhere"`},
	}
	found := 0
	for _, dir := range cases(t, "bad") {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			err := loadCase(dir)
			w, ours := want[name]
			if !ours {
				if err != nil {
					t.Errorf("the platform and hostfile are sound, yet: %v", err)
				}
				return
			}
			found++
			place, ok := mistake.Find(err)
			if !ok {
				t.Fatalf("got %v, want an error with a place", err)
			}
			if place.Line != w.line || !strings.Contains(err.Error(), w.reason) || !strings.HasPrefix(err.Error(), place.File) {
				t.Errorf("got %v, want line %d and %q", err, w.line, w.reason)
			}
		})
	}
	if found != len(want) {
		t.Errorf("%d of %d bad platforms found", found, len(want))
	}
}

// TestMissingRoute is the bad case whose mistake shows only when a route is
// asked for.
func TestMissingRoute(t *testing.T) {
	p := mustRead(t, `<platform version="4.1"><zone id="w" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/></zone></platform>`)
	_, err := p.Route(0, 1, nil)
	if err == nil || !strings.Contains(err.Error(), "from a to b") {
		t.Errorf("got %v", err)
	}
}

func loadCase(dir string) error {
	f, err := os.Open(filepath.Join(dir, "platform.xml"))
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := Read(f.Name(), f)
	if err != nil {
		return err
	}
	h, err := os.Open(filepath.Join(dir, "hostfile"))
	if err != nil {
		return err
	}
	defer h.Close()
	_, err = ReadHostfile(h.Name(), h, p)
	return err
}
