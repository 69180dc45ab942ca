package source

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestConvertFixed(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"a continuation", "      CALL F(A,\n     &  B)\n", "  CALL F(A,   B)\n"},
		{"a label", "   10 CONTINUE\n", "   10  CONTINUE\n"},
		{"comments of all sorts", "C one\n* two\n! three\nd four\n      X = 1 ! five\n", "! one\n! two\n! three\n! four\n  X = 1 \n"},
		{"a comment within a statement", "      X = 1\nC     no\n     + + 2\n", "  X = 1  + 2\n"},
		{"columns past 72", "      X = 1" + strings.Repeat(" ", 61) + "SEQ00010\n", "  X = 1" + strings.Repeat(" ", 61) + "\n"},
		{"a constant over two lines", "      S = 'it''s ! on\n     & two'\n", "  S = 'it''s ! on two'\n"},
		{"an exclamation mark in column 6", "      X = 1\n     !  + 2\n", "  X = 1   + 2\n"},
		{"tabs", "10\tX = 1\n\tY = 2\n\t1 + 3\n", "10 X = 1\n  Y = 2  + 3\n"},
		{"a Hollerith constant", "      WRITE (6, *) 5HDON'T, X\n", "  WRITE (6, *) 'DON T', X\n"},
		{"no Hollerith constant", "      REAL*8 H, A2H\n", "  REAL*8 H, A2H\n"},
		{"a split operator", "      L = A .\n     & AND. B\n", "  L = A .AND.B\n"},
		{"a preprocessor line", "#ifdef X\n      X = 1\n", "\n  X = 1\n"},
		{"a word over the last column", "      X = " + strings.Repeat("A", 62) + "\n     &BC\n", "  X = " + strings.Repeat("A", 62) + "BC\n"},
		{"a directive", "C$OMP PARALLEL\n", "!$OMP PARALLEL\n"},
	} {
		m := convertFixed([]byte(c.in), 72, false)
		got := strings.ReplaceAll(string(m.text), "   10  CONT", "   10  CONT")
		if squeeze(got) != squeeze(c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// squeeze leaves one blank of several, for they never matter here.
func squeeze(s string) string {
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

// Every byte of the converted text is the byte it says it came from, or one of
// the few that conversion writes: blanks, quotes, comment marks, line ends.
func TestOffsetsOfFixedForm(t *testing.T) {
	line := rapid.SampledFrom([]string{"      X = Y", "     &  + 'a b", "   10 CONTINUE", "C comment", "\tCALL F(3HABC)",
		"      S = 'it''s'", "#if X", "!$    Z = 1", "     1 . AND.", "", "      A = B" + strings.Repeat(" ", 70) + "C", "\t2 + 1", "12345678901234567890"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n")
		m := convertFixed([]byte(text), 72, rapid.Bool().Draw(t, "openmp"))
		if len(m.from) != len(m.text)+1 {
			t.Fatalf("%d bytes but %d offsets", len(m.text), len(m.from))
		}
		for i, c := range m.text {
			from := int(m.from[i])
			if from < 0 || from > len(text) {
				t.Fatalf("byte %d is said to come from %d of %d", i, from, len(text))
			}
			if strings.IndexByte(" !'\n", c) < 0 && (from == len(text) || text[from] != c) {
				t.Fatalf("byte %d is %q but came from %d of %q", i, c, from, text)
			}
		}
	})
}

func TestJoinNames(t *testing.T) {
	text := "call trans_&\n  &REAL&\n\n&_x(a, &\n & b)\n"
	m := prepareFree([]byte(text), false)
	if got := string(m.text); got != "call trans_REAL_x(a, &\n & b)\n" {
		t.Errorf("got %q", got)
	}
	if at := m.origin(Span{5, 17}); text[at.Start:at.End] != "trans_&\n  &REAL&\n\n&_x" {
		t.Errorf("origin %v: %q", at, text[at.Start:at.End])
	}
}
