package diagnose

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"auspex/account"
	"auspex/internal/sample"
	"auspex/model"
)

// The table of real profiles in docs/diagnose.md says what is said of them.
func TestDocumentedHeadlines(t *testing.T) {
	text, err := os.ReadFile("../../docs/diagnose.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| profile | what is so | headline; second |\n|---|---|---|\n")
	if !ok {
		t.Fatal("docs/diagnose.md has no table of real profiles")
	}
	for _, row := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(row, " | ")
		path, want := strings.TrimPrefix(cells[0], "| "), strings.TrimSuffix(cells[2], " |")
		t.Run(path, func(t *testing.T) {
			r := diagnose(t, opened(t, sample.Real(t, path)), Options{})
			got := documented(r.Headline, true)
			if r.Second != nil {
				got += "; " + documented(*r.Second, false)
			}
			if got != want {
				t.Errorf("is said %s, documented %s", got, want)
			}
		})
	}
}

func documented(h account.Headline, place bool) string {
	text := "`" + string(h.Kind) + "`"
	if h.Region != "" && place {
		names := model.SplitPath(string(h.Region))
		text += " in `" + names[len(names)-1] + "`"
	}
	return text + fmt.Sprintf(", %.1f %%", 100*h.Share)
}
