package trace

import (
	"fmt"
	"strings"
	"testing"
)

func TestKnownLines(t *testing.T) {
	var k known
	lines := map[string]int32{}
	for i := range int32(3 * knownLines) {
		lines[fmt.Sprintf("%d isend %d 1 %d", i%7, i, i*i)] = i
		lines[strings.Repeat("x", int(i)%knownLength+1)] = -i
	}
	for range 2 { // the second time nothing of the first is left
		k.forget()
		for line := range lines {
			if _, ok := k.find([]byte(line)); ok {
				t.Fatalf("%q is known before it was remembered", line)
			}
		}
		for line, id := range lines {
			k.add([]byte(line), id)
		}
		found := 0
		for line, id := range lines {
			if got, ok := k.find([]byte(line)); ok && got == id {
				found++
			} else if ok {
				t.Fatalf("%q is %d, want %d", line, got, id)
			}
		}
		if found != k.lines || found < knownLines/2 {
			t.Errorf("%d lines found of %d that were remembered", found, k.lines)
		}
	}
	k.forget()
	if k.add([]byte(strings.Repeat("x", knownLength+1)), 1); k.lines != 0 {
		t.Error("a line is remembered that is too long")
	}
	for i := range int32(3) { // after all numbers of rounds have been used
		k.round = 1<<32 - 2 + uint32(i)
		k.forget()
		if k.add([]byte("a"), i); k.round == 0 {
			t.Error("round 0")
		}
	}
}
