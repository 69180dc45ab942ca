package cli

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// locale is how text is encoded, in lower case; "" where nobody says.
func locale() string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			return strings.ToLower(value)
		}
	}
	return ""
}

// utf8Locale tells whether the terminal was said to take UTF-8.
func utf8Locale() bool {
	l := locale()
	return strings.Contains(l, "utf-8") || strings.Contains(l, "utf8")
}

// forPeople is where text for people goes. Where the locale says that they do not read
// UTF-8, as LC_ALL=C does, our own signs are written in ASCII; names stay as they are.
func forPeople(w io.Writer) io.Writer {
	if locale() == "" || utf8Locale() {
		return w
	}
	return &asciiWriter{to: w}
}

// signs are as wide as what they stand for, so that columns stay columns.
var signs = strings.NewReplacer("… and", "... and", "…", "~", "·", ".", "µ", "u", "×", "x", "–", "-", "−", "-", "→", ">", "←", "<", "≥", ">=", "±", "+-",
	"✓", "+", "✗", "x", "⟨", "<", "⟩", ">", "█", "#", "▉", "#", "▊", "#", "▋", "#", "▌", "#", "▍", " ", "▎", " ", "▏", " ",
	"▁", "_", "▂", "_", "▃", "-", "▄", "-", "▅", "=", "▆", "=", "▇", "#", "░", ".", "▒", ":", "▓", "%")

// asciiWriter replaces signs.
type asciiWriter struct {
	to   io.Writer
	rest []byte // the begin of a rune whose end is to come
}

func (w *asciiWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for begin := max(0, whole-utf8.UTFMax); begin < whole; begin++ {
		if utf8.RuneStart(text[begin]) && !utf8.FullRune(text[begin:]) {
			whole = begin
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := signs.WriteString(w.to, string(text[:whole])); err != nil {
		return 0, err
	}
	return len(p), nil
}
