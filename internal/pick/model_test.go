package pick

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"auspex/instrument"
	"auspex/source"
)

const solver = `void step(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i][j] = a * x[i][j] + b * y[i][j] - c * (x[i][j] - y[j][i]) + x[i - 1][j] * x[i + 1][j] * y[i - 1][j] * y[i + 1][j] - x[i][j - 1] * x[i][j + 1] * y[i][j - 1] * y[i][j + 1];



  while (busy()) wait();
}
int tiny(void) { return 1; }
`

const kernels = `__global__ void fill(int n)
{
  a();
  b();
}
T V::operator*(T a)
{
  return a;
}
T V::operator*=(T a)
{
  return a;
}
`

func outline(t testing.TB, name, text string, opt instrument.Options) *instrument.Outline {
	t.Helper()
	f, err := source.Parse(context.Background(), name, []byte(text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return instrument.NewOutline(f, opt)
}

func example(t testing.TB) *Model {
	return New("src", []*instrument.Outline{
		outline(t, "solver.c", solver, instrument.Options{}),
		outline(t, "gpu/kernels.cu", kernels, instrument.Options{}),
		outline(t, "old/solver.c", solver, instrument.Options{}),
	})
}

// press takes keys as a terminal sends them.
func press(t testing.TB, m *Model, keys string) {
	t.Helper()
	for pending := []byte(keys); len(pending) > 0; {
		k, n := decode(pending)
		if n == 0 {
			t.Fatalf("%q is no whole key", pending)
		}
		pending = pending[n:]
		m.Press(k)
	}
}

// tree is what is shown, with > before the row under the cursor.
func tree(m *Model) string {
	var b strings.Builder
	lines := m.Screen(40, len(m.shown)+3)
	for _, l := range lines[1 : len(lines)-2] {
		mark := " "
		if l.Look == Chosen {
			mark = ">"
		}
		b.WriteString(mark + strings.Join(strings.Fields(l.Text), " ") + "\n")
	}
	return b.String()
}

const down, right, esc = "\x1b[B", "\x1b[C", "\x1b"

func TestKeys(t *testing.T) {
	tests := []struct{ what, keys, want string }{
		{"start", "", `
>▸ [~] solver.c 2 of 5
 ▸ [ ] gpu/kernels.cu 0 of 2
 ▸ [~] old/solver.c 2 of 5
`},
		{"unfold", right + down + right, `
 ▾ [~] solver.c 2 of 5
>▾ [x] step 1–10
 ▸ [x] loop@3 3–5
 [ ] loop@9 9–9
 [ ] tiny 11–11
 ▸ [ ] gpu/kernels.cu 0 of 2
 ▸ [~] old/solver.c 2 of 5
`},
		{"fold goes out", right + "jh", `
>▾ [~] solver.c 2 of 5
 ▸ [x] step 1–10
 [ ] tiny 11–11
 ▸ [ ] gpu/kernels.cu 0 of 2
 ▸ [~] old/solver.c 2 of 5
`},
		{"tick", right + "j jj ", `
 ▾ [~] solver.c 1 of 5
 ▸ [ ] step 1–10
 [ ] tiny 11–11
>▸ [x] gpu/kernels.cu 2 of 2
 ▸ [~] old/solver.c 2 of 5
`},
		{"tick a file, nothing of which is ticked", "  ", `
>▸ [~] solver.c 2 of 5
 ▸ [ ] gpu/kernels.cu 0 of 2
 ▸ [~] old/solver.c 2 of 5
`},
		{"none", "nG", `
 ▸ [ ] solver.c 0 of 5
 ▸ [ ] gpu/kernels.cu 0 of 2
>▸ [ ] old/solver.c 0 of 5
`},
		{"none, then the default again", "nd", `
>▸ [~] solver.c 2 of 5
 ▸ [ ] gpu/kernels.cu 0 of 2
 ▸ [~] old/solver.c 2 of 5
`},
		{"find a function", "/TIN\r", `
>▾ [~] solver.c 2 of 5
 [ ] tiny 11–11
 ▾ [~] old/solver.c 2 of 5
 [ ] tiny 11–11
`},
		{"tick a file of which only a part is shown", "n/tin\r ", `
>▾ [~] solver.c 1 of 5
 [x] tiny 11–11
 ▾ [ ] old/solver.c 0 of 5
 [ ] tiny 11–11
`},
		{"find a file", "/GPUx\x7f\r" + right, `
>▾ [ ] gpu/kernels.cu 0 of 2
 – fill 1–5
 [ ] V::operator* 6–9
 [ ] V::operator*= 10–13
`},
		{"what cannot be measured stays so", "/gpu\rlj ", `
 ▾ [ ] gpu/kernels.cu 0 of 2
>– fill 1–5
 [ ] V::operator* 6–9
 [ ] V::operator*= 10–13
`},
		{"all again, where one was", "/gpu\r" + esc + "j", `
 ▸ [~] solver.c 2 of 5
 ▸ [ ] gpu/kernels.cu 0 of 2
>▸ [~] old/solver.c 2 of 5
`},
		{"nothing found", "/zzz\r j", `
 nothing holds zzz
`},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			m := example(t)
			for _, part := range strings.SplitAfter(test.keys, esc+"j") { // an escape alone
				if rest, ok := strings.CutSuffix(part, esc+"j"); ok {
					press(t, m, rest)
					m.Press(Escape)
					part = "j"
				}
				press(t, m, part)
			}
			got := tree(m)
			if len(m.shown) == 0 {
				got = " " + m.Screen(40, 5)[1].Text + "\n"
			}
			if got != test.want[1:] {
				t.Errorf("shown:\n%swant:\n%s", got, test.want[1:])
			}
		})
	}
}

func TestEnd(t *testing.T) {
	for _, test := range []struct {
		keys        string
		done, saved bool
	}{
		{"s", true, true}, {"\r", true, true}, {"q", true, false}, {"\x03", true, false}, {"/x\x03", true, false},
		{" q", false, false}, {" qq", true, false}, {" q q", false, false}, {" qs", true, true}, {"/q\r", false, false},
	} {
		m := example(t)
		press(t, m, test.keys)
		if m.Done() != test.done || m.Saved() != test.saved {
			t.Errorf("%q: done %v, saved %v", test.keys, m.Done(), m.Saved())
		}
	}
	m := example(t)
	press(t, m, "s")
	m.Fail(errors.New("the disk is full"))
	lines := m.Screen(80, 24)
	if m.Done() || lines[22].Text != "the disk is full" {
		t.Errorf("after a failure: done %v, %q", m.Done(), lines[22].Text)
	}
}

// What is written chooses what was ticked, when read again.
func TestFilterRoundTrip(t *testing.T) {
	m := example(t)
	press(t, m, "n"+right+"jj "+"j"+right+"jj ") // tiny of solver.c and operator*
	var text strings.Builder
	if err := m.WriteFilter(&text, "src"); err != nil {
		t.Fatal(err)
	}
	want := "exclude *:*\ninclude src/solver.c:tiny\ninclude gpu/kernels.cu:V::operator\\*\n"
	if _, rules, _ := strings.Cut(text.String(), "\n"); rules != want {
		t.Errorf("written:\n%s", rules)
	}
	filter, err := instrument.ReadFilter("f", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	var chosen []string
	for name, body := range map[string]string{"/home/src/gpu/kernels.cu": kernels, "/home/src/old/solver.c": solver, "/home/src/solver.c": solver} {
		outline(t, name, body, instrument.Options{Filter: filter}).Each(func(c *instrument.Candidate) {
			if c.Chosen {
				chosen = append(chosen, name+":"+c.Name)
			}
		})
	}
	if len(chosen) != 2 {
		t.Errorf("chosen: %v", chosen)
	}
}

// Whatever is pressed, the screen has its size and the cursor is on it.
func TestAnyKeys(t *testing.T) {
	keys := []Key{Up, Down, Left, Right, PageUp, PageDown, Home, End, Unknown, Enter, Escape, Backspace, Erase, ' ', '/', 'n', 'd', '+', '-', 's', 't', 'é'}
	rapid.Check(t, func(t *rapid.T) {
		m := New("src", []*instrument.Outline{{File: "a\x1b[2J.c", Regions: []*instrument.Candidate{{Name: "f", Kind: instrument.FunctionRegion, Possible: true}}}})
		for range 3 {
			m.addRegion(m.nodes[0].file, m.nodes[0].file.Regions[0], 0)
		}
		m.nodes[0].after = len(m.nodes)
		for _, k := range rapid.SliceOf(rapid.SampledFrom(keys)).Draw(t, "keys") {
			m.Press(k)
			width, height := rapid.IntRange(1, 90).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height")
			lines := m.Screen(width, height)
			if len(lines) != height {
				t.Fatalf("%d lines for a height of %d", len(lines), height)
			}
			cursors := 0
			for _, l := range lines {
				if utf8.RuneCountInString(l.Text) > width || strings.ContainsAny(l.Text, "\x1b\n\t") {
					t.Fatalf("the line %q on a screen %d wide", l.Text, width)
				}
				if l.Look == Chosen {
					cursors++
				}
			}
			if cursors != min(1, len(m.shown)) {
				t.Fatalf("%d cursors among %d rows", cursors, len(m.shown))
			}
		}
	})
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]Key{"a": 'a', "é": 'é', "\x1b[A": Up, "\x1bOB": Down, "\x1b[5~": PageUp, "\x1b[1;5C": Unknown, "\n": Enter, "\x1bx": Escape, "\x1b[H": Home} {
		if k, n := decode([]byte(text)); k != want || n == 0 {
			t.Errorf("%q: %d of %d bytes", text, k, n)
		}
		for i := range len(text) {
			if k, n := decode([]byte(text[:i])); n > i {
				t.Errorf("%q: %d, %d of %d bytes", text[:i], k, n, i)
			}
		}
	}
	long := []byte("\x1b[" + strings.Repeat("1", 100))
	if _, n := decode(long); n == 0 {
		t.Error("a sequence without end is waited for")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x1b[A\x1b\x1b[5~q"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			_, n := decode(b)
			if n < 0 || n > len(b) {
				t.Fatal(n)
			}
			if n == 0 {
				return
			}
			b = b[n:]
		}
	})
}

// Thousands of regions answer at once.
func BenchmarkManyRegions(b *testing.B) {
	var files []*instrument.Outline
	for i := range 2000 {
		o := &instrument.Outline{File: fmt.Sprintf("dir%d/file%d.c", i%50, i)}
		for j := range 20 {
			o.Regions = append(o.Regions, &instrument.Candidate{Name: fmt.Sprintf("function_%d_%d", i, j), Kind: instrument.FunctionRegion, Possible: true})
		}
		files = append(files, o)
	}
	m := New("src", files)
	b.ResetTimer()
	for range b.N {
		m.Press('/')
		m.Press('9')
		m.Press(Enter)
		m.Screen(80, 24)
		m.Press(Escape)
		m.Screen(80, 24)
	}
}
