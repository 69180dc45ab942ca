package launch

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"auspex/trace"
)

// LoopCut is how far one rank ran a loop that was to be cut short.
type LoopCut struct {
	Rank, Loop int // Loop is its number in the plan
	// Entries is how often the loop was entered and watched, Ran its iterations
	// that ran, Skipped those that were reckoned.
	Entries, Ran, Skipped int64
	// Added is the CPU time reckoned, Spread how far it may be off, and Took what
	// the iterations that ran took, in ns.
	Added, Spread, Took float64
	// Deviation is by how much the sizes of its messages differed at most
	// between iterations that ran, as a share.
	Deviation float64
	// Why is the reason why it was not cut short.
	Why Why
	// Means are of all iterations up to the first, second, fourth, eighth and so
	// on, in ns (the curve of dPerf's Figure 3).
	Means []float64
}

// Why is a reason for which a loop that may be cut short was not.
type Why int

// The reasons, as the runtime numbers them.
const (
	WasCut    Why = iota
	TooShort      // over before its time could have settled
	Moving        // the time of an iteration did not settle
	Touching      // it touched new memory to the end
	Otherwise     // its iterations communicate in different ways
	NotAll        // it had settled on some ranks, never on all
	TooFine       // its iterations are hardly longer than asking whether they are to run
)

// CutTrace is the trace of a program whose loops may be cut short.
type CutTrace struct {
	*trace.Trace
	Cuts []LoopCut
}

// CollectCutTrace makes a trace of a program with loops cut short, and tells
// what became of these.
func CollectCutTrace(ctx context.Context, dir string) (*CutTrace, error) {
	t, notes, err := collectTrace(ctx, dir)
	if err != nil {
		return nil, err
	}
	out := &CutTrace{Trace: t}
	if out.Cuts, err = collectCuts(dir); err != nil {
		return nil, err
	}
	for i := range out.Cuts {
		if c := &out.Cuts[i]; c.Rank >= 0 && c.Rank < len(notes) {
			c.Deviation = notes[c.Rank].deviations[c.Loop]
		}
	}
	return out, nil
}

// collectCuts reads what the ranks of a run wrote into dir about such loops.
func collectCuts(dir string) ([]LoopCut, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.loops"))
	if err != nil {
		return nil, err
	}
	var list []LoopCut
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in := bufio.NewScanner(file)
		for in.Scan() {
			var c LoopCut
			if err := c.read(in.Text()); err != nil {
				file.Close()
				return nil, fmt.Errorf("%s: %q: %w", path, in.Text(), err)
			}
			list = append(list, c)
		}
		file.Close()
		if err := in.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// read reads a line of the runtime's.
func (c *LoopCut) read(line string) error {
	const fields = 9
	if _, err := fmt.Sscan(line, &c.Rank, &c.Loop, &c.Entries, &c.Ran, &c.Skipped, &c.Added, &c.Spread, &c.Why, &c.Took); err != nil {
		return err
	}
	for _, word := range strings.Fields(line)[fields:] {
		mean, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return err
		}
		c.Means = append(c.Means, mean)
	}
	return nil
}
