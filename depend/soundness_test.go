package depend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A small language of loops over whole numbers: every program is written as C,
// for the verdict, and run here, to see whether the verdict is true.

// machine is memory while a loop runs.
type machine struct {
	arrays  map[string]map[int]int
	scalars map[string]int
	i, j    int
	n, w    int // symbols: they have a value only while running
	// trace is what was decided while it is kept: subscripts, bounds of loops.
	trace []int
	keep  bool
}

func (m *machine) decided(v int) int {
	if m.keep {
		m.trace = append(m.trace, v)
	}
	return v
}

func newMachine(n, w int) *machine {
	m := &machine{n: n, w: w, arrays: map[string]map[int]int{"a": {}, "b": {}}, scalars: map[string]int{"t": 2, "u": 3, "k": 1}}
	for e := -80; e <= 80; e++ { // what is not written has a value of its own, too
		m.arrays["a"][e], m.arrays["b"][e] = (e*e+3)%11, (5*e+1)%13
	}
	return m
}

// piece is a statement or expression: its text, and what it does.
type piece struct {
	text string
	run  func(*machine) int
}

const modulus = 997 // keeps numbers small

func (g generator) number(name string, from, to int) int {
	return rapid.IntRange(from, to).Draw(g.t, name)
}

type generator struct {
	t     *rapid.T
	inner bool // j is there
	rest  bool // of the program, behind the loop
}

func (g generator) subscript() piece {
	if g.number("scalar subscript", 0, 5) == 0 {
		name := rapid.SampledFrom([]string{"t", "u", "k"}).Draw(g.t, "name")
		return piece{name, func(m *machine) int { return m.decided(m.scalars[name]) }}
	}
	if g.number("symbols", 0, 3) == 0 {
		cw, cn, c0, cj := g.number("cw", 0, 1), g.number("cn", -1, 2), g.number("c0", -1, 1), 0
		if g.inner {
			cj = 1
		}
		text := fmt.Sprintf("%d * n + %d * j + %d + i", cn, cj, c0)
		if cw == 1 {
			text += " * w"
		}
		return piece{text, func(m *machine) int {
			i := m.i
			if cw == 1 {
				i *= m.w
			}
			return m.decided(cn*m.n + cj*m.j + c0 + i)
		}}
	}
	ci, c0, cj := g.number("ci", -3, 3), g.number("c0", -3, 3), 0
	if g.number("plain", 0, 2) > 0 {
		ci = 1
	}
	if g.inner {
		cj = g.number("cj", -2, 2)
	}
	return piece{fmt.Sprintf("%d * i + %d * j + %d", ci, cj, c0), func(m *machine) int { return m.decided(ci*m.i + cj*m.j + c0) }}
}

func (g generator) expression(depth int) piece {
	switch kind := g.number("expression", 0, 5); {
	case kind == 0:
		n := g.number("n", 0, 9)
		return piece{fmt.Sprint(n), func(*machine) int { return n }}
	case kind == 1:
		return piece{"i", func(m *machine) int { return m.i }}
	case kind == 2:
		name := rapid.SampledFrom([]string{"t", "u", "k"}).Draw(g.t, "name")
		return piece{name, func(m *machine) int { return m.scalars[name] }}
	case kind == 3 && depth < 2:
		x, y := g.expression(depth+1), g.expression(depth+1)
		return piece{"(" + x.text + " + " + y.text + ")", func(m *machine) int { return (x.run(m) + y.run(m)) % modulus }}
	}
	array := rapid.SampledFrom([]string{"a", "b"}).Draw(g.t, "array")
	at := g.subscript()
	return piece{array + "[" + at.text + "]", func(m *machine) int { return m.arrays[array][at.run(m)] }}
}

func (g generator) statement(depth int) piece {
	scalar := rapid.SampledFrom([]string{"t", "u", "k"}).Draw(g.t, "scalar")
	switch kind := g.number("statement", 0, 9); {
	case kind == 0:
		e := g.expression(0)
		return piece{scalar + " = " + e.text + ";", func(m *machine) int { m.scalars[scalar] = e.run(m); return 0 }}
	case kind == 1:
		e := g.expression(1)
		return piece{scalar + " += " + e.text + ";", func(m *machine) int { m.scalars[scalar] += e.run(m); return 0 }}
	case kind == 2:
		n := g.number("n", 1, 3)
		return piece{fmt.Sprintf("k += %d;", n), func(m *machine) int { m.scalars["k"] += n; return 0 }}
	case kind == 3:
		e := g.expression(1)
		return piece{fmt.Sprintf("if (%s > %s) %s = %s;", e.text, scalar, scalar, e.text), func(m *machine) int {
			if v := e.run(m); v > m.scalars[scalar] {
				m.scalars[scalar] = v
			}
			return 0
		}}
	case kind == 4 && depth < 2:
		test, body := g.expression(1), g.block(depth+1, 2)
		return piece{fmt.Sprintf("if (%s > 4) { %s }", test.text, body.text), func(m *machine) int {
			yes := test.run(m) > 4
			if was := m.keep; yes {
				// What is under a branch that holds no loop may differ.
				m.keep = was && strings.Contains(body.text, "for (")
				body.run(m)
				m.keep = was
			}
			return 0
		}}
	case kind == 5 && !g.inner:
		return g.loop(depth)
	}
	array := rapid.SampledFrom([]string{"a", "b"}).Draw(g.t, "array")
	at, e := g.subscript(), g.expression(0)
	if g.number("update", 0, 3) == 0 {
		return piece{fmt.Sprintf("%s[%s] += %s;", array, at.text, e.text), func(m *machine) int {
			v := e.run(m)
			m.arrays[array][at.run(m)] += v
			return 0
		}}
	}
	return piece{fmt.Sprintf("%s[%s] = %s;", array, at.text, e.text), func(m *machine) int {
		v := e.run(m)
		m.arrays[array][at.run(m)] = v
		return 0
	}}
}

// loop is an inner loop; its bounds may move with i.
func (g generator) loop(depth int) piece {
	low, length, step := g.number("low", -2, 2), g.number("length", 0, 4), g.number("step", 1, 2)
	withLow, withHigh := g.number("low moves", 0, 1), g.number("high moves", 0, 1)
	g.inner = true
	body := g.block(depth+1, 2)
	if g.rest && rapid.Bool().Draw(g.t, "to a scalar") {
		name := rapid.SampledFrom([]string{"t", "u", "k"}).Draw(g.t, "name")
		return piece{fmt.Sprintf("for (int j = 0; j < %s %% 5; j++) { %s }", name, body.text), func(m *machine) int {
			for m.j = 0; m.j < m.decided(m.scalars[name]%5); m.j++ {
				body.run(m)
			}
			return 0
		}}
	}
	if g.number("to a symbol", 0, 2) == 0 {
		less := g.number("less", -1, 1)
		return piece{fmt.Sprintf("for (int j = 0; j < w + %d; j++) { %s }", less, body.text), func(m *machine) int {
			for m.j = 0; m.j < m.decided(m.w+less); m.j++ {
				body.run(m)
			}
			return 0
		}}
	}
	text := fmt.Sprintf("for (int j = %d * i + %d; j <= %d * i + %d; j += %d) { %s }", withLow, low, withHigh, low+length, step, body.text)
	return piece{text, func(m *machine) int {
		for m.j = m.decided(withLow*m.i + low); m.j <= m.decided(withHigh*m.i+low+length); m.j += step {
			body.run(m)
		}
		return 0
	}}
}

func (g generator) block(depth, most int) piece {
	var list []piece
	var texts []string
	for range g.number("statements", 1, most) {
		s := g.statement(depth)
		list, texts = append(list, s), append(texts, s.text)
	}
	return piece{strings.Join(texts, " "), func(m *machine) int {
		for _, s := range list {
			s.run(m)
		}
		return 0
	}}
}

// outer is the loop that is judged: its header and the values of its counter.
type outer struct {
	head  string
	order []int
	n, w  int
}

func (g generator) outer() outer {
	from, times, step := g.number("from", -4, 4), g.number("times", 2, 6), g.number("outer step", 1, 3)
	o := outer{n: g.number("the symbol n", 0, 6), w: g.number("the symbol w", -1, 5)}
	sign, compare := 1, "<="
	if rapid.Bool().Draw(g.t, "down") {
		sign, compare = -1, ">="
	}
	o.head = fmt.Sprintf("for (int i = %d; i %s %d; i += %d)", from, compare, from+sign*(times-1)*step, sign*step)
	if rapid.Bool().Draw(g.t, "symbolic") {
		from, times, step, sign = 0, o.n, 1, 1
		o.head = "for (int i = 0; i < n; i++)"
	}
	for k := range times {
		o.order = append(o.order, from+sign*k*step)
	}
	return o
}

// TestVerdictsAreTrue runs loops that were found independent, or to meet only
// in reductions, in another order of their iterations: private variables begin
// every iteration with rubbish and leave what the last one of the text's order
// leaves, those that go on by a fixed amount begin with what they have in that
// order, and memory must be the same in the end.
func TestVerdictsAreTrue(t *testing.T) {
	count := map[Verdict]int{}
	one := func(t *rapid.T) {
		g := generator{t: t}
		o := g.outer()
		body := g.block(0, 4)
		text := "void f(int n, int w, int *restrict a, int *restrict b, int *restrict out)\n{\n int t = 2, u = 3, k = 1;\n " + o.head + " { " + body.text + " }\n out[0] = t; out[1] = u; out[2] = k;\n}\n"
		l := New(parse(t, "a.c", text)).Loops()[0]
		count[l.Verdict]++
		if l.Verdict != Independent && l.Verdict != Reduction {
			return
		}

		want := newMachine(o.n, o.w)
		begins := map[int]map[string]int{} // scalars when an iteration begins
		for _, i := range o.order {
			begins[i] = map[string]int{}
			for name, v := range want.scalars {
				begins[i][name] = v
			}
			want.i = i
			body.run(want)
		}

		got := newMachine(o.n, o.w)
		left := map[string]int{}
		if len(o.order) == 0 {
			return
		}
		for at, i := range rapid.Permutation(o.order).Draw(t, "order") {
			for _, name := range l.Private {
				got.scalars[name] = 5000 + 7*at
			}
			for _, name := range l.Inductions {
				got.scalars[name] = begins[i][name]
			}
			got.i = i
			body.run(got)
			if i == o.order[len(o.order)-1] {
				for _, name := range slices.Concat(l.Private, l.Inductions) {
					left[name] = got.scalars[name]
				}
			}
		}
		for name, v := range left {
			got.scalars[name] = v
		}
		for name, v := range want.scalars {
			if got.scalars[name] != v {
				t.Fatalf("%s: %s\n%s is %d, in another order %d\n%s", l.Verdict, l.Reason, name, v, got.scalars[name], text)
			}
		}
		for array, elements := range want.arrays {
			for e, v := range elements {
				if got.arrays[array][e] != v {
					t.Fatalf("%s: %s\n%s[%d] is %d, in another order %d\n%s", l.Verdict, l.Reason, array, e, v, got.arrays[array][e], text)
				}
			}
		}
	}
	for range 10 { // a hundred programs each
		rapid.Check(t, one)
	}
	t.Logf("%v", count)
	if count[Independent] == 0 || count[Reduction] == 0 || count[Carried] == 0 {
		t.Errorf("%v: the test shows nothing", count)
	}
}

// TestCuttingIsSafe runs programs whose loop may be cut short both ways: the
// rest of the program must use the same subscripts and loop bounds.
func TestCuttingIsSafe(t *testing.T) {
	safe, unsafe := 0, 0
	one := func(t *rapid.T) {
		g := generator{t: t}
		o := g.outer()
		body := g.block(0, 3)
		g.rest = true
		rest := g.block(0, 4)
		text := "int main(int argc, char **argv)\n{\n int n = atoi(argv[1]), w = atoi(argv[2]), t = 2, u = 3, k = 1, a[999], b[999];\n " +
			o.head + " { " + body.text + " }\n for (int i = 0; i < 3; i++) { " + rest.text + " }\n printf(\"%d %d\", t, a[0]);\n return 0;\n}\n"
		p := New(parse(t, "a.c", text))
		answer := p.Safe(p.Loops()[0], Rules{})
		if !answer.Safe {
			unsafe++
			return
		}
		safe++
		run := func(order []int) []int {
			m := newMachine(o.n, o.w)
			for _, m.i = range order {
				body.run(m)
			}
			m.keep = true
			for m.i = range 3 {
				rest.run(m)
			}
			return m.trace
		}
		if len(o.order) == 0 {
			return
		}
		th := g.number("threshold", 1, len(o.order))
		if whole, cut := run(o.order), run(o.order[:th]); !slices.Equal(whole, cut) {
			t.Fatalf("%s\nafter all iterations %v\nafter %d %v\n%s", answer.Reason, whole, th, cut, text)
		}
	}
	for range 4 {
		rapid.Check(t, one)
	}
	t.Logf("%d safe, %d not", safe, unsafe)
	if safe == 0 || unsafe == 0 {
		t.Errorf("%d safe, %d not: the test shows nothing", safe, unsafe)
	}
}
