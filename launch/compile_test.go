package launch

import (
	"debug/dwarf"
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const helloC = `#include "part.h"
#include <stdio.h>

int twice(int n)
{
    int s = 0;
    for (int i = 0; i < 2; i++) {
        s += n;
    }
    return s;
}

int main(void)
{
    printf("%d %s:%d\n", twice(PART), __FILE__, __LINE__);
    return 0;
}
`

// hello is a project of a header beside its source, in a directory below.
func hello(t *testing.T) string {
	need(t, "gcc")
	dir := write(t, map[string]string{"src/hello.c": helloC, "src/part.h": "#define PART 21\n", "empty.c": "", "bad.c": "int main(void) { return x; }\n"})
	t.Chdir(dir)
	return dir
}

// instrumented tells whether an object or program calls the runtime.
func instrumented(t *testing.T, file string) bool {
	t.Helper()
	out, err := command("nm", file)
	if err != nil {
		t.Fatal(out)
	}
	return strings.Contains(out, "auspex_regions")
}

func TestCompilerBehavesAsTheRealOne(t *testing.T) {
	for _, args := range []string{
		"", "-c nothere.c", "-c bad.c", "--version", "-dumpversion", "-print-prog-name=ld", "-c empty.c -o e.o", "-E src/hello.c", "-M src/hello.c",
		"-MM src/hello.c", "-x c-header src/part.h -o part.gch", "src/part.h", "-v", "-### src/hello.c", "-S src/hello.c -o -", "-fsyntax-only bad.c", "-c -Wall src/hello.c -o no/such/dir.o", "bad.c src/hello.c", "-x c /dev/null -E", "--no-such-flag src/hello.c",
	} {
		t.Run(args, func(t *testing.T) {
			hello(t)
			words := strings.Fields(args)
			want, _ := command("gcc", words...)
			status, out, errs := compile(t, append([]string{"gcc"}, words...)...)
			// Temporary names differ from run to run.
			clean := func(s string) string {
				var lines []string
				for _, line := range strings.Split(s, "\n") {
					if !strings.Contains(line, filepath.Join(os.TempDir(), "cc")) && !strings.Contains(line, "auspex-stub") && !strings.Contains(line, "stub-") {
						lines = append(lines, line)
					}
				}
				return strings.Join(lines, "\n")
			}
			if clean(out+errs) != clean(want) && clean(errs+out) != clean(want) {
				t.Errorf("says\n%s%s\nbut gcc\n%s", out, errs, want)
			}
			realStatus := 0
			if _, err := command("gcc", words...); err != nil {
				realStatus = 1
			}
			if status != realStatus {
				t.Errorf("status %d, gcc's is %d", status, realStatus)
			}
		})
	}
}

func TestCompileAndLink(t *testing.T) {
	tests := []struct{ name, compile, link string }{
		{"at once", "", "src/hello.c -o hello"},
		{"apart", "-c src/hello.c", "hello.o -o hello"},
		{"named object", "-c -o x.o src/hello.c", "-o hello x.o"},
		{"two sources", "", "src/hello.c empty.c -o hello"},
		{"response file", "-c @args", "hello.o -o hello"},
		{"old standard", "-std=gnu99 -pedantic -Wall -Wextra -Wmissing-prototypes -Wno-error -c src/hello.c", "hello.o -o hello"},
		{"position independent", "-fPIC -O2 -g -c src/hello.c", "-shared -o libhello.so hello.o"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := hello(t)
			if err := os.WriteFile("args", []byte("-O1 \"src/hello.c\"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if test.compile != "" {
				status, out, errs := compile(t, append([]string{"gcc"}, strings.Fields(test.compile)...)...)
				if status != 0 || out != "" || strings.Contains(errs, "auspex") {
					t.Fatalf("status %d: %s%s", status, out, errs)
				}
			}
			mustCompile(t, append([]string{"gcc"}, strings.Fields(test.link)...)...)
			made := "hello"
			if strings.Contains(test.link, "-shared") {
				made = "libhello.so"
			} else if out, err := command(filepath.Join(dir, "hello")); err != nil || out != "42 src/hello.c:15\n" {
				t.Errorf("printed %q, %v", out, err)
			}
			if !instrumented(t, made) {
				t.Errorf("%s is not instrumented", made)
			}
		})
	}
}

func TestDependenciesNameTheUsersFiles(t *testing.T) {
	for _, args := range []string{"-MD -c src/hello.c -o out.o", "-MMD -MF out.d -c src/hello.c -o out.o", "-Wp,-MMD,out.d -c src/hello.c -o out.o"} {
		t.Run(args, func(t *testing.T) {
			hello(t)
			mustCompile(t, append([]string{"gcc"}, strings.Fields(args)...)...)
			text, err := os.ReadFile("out.d")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), " src/hello.c ") || !strings.Contains(string(text), "src/part.h") || strings.Contains(string(text), "auspex") {
				t.Errorf("%s", text)
			}
		})
	}
}

func TestDependenciesOfSeveralSources(t *testing.T) {
	for _, args := range []string{"-MD -c src/hello.c second.c third.c", "-MMD -MP src/hello.c second.c third.c", "-MMD src/hello.c second.c third.c -o program"} {
		t.Run(args, func(t *testing.T) {
			hello(t)
			for _, name := range []string{"second", "third"} {
				text := strings.ReplaceAll(strings.ReplaceAll(helloC, "main", name), "twice", "of_"+name)
				if err := os.WriteFile(name+".c", []byte(strings.Replace(text, "part.h", "src/part.h", 1)), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			compiler := append([]string{"gcc"}, strings.Fields(args)...)
			mustCompile(t, compiler...)
			got := dependencies(t)
			if out, err := command("gcc", compiler[1:]...); err != nil {
				t.Fatal(out)
			}
			if want := dependencies(t); got != want || want == "" {
				t.Errorf("wrote\n%s\nbut gcc\n%s", got, want)
			}
		})
	}
}

// dependencies are the texts of all files of them, with their names, wherever their
// lines were broken.
func dependencies(t *testing.T) string {
	t.Helper()
	all := ""
	files, err := filepath.Glob("*.d")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(strings.ReplaceAll(string(text), "\\\n", " "))
		all += file + " " + strings.Join(words, " ") + "\n"
	}
	return all
}

// A debugger names a source as it would without probes.
func TestDebugInformationNamesTheSource(t *testing.T) {
	dir := hello(t)
	if err := os.WriteFile("alone.c", []byte(strings.Replace(helloC, "part.h", "src/part.h", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"alone.c", "src/hello.c", "./src/hello.c", filepath.Join(dir, "src/hello.c")} {
		mustCompile(t, "gcc", "-g", "-c", name, "-o", "hello.o")
		file, err := elf.Open("hello.o")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		data, err := file.DWARF()
		if err != nil {
			t.Fatal(err)
		}
		unit, err := data.Reader().Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := unit.Val(dwarf.AttrName); got != name || !instrumented(t, "hello.o") {
			t.Errorf("%s is named %v", name, got)
		}
	}
}

func TestConfigureIsLeftAlone(t *testing.T) {
	hello(t)
	for _, file := range []string{"conftest.c", "CMakeFiles/CMakeScratch/TryCompile-1/a.c", "CMakeFiles/3.25.1/CompilerIdC/CMakeCCompilerId.c", "build/meson-private/tmp/testfile.c"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(helloC, "part.h", "stdlib.h", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		mustCompile(t, "gcc", "-DPART=1", "-c", file, "-o", "c.o")
		if instrumented(t, "c.o") {
			t.Errorf("%s is instrumented", file)
		}
	}
}

func TestFallbackToTheOriginal(t *testing.T) {
	need(t, "gcc")
	// The file's own line numbers are its contents: it compiles only where
	// nothing was put in.
	dir := write(t, map[string]string{"odd.c": `#ifdef AUSPEX_ABI
#error instrumented
#endif
int main(void)
{
    int s = 0;
    for (int i = 0; i < 3; i++) {
        s += i;
    }
    return s - 3;
}
`})
	exe := filepath.Join(dir, "odd")
	status, out, errs := compile(t, "gcc", filepath.Join(dir, "odd.c"), "-o", exe)
	if status != 0 || out != "" || !strings.Contains(errs, "odd.c: the instrumented form does not compile; the original is compiled") || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if out, err := command(exe); err != nil {
		t.Errorf("%v %s", err, out)
	}
}

func TestFortranModulesAndIncludes(t *testing.T) {
	need(t, "gfortran")
	dir := write(t, map[string]string{
		"src/numbers.f90": "module numbers\n  implicit none\n  integer, parameter :: many = 3\ncontains\n  integer function twice(n)\n    integer, intent(in) :: n\n    integer :: i\n    twice = 0\n    do i = 1, 2\n      twice = twice + n\n    end do\n  end function twice\nend module numbers\n",
		"src/main.f90":    "program p\n  use numbers\n  implicit none\n  include 'local.inc'\n  integer :: i\n  do i = 1, many\n    k = k + twice(i)\n  end do\n  if (k == 12) stop\n  stop 4\nend program p\n",
		"src/local.inc":   "integer :: k = 0\n",
	})
	t.Chdir(dir)
	if err := os.Mkdir("mod", 0o777); err != nil {
		t.Fatal(err)
	}
	mustCompile(t, "gfortran", "-c", "-Jmod", "src/numbers.f90")
	if _, err := os.Stat("mod/numbers.mod"); err != nil {
		t.Error(err)
	}
	mustCompile(t, "gfortran", "-Imod", "src/main.f90", "numbers.o", "-o", "p")
	if out, err := command("./p"); err != nil {
		t.Errorf("%v %s", err, out)
	}
	r, _ := measure(t, filepath.Join(dir, "p"))
	expect(t, r.Experiment, 0, "numbers::twice", map[string]float64{"calls": 3})
	expect(t, r.Experiment, 0, "p/loop@6", map[string]float64{"calls": 1, "iterations": 3})
	if r.Status != 0 || r.Experiment.Incomplete != "" {
		t.Errorf("status %d, incomplete %q", r.Status, r.Experiment.Incomplete)
	}
}

func TestResponseFiles(t *testing.T) {
	args := []string{"-o", "a b", `x"y\z`, "'", ""}
	back := splitResponse(joinResponse(args))
	if strings.Join(back, "|") != strings.Join(args, "|") {
		t.Errorf("%q came back as %q", args, back)
	}
}
