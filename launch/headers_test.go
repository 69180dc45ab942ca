package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/model"
)

// project is a program of two sources in two directories with headers that they
// find in three ways.
var project = map[string]string{
	"include/field.hpp": `#pragma once
#include <cstdio>
#include "../detail/part.hpp"
namespace field {
template <class T, int N> struct grid {
    T v[N] = {};
    void relax(int times)
    {
        for (int k = 0; k < times; k++)
            for (int i = 0; i < N; i++)
                v[i] += part(i);
    }
};
inline int where()
{
    std::puts(__FILE__);
    return __LINE__;
}
}
`,
	"detail/part.hpp": `#ifndef PART
#define PART
template <class T> T part(T i)
{
    T s = 0;
    for (T k = 0; k < 3; k++)
        s += i;
    return s;
}
#endif
`,
	"src/one.cpp": `#include <field.hpp>
double two();
int main()
{
    field::grid<double, 4> g;
    g.relax(2);
    g.relax(2);
    std::printf("%g %g %d\n", g.v[3], two(), field::where());
    return 0;
}
`,
	"src/two.cpp": `#include "../include/field.hpp"
#include "local.hpp"
double two()
{
    field::grid<double, 4> g;
    field::grid<float, 8> h;
    g.relax(1);
    h.relax(local());
    return g.v[1] + h.v[7];
}
`,
	"src/local.hpp": `static int local()
{
    return part(1);
}
`,
}

// Templates and inline functions of a project's headers are measured, however
// they are found; two translation units agree on them; names, lines and what the
// compiler says are those of the project.
func TestHeaders(t *testing.T) {
	need(t, "g++")
	for _, compiler := range []string{"g++", "clang++"} {
		t.Run(compiler, func(t *testing.T) { testHeaders(t, compiler) })
	}
}

func testHeaders(t *testing.T, compiler string) {
	need(t, compiler)
	dir := write(t, project)
	t.Chdir(filepath.Join(dir, "src"))
	plain := []string{compiler, "-g", "-Wall", "-I../include", "-MD", "-c", "one.cpp", "-o", "one.o"}
	if out, err := command(plain[0], plain[1:]...); err != nil {
		t.Skipf("%s: %s", compiler, out)
	}
	rule, err := os.ReadFile("one.d")
	if err != nil {
		t.Fatal(err)
	}
	mustCompile(t, plain...)
	if got, err := os.ReadFile("one.d"); err != nil || !slices.Equal(prerequisites(string(got)), prerequisites(string(rule))) {
		t.Errorf("dependencies are\n%s\nwant\n%s", got, rule)
	}
	t.Chdir(dir)
	mustCompile(t, compiler, "-g", "-Wall", "-c", "src/two.cpp", "-o", "src/two.o")
	exe := filepath.Join(dir, "fields")
	mustCompile(t, compiler, "src/one.o", "src/two.o", "-o", exe)
	alone, err := command(exe)
	if err != nil || !strings.Contains(alone, "field.hpp\n") {
		t.Fatalf("%v: %s", err, alone)
	}
	r, out := measure(t, exe)
	if out != alone {
		t.Errorf("prints %q, by itself %q", out, alone)
	}
	e := r.Experiment
	expect(t, e, 0, "fields/main/field::grid::relax", map[string]float64{"calls": 2})
	expect(t, e, 0, "fields/main/two/field::grid::relax", map[string]float64{"calls": 2})
	expect(t, e, 0, "fields/main/two/local/part", map[string]float64{"calls": 1})
	expect(t, e, 0, "fields/main/field::where", map[string]float64{"calls": 1})
	for _, region := range e.Regions {
		if region.Name == "field::grid::relax" && (filepath.Base(region.File) != "field.hpp" || region.Line != 7) {
			t.Errorf("relax stands at %s:%d", region.File, region.Line)
		}
		if strings.HasPrefix(region.Name, "std::") {
			t.Errorf("%s of the system is measured", region.Name)
		}
	}
	loops := slices.IndexFunc(model.Paths(e.Regions), func(path string) bool { return strings.HasSuffix(path, "field::grid::relax/loop@9") })
	if loops < 0 {
		t.Errorf("no loop of relax in %v", model.Paths(e.Regions))
	}
}

// A mistake in a header is told as the compiler tells it.
func TestHeaderMessages(t *testing.T) {
	need(t, "g++")
	dir := write(t, map[string]string{
		"h.hpp": "template <class T> int f(T n)\n{\n    int unused;\n    for (T i = 0; i < n; i++)\n        n += i;\n    return n;\n}\n",
		"x.cpp": "#include \"h.hpp\"\nint main()\n{\n    return f(0);\n}\n",
		"y.cpp": "#include \"h.hpp\"\nint main()\n{\n    return f(\"\");\n}\n",
	})
	t.Chdir(dir)
	for _, file := range []string{"x.cpp", "y.cpp"} {
		want, _ := command("g++", "-Wall", "-c", file)
		_, out, errs := compile(t, "g++", "-Wall", "-c", file)
		first := func(s string) string { return strings.Join(strings.SplitN(s, "\n", 4)[:2], "\n") }
		if first(out+errs) != first(want) {
			t.Errorf("%s: says\n%s%s\nbut g++\n%s", file, out, errs, want)
		}
	}
}

func TestPrerequisites(t *testing.T) {
	got := prerequisites("x.o: src/x.cpp a\\ b.hpp \\\n  /c/d.h e$$f.h\nother: y\n")
	if want := []string{"src/x.cpp", "a b.hpp", "/c/d.h", "e$f.h"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := prerequisites("nothing"); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestOverlaySearch(t *testing.T) {
	t.Chdir("/")
	o := &overlay{root: "/o"}
	got := o.search([]string{"-c", "-Ia", "-I", "/b", "-I/usr/include", "-iquote", "c", "-o", "-Ix", "-isystem", "d", "x.cpp"})
	want := []string{"-c", "-I", "/o/a", "-Ia", "-I", "/o/b", "-I", "/b", "-I/usr/include", "-iquote", "/o/c", "-iquote", "c", "-o", "-Ix", "-isystem", "d", "x.cpp"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
