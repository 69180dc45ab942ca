package depend

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// sliceLines gives the lines of a backward slice.
func sliceLines(g *Graph, line int, variable string) []int {
	var lines []int
	for _, n := range g.Slice(g.At(line, variable)).Nodes {
		if n.Kind != "entry" && n.Kind != "exit" && !slices.Contains(lines, n.Line) {
			lines = append(lines, n.Line)
		}
	}
	slices.Sort(lines)
	return lines
}

func TestSlice(t *testing.T) {
	c := `int total;
int add(int a, int b)
{
    total++;
    return a + b;
}
int main(void)
{
    int sum = 0;
    int product = 1;
    int i = 1;
    while (i < 11) {
        sum = add(sum, i);
        product = product * i;
        i = i + 1;
    }
    printf("%d", sum);
    printf("%d", product);
    printf("%d", total);
}
`
	f := `subroutine s(a, n, x)
  integer :: n, i, k
  real :: a(n), x
  x = 0
  k = 3
  do i = 1, n
    if (a(i) > 0) then
      x = x + a(i)
    else
      k = k + 1
    end if
  end do
  call show(x)
  call show(k)
end subroutine
`
	for _, k := range []struct {
		file, text string
		line       int
		variable   string
		want       []int
	}{
		// Much as the example of Horwitz, Reps and Binkley: the product is no
		// part of the sum. Line 4 is, because a call is one node: what comes
		// out of it is taken to come from all that happens in it.
		{"a.c", c, 17, "sum", []int{4, 5, 9, 11, 12, 13, 15, 17}},
		{"a.c", c, 18, "product", []int{10, 11, 12, 14, 15, 18}},
		{"a.c", c, 19, "total", []int{4, 5, 9, 11, 12, 13, 15, 19}},
		{"a.f90", f, 13, "x", []int{4, 6, 7, 8, 13}},
		{"a.f90", f, 14, "k", []int{5, 6, 7, 10, 14}},
	} {
		g := New(parse(t, k.file, k.text)).Graph()
		if got := sliceLines(g, k.line, k.variable); fmt.Sprint(got) != fmt.Sprint(k.want) {
			t.Errorf("%s:%d:%s: got lines %v, want %v", k.file, k.line, k.variable, got, k.want)
		}
	}
}

// TestControl checks control dependence through jumps.
func TestControl(t *testing.T) {
	text := `void f(int n)
{
    for (;;) {
        if (n > 3)
            break;
        n = n + 1;
        if (n == 2)
            goto out;
        g(n);
    }
    h(n);
out:
    k(n);
}
`
	g := New(parse(t, "a.c", text)).Graph()
	decides := map[string]bool{}
	for _, e := range g.Edges {
		if e.Kind == "control" {
			decides[fmt.Sprintf("%d>%d", g.Nodes[e.From].Line, g.Nodes[e.To].Line)] = true
		}
	}
	for _, want := range []string{"4>6", "7>9", "7>8", "4>11"} {
		if !decides[want] {
			t.Errorf("%s is missing in %v", want, decides)
		}
	}
	for _, not := range []string{"4>13", "7>13"} {
		if decides[not] {
			t.Errorf("%s: line 13 runs in any case", not)
		}
	}
}

func TestGraphOfExamples(t *testing.T) {
	text, err := os.ReadFile("../examples/stommel/stommel.f90")
	if err != nil {
		t.Fatal(err)
	}
	g := New(parse(t, "stommel.f90", string(text))).Graph()
	kinds := map[string]int{}
	for _, e := range g.Edges {
		kinds[e.Kind]++
	}
	for _, k := range []string{"control", "data", "call", "in", "out"} {
		if kinds[k] == 0 {
			t.Errorf("no %s edges in %v", k, kinds)
		}
	}
	var dot strings.Builder
	if err := g.WriteDot(&dot); err != nil || !strings.HasPrefix(dot.String(), "digraph sdg {") || strings.Count(dot.String(), "{") != strings.Count(dot.String(), "}") {
		t.Errorf("not a graph for Graphviz: %v %.100s", err, dot.String())
	}
	// `time` at the end does not depend on the potential.
	lines := sliceLines(g, 195, "time")
	if slices.Contains(lines, 112) {
		t.Errorf("the clock depends on the sweep: %v", lines)
	}
}
