package instrument

import (
	"bytes"

	"auspex/source"
)

// misleads tells whether something in a file of C or C++ is indented as if an if, an else
// or a loop without braces held it. gcc warns of that (-Wmisleading-indentation), but not
// after a line directive.
func misleads(f *source.File) bool {
	found := false
	f.All(func(u *source.Unit) {
		u.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
			found = found || s.Action && len(outer) > 0 && seemsToHold(f, outer[len(outer)-1], s)
			return !found
		})
	})
	return found
}

// seemsToHold tells whether what follows the only statement of a guard stands as that
// does.
func seemsToHold(f *source.File, guard, only *source.Stmt) bool {
	next := nextToken(f.Text, only.End)
	if rest := f.Text[next:]; len(rest) == 0 || rest[0] == '}' || bytes.HasPrefix(rest, []byte("else")) {
		return false
	}
	line := bytes.LastIndexByte(f.Text[:guard.Start], '\n') + 1
	indent := line + len(f.Text[line:]) - len(bytes.TrimLeft(f.Text[line:], " \t"))
	return f.Line(next) == f.Line(only.End-1) || column(f.Text, next) > column(f.Text, indent)
}

// nextToken goes over white space, comments and directives.
func nextToken(text []byte, at int) int {
	for at < len(text) {
		rest, end := text[at:], ""
		switch {
		case bytes.HasPrefix(rest, []byte("/*")):
			end = "*/"
		case bytes.HasPrefix(rest, []byte("//")), rest[0] == '#':
			end = "\n"
		case rest[0] > ' ':
			return at
		default:
			at++
			continue
		}
		n := bytes.Index(rest, []byte(end))
		if n < 0 {
			return len(text)
		}
		at += n + len(end)
	}
	return at
}

// column is where a byte stands in its line, as compilers show it.
func column(text []byte, at int) int {
	const tab = 8
	n := 0
	for _, c := range text[bytes.LastIndexByte(text[:at], '\n')+1 : at] {
		if c == '\t' {
			n += tab - n%tab
		} else {
			n++
		}
	}
	return n
}
