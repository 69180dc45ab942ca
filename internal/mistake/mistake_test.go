package mistake

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		err   error
		text  string
		place Place
	}{
		{InFile("a.csv", "is %s", "empty"), "a.csv: is empty", Place{File: "a.csv"}},
		{AtLine("a.csv", 3, "bad"), "a.csv:3: bad", Place{File: "a.csv", Line: 3}},
		{At(Place{"a.csv", 3, 7}, "bad"), "a.csv:3:7: bad", Place{"a.csv", 3, 7}},
		{At(Place{File: "a.csv", Column: 7}, "bad"), "a.csv: bad", Place{File: "a.csv", Column: 7}},
		{AtByte("a.db", 0, "bad"), "a.db at byte 0: bad", Place{File: "a.db"}},
	} {
		for _, err := range []error{c.err, fmt.Errorf("reading: %w", c.err)} {
			if place, ok := Find(err); !ok || place != c.place {
				t.Errorf("%v: place %v %v, want %v", err, place, ok, c.place)
			}
		}
		if c.err.Error() != c.text {
			t.Errorf("%q, want %q", c.err, c.text)
		}
	}
	if place, ok := Find(io.EOF); ok {
		t.Errorf("the end of a file is at %v", place)
	}
	if !errors.Is(AtByte("a", 1, "%w", io.EOF), io.EOF) {
		t.Error("the cause is lost")
	}
}
