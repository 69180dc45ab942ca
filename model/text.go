package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanText makes a name or a text of a file safe to store and to show: bytes
// that are no UTF-8 become U+FFFD, and so do characters that order others to
// be drawn elsewhere; control characters, which a terminal would obey, become
// the signs that stand for them (␛ for escape).
func CleanText(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return cleaned(text)
		}
	}
	return text
}

func cleaned(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return '\u2400' + r
		case r == 0x7f:
			return '\u2421'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return utf8.RuneError
		}
		return r
	}, text)
}

// clean does it for all that a header says but the name, which whoever stores
// the experiment checks.
func (h *Header) clean() {
	for _, text := range []*string{&h.Program, &h.Command, &h.Format, &h.Incomplete} {
		*text = CleanText(*text)
	}
	for i := range h.Sources {
		h.Sources[i] = CleanText(h.Sources[i])
	}
	for i := range h.Notes {
		h.Notes[i] = CleanText(h.Notes[i])
	}
	factors := h.Factors
	h.Factors = nil
	for _, f := range factors {
		f.Name, f.Word = CleanText(f.Name), CleanText(f.Word)
		h.SetFactor(f)
	}
}
