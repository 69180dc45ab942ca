package source

import (
	"context"
	"testing"
)

func TestPreprocessed(t *testing.T) {
	text := `# 0 "dir/loops.c"
# 0 "<built-in>"
int built_in;
# 1 "/usr/include/stdio.h" 1 3 4
static inline int of_the_system(int c) { while (c) c--; return c; }
# 3 "dir/loops.c" 2
# 1 "dir/own.h" 1

static int twice(int x) {
  return 2 * x; }
# 4 "dir/loops.c" 2
void f(int n, double *a)
{
  { for (int i = 0; i < n; i++) { a[i] = 0; } };

# 9 "dir/loops.c"
  fprintf(
# 9 "dir/loops.c" 3 4
         stderr
# 9 "dir/loops.c"
               , "one");
# 12 "dir/loops.c"
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    a[i] = twice(i);
}
`
	f, err := Parse(context.Background(), "dir/loops.c", []byte(text), Options{Preprocessed: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Units) != 2 || f.Units[0].Name != "twice" || f.Units[1].Name != "f" {
		t.Fatalf("units %+v", f.Units)
	}
	twice, fn := f.Units[0], f.Units[1]
	if got := f.Origin(twice.Start); got != "dir/own.h" || twice.Line != 2 || twice.EndLine != 3 {
		t.Errorf("twice stands in %s:%d–%d", got, twice.Line, twice.EndLine)
	}
	if got := f.Origin(fn.Start); got != "dir/loops.c" || fn.Line != 4 {
		t.Errorf("f stands in %s:%d", got, fn.Line)
	}
	if len(fn.Problems) > 0 {
		t.Errorf("not understood: %+v", fn.Problems)
	}
	var lines []int
	fn.Walk(func(s *Stmt, _ []*Stmt) bool {
		if s.Kind == Loop {
			lines = append(lines, s.Line)
		}
		return true
	})
	if len(lines) != 2 || lines[0] != 6 || lines[1] != 13 {
		t.Errorf("loops on lines %v, want 6 and 13", lines)
	}
}

func TestMarker(t *testing.T) {
	for _, c := range []struct {
		line, file, flags string
		number            int
		ok                bool
	}{
		{"# 12 \"a.c\" 1 3\n", "a.c", " 1 3\n", 12, true},
		{"#line 7 \"b \\\"q\\\".c\"\n", `b "q".c`, "\n", 7, true},
		{"# 5 \"dir\\x.f90\"", `dir\x.f90`, "", 5, true},
		{"#pragma omp parallel\n", "", "", 0, false},
		{"# 12\n", "", "", 0, false},
		{"# \"a.c\"\n", "", "", 0, false},
		{"#", "", "", 0, false},
		{"# 99999999999999999999 \"a\"", "", "", 0, false},
		{"int a;", "", "", 0, false},
	} {
		at, flags, ok := marker([]byte(c.line))
		if ok != c.ok || ok && (at != origin{c.file, c.number} || string(flags) != c.flags) {
			t.Errorf("%q: %+v %q %v", c.line, at, flags, ok)
		}
	}
}

// Marked text stays as it is and its lines are those the markers tell.
func TestMarked(t *testing.T) {
	text := "# 1 \"/src/a.F90\"\n# 1 \"<built-in>\"\n# 1 \"/src/a.F90\"\nsubroutine a\nend subroutine\n# 1 \"/src/b.inc\" 1\nsubroutine b\n  x = 1\nend subroutine\n# 4 \"/src/a.F90\" 2\nsubroutine c\nend subroutine\n"
	f, err := Parse(context.Background(), "a-pp.f90", []byte(text), Options{Marked: true})
	if err != nil {
		t.Fatal(err)
	}
	if string(f.Text) != text || f.Origin(0) != "/src/a.F90" || len(f.Units) != 3 {
		t.Fatalf("%d units, from %s:\n%s", len(f.Units), f.Origin(0), f.Text)
	}
	for i, want := range []struct {
		file      string
		line, end int
	}{{"/src/a.F90", 1, 2}, {"/src/b.inc", 1, 3}, {"/src/a.F90", 4, 5}} {
		if u := f.Units[i]; f.Origin(u.Start) != want.file || u.Line != want.line || u.EndLine != want.end {
			t.Errorf("%s: %s:%d–%d", u.Name, f.Origin(u.Start), u.Line, u.EndLine)
		}
	}
}
