package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exponent is what writes a time as 1.82e-05 s.
var exponent = regexp.MustCompile(`%(\.\d+)?g(\]\w)? (s|ms|µs|ns)\b`)

// TestTimesInSentences: a time in a sentence is written by internal/figure. Errors tell
// of a value as it was given.
func TestTimesInSentences(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if exponent.MatchString(line) && !strings.Contains(line, "Errorf") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
				t.Errorf("%s:%d: write the time with figure.Seconds: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
