package source

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var fuzzNames = []string{"a.c", "a.cpp", "a.f90", "a.f"}

func seeds(t testing.TB) [][]byte {
	var all [][]byte
	files, err := filepath.Glob("../instrument/testdata/exits.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// check parses text as one of the languages and looks at everything.
func check(t *testing.T, lang byte, text []byte) {
	f, err := Parse(context.Background(), fuzzNames[lang%4], text, Options{OpenMP: lang&4 != 0, Preprocessed: lang&8 != 0})
	if err != nil {
		t.Fatal(err)
	}
	inside := func(what string, s, outer Span) {
		if s.Start < outer.Start || s.End < s.Start || s.End > outer.End {
			t.Fatalf("%s at %v is not within %v", what, s, outer)
		}
	}
	whole := Span{0, len(f.Text)}
	f.All(func(u *Unit) {
		inside("unit "+u.Name, u.Span, whole)
		inside("body of "+u.Name, u.Body, u.Span)
		f.Variables(u)
		u.Walk(func(s *Stmt, outer []*Stmt) bool {
			inside(s.Kind.String(), s.Span, whole)
			for _, e := range f.Exprs(s) {
				_ = e.String()
			}
			return true
		})
	})
}

func FuzzParse(f *testing.F) {
	for i, text := range seeds(f) {
		f.Add(byte(i), text)
	}
	f.Add(byte(0), []byte("int f( { ((((((((((["))
	f.Add(byte(3), []byte("      DO 10 I=1,2\n     &\x00"))
	f.Fuzz(func(t *testing.T, lang byte, text []byte) { check(t, lang, text) })
}

// Cut files, and files with bytes changed, must be survived too; this is quick
// enough to run with every test.
func TestDamagedFiles(t *testing.T) {
	for i, text := range seeds(t) {
		for k := 1; k < 12; k++ {
			check(t, byte(k), text[:len(text)*k/12])
			damaged := bytes.Clone(text)
			for at := k * 7; at < len(damaged); at += 97 {
				damaged[at] = "{}();'\"&\n!x\x00"[(at+i)%12]
			}
			check(t, byte(k), damaged)
		}
	}
}

func TestDeepNesting(t *testing.T) {
	text := "int f(void) { return " + strings.Repeat("(", 30000) + "1" + strings.Repeat(")", 30000) + "; }"
	check(t, 0, []byte(text))
	check(t, 1, []byte(strings.Repeat("{", 20000)))
	check(t, 2, []byte("subroutine s\n"+strings.Repeat("if (a) then\n", 5000)))
}
