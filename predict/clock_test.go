package predict

import (
	"testing"

	"auspex/depend"
	"auspex/source"
)

// TestClock: what a loop takes that ends by the clock is not predicted; where it has
// another end as well, what ran here is, and that is said.
func TestClock(t *testing.T) {
	for _, k := range []struct {
		test    string
		refused bool
		notes   int
	}{
		{"MPI_Wtime() - t < 0.5", true, 0},
		{"n < 9 && MPI_Wtime() - t < 0.5", false, 1},
		{"n < 9", false, 0},
	} {
		text := "int main(void) { double t = MPI_Wtime(); int n = 0;\n while (" + k.test + ") n++;\n}\n"
		f, err := source.Parse(t.Context(), "p.c", []byte(text), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		program := depend.New(f)
		w := &workshop{Request: &Request{}, noted: map[string]bool{}}
		err = w.clock(program, program.Loops()[0])
		if (err != nil) != k.refused || len(w.notes) != k.notes {
			t.Errorf("%s: %v, %v", k.test, err, w.notes)
		}
	}
}
