package instrument

import (
	"bytes"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// loopSites finds the outer loops of a statement list, looking through
// branches and blocks, with the directives around them.
func loopSites(list []*source.Stmt, lang source.Language) []*site {
	f := &siteFinder{lang: lang}
	f.list(list, nil, "")
	return f.sites
}

// loopSitesIn finds the loops directly inside a loop.
func loopSitesIn(s *site, lang source.Language) []*site {
	f := &siteFinder{lang: lang}
	barrier := s.barrier
	for _, d := range s.before {
		if offload(d.Text) {
			barrier = "device code"
		} else if collapsed.MatchString(d.Text) {
			barrier = "inside a collapsed loop nest"
		}
	}
	if s.stmt.Loop.Kind == source.Concurrent {
		barrier = "inside DO CONCURRENT"
	}
	outer := append(s.outer[:len(s.outer):len(s.outer)], s.stmt)
	f.list(s.stmt.Body, outer, barrier)
	return f.sites
}

type siteFinder struct {
	lang  source.Language
	sites []*site
}

var (
	// words after which a directive belongs to the loop that follows
	loopWords = lazyregexp.New(`^omp\b.*\b(for|do|simd|distribute|taskloop|loop|tile|unroll)\b|^acc\b.*\bloop\b|^cuf kernel`)
	collapsed = lazyregexp.New(`\b(collapse|ordered|tile|sizes)\s*\(`)
	endWord   = lazyregexp.New(`^(omp|acc) +end +(.*)`)
)

// ofLoop tells whether a directive belongs to the loop after it. Pragmas of
// neither OpenMP nor OpenACC (ivdep, unroll) are hints to that loop.
func ofLoop(text string) bool {
	if endWord.MatchString(text) {
		return false
	}
	if strings.HasPrefix(text, "omp ") || strings.HasPrefix(text, "acc ") {
		return loopWords.MatchString(text)
	}
	return true
}

// offload tells whether the statement after a directive runs on a device.
func offload(text string) bool {
	words := strings.Fields(text)
	if len(words) < 2 || words[1] == "end" {
		return false
	}
	switch words[0] {
	case "omp":
		if words[1] != "target" {
			return false
		}
		return len(words) == 2 || words[2] != "data" && words[2] != "enter" && words[2] != "exit" && words[2] != "update"
	case "acc":
		return words[1] == "parallel" || words[1] == "kernels" || words[1] == "serial"
	case "cuf":
		return true
	}
	return false
}

// list walks one statement list. In Fortran a device region is a directive and
// its end; in C it is the statement after the pragma.
func (f *siteFinder) list(list []*source.Stmt, outer []*source.Stmt, barrier string) {
	device := ""
	for i, s := range list {
		why := barrier
		if s.Kind == source.Directive && f.lang == source.Fortran {
			if m := endWord.FindStringSubmatch(s.Text); m != nil {
				if offload(m[1] + " " + m[2]) {
					device = ""
				}
			} else if offload(s.Text) && !ofLoop(s.Text) {
				device = "device code"
			}
			continue
		}
		if device != "" {
			why = device
		}
		if f.lang != source.Fortran && i > 0 && list[i-1].Kind == source.Directive &&
			offload(list[i-1].Text) && !ofLoop(list[i-1].Text) {
			why = "device code"
		}
		if s.Kind == source.Loop && !s.Loop.Once {
			f.sites = append(f.sites, &site{stmt: s, outer: outer, barrier: why,
				before: leading(list[:i]), after: trailing(list[i+1:])})
			continue
		}
		inner := append(outer[:len(outer):len(outer)], s)
		f.list(s.Body, inner, why)
		f.list(s.Else, inner, why)
	}
}

// leading gives the directives at the end of list that belong to the loop
// after it.
func leading(list []*source.Stmt) []*source.Stmt {
	first := len(list)
	for first > 0 && list[first-1].Kind == source.Directive && ofLoop(list[first-1].Text) {
		first--
	}
	return list[first:]
}

// trailing gives the END directive right after a loop.
func trailing(list []*source.Stmt) []*source.Stmt {
	if len(list) > 0 && list[0].Kind == source.Directive {
		if m := endWord.FindStringSubmatch(list[0].Text); m != nil && loopWords.MatchString(m[1]+" "+m[2]) {
			return list[:1]
		}
	}
	return nil
}

// siteStart is where what belongs to a loop begins: at the loop, or at its first
// directive, or at the line of that or of the #if around it.
func siteStart(f *source.File, s *site) int {
	if len(s.before) == 0 {
		return s.stmt.Start
	}
	first := s.before[0].Start
	at := f.BeforeCondition(first, s.stmt.Start)
	if at == first && f.Language != source.Fortran && !bytes.HasPrefix(bytes.TrimSpace(f.Text[lineStart(f.Text, at):]), []byte("#")) {
		return at // _Pragma, which may stand behind something
	}
	return lineStart(f.Text, at)
}

// closing is the last thing that belongs to a loop.
func closing(s *site) source.Span {
	if n := len(s.after); n > 0 {
		return s.after[n-1].Span
	}
	return s.stmt.Span
}

func lineStart(text []byte, off int) int {
	for off > 0 && text[off-1] != '\n' {
		off--
	}
	return off
}
