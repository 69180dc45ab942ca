package render

import (
	"fmt"
	"regexp"
	"strings"
)

// Dialect is how a database says what SQL has no common words for. The rest of
// the text is the same for all.
type Dialect struct {
	noInteger string                              // NULL of the type of ids
	noText    string                              // NULL of the type of names
	once      string                              // before a relation that is to be computed once
	text      func(s string) string               // a text that a user wrote
	like      func(column, pattern string) string // whether a glob fits, whatever the case
	name      func(s string) string               // of a column
}

// Name quotes the name of a column.
func (d *Dialect) Name(s string) string { return d.name(s) }

// DuckDB is the dialect of the embedded engine.
func DuckDB() *Dialect {
	return &Dialect{noInteger: "NULL::INTEGER", noText: "NULL::VARCHAR", once: "MATERIALIZED ", text: literal, name: identifier,
		like: func(column, pattern string) string {
			return "regexp_matches(lower(" + column + "), " + literal(globExpression(strings.ToLower(pattern))) + ")"
		}}
}

// ClickHouse is the dialect of a site's store. Texts never stand in the query:
// they are put into parameters, under the names that stand there instead. The
// query wants join_use_nulls and aggregate_functions_null_for_empty set to 1.
func ClickHouse(parameters map[string]string) *Dialect {
	text := func(s string) string {
		name := fmt.Sprintf("text%d", len(parameters))
		parameters[name] = s
		return "{" + name + ":String}"
	}
	return &Dialect{noInteger: "CAST(NULL AS Nullable(Int32))", noText: "CAST(NULL AS Nullable(String))", text: text, name: escapedIdentifier,
		like: func(column, pattern string) string {
			return "match(lowerUTF8(" + column + "), " + text(globExpression(strings.ToLower(pattern))) + ")"
		}}
}

// escapedIdentifier quotes a name where a backslash has a meaning inside quotes.
func escapedIdentifier(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// nothing is the set that no character is in, in RE2.
const nothing = `[^\x00-\x{10FFFF}]`

// globExpression writes a glob as a regular expression of RE2, which both databases
// have. A set without an end fits nothing.
func globExpression(pattern string) string {
	var b strings.Builder
	b.WriteString("(?s)^")
	for pattern != "" {
		switch pattern[0] {
		case '*':
			b.WriteString(".*")
			pattern = pattern[1:]
		case '?':
			b.WriteByte('.')
			pattern = pattern[1:]
		case '[':
			set, rest, ok := globSet(pattern[1:])
			if !ok {
				return nothing
			}
			b.WriteString(set)
			pattern = rest
		case '\\':
			if pattern = pattern[1:]; pattern == "" {
				return nothing
			}
			fallthrough
		default:
			r := []rune(pattern)[:1]
			b.WriteString(regexp.QuoteMeta(string(r)))
			pattern = pattern[len(string(r)):]
		}
	}
	b.WriteByte('$')
	return b.String()
}

// globSet reads a set, which begins after [.
func globSet(pattern string) (set, rest string, ok bool) {
	var b strings.Builder
	inverted := strings.HasPrefix(pattern, "!")
	if inverted {
		pattern = pattern[1:]
	}
	members := []rune(pattern)
	for i := 0; i < len(members); i++ {
		switch {
		case members[i] == ']' && i > 0:
			rest := string(members[i+1:])
			switch {
			case b.Len() == 0 && inverted:
				return ".", rest, true
			case b.Len() == 0:
				return nothing, rest, true
			case inverted:
				return "[^" + b.String() + "]", rest, true
			}
			return "[" + b.String() + "]", rest, true
		case i+2 < len(members) && members[i+1] == '-' && members[i+2] != ']':
			if members[i] <= members[i+2] { // else nothing lies between
				fmt.Fprintf(&b, `\x{%x}-\x{%x}`, members[i], members[i+2])
			}
			i += 2
		default:
			fmt.Fprintf(&b, `\x{%x}`, members[i])
		}
	}
	return "", "", false
}
