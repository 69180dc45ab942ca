package source

import (
	"bytes"

	"auspex/internal/lazyregexp"
)

// prepareFree readies free form for the parser. Preprocessor lines become
// blanks, as do the `!$` sentinels where OpenMP is compiled and the labels of
// END statements; a macro in place of a type reads as REAL; and a name cut in
// two by `&` at the end of a line and at the start of the next is joined, which
// is how macros are pasted into names.
func prepareFree(text []byte, openmp bool) *mapped {
	out := bytes.Clone(text)
	for pos := 0; pos < len(out); {
		end := lineEnd(out, pos)
		body := bytes.TrimLeft(out[pos:end], " \t")
		switch {
		case len(body) > 0 && body[0] == '#':
			for end < len(out) && continued(out[pos:end]) {
				end = lineEnd(out, end)
			}
			blank(out[pos:end])
		case openmp && len(body) > 2 && body[0] == '!' && body[1] == '$' && (body[2] == ' ' || body[2] == '\t' || body[2] == '&'):
			body[0], body[1] = ' ', ' '
		}
		pos = end
	}
	for _, at := range labelledEnd.FindAllSubmatchIndex(out, -1) {
		blank(out[at[0]:at[2]])
	}
	for _, at := range macroType.FindAllSubmatchIndex(out, -1) {
		if word := out[at[2]:at[3]]; !typeWords[string(bytes.ToLower(word))] {
			blank(word)
			copy(word, "real")
		}
	}
	return joinNames(out)
}

// macroType finds `WORD… ::` at the start of a line, WORD all capitals.
var macroType = lazyregexp.New(`(?m)^[ \t]*([A-Z][A-Z0-9_]{3,})[ \t]*(?:\([^()\n]*\))?[ \t]*(?:,[^!\n:]*(?:\([^!\n]*\))?[^!\n]*?)?::`)

var typeWords = map[string]bool{"integer": true, "real": true, "complex": true, "character": true,
	"logical": true, "type": true, "class": true, "procedure": true, "public": true, "private": true,
	"import": true, "save": true, "dimension": true, "pointer": true, "target": true, "parameter": true,
	"allocatable": true, "intent": true, "optional": true, "external": true, "intrinsic": true,
	"volatile": true, "bind": true, "generic": true, "final": true, "contiguous": true, "protected": true,
	"asynchronous": true, "value": true, "enumerator": true, "double": true, "byte": true}

// splitName is a name that goes on after `&`, a line end, other empty lines,
// and `&`.
var splitName = lazyregexp.New(`[A-Za-z0-9_](&[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*&)[A-Za-z0-9_]`)

// joinNames leaves out what splits names; nothing moves if there is none.
func joinNames(text []byte) *mapped {
	if !splitName.Match(text) {
		return &mapped{text: text}
	}
	m := &mapped{from: make([]int32, 0, len(text))}
	copyTo := func(from, to int) {
		for k := from; k < to; k++ {
			m.put(text[k], k)
		}
	}
	pos := 0
	for pos < len(text) {
		at := splitName.FindSubmatchIndex(text[pos:])
		if at == nil {
			break
		}
		copyTo(pos, pos+at[2])
		pos += at[3]
	}
	copyTo(pos, len(text))
	m.from = append(m.from, int32(len(text)))
	return m
}
