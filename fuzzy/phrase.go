package fuzzy

import (
	"strings"

	"auspex/expr"
)

// Phrase is what is said of a metric: terms, modifiers, AND, OR and
// parentheses, as in "very high or not low". It is a [*TermRef], [*Literal],
// [*Hedge] or [*Junction].
type Phrase interface {
	// String prints text that parses back to an equal phrase.
	String() string
	// Pos is the byte offset in the text it was parsed from.
	Pos() int

	write(b *strings.Builder, nested bool)
	bind(b binder) (Set, error)
}

// TermRef is the name of a term.
type TermRef struct {
	Name   string
	Offset int
}

// Literal is a shape written out, such as S(0.9, 1).
type Literal struct {
	Shape  *Shape
	Offset int
}

// Hedge is a modifier and what it modifies.
type Hedge struct {
	By     Modifier
	X      Phrase
	Offset int
}

// Junction is two or more phrases joined by AND, or by OR.
type Junction struct {
	Or bool
	Xs []Phrase
}

// Pos is the byte offset in the text it was parsed from.
func (p *TermRef) Pos() int  { return p.Offset }
func (p *Literal) Pos() int  { return p.Offset }
func (p *Hedge) Pos() int    { return p.Offset }
func (p *Junction) Pos() int { return p.Xs[0].Pos() }

// ParsePhrase reads a whole text as a phrase.
func ParsePhrase(src string) (Phrase, error) {
	c, err := expr.NewCursor(src)
	if err != nil {
		return nil, err
	}
	p, err := PhraseFrom(c)
	if err != nil {
		return nil, err
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return p, nil
}

// PhraseFrom parses a phrase from where the cursor stands. It stops before the
// first token that cannot continue it, and before an AND or OR that joins
// another statement (… AND imbalance IS high) rather than another term.
func PhraseFrom(c *expr.Cursor) (Phrase, error) {
	start := c.Peek()
	p, err := junctionFrom(c)
	if err != nil {
		return nil, err
	}
	terms := 0
	leaves(p, func(Phrase) { terms++ })
	if stack := stacked(p); terms > maxTerms || stack > maxStack {
		return nil, c.Errorf(start, "a phrase has at most %d terms under at most %d modifiers, not %d under %d", maxTerms, maxStack, terms, stack)
	}
	return p, nil
}

// Bounds that keep a phrase something a person could mean, and quick to bind.
const (
	maxTerms = 64
	maxStack = 16
)

// stacked counts the modifiers that lie on top of one another.
func stacked(p Phrase) int {
	n := 0
	switch p := p.(type) {
	case *Hedge:
		return 1 + stacked(p.X)
	case *Junction:
		for _, x := range p.Xs {
			n = max(n, stacked(x))
		}
	}
	return n
}

func junctionFrom(c *expr.Cursor) (Phrase, error) {
	join := func(or bool, xs []Phrase) Phrase { return &Junction{Or: or, Xs: xs} }
	return expr.Joined(c, hedgeFrom, join, func(c *expr.Cursor) bool { return statementFollows(c, 1) })
}

// statementFollows tells "AND imbalance IS high" from "AND very high": before
// the next word of the grammar a statement has an IS, a phrase never has one.
func statementFollows(c *expr.Cursor, from int) bool {
	for k := from; ; k++ {
		t := c.PeekAt(k)
		switch {
		case t.Is("is"):
			return true
		case t.Is("not"):
		case t.Kind == expr.EOF, t.Kind == expr.Word && expr.Reserved(t.Text):
			return false
		}
	}
}

func hedgeFrom(c *expr.Cursor) (Phrase, error) {
	if err := c.Enter(); err != nil {
		return nil, err
	}
	defer c.Leave()
	t := c.Peek()
	if m, ok := modifierHere(c); ok {
		x, err := hedgeFrom(c)
		if err != nil {
			return nil, err
		}
		return &Hedge{By: m, X: x, Offset: t.Pos}, nil
	}
	if atShape(c) {
		s, err := shapeFrom(c)
		if err != nil {
			return nil, err
		}
		return &Literal{Shape: s, Offset: t.Pos}, nil
	}
	if c.Accept("(") {
		x, err := junctionFrom(c)
		if err != nil {
			return nil, err
		}
		return x, c.Expect(")")
	}
	if t.Kind == expr.Quoted || t.Kind == expr.Word && !expr.Reserved(t.Text) {
		c.Next()
		return &TermRef{Name: t.Text, Offset: t.Pos}, nil
	}
	e := c.Errorf(t, "expected a term such as high, found %s", t)
	if t.Kind == expr.Word {
		e.Hint = "a term of that name is written in double quotes"
	}
	return nil, e
}

// modifierHere takes a modifier; "more or less" may be three words.
func modifierHere(c *expr.Cursor) (Modifier, bool) {
	t := c.Peek()
	if t.Kind != expr.Word {
		return "", false
	}
	if m, ok := modifierOf(t.Text); ok {
		c.Next()
		return m, true
	}
	if t.Is("more") && c.PeekAt(1).Is("or") && c.PeekAt(2).Is("less") {
		c.Next()
		c.Next()
		c.Next()
		return MoreOrLess, true
	}
	return "", false
}

func printed(p interface{ write(*strings.Builder, bool) }) string {
	var b strings.Builder
	p.write(&b, false)
	return b.String()
}

func (p *TermRef) String() string  { return printed(p) }
func (p *Literal) String() string  { return printed(p) }
func (p *Hedge) String() string    { return printed(p) }
func (p *Junction) String() string { return printed(p) }

func (p *TermRef) write(b *strings.Builder, _ bool) {
	text := expr.Quote(p.Name)
	if text == p.Name && (isModifier(p.Name) || strings.EqualFold(p.Name, "more")) {
		text = `"` + p.Name + `"`
	}
	b.WriteString(text)
}

func (p *Literal) write(b *strings.Builder, _ bool) { b.WriteString(p.Shape.String()) }

func (p *Hedge) write(b *strings.Builder, _ bool) {
	b.WriteString(string(p.By) + " ")
	p.X.write(b, true)
}

func (p *Junction) write(b *strings.Builder, nested bool) {
	expr.WriteJoined(b, p.Or, nested, len(p.Xs), func(i int) { p.Xs[i].write(b, true) })
}

// leaves calls visit for every term and literal, from left to right.
func leaves(p Phrase, visit func(Phrase)) {
	switch p := p.(type) {
	case *Hedge:
		leaves(p.X, visit)
	case *Junction:
		for _, x := range p.Xs {
			leaves(x, visit)
		}
	default:
		visit(p)
	}
}

// binder turns the words of a phrase into sets.
type binder struct {
	term  func(*TermRef) (Set, error)
	logic Logic
}

// Bind gives the set that a phrase means, where term finds a term's own set.
func Bind(p Phrase, logic Logic, term func(*TermRef) (Set, error)) (Set, error) {
	return p.bind(binder{term, logic})
}

func (p *TermRef) bind(b binder) (Set, error) { return b.term(p) }
func (p *Literal) bind(binder) (Set, error)   { return p.Shape, nil }

func (p *Hedge) bind(b binder) (Set, error) {
	s, err := p.X.bind(b)
	if err != nil {
		return nil, err
	}
	return Modify(p.By, s), nil
}

func (p *Junction) bind(b binder) (Set, error) {
	j := &joined{or: p.Or, logic: b.logic}
	for _, x := range p.Xs {
		s, err := x.bind(b)
		if err != nil {
			return nil, err
		}
		j.sets = append(j.sets, s)
	}
	return j, nil
}
