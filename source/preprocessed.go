package source

import (
	"bytes"
	"fmt"
	"strconv"
)

// origin is where a line of preprocessed text came from.
type origin struct {
	file string
	line int
}

// unwind takes apart what a preprocessor wrote: it drops the line markers
// (`# 12 "file.c" 1 3`) and everything from system headers, and remembers for
// each line that is left the file and line the markers give it. Where a macro
// spread over lines is used, its whole expansion stands on the first of them.
func unwind(name string, text []byte) ([]byte, []origin) {
	var out []byte
	var origins []origin
	at := origin{name, 1}
	system := false
	own := map[string]bool{name: true} // files that are not the system's
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		if next, flags, ok := marker(line); ok {
			// What a macro of the system expands to in the midst of a file of
			// one's own is marked as the system's, too, but belongs there.
			at = next
			marked := bytes.ContainsRune(flags, '3') || at.file == "" || at.file[0] == '<'
			own[at.file] = own[at.file] || !marked
			system = marked && !own[at.file]
			continue
		}
		if !system {
			out = append(out, line...)
			origins = append(origins, at)
		}
		at.line++
	}
	return out, append(origins, at)
}

// marked remembers for each line where the markers say it came from, and for a
// marker what it says.
func marked(name string, text []byte) []origin {
	var origins []origin
	at := origin{name, 1}
	for line := range bytes.Lines(text) {
		if next, _, ok := marker(line); ok {
			at = next
			origins = append(origins, at)
			continue
		}
		origins = append(origins, at)
		at.line++
	}
	return append(origins, at)
}

// blankMarkers puts blanks in the place of markers.
func blankMarkers(text []byte) []byte {
	out := bytes.Clone(text)
	at := 0
	for line := range bytes.Lines(text) {
		if _, _, ok := marker(line); ok {
			for i := range bytes.TrimRight(line, "\r\n") {
				out[at+i] = ' '
			}
		}
		at += len(line)
	}
	return out
}

// Renamed gives preprocessed text with the file that its markers call one name
// called another.
func Renamed(text []byte, from, to string) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if at, flags, ok := marker(line); ok && at.file == from {
			out = fmt.Appendf(out, "# %d %q%s", at.line, to, flags)
			continue
		}
		out = append(out, line...)
	}
	return out
}

// marker reads `# 12 "file" flags` and `#line 12 "file"`.
func marker(line []byte) (at origin, flags []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("#"))
	if !ok {
		return
	}
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("line")), " \t")
	number, rest, _ := bytes.Cut(rest, []byte(" "))
	n, err := strconv.Atoi(string(bytes.TrimSpace(number)))
	if err != nil || n < 0 {
		return at, nil, false // a pragma
	}
	open := bytes.IndexByte(rest, '"')
	last := bytes.LastIndexByte(rest, '"')
	if open < 0 || last <= open {
		return at, nil, false
	}
	file, err := strconv.Unquote(string(rest[open : last+1]))
	if err != nil {
		file = string(rest[open+1 : last])
	}
	return origin{file, n}, rest[last+1:], true
}

// Origin gives the file a byte came from: the file's own name, but in
// preprocessed text that of the header it stands in.
func (f *File) Origin(off int) string {
	if f.lines.origins == nil {
		return f.Name
	}
	return f.lines.origin(off).file
}
