package instrument

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Filter decides region by region. Its text has one rule a line,
//
//	include|exclude FILE:FUNCTION[/loop@LINE]
//
// where each part is a glob: `*` stands for any text, `?` for any one
// character, and a backslash takes the character after it as it is. FILE may
// be the end of a path, from a slash on. Empty lines and lines that begin with
// `#` say nothing. The last rule that matches a region wins; a region that none
// matches is chosen as if there were no filter.
//
// A rule without /loop@ speaks of the function; `exclude` also covers the
// loops in it. `include` chooses a region however small it is, but never one
// that cannot be measured.
type Filter struct {
	Rules []Rule
}

// Rule is one line of a filter.
type Rule struct {
	Line     int // in the filter's text
	Include  bool
	File     string
	Function string
	Loop     string // empty, or the glob after /loop@
	// Why is what a plan says of a region that the rule excludes, "" for the rule.
	Why string
}

// ReadFilter reads the rules of a filter; name is used in errors.
func ReadFilter(name string, r io.Reader) (*Filter, error) {
	f := &Filter{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		word, pattern, _ := strings.Cut(line, " ")
		rule := Rule{Line: n, Include: word == "include"}
		if word != "include" && word != "exclude" {
			return nil, fmt.Errorf("%s:%d: a rule begins with include or exclude, not %q", name, n, word)
		}
		if err := rule.parse(strings.TrimSpace(pattern)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		f.Rules = append(f.Rules, rule)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func (r *Rule) parse(pattern string) error {
	// Function names hold `::`, so the file ends at the first single colon.
	i := singleColon(pattern)
	if i <= 0 || i == len(pattern)-1 {
		return fmt.Errorf("%q is not of the form FILE:FUNCTION or FILE:FUNCTION/loop@LINE", pattern)
	}
	r.File = pattern[:i]
	r.Function, r.Loop, _ = strings.Cut(pattern[i+1:], "/loop@")
	return nil
}

func singleColon(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ':' && i+1 < len(s) && s[i+1] == ':':
			i++
		case s[i] == ':':
			return i
		}
	}
	return -1
}

// Exactly is the rule that includes one region alone: a function of a file,
// or with a line the loop there.
func Exactly(file, function, line string) Rule {
	r := Rule{Include: true, File: strings.ReplaceAll(literal(file), ":", `\:`), Function: literal(function), Loop: line}
	if strings.HasPrefix(function, ":") {
		r.Function = `\` + r.Function // or the file would end later
	}
	return r
}

// Without is the rule that excludes one region, as Exactly includes it.
func Without(file, function, line string) Rule {
	r := Exactly(file, function, line)
	r.Include = false
	return r
}

// literal writes a name so that, as a glob, it matches itself alone.
func literal(name string) string { return escape.Replace(name) }

var escape = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`)

// String writes the rule as a filter's line.
func (r Rule) String() string {
	word := "exclude"
	if r.Include {
		word = "include"
	}
	s := word + " " + r.File + ":" + r.Function
	if r.Loop != "" {
		s += "/loop@" + r.Loop
	}
	return s
}

// match tells whether the rule speaks of a region. line is empty for a
// function.
func (r Rule) match(file, function, line string) bool {
	if !matchFile(r.File, file) || !glob(r.Function, function) {
		return false
	}
	switch {
	case r.Loop != "":
		return line != "" && glob(r.Loop, line)
	case line != "":
		return !r.Include
	}
	return true
}

// last finds the rule that decides, or nil.
func (f *Filter) last(file, function, line string) *Rule {
	if f == nil {
		return nil
	}
	for i := len(f.Rules) - 1; i >= 0; i-- {
		if f.Rules[i].match(file, function, line) {
			return &f.Rules[i]
		}
	}
	return nil
}

func matchFile(pattern, file string) bool {
	for {
		if glob(pattern, file) {
			return true
		}
		i := strings.IndexByte(file, '/')
		if i < 0 {
			return false
		}
		file = file[i+1:]
	}
}

// glob matches `*`, `?` and backslashes, trying the last star again where
// needed.
func glob(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p+1 < len(pattern) && pattern[p] == '\\' && pattern[p+1] == s[i]:
			p += 2
			i++
		case p < len(pattern) && pattern[p] != '\\' && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
