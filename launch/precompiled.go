package launch

import (
	"os"
	"path/filepath"

	"auspex/internal/lazyregexp"
)

// firstInclude is an include with nothing but comments before it, up to the end of its
// line.
var firstInclude = lazyregexp.New(`\A(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*#[ \t]*include[ \t]*(["<])([^">\n]+)[">][ \t]*(?://[^\n]*|/\*[^\n]*\*/[ \t]*)?\r?\n`)

// afterPrecompiled is where code of ours may begin in a source that begins with a
// precompiled header. It is 0 in other sources, and where headers are to have probes.
func (j *compileJob) afterPrecompiled(file string, text []byte) int {
	if j.Headers {
		return 0
	}
	return j.precompiledEnd(file, text)
}

// precompiledEnd is where a source goes on after the header that it includes first, if
// gcc has that precompiled (header.gch): it takes it so only where no code comes before.
// It is 0 in other sources.
func (j *compileJob) precompiledEnd(file string, text []byte) int {
	m := firstInclude.FindSubmatchIndex(text)
	if m == nil {
		return 0
	}
	name := string(text[m[4]:m[5]]) + ".gch"
	var places []string
	if text[m[2]] == '"' {
		places = append(places, filepath.Dir(file))
	}
	for i := range j.line.args {
		if dir, _ := searched(j.line.args, i); dir != "" {
			places = append(places, dir)
		}
	}
	for _, dir := range places {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return m[1]
		}
	}
	return 0
}
