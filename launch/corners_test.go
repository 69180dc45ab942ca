package launch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/testing.md names for a hostile corner is there.
func TestCornersAreTested(t *testing.T) {
	text, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## Hostile corners")
	section, _, _ := strings.Cut(after, "\n## ")
	var tests strings.Builder
	for _, dir := range []string{".", "../internal/cli"} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
	}
	all := tests.String()
	names := regexp.MustCompile("`(Test[A-Za-z]+)(?:/([^`]+))?`").FindAllStringSubmatch(section, -1)
	if len(names) < 40 {
		t.Errorf("%d tests are named", len(names))
	}
	for _, m := range names {
		if !strings.Contains(all, "func "+m[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", m[1])
		}
		if m[2] != "" && !strings.Contains(all, `{name: "`+m[2]+`"`) {
			t.Errorf("%s has no %q", m[1], m[2])
		}
	}
}
