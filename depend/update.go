package depend

import "auspex/source"

// class is the sort of reduction an operator makes; operators of one class
// may be mixed in any order.
func class(op string) string {
	switch op {
	case "+", "-":
		return "+"
	case "*", "&", "|", "^":
		return op
	case "&&", ".and.":
		return "and"
	case "||", ".or.":
		return "or"
	}
	return ""
}

// extreme names the reductions to the smallest and largest value.
var extreme = map[string]string{
	"max": "max", "fmax": "max", "fmaxf": "max", "fmaxl": "max", "amax1": "max", "dmax1": "max", "max0": "max",
	"min": "min", "fmin": "min", "fminf": "min", "fminl": "min", "amin1": "min", "dmin1": "min", "min0": "min",
}

// updateOf recognises x = x op e and gives the class of op: + and -, *, and, or,
// max, min, and the conditional forms of the last two. The other operand must
// not read x, which the caller checks by counting reads.
func updateOf(left, right *source.Expr) string {
	if right == nil {
		return ""
	}
	x := left.String()
	switch right.Kind {
	case source.Binary:
		c := class(right.Op)
		if c == "" {
			return ""
		}
		if chain(right, c, x, true) == 1 {
			return c
		}
	case source.CallOf, source.Apply:
		name := extreme[trimStd(right.Name)]
		if name == "" {
			return ""
		}
		n := 0
		for _, a := range right.Args {
			if a != nil && a.String() == x {
				n++
			}
		}
		if n == 1 {
			return name
		}
	case source.Cond: // x = e > x ? e : x
		return extremeOf(right.Args[0], right.Args[1], right.Args[2], x)
	}
	return ""
}

// chain counts the places where x stands with a plus sign (or as a factor) in
// a chain of one class of operators. x on the right of a minus does not count
// as an update, so it spoils the answer.
func chain(e *source.Expr, c, x string, positive bool) int {
	if e == nil {
		return 0
	}
	if e.String() == x {
		if positive {
			return 1
		}
		return 2
	}
	if e.Kind != source.Binary || class(e.Op) != c {
		return 0
	}
	return chain(e.Args[0], c, x, positive) + chain(e.Args[1], c, x, positive && e.Op != "-")
}

func trimStd(name string) string {
	if len(name) > 5 && name[:5] == "std::" {
		return name[5:]
	}
	return name
}

// extremeOf recognises a choice between x and another value by comparing the
// two.
func extremeOf(test, yes, no *source.Expr, x string) string {
	if test == nil || yes == nil || no == nil || test.Kind != source.Binary {
		return ""
	}
	var greater bool
	switch test.Op {
	case ">", ">=", ".gt.", ".ge.":
		greater = true
	case "<", "<=", ".lt.", ".le.":
	default:
		return ""
	}
	l, r, y, n := test.Args[0].String(), test.Args[1].String(), yes.String(), no.String()
	if l == y && r == n && (l == x || r == x) {
		// the left side is taken where it compares so
	} else if l == n && r == y && (l == x || r == x) {
		greater = !greater
	} else {
		return ""
	}
	if greater {
		return "max"
	}
	return "min"
}
