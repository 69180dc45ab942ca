package instrument

import (
	"strconv"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// numbered is the head of a for from one number to another.
var numbered = lazyregexp.New(`^\(\s*(?:[\w:]+\s+)*\w+\s*=\s*(\d+)[uUlL]*\s*;\s*\w+\s*([<>]=?|!=)\s*(\d+)[uUlL]*\s*;\s*(?:[-+]{2}\s*\w+|\w+\s*(?:[-+]{2}|[-+]=\s*(\d+)))\s*\)$`)

// literalTurns are those of a loop whose head has nothing but numbers, 0 for others.
func literalTurns(f *source.File, l *source.LoopInfo) int {
	var from, to, step int
	inclusive := true
	switch {
	case l.Kind == source.For && l.Header.End > l.Header.Start:
		m := numbered.FindStringSubmatch(string(f.Text[l.Header.Start:l.Header.End]))
		if m == nil {
			return 0
		}
		from, to, step = number10(m[1]), number10(m[3]), 1
		if m[4] != "" {
			step = number10(m[4])
		}
		if m[2][0] == '>' || m[2] == "!=" && from > to {
			from, to = to, from
		}
		inclusive = m[2] == "<=" || m[2] == ">="
	case l.Kind == source.Counted && l.From != nil && l.To != nil:
		from, to, step = number10(l.From.Text(f.Text)), number10(l.To.Text(f.Text)), 1
		if l.Step != nil {
			step = number10(l.Step.Text(f.Text))
		}
	}
	if from < 0 || to < 0 || step < 1 {
		return 0
	}
	if inclusive {
		to++
	}
	return min(max(to-from+step-1, 0)/step, mostWork)
}

// number10 reads a whole number, -1 for anything else.
func number10(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}
