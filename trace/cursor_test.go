package trace

import "testing"

// Skipping iterations leads to where reading them leads.
func TestSkipIsReading(t *testing.T) {
	b := NewBuilder(0)
	put := func(k Kind) { b.Add(&Action{Kind: k, Type: DefaultType, Type2: DefaultType, Peer: RootUnset}) }
	put(Init)
	for range 6 { // folds to 6 × (4 × (barrier, wait all), finalize)
		for range 4 {
			put(Barrier)
			put(WaitAll)
		}
		put(Finalize)
	}
	tr := &Trace{Programs: []Program{b.Program()}}
	turns := [2]int{}
	for c, a := tr.Cursor(0), (Action{}); c.Next(&a); {
		depth := c.Turned()
		if depth < 0 || c.Left(depth) < 2 {
			continue
		}
		turns[depth]++
		period := []int64{9, 2}[depth]
		read, skipped := tr.Cursor(0), tr.Cursor(0)
		for range c.Done() { // cursors share their list of loops when copied
			read.Next(&a)
			skipped.Next(&a)
		}
		for range 2 * period {
			read.Next(&a)
		}
		skipped.Skip(depth, 2, 2*period)
		if string(read.AppendPlace(nil)) != string(skipped.AppendPlace(nil)) || read.Done() != skipped.Done() || read.Depth() != skipped.Depth() {
			t.Fatalf("after %d actions at depth %d: reading leads elsewhere", c.Done(), depth)
		}
		for k := range read.Depth() {
			if read.Left(k) != skipped.Left(k) {
				t.Errorf("after %d actions, loop %d: %d iterations left, read %d", c.Done(), k, skipped.Left(k), read.Left(k))
			}
		}
	}
	if turns[0] == 0 || turns[1] == 0 {
		t.Errorf("loops turned %v times: the program is not folded as thought", turns)
	}
}
