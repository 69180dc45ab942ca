package fuzzy

import (
	"bytes"
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
	rank  map[string]int // of full paths, in order of appearance

	// Where the latest key stands, and on which line.
	at, here int
}

// findPlaces walks over a text that has already been decoded.
func findPlaces(data []byte) places {
	p := places{lines: map[string]int{}, rank: map[string]int{}, here: 1}
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
			p.lines[full] = p.lineAt(parser.Data(), int(n.Raw.Offset))
			p.rank[full] = len(p.rank)
		}
	}
	return path
}

// lineAt counts on from the key before: the parser would count from the text's
// beginning for each.
func (p *places) lineAt(data []byte, offset int) int {
	if offset < p.at {
		p.at, p.here = 0, 1
	}
	p.here += bytes.Count(data[p.at:offset], []byte("\n"))
	p.at = offset
	return p.here
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
	slices.SortStableFunc(names, func(a, b string) int {
		return p.rank[table+sep+a] - p.rank[table+sep+b]
	})
	return names
}
