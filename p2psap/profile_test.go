package p2psap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfileMistakes: what is wrong in a profile is told with its line.
func TestProfileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{\n \"scheme\": \"synchronous\",\n \"clusters\": [2,\n": "p.json:3: unexpected end",
		"{\n \"scheme\": 5}": "p.json:2: ",
		"":                   "p.json:1: unexpected end",
	} {
		file := filepath.Join(t.TempDir(), "p.json")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadProfile(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
