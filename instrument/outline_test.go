package instrument

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOutlineAndCount(t *testing.T) {
	cxx := NewOutline(parse(t, "src/a.cpp", []byte(choices)), Options{})
	fixed := NewOutline(parse(t, "b.f", []byte("      PURE SUBROUTINE P(N)\n      INTEGER, INTENT(IN) :: N\n      END\n      SUBROUTINE Q\n      CALL R\n      END\n")), Options{MinLines: 3})
	counts := Count([]*Outline{fixed, cxx, cxx}, 3)
	if len(counts) != 2 {
		t.Fatalf("%+v", counts)
	}
	// work is chosen, known is constexpr, tiny is too small to count.
	if c := counts[0]; c.Files != 2 || c.Functions != 4 || c.Chosen != 2 || c.Barred != 2 || c.Loops != 14 || c.ChosenLoops != 2 || c.Bytes != 2*len(choices) {
		t.Errorf("C++: %+v", c)
	}
	if c := counts[1]; c.Files != 1 || c.Functions != 2 || c.Chosen != 1 || c.Barred != 1 {
		t.Errorf("Fortran: %+v", c)
	}
	// Of two that have no probe, one could.
	rest := NewOutline(parse(t, "c.f", []byte("      SUBROUTINE P\n      CALL R\n      END\n      SUBROUTINE Q\n      CALL R)\n      X = = 4\n      END\n")), Options{})
	if c := Count([]*Outline{rest}, 3)[0]; c.Functions != 2 || c.Chosen != 0 || c.Barred != 0 || c.Impossible != 1 {
		t.Errorf("Fortran that does not parse: %+v", c)
	}
	var names []string
	cxx.Each(func(c *Candidate) {
		function, line := c.Function()
		names = append(names, function+" "+line)
	})
	if got := strings.Join(names, ","); !strings.HasPrefix(got, "tiny ,work ,work 4,work 5,work 7") {
		t.Error(got)
	}
	text, err := json.Marshal(fixed)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"p","kind":"function","line":1,"end_line":3,"chosen":false,"why":"PURE or ELEMENTAL","possible":false,"barred":true}`; !strings.Contains(strings.ToLower(string(text)), strings.ToLower(want)) {
		t.Errorf("%s", text)
	}
}

// A filter sees where a file lies, not how a build names it.
func TestPathDecides(t *testing.T) {
	filter, err := ReadFilter("f", strings.NewReader("exclude *:*\ninclude src/a.cpp:tiny\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, "a.cpp", []byte(choices))
	for path, want := range map[string]bool{"": false, "/home/src/a.cpp": true, "/home/other/a.cpp": false} {
		o := NewOutline(f, Options{Filter: filter, Path: path})
		if o.Regions[0].Chosen != want {
			t.Errorf("%q: chosen is %v", path, o.Regions[0].Chosen)
		}
	}
}
