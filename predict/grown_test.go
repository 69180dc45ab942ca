package predict

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"auspex/trace"
)

// TestGrownAgainstTaken makes, of the traces of 2, 4 and 8 ranks (2.trace …) in each folder
// of AUSPEX_GROWN, traces of as many as the largest there has (16.trace), and holds them
// against it call by call. AUSPEX_GROWN_FROM says which to make it of.
func TestGrownAgainstTaken(t *testing.T) {
	top := os.Getenv("AUSPEX_GROWN")
	if top == "" {
		t.Skip("AUSPEX_GROWN names no folder of traces")
	}
	from, to := []int{2, 4, 8}, 16
	if list := os.Getenv("AUSPEX_GROWN_FROM"); list != "" {
		from = nil
		for _, word := range strings.Split(list, ",") {
			np, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			from = append(from, np)
		}
	}
	folders, err := filepath.Glob(filepath.Join(top, "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var runs []*trace.Trace
			for _, np := range append(from, to) {
				run, err := trace.Open(t.Context(), filepath.Join(folder, strconv.Itoa(np)+".trace"), np)
				if err != nil {
					t.Skip(err)
				}
				runs = append(runs, run)
			}
			g, err := newGrowth(runs[:len(from)])
			if err != nil {
				t.Fatal(err)
			}
			g.work = &workLaw{}
			unlawful := g.work.fit(g.runs)
			got, err := g.understand(to)
			if err != nil {
				t.Logf("refused: %v", err)
				return
			}
			t.Log(g.said(to), unlawful)
			verdict := compared(got, runs[len(from)])
			if t.Log(verdict); strings.HasPrefix(verdict, wrong) {
				t.Fail()
			}
		})
	}
}

const wrong = "wrong"

// compared is how a made trace and a taken one differ, in words.
func compared(got, want *trace.Trace) string {
	var calls, partners, sizes int
	worst, where := 0.0, differ(got, want, waits)
	for rank := range got.NP() {
		x, y := got.Cursor(rank), want.Cursor(rank)
		var p, q trace.Action
		for {
			more := advance(&x, &p)
			if other := advance(&y, &q); !more || !other {
				if more != other {
					return wrong + ": " + where
				}
				break
			}
			calls++
			a, b := volume(&p), volume(&q)
			if q.Count, q.Count2, q.Counts, q.Counts2 = p.Count, p.Count2, p.Counts, p.Counts2; !equal(&p, &q) && !waits(p, q) {
				partners++
			}
			if a != b {
				sizes++
				worst = max(worst, math.Abs(float64(a-b))/float64(max(a, b)))
			}
		}
	}
	switch {
	case partners > 0:
		return fmt.Sprintf("%s: %d of %d calls: %s", wrong, partners, calls, where)
	case sizes > 0 || where != "":
		return fmt.Sprintf("near: %d of %d sizes, by up to %.1f %%: %s", sizes, calls, 100*worst, where)
	}
	return fmt.Sprintf("exact: %d calls", calls)
}
