// Package lazyregexp compiles regular expressions when they are first used. A
// command such as auspex run needs none of the hundred by which sources are read,
// and compiling them all would take longer than the rest of its start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled at its first use. It may be used
// by several goroutines.
type Regexp struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New notes an expression. One that is wrong panics at its first use.
func New(text string) *Regexp { return &Regexp{text: text} }

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.text) })
	return r.compiled
}

// These are the methods of regexp.Regexp.

func (r *Regexp) Match(b []byte) bool                  { return r.get().Match(b) }
func (r *Regexp) MatchString(s string) bool            { return r.get().MatchString(s) }
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.get().FindAllIndex(b, n) }
func (r *Regexp) FindSubmatchIndex(b []byte) []int     { return r.get().FindSubmatchIndex(b) }
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.get().FindAllSubmatchIndex(b, n)
}
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }
func (r *Regexp) FindStringSubmatch(s string) []string   { return r.get().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.get().ReplaceAllString(s, with)
}
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, f)
}
