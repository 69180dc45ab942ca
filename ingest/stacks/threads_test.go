package stacks

import (
	"slices"
	"testing"

	"auspex/ingest/inputtest"
)

// TestPerfThreads: perf script names threads alone where it is not asked for more.
// Those of one command are of one process, and that it is not known is said.
func TestPerfThreads(t *testing.T) {
	const threads = "my prog  11 1.1:  10 cpu-clock: \n\t  1240 main+0x1 (/p)\n\nmy prog  12 1.2:  10 cpu-clock: \n\t  1240 work+0x1 (/p)\n\n"
	for _, c := range []struct {
		text       string
		processes  int
		isNoted    bool
		lastThread int
	}{
		{threads, 1, true, 1},
		{threads + "orted  9 1.3:  10 cpu-clock: \n\t  1240 main+0x1 (/p)\n\n", 2, true, 0},
		{"my prog  11 1.1:  10 cpu-clock: \n\t  1240 main+0x1 (/p)\n\n", 1, false, 0},
		{"my prog  11/11 1.1:  10 cpu-clock: \n\t  1240 main+0x1 (/p)\n\nmy prog  12/12 1.1:  10 cpu-clock: \n\t  1240 main+0x1 (/p)\n\n", 2, false, 0},
	} {
		e, err := inputtest.ReadBytes(t, Formats(), "perf.txt", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		last := e.Units[len(e.Units)-1]
		if last.Process != c.processes-1 || last.Thread != c.lastThread || slices.Contains(e.Notes, threadsNote) != c.isNoted {
			t.Errorf("%s: units %v, notes %q", c.text, e.Units, e.Notes)
		}
	}
}
