package expr

// Parse reads a whole text as one metric expression.
func Parse(src string) (Node, error) {
	c, err := NewCursor(src)
	if err != nil {
		return nil, err
	}
	n, err := c.Expr()
	if err != nil {
		return nil, err
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return n, nil
}

// Expr parses a metric expression from where the cursor stands and stops
// before the first token that cannot continue it.
func (c *Cursor) Expr() (Node, error) { return c.chain(sum) }

// chain parses operands joined by operators that bind at the given level.
func (c *Cursor) chain(level int) (Node, error) {
	operand := c.unary
	if level == sum {
		operand = func() (Node, error) { return c.chain(product) }
	}
	x, err := operand()
	if err != nil {
		return nil, err
	}
	for {
		t := c.Peek()
		if t.Kind != Op || !continues(t.Text, level) {
			return x, nil
		}
		c.Next()
		y, err := operand()
		if err != nil {
			return nil, err
		}
		deep := 1 + max(x.depth(), y.depth())
		if deep > MaxDepth {
			return nil, c.Errorf(t, "more than %d operators in one chain", MaxDepth)
		}
		x = &Binary{Op: t.Text[0], X: x, Y: y, Offset: t.Pos, deep: deep}
	}
}

func continues(op string, level int) bool {
	switch op {
	case "+", "-":
		return level == sum
	case "*", "/":
		return level == product
	}
	return false
}

func (c *Cursor) unary() (Node, error) {
	t := c.Next()
	switch {
	case t.Kind == Num:
		return &Number{Value: t.Value, Offset: t.Pos}, nil
	case t.Kind == Quoted, t.Kind == Word && !Reserved(t.Text):
		return &Name{Name: t.Text, Offset: t.Pos}, nil
	case t.Kind == Word:
		err := c.Errorf(t, "expected a metric, found the word %s", t)
		err.Hint = "a metric of that name is written " + quote(t.Text)
		return nil, err
	case t.Kind == Op && (t.Text == "-" || t.Text == "("):
	default:
		return nil, c.Errorf(t, "expected a metric, a number or (, found %s", t)
	}

	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	if t.Text == "-" {
		x, err := c.unary()
		if err != nil {
			return nil, err
		}
		if x.depth() >= MaxDepth {
			return nil, c.Errorf(t, "nested more than %d deep", MaxDepth)
		}
		return &Negation{X: x, Offset: t.Pos, deep: x.depth() + 1}, nil
	}
	x, err := c.Expr()
	if err != nil {
		return nil, err
	}
	if err := c.Expect(")"); err != nil {
		return nil, err
	}
	return x, nil
}
