package expr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLength bounds the text that is read, in bytes.
const MaxLength = 64 << 10

// Kind tells tokens apart.
type Kind int

// The kinds of token.
const (
	EOF    Kind = iota
	Word        // a bare name or a keyword: wtime.inc, AND
	Quoted      // a name in double quotes
	Num         // 12, 0.5, 1e-3
	Text        // a text in single quotes, '' standing for one quote
	Op          // + - * / ( ) , ~ = != < <= > >= .. @
)

// Token is one word of the source.
type Token struct {
	Kind  Kind
	Text  string  // as written, for Quoted and Text without the quotes and escapes
	Value float64 // of a Num
	Pos   int     // byte offset of the first byte
	End   int     // byte offset after the last byte
}

// String names the token for error messages.
func (t Token) String() string {
	switch t.Kind {
	case EOF:
		return "the end"
	case Quoted:
		return quote(t.Text)
	case Text:
		return "'" + strings.ReplaceAll(t.Text, "'", "''") + "'"
	}
	return t.Text
}

// Is reports whether the token is the bare word w, whatever its case.
func (t Token) Is(w string) bool { return t.Kind == Word && strings.EqualFold(t.Text, w) }

// operators, longest first where one begins another.
var operators = [...]string{"..", "!=", "<>", "<=", ">=", "<", ">", "=", "~", "+", "-", "*", "/", "(", ")", ",", "@"}

// tokens cuts src into tokens; the last one is EOF.
func tokens(src string) ([]Token, error) {
	if len(src) > MaxLength {
		return nil, &Error{Source: src[:80], Message: "the text is " + strconv.Itoa(len(src)) +
			" bytes long", Hint: "at most " + strconv.Itoa(MaxLength) + " are read"}
	}
	var out []Token
	for pos := 0; ; {
		for pos < len(src) && strings.IndexByte(" \t\r\n", src[pos]) >= 0 {
			pos++
		}
		if pos == len(src) {
			return append(out, Token{Kind: EOF, Pos: pos, End: pos}), nil
		}
		t, err := next(src, pos)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		pos = t.End
	}
}

// next reads the token that begins at pos.
func next(src string, pos int) (Token, error) {
	rest := src[pos:]
	c, _ := utf8.DecodeRuneInString(rest)
	switch {
	case c == '"':
		return quotedToken(src, pos)
	case c == '\'':
		return textToken(src, pos)
	case isDigit(rest[0]) || rest[0] == '.' && len(rest) > 1 && isDigit(rest[1]):
		return numberToken(src, pos)
	case isLetter(c):
		n := nameLength(rest)
		return Token{Kind: Word, Text: rest[:n], Pos: pos, End: pos + n}, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return Token{Kind: Op, Text: op, Pos: pos, End: pos + len(op)}, nil
		}
	}
	return Token{}, &Error{Source: src, Offset: pos,
		Message: "unexpected character " + strconv.QuoteRune(c),
		Hint:    "put unusual names in double quotes"}
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c rune) bool { return c == '_' || c != utf8.RuneError && unicode.IsLetter(c) }

// nameLength measures the bare name at the beginning of s. The marks . # : %
// belong to it only inside, and two dots end it, since they write a range.
func nameLength(s string) int {
	end := 0
	for i, c := range s {
		switch {
		case isLetter(c) || c != utf8.RuneError && unicode.IsDigit(c):
			end = i + utf8.RuneLen(c)
		case strings.ContainsRune(".#:%", c) && !strings.HasPrefix(s[i:], ".."):
		default:
			return end
		}
	}
	return end
}

// bare reports whether name can be written without quotes.
func bare(name string) bool {
	c, _ := utf8.DecodeRuneInString(name)
	return name != "" && isLetter(c) && nameLength(name) == len(name) && !Reserved(name)
}

// Quote writes name as it stands in an expression: bare, or in double quotes
// where its characters or a reserved word need them.
func Quote(name string) string {
	if bare(name) {
		return name
	}
	return quote(name)
}

func quote(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

func quotedToken(src string, pos int) (Token, error) {
	var b strings.Builder
	for i := pos + 1; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			if b.Len() == 0 {
				return Token{}, &Error{Source: src, Offset: pos, Message: "empty name"}
			}
			return Token{Kind: Quoted, Text: b.String(), Pos: pos, End: i + 1}, nil
		case '\\':
			i++
			if i == len(src) || src[i] != '"' && src[i] != '\\' {
				return Token{}, &Error{Source: src, Offset: i - 1, Message: "unknown escape in a quoted name",
					Hint: `only \" and \\ are known`}
			}
			b.WriteByte(src[i])
		default:
			b.WriteByte(c)
		}
	}
	return Token{}, &Error{Source: src, Offset: pos, Message: "this quote is never closed"}
}

func textToken(src string, pos int) (Token, error) {
	var b strings.Builder
	for i := pos + 1; i < len(src); i++ {
		if src[i] == '\'' {
			if i+1 == len(src) || src[i+1] != '\'' {
				return Token{Kind: Text, Text: b.String(), Pos: pos, End: i + 1}, nil
			}
			i++
		}
		b.WriteByte(src[i])
	}
	return Token{}, &Error{Source: src, Offset: pos, Message: "this quote is never closed"}
}

func numberToken(src string, pos int) (Token, error) {
	digits := func(i int) int {
		for i < len(src) && isDigit(src[i]) {
			i++
		}
		return i
	}
	end := digits(pos)
	if end+1 < len(src) && src[end] == '.' && isDigit(src[end+1]) {
		end = digits(end + 1)
	}
	if end < len(src) && (src[end] == 'e' || src[end] == 'E') {
		i := end + 1
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		if j := digits(i); j > i {
			end = j
		}
	}
	text := src[pos:end]
	if c, _ := utf8.DecodeRuneInString(src[end:]); isLetter(c) {
		return Token{}, &Error{Source: src, Offset: pos, Message: "a name cannot begin with a digit",
			Hint: "put it in double quotes"}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Token{}, &Error{Source: src, Offset: pos, Message: "the number " + text + " is out of range", Err: err}
	}
	return Token{Kind: Num, Text: text, Value: v, Pos: pos, End: end}, nil
}
