package ingest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/lazyregexp"
	"auspex/model"
)

// NamePattern takes factors from file and folder names: 'cap{cap}_{code}'
// finds cap 50 and code lu8 in "cap50_lu8". A name in braces takes as little
// as it can up to the text after it; the pattern may match anywhere between
// two separators of the path, the last such place counting.
type NamePattern struct {
	text  string
	re    *regexp.Regexp
	names []string
}

var braced = lazyregexp.New(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)

// ParseNamePattern reads a pattern.
func ParseNamePattern(text string) (*NamePattern, error) {
	p := &NamePattern{text: text}
	var re strings.Builder
	re.WriteString("^")
	rest := text
	for rest != "" {
		at := braced.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		re.WriteString(regexp.QuoteMeta(rest[:at[0]]))
		re.WriteString(`([^/]+?)`)
		p.names = append(p.names, rest[at[2]:at[3]])
		rest = rest[at[1]:]
	}
	if len(p.names) == 0 {
		return nil, fmt.Errorf("the pattern %q names no factor: write the varying parts in braces, as in 'cap{cap}_{code}'", text)
	}
	re.WriteString(regexp.QuoteMeta(rest) + "$")
	compiled, err := regexp.Compile(re.String())
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", text, err)
	}
	p.re = compiled
	return p, nil
}

// Factors reads the factors from a path, trying the innermost name first.
func (p *NamePattern) Factors(path string) ([]model.Factor, error) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		for _, name := range []string{input.Label(parts[i]), parts[i]} {
			if match := p.re.FindStringSubmatch(name); match != nil {
				var factors []model.Factor
				for k, value := range match[1:] {
					factors = append(factors, model.NewFactor(p.names[k], value))
				}
				return factors, nil
			}
		}
	}
	return nil, fmt.Errorf("no name in %q fits the pattern %q", path, p.text)
}
