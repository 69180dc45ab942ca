package report

import (
	"strings"
	"testing"
)

// What a user wrote is quoted, and gives the terminal no orders.
func TestParagraphIsPlain(t *testing.T) {
	var out strings.Builder
	page := Page{Out: &out}
	page.Paragraph("Nothing fits: region ~ 'm*\x1b[31m\x00'.\nSecond line.")
	if got, want := out.String(), "Nothing fits: region ~ 'm*␛[31m␀'.\nSecond line.\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
