package predict

import (
	"slices"
	"strconv"
	"strings"
)

// vouched are the loops that a person speaks for.
type vouched map[string]bool // FILE:LINE, and whether the loop was met

func newVouched(list []string) vouched {
	v := vouched{}
	for _, place := range list {
		v[place] = false
	}
	return v
}

// speaksFor tells whether a loop is one of them; a file may be named by the end
// of its path.
func (v vouched) speaksFor(file string, line int) bool {
	for place := range v {
		name, number, ok := cutLast(place, ":")
		if n, err := strconv.Atoi(number); ok && err == nil && n == line && (name == file || strings.HasSuffix(file, "/"+name)) {
			v[place] = true
			return true
		}
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// unheard is an error where a place holds no loop.
func (v vouched) unheard(loops []LoopUse) error {
	for place, met := range v {
		if met {
			continue
		}
		file, _, _ := cutLast(place, ":")
		var lines []string
		for _, l := range loops {
			if l.File == file || strings.HasSuffix(l.File, "/"+file) {
				lines = append(lines, strconv.Itoa(l.Line))
			}
		}
		if len(lines) == 0 {
			return misusef("--vouch %s: no loop of that file is compiled; it needs FILE:LINE of a loop's first line", place)
		}
		return misusef("--vouch %s: no loop that could be cut short begins there; in that file loops begin on lines %s", place, strings.Join(slices.Compact(lines), ", "))
	}
	return nil
}
