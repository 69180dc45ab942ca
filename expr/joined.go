package expr

import "strings"

// Joined parses operands joined by AND and OR, of which AND binds tighter, and
// lets join make one node of several. A single operand stays as it is. Where
// stop is given, an AND or OR that it points at ends the parse: the words may
// also join what the caller is reading.
func Joined[T any](c *Cursor, operand func(*Cursor) (T, error), join func(or bool, xs []T) T, stop func(*Cursor) bool) (T, error) {
	level := func(word string, or bool, operand func(*Cursor) (T, error)) (T, error) {
		var xs []T
		for {
			x, err := operand(c)
			if err != nil {
				return x, err
			}
			xs = append(xs, x)
			if !c.Peek().Is(word) || stop != nil && stop(c) {
				break
			}
			c.Next()
		}
		if len(xs) == 1 {
			return xs[0], nil
		}
		return join(or, xs), nil
	}
	return level("or", true, func(*Cursor) (T, error) { return level("and", false, operand) })
}

// WriteJoined prints what [Joined] reads: n operands with AND or OR between
// them, in parentheses where they stand inside another such list.
func WriteJoined(b *strings.Builder, or, nested bool, n int, write func(i int)) {
	word := " AND "
	if or {
		word = " OR "
	}
	if nested {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i := range n {
		if i > 0 {
			b.WriteString(word)
		}
		write(i)
	}
}
