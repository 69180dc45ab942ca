package fuzzy

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// sep joins the parts of a key; it cannot appear in one.
const sep = "\x00"

// places remembers on which line each key of a TOML text stands, and thereby
// in which order, which the decoded maps have lost.
type places struct {
	lines map[string]int
	order []string // full paths, as they appear
}

// findPlaces walks over a text that has already been decoded.
func findPlaces(data []byte) places {
	p := places{lines: map[string]int{}}
	var parser unstable.Parser
	parser.Reset(data)
	var table []string
	for parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = p.note(&parser, nil, e.Key())
		case unstable.KeyValue:
			p.keyValue(&parser, table, e)
		}
	}
	return p
}

func (p *places) keyValue(parser *unstable.Parser, table []string, e *unstable.Node) {
	path := p.note(parser, table, e.Key())
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			p.keyValue(parser, path, it.Node())
		}
	}
}

// note records every prefix of a dotted key and gives the whole path.
func (p *places) note(parser *unstable.Parser, table []string, key unstable.Iterator) []string {
	path := slices.Clone(table)
	for key.Next() {
		n := key.Node()
		path = append(path, string(n.Data))
		full := strings.Join(path, sep)
		if _, seen := p.lines[full]; !seen {
			p.lines[full] = parser.Shape(n.Raw).Start.Line
			p.order = append(p.order, full)
		}
	}
	return path
}

// line finds a key's line, or its table's where the key itself is missing.
func (p places) line(path ...string) int {
	for n := len(path); n > 0; n-- {
		if l, ok := p.lines[strings.Join(path[:n], sep)]; ok {
			return l
		}
	}
	return 0
}

// keys sorts the names of a table as they appear in the text.
func (p places) keys(table string, names []string) []string {
	rank := map[string]int{}
	for i, full := range p.order {
		rank[full] = i
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return rank[table+sep+a] - rank[table+sep+b]
	})
	return names
}
