package sweep

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const searchStudy = `kind = "simulate"
[point]
trace = "t"
platform = "p-{n}-{m}-{k}"
[grid]
n = [1, 2, 4, 8, 16, 32, 64, 128]
m = ["a", "b", "c", "d", "e", "f"]
k = [1, 2, 3, 4]
`

// landscapes are studies to search: what each point takes, by its place on the
// axes.
var landscapes = map[string]func(r *rand.Rand) func(at []int) float64{
	"additive": func(r *rand.Rand) func([]int) float64 { return effects(r, 0) },
	"combinations": func(r *rand.Rand) func([]int) float64 {
		return effects(r, 0.3)
	},
	"cliff": func(r *rand.Rand) func([]int) float64 {
		of, at := effects(r, 0.05), 3+r.IntN(4)
		return func(where []int) float64 {
			if where[0] >= at {
				return 4 * of(where)
			}
			return of(where)
		}
	},
	"chance": func(r *rand.Rand) func([]int) float64 {
		times := map[int]float64{}
		return func(at []int) float64 {
			key := at[0]*100 + at[1]*10 + at[2]
			if times[key] == 0 {
				times[key] = math.Exp(r.NormFloat64())
			}
			return times[key]
		}
	},
}

// effects scales over the first axis to a best value and back, has a share for each
// value of the others, and so much that only the pair of values decides.
func effects(r *rand.Rand, pairs float64) func([]int) float64 {
	best, bend := 2+6*r.Float64(), 0.02+0.1*r.Float64()
	var other [2][8]float64
	var pair [8][6]float64
	for i := range other {
		for v := range other[i] {
			other[i][v] = 0.5 * r.NormFloat64()
		}
	}
	for i := range pair {
		for j := range pair[i] {
			pair[i][j] = pairs * r.NormFloat64()
		}
	}
	return func(at []int) float64 {
		off := float64(at[0]) - best
		return math.Exp(bend*off*off + other[0][at[1]] + other[1][at[2]] + pair[at[0]][at[1]])
	}
}

// TestNextNarrows follows the first proposal again and again, from eight random
// points on, and counts the runs until one is within two per cent of the shortest
// of the grid; beside it, the same with random points. Only where times are chance
// alone may that be as good. The studies are those of $AUSPEX_SEED.
func TestNextNarrows(t *testing.T) {
	first, _ := strconv.ParseUint(os.Getenv("AUSPEX_SEED"), 10, 64)
	s := parse(t, searchStudy)
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	const studies, begin = 12, 8
	for name, landscape := range landscapes {
		proposed, drawn := 0, 0
		for i := range uint64(studies) {
			random := rand.New(rand.NewPCG(first+i, uint64(len(name))))
			takes := landscape(random)
			shortest := math.Inf(1)
			for _, p := range points {
				shortest = min(shortest, takes(s.place(p.Values)))
			}
			order := random.Perm(len(points))
			search := func(next func(l *Ledger) int) (runs int) {
				l := &Ledger{of: map[string]entry{}, times: map[string]int{}}
				for at := order[0]; ; at = next(l) {
					p := points[at]
					seconds := takes(s.place(p.Values))
					l.add(entry{Key: p.Key, Outcome: Outcome{Seconds: seconds}})
					if runs++; seconds <= 1.02*shortest {
						return runs
					}
				}
			}
			drawn += search(func(l *Ledger) int { return order[len(l.of)] })
			proposed += search(func(l *Ledger) int {
				if len(l.of) >= begin {
					table := Tabulate(s, points, l)
					if table.Propose(s, points, l, 1); len(table.Next) > 0 && table.Next[0].InGrid {
						for i, p := range points {
							if s.Label(&p) == s.Label(&Point{Values: table.Next[0].Values}) {
								return i
							}
						}
					}
				}
				for _, i := range order {
					if !l.done(points[i].Key) {
						return i
					}
				}
				t.Fatal("all points are done")
				return 0
			})
		}
		t.Logf("%s: %.1f runs as proposed, %.1f at random, of %d", name, float64(proposed)/studies, float64(drawn)/studies, len(points))
		if name != "chance" && proposed*2 > drawn {
			t.Errorf("%s: %d runs as proposed, %d at random", name, proposed, drawn)
		}
	}
}
