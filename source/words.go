package source

import (
	"bytes"

	"auspex/internal/lazyregexp"
)

// asNames changes, in text made up for the parser, what the grammar takes for
// something else: names that later standards use as keywords, and constants in
// bases as compilers had them before Fortran 90. Lengths stay, and what is read
// of names is read from the original.
func asNames(text []byte) {
	for _, at := range keywordAssigned.FindAllSubmatchIndex(text, -1) {
		text[at[2]] = 'q' // class = 'U' reads as qlass = 'U'
	}
	for _, at := range oldHexadecimal.FindAllSubmatchIndex(text, -1) {
		text[at[2]] = 'Z' // X'FF'
	}
	for _, at := range baseAfter.FindAllSubmatchIndex(text, -1) {
		for i := at[2]; i < at[3]; i++ {
			text[i] = '1' // 'FF'X
		}
	}
	for _, at := range alternateReturns.FindAllIndex(text, -1) {
		for i := at[0]; i < at[1]; i++ {
			if text[i] == '*' {
				text[i] = 'q' // SUBROUTINE F(X, *, *)
			}
		}
	}
	for _, without := range needless {
		where := [][]int{{0, len(text)}}
		if without.statement != nil {
			where = without.statement.FindAllIndex(text, -1)
		}
		for _, span := range where {
			part := text[span[0]:span[1]]
			for _, at := range without.part.FindAllSubmatchIndex(part, -1) {
				blank(part[at[2]:at[3]])
			}
		}
	}
	for _, data := range dataStatement.FindAllIndex(text, -1) {
		for _, at := range namedRepeat.FindAllSubmatchIndex(text[data[0]:data[1]], -1) {
			for i := data[0] + at[2]; i < data[0]+at[3]; i++ {
				text[i] = '1' // DATA X/N*0/
			}
		}
	}
}

var (
	commonStatement  = lazyregexp.New(`(?im)^[ \t]*common\b[^\n]*$`)
	keywordAssigned  = lazyregexp.New(`(?im)(?:^[ \t]*(?:[0-9]+[ \t]+)?|;[ \t]*|\)[ \t]*)((?:class|associate|block|critical|change|team|event|sync|error|enum|enumerator|final|generic|import|procedure|submodule|abstract|contiguous|select|concurrent|rank|notify|non_recursive|impure|bind|protected|asynchronous|volatile|deferred|extends|sequence|namelist|pass|nopass|value)(?:[ \t]*\([^()=\n]*\))?[ \t]*=)(?:[^=>]|$)`)
	oldHexadecimal   = lazyregexp.New(`(?m)(?:^|[^A-Za-z0-9_'"])([xX])(?:'[0-9A-Fa-f]+'|"[0-9A-Fa-f]+")`)
	dataStatement    = lazyregexp.New(`(?im)^[ \t]*(?:[0-9]+[ \t]+)?data\b[^\n]*$`)
	alternateReturns = lazyregexp.New(`(?im)^[ \t]*(?:recursive[ \t]+)?subroutine[ \t]+\w+[ \t]*\([\w \t,*]*\)`)
	namedRepeat      = lazyregexp.New(`[/,][ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*\*[^*]`)
	baseAfter        = lazyregexp.New(`(?m)[=,(/*+\-][ \t]*((?:'[0-9A-Fa-f]+'|"[0-9A-Fa-f]+")[xXzZoObB])(?:[^A-Za-z0-9_]|$)`)
)

// needless are parts of statements, or of any where no statement is named, that may as well be missing: the
// length in CHARACTER X*(N), the value in INTEGER I/0/, what parts COMMON /A/ X, /B/ Y or
// begins COMMON // X, the attribute ASYNCHRONOUS, the type of an array constructor, the
// kind in 1_'text', and the mark of %VAL(X).
var needless = []struct{ statement, part *lazyregexp.Regexp }{
	{lazyregexp.New(`(?im)^[ \t]*character\b[^\n'"]*$`),
		lazyregexp.New(`[, \t][ \t]*[A-Za-z]\w*[ \t]*(?:\([^()\n]*\)[ \t]*)?(\*[ \t]*\([^()\n]*\))`)},
	{lazyregexp.New(`(?im)^[ \t]*(?:integer|real|double[ \t]*precision|complex|logical|character|byte)\b[^\n:]*$`),
		lazyregexp.New(`[A-Za-z]\w*[ \t]*(?:\([^()\n]*\)[ \t]*)?(/(?:[^/()'"\n]|\([^()/\n]*\)|'[^'\n]*'|"[^"\n]*")+/)[ \t]*(?:[,;!&]|$)`)}, // and not N(M/4,M/4)
	{commonStatement, lazyregexp.New(`(,)[ \t]*/`)},
	{commonStatement, lazyregexp.New(`(/[ \t]*/)`)},
	{nil, lazyregexp.New(`(?i)(,[ \t]*asynchronous)[ \t]*(?:,|::)`)},
	{nil, lazyregexp.New(`(?:\(/|\[)[ \t]*([A-Za-z]\w*(?:[ \t]*\([^()\n]*\))?[ \t]*::)[ \t]*[^ \t\])/&]`)},
	{nil, lazyregexp.New(`(?m)(?:^|[^A-Za-z0-9_'"])([0-9]_)['"]`)},
	{nil, lazyregexp.New(`(?i)[(,=][ \t]*(%)(?:val|ref|loc)[ \t]*\(`)},
}

// unpack parts the words of a statement, from a byte of the made-up text on, that
// fixed form lets stand together: DO10I=1,N and CALLSOLVE(X).
func (m *mapped) unpack(start int) {
	if at := packedGoto.FindSubmatchIndex(m.text[start:]); at != nil {
		m.space(start + at[2])
	}
	statement := bytes.ToLower(m.text[start:])
	if at := packedDo.FindSubmatchIndex(statement); at != nil {
		m.space(start + at[6])
		m.space(start + at[4])
		return
	}
	if assigns(statement) {
		return
	}
	for _, form := range packedWords {
		if at := form.FindSubmatchIndex(statement); at != nil {
			for i := len(at)/2 - 1; i >= 2; i-- {
				m.space(start + at[2*i])
			}
			return
		}
	}
}

var (
	packedGoto  = lazyregexp.New(`(?i)(?:^[ \t]*|\))goto([0-9]+)[ \t]*$`)
	packedDo    = lazyregexp.New(`^\s*(?:[0-9]+\s+)?(do)\s*([0-9]+)\s*([a-z][a-z0-9_]*)\s*=[^,=]+,`)
	packedWords = []*lazyregexp.Regexp{
		lazyregexp.New(`^\s*(integer|real|doubleprecision|logical|complex)(?:\*[0-9]+)?(function)([a-z][a-z0-9_]*)\s*\(`),
		lazyregexp.New(`^\s*(subroutine|function|program|blockdata)([a-z][a-z0-9_]*)`),
		lazyregexp.New(`^\s*(?:[0-9]+\s+)?(call)([a-z][a-z0-9_]*)`),
		lazyregexp.New(`^\s*(integer|real|doubleprecision|logical|complex|dimension|external)([a-z][a-z0-9_]*)(?:\s|,|\(|$)`),
	}
)

// assigns tells whether a statement has an equals sign outside of parentheses.
func assigns(statement []byte) bool {
	depth := 0
	for _, c := range statement {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '\'', '"':
			return false
		case '=':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// space puts a blank before a byte of the made-up text.
func (m *mapped) space(at int) {
	if at == 0 || at >= len(m.text) || m.text[at-1] == ' ' {
		return
	}
	m.text = append(m.text, 0)
	m.from = append(m.from, 0)
	copy(m.text[at+1:], m.text[at:])
	copy(m.from[at+1:], m.from[at:])
	m.text[at] = ' '
}
