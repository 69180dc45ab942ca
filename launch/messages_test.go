package launch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const doubtfulC = `#include <stdio.h>

int work(int n, int *a)
{
    int s, unused;
    for (int i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++)
            s += a[i] * j;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i] += j;
    }
    if (s = n)
        printf("%d %s\n", s);
    return s;
}
`

const doubtfulFree = `subroutine work(n, a)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer :: i, j, unused
  real(8) :: d
  do i = 1, n
    do j = 1, n
      a(i) = a(i) + d
    end do
  end do
  if (n == 3) return
  if (a(1) == 0.0) a(2) = 1
end subroutine work
`

const doubtfulFixed = `      SUBROUTINE WORK(N, A)
      INTEGER N, I, J, UNUSED
      REAL A(N)
      DO 10 I = 1, N
      DO 10 J = 1, N
        A(I) = A(I) + J * 1.23456789012345D0
   10 CONTINUE
      IF (N .EQ. 3) RETURN
      IF (A(1) .EQ. 0.0) A(2) = 1
      END
`

// compilersAndSources are each a compiler, a source of doubtful quality, and a
// second source with a main program.
var compilersAndSources = []struct{ compiler, source, text, main string }{
	{"gcc", "src/work.c", doubtfulC, "int main(void)\n{\n    return 0;\n}\n"},
	{"clang", "src/work.c", doubtfulC, "int main(void)\n{\n    return 0;\n}\n"},
	{"g++", "src/work.cpp", doubtfulC, "int main()\n{\n    return 0;\n}\n"},
	{"clang++", "src/work.cpp", doubtfulC, "int main()\n{\n    return 0;\n}\n"},
	{"gfortran", "src/work.f90", doubtfulFree, "program main\n  real :: a(2) = 1\n  call work(2, a)\nend program\n"},
	{"gfortran", "src/work.f", doubtfulFixed, "      PROGRAM MAIN\n      REAL A(2)\n      CALL WORK(2, A)\n      END\n"},
}

// messagePlace is the beginning of a message, as gcc and clang (file:line:column)
// write it.
var messagePlace = regexp.MustCompile(`(?m)^(src/[a-z.0-9]+:[0-9]+):([0-9]+):`)

func eachCompiler(t *testing.T, test func(t *testing.T, compiler, source, second string)) {
	for _, c := range compilersAndSources {
		t.Run(c.compiler+" "+filepath.Ext(c.source), func(t *testing.T) {
			need(t, c.compiler)
			second := "src/main" + filepath.Ext(c.source)
			t.Chdir(write(t, map[string]string{c.source: c.text, second: c.main}))
			test(t, c.compiler, c.source, second)
		})
	}
}

// Warnings are of the user's lines, and no line has more or fewer of them.
func TestWarningsNameTheUsersLines(t *testing.T) {
	eachCompiler(t, func(t *testing.T, compiler, source, second string) {
		args := []string{"-fopenmp", "-Wall", "-Wextra", "-c", source, "-o", "work.o"}
		plain, err := command(compiler, args...)
		if err != nil {
			t.Skip(plain)
		}
		lines := func(text string) string {
			var list []string
			for _, m := range messagePlace.FindAllStringSubmatch(text, -1) {
				list = append(list, m[1])
			}
			return strings.Join(list, "\n")
		}
		status, out, errs := compile(t, append([]string{compiler}, args...)...)
		if status != 0 || lines(plain) == "" || lines(out+errs) != lines(plain) || strings.Contains(errs, "auspex-cc") {
			t.Errorf("status %d, messages:\n%s%s\nwithout auspex:\n%s", status, out, errs, plain)
		}
		symbols, _ := command("nm", "work.o")
		if !strings.Contains(symbols, "auspex_") {
			t.Error("not instrumented")
		}
	})
}

// Where the user's source is wrong, and with what only preprocesses, nothing
// tells auspex from the compiler.
func TestSameWords(t *testing.T) {
	eachCompiler(t, func(t *testing.T, compiler, source, second string) {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		wrong := strings.Replace(strings.Replace(string(text), "return s;", "return nowhere;", 1), "a(2) = 1", "a(2) = 'x", 1)
		wrong = strings.Replace(wrong, "A(2) = 1", "A(2) = 'X", 1)
		broken := "src/broken" + filepath.Ext(source)
		if err := os.WriteFile(broken, []byte(wrong), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"-c", broken}, {"-c", second, broken}, {"-E", source}, {"-cpp", "-M", source}, {"-MM", source, second}, {"-fsyntax-only", broken},
		} {
			if args[0] == "-cpp" && compiler != "gfortran" {
				args = args[1:]
			}
			want, wantErr := command(compiler, args...)
			status, out, errs := compile(t, append([]string{compiler}, args...)...)
			if errs+out != want && out+errs != want || (status == 0) != (wantErr == nil) {
				t.Errorf("%s %v: status %d\n%s%s\nwithout auspex: %v\n%s", compiler, args, status, out, errs, wantErr, want)
			}
		}
	})
}

// Several sources at once, or from a file of arguments, make a program in
// which each is instrumented.
func TestSeveralSources(t *testing.T) {
	eachCompiler(t, func(t *testing.T, compiler, source, second string) {
		if err := os.WriteFile("arguments", []byte("-w "+source+"\n\""+second+"\" -o at\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		mustCompile(t, compiler, "-w", source, second, "-o", "several")
		mustCompile(t, compiler, "@arguments")
		for _, program := range []string{"./several", "./at"} {
			if out, err := command(program); err != nil {
				t.Errorf("%s: %v %s", program, err, out)
			}
			if text, err := os.ReadFile(program); err != nil || !strings.Contains(string(text), source) || !strings.Contains(string(text), second) {
				t.Errorf("%s does not hold the regions of both sources: %v", program, err)
			}
		}
	})
}

// An object of Fortran is linked by the compiler itself, and is measured.
// Compilers spell names of Fortran in three ways; what is linked in has them all.
func TestNamesOfFortran(t *testing.T) {
	need(t, "gfortran")
	dir := write(t, map[string]string{"x.f90": `subroutine work(s)
  real :: s
  integer :: i
  do i = 1, 9
    s = s + i
  end do
end subroutine work
program main
  real :: s = 0
  call work(s)
  print *, s
end program main
`})
	for _, spelling := range []string{"-fno-underscoring", "-fsecond-underscore", "-ff2c"} {
		object, exe := filepath.Join(dir, "x.o"), filepath.Join(dir, "x"+spelling)
		mustCompile(t, "gfortran", spelling, "-c", filepath.Join(dir, "x.f90"), "-o", object)
		if out, err := command("gfortran", spelling, object, "-o", exe); err != nil {
			t.Errorf("%s: %s", spelling, out)
			continue
		}
		r, _ := measure(t, exe)
		expect(t, r.Experiment, 0, "work", map[string]float64{"calls": 1})
	}
}

func TestFortranObjectsLinkAlone(t *testing.T) {
	need(t, "gfortran")
	t.Chdir(write(t, map[string]string{"src/work.f90": doubtfulFree, "src/main.f90": compilersAndSources[4].main}))
	mustCompile(t, "gfortran", "-c", "src/work.f90", "src/main.f90")
	if out, err := command("gfortran", "work.o", "main.o", "-o", "program"); err != nil {
		t.Fatal(out)
	}
	if out, err := command("./program"); err != nil {
		t.Error(out)
	}
	r, _ := measure(t, "./program")
	expect(t, r.Experiment, 0, "work", map[string]float64{"calls": 1})
	expect(t, r.Experiment, 0, "work/loop@7", map[string]float64{"calls": 1, "iterations": 6})
}

// What was preprocessed before, as CMake does it for Ninja, is of the file that
// the preprocessor names.
func TestPreprocessedFortran(t *testing.T) {
	need(t, "gfortran")
	dir := write(t, map[string]string{
		"src/main.F90":  "#define MANY 3\n#include \"more.inc\"\nprogram main\n  implicit none\n  integer :: i, k = 0, n = MANY\n  do i = 1, n\n    k = k + i\n  end do\n  if (k /= 6) stop 1\nend program\n",
		"src/more.inc":  "subroutine more\n  integer :: i\n  do i = 1, 2\n    print *, i\n  end do\nend subroutine\n",
		"build/.ignore": "",
	})
	t.Chdir(filepath.Join(dir, "build"))
	if out, err := command("gfortran", "-cpp", "-E", "../src/main.F90", "-o", "main-pp.f90"); err != nil {
		t.Fatal(out)
	}
	mustCompile(t, "gfortran", "-fpreprocessed", "-c", "main-pp.f90", "-o", "main.o")
	if out, err := command("gfortran", "main.o", "-o", "program"); err != nil {
		t.Fatal(out)
	}
	r, _ := measure(t, "./program")
	expect(t, r.Experiment, 0, "main/loop@6", map[string]float64{"iterations": 3})
	for _, region := range r.Experiment.Regions {
		if region.Line > 0 && region.File != "../src/main.F90" {
			t.Errorf("%s is said to be in %s", region.Name, region.File)
		}
	}
}

// With -Werror and without, what the compiler says is what it says of the original, and
// so is what it makes of it: also where only optimising finds what is wrong, where a
// probe moves the text, and where it hides what is wrong.
func TestWarningsOfTheOriginal(t *testing.T) {
	const around = "    int i;\n    for (i = 0; i < n; i++) {\n        s[i] = i;\n    }\n"
	for _, c := range []struct{ compiler, file, text string }{
		{"gcc", "noret.c", "int f(int n, int *s)\n{\n" + around + "    if (n > 3)\n        return 1;\n}\n"},
		{"gcc", "uninit.c", "int f(int n, int *s)\n{\n    int x;\n" + around + "    if (n > 3)\n        x = 1;\n    return x;\n}\n"},
		{"gcc", "unused.c", "static int g(int n) { return n; }\nint f(int n, int *s)\n{\n" + around + "    return s[0];\n}\n"},
		{"gcc", "indent.c", "int f(int n, int *s)\n{\n    int i, j = 0;\n    for (i = 0; i < n; i++)\n        s[i] = i;\n        j++;\n    return j;\n}\n"},
		{"gcc", "indent2.c", "int f(int n, int *s)\n{\n" + around + "    if (n)\n      n--;\n      s++;\n    return n + s[0];\n}\n"},
		{"gcc", "format.c", "#include <stdio.h>\nvoid f(int n)\n{\n    int i;\n    for (i = 0; i < n; i++) printf(\"%s\\n\", i);\n}\n"},
		{"gcc", "clean.c", "int f(int n, int *s)\n{\n" + around + "    return s[0];\n}\n"},
		{"g++", "noret.cpp", "int f(int n, int *s)\n{\n" + around + "    if (n > 3)\n        return 1;\n}\n"},
		{"clang", "uninit.c", "int f(int n, int *s)\n{\n    int x;\n" + around + "    if (n > 3)\n        x = 1;\n    return x;\n}\n"},
		{"gfortran", "uninit.f90", "subroutine f(n, s)\n  implicit none\n  integer, intent(in) :: n\n  integer, intent(out) :: s(n)\n  integer :: i, k\n  do i = 1, n\n    s(i) = k\n  end do\nend subroutine f\n"},
	} {
		t.Run(c.compiler+" "+c.file, func(t *testing.T) {
			need(t, c.compiler)
			t.Chdir(write(t, map[string]string{c.file: c.text, "at": "-O2 -Wall -Wextra -Werror -c " + c.file}))
			for _, flags := range [][]string{{"-Wall", "-Wextra"}, {"-Wall", "-Wextra", "-Werror"}, {"-Wall", "-Werror=return-type", "-MMD"}, {"@at"}} {
				args := append([]string{"-O2", "-c", c.file}, flags...)
				if flags[0] == "@at" {
					args = flags
				}
				object := strings.TrimSuffix(c.file, filepath.Ext(c.file)) + ".o"
				os.Remove(object)
				said, wrong := command(c.compiler, args...)
				_, made := os.Stat(object)
				os.Remove(object)
				status, out, errs := compile(t, append([]string{c.compiler}, args...)...)
				if (status == 0) != (wrong == nil) || out+errs != said {
					t.Errorf("%v: status %d\n%s%s\nwithout auspex: %v\n%s", args, status, out, errs, wrong, said)
				}
				if _, err := os.Stat(object); (err == nil) != (made == nil) {
					t.Errorf("%v: object %v, without auspex %v", args, err, made)
				}
				if symbols, _ := command("nm", object); status == 0 && !strings.Contains(symbols, "auspex_") {
					t.Errorf("%v: not instrumented", args)
				}
			}
		})
	}
}
