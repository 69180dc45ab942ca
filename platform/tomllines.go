package platform

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlLines finds the line of every table and key of a text that has been
// decoded before, by path: "link[1]" is the second [[link]], and
// "link[1].bandwidth" a key in it.
func tomlLines(data []byte) map[string]int {
	lines := map[string]int{}
	count := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.ArrayTable:
			path, line := keyPath(&p, "", e)
			table = path + "[" + strconv.Itoa(count[path]) + "]"
			count[path]++
			lines[table] = line
		case unstable.Table:
			path, line := keyPath(&p, "", e)
			first, rest, _ := strings.Cut(path, ".")
			if n := count[first]; n > 0 { // part of the last table of an array
				path = first + "[" + strconv.Itoa(n-1) + "]." + rest
			}
			table = path
			lines[table] = line
		case unstable.KeyValue:
			noteKeys(&p, table, e, lines)
		}
	}
	return lines
}

// noteKeys records a key and those of the inline tables in its value.
func noteKeys(p *unstable.Parser, table string, e *unstable.Node, lines map[string]int) {
	path, line := keyPath(p, table, e)
	lines[path] = line
	switch v := e.Value(); v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			noteKeys(p, path, it.Node(), lines)
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); i++ {
			if n := it.Node(); n.Kind == unstable.InlineTable {
				item := path + "[" + strconv.Itoa(i) + "]"
				lines[item] = line
				for keys := n.Children(); keys.Next(); {
					noteKeys(p, item, keys.Node(), lines)
				}
			}
		}
	}
}

// keyPath joins a dotted key to the path of the table it stands in.
func keyPath(p *unstable.Parser, table string, e *unstable.Node) (path string, line int) {
	path = table
	for key := e.Key(); key.Next(); {
		if path != "" {
			path += "."
		}
		path += string(key.Node().Data)
		line = p.Shape(key.Node().Raw).Start.Line
	}
	return path, line
}
