package instrument

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"auspex/source"
)

// compiler gives the compiler for a file, or skips the test.
func compiler(t *testing.T, name string) string {
	t.Helper()
	lang, _ := source.Detect(name)
	cc := map[source.Language]string{source.C: "gcc", source.CXX: "g++", source.Fortran: "gfortran"}[lang]
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("%s is not installed", cc)
	}
	return cc
}

func parse(t testing.TB, name string, text []byte) *source.File {
	t.Helper()
	f, err := source.Parse(context.Background(), name, text, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rewrite instruments and checks what must hold of every rewritten file.
func rewrite(t testing.TB, f *source.File, opt Options) *Result {
	t.Helper()
	r := Rewrite(f, opt)
	back, err := Restore(r.Text, r.Edits)
	if err != nil || !bytes.Equal(back, f.Text) {
		t.Fatalf("%s: the original does not come back: %v", f.Name, err)
	}
	return r
}

// build compiles text under dir and gives the program's path.
func build(t *testing.T, dir, name string, text []byte, flags ...string) string {
	t.Helper()
	cc := compiler(t, name)
	src := filepath.Join(dir, name)
	if err := os.WriteFile(src, text, 0o666); err != nil {
		t.Fatal(err)
	}
	stub := filepath.Join(dir, "runtime.o")
	if _, err := os.Stat(stub); err != nil {
		if out, err := exec.Command("gcc", "-c", "-o", stub, "testdata/runtime.c").CombinedOutput(); err != nil {
			t.Fatalf("the runtime for tests: %v\n%s", err, out)
		}
	}
	exe := strings.TrimSuffix(src, filepath.Ext(src))
	args := append(append([]string{}, flags...), "-o", exe, src, stub)
	if cc == "gfortran" {
		args = append(args, "-J", dir) // where module files go
	}
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", cc, strings.Join(args, " "), err, out)
	}
	return exe
}

// run gives a program's standard output, and the runtime's lines as a map.
func run(t *testing.T, exe string) (string, map[string]string) {
	t.Helper()
	cmd := exec.Command(exe)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("%s died: %v\n%s", exe, err, errs.String())
	}
	regions := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(errs.String()), "\n") {
		if name, rest, ok := strings.Cut(line, " "); ok {
			regions[name] = rest
		}
	}
	return string(out), regions
}

// same builds and runs the original and the instrumented program; their output
// must agree. It gives what the runtime saw.
func same(t *testing.T, name string, text []byte, opt Options, flags ...string) (map[string]string, *Result) {
	t.Helper()
	dir := t.TempDir()
	want, _ := run(t, build(t, dir, "plain_"+name, text, flags...))
	r := rewrite(t, parse(t, name, text), opt)
	got, regions := run(t, build(t, dir, name, r.Text, flags...))
	if got != want {
		t.Errorf("%s instrumented prints\n%s\nbut the original prints\n%s", name, got, want)
	}
	return regions, r
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// expect compares some of what the runtime saw.
func expect(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s: calls and iterations %q, want %q (all: %v)", name, got[name], v, got)
		}
	}
}

// compileErrors compiles text, which must fail, and gives the messages.
func compileErrors(t *testing.T, name string, text []byte) string {
	t.Helper()
	src := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(src, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(compiler(t, name), "-fsyntax-only", src).CombinedOutput()
	if err == nil {
		t.Fatalf("%s compiled", name)
	}
	return string(out)
}
