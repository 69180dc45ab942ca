package site

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"auspex/model"
)

// plantedProgram is a program at a site whose truth is known.
type plantedProgram struct {
	name    string
	user    string
	units   int
	changed string // region, "" for none
	at      int    // the first run that it shows in
	factor  float64
	what    string  // what changed there: "commit a → b", "module …", or "" for nothing
	hours   float64 // node-hours, and those lost, of all runs
	lost    float64
}

var plantedRegions = []string{"main", "main/solve", "main/solve/MPI_Wait", "main/write"}

// plantSite makes the runs of programs, one a day. Half of the programs have a
// region whose level changes at some run, with a commit, a module or nothing that
// is known; all have commits and modules that change nothing.
func plantSite(seed uint64, programs, runs int) (all []Item, truth []*plantedProgram) {
	random := rand.New(rand.NewPCG(seed, 215))
	names := []string{"normal", "heavy tail", "coarse clock"}
	for i := range programs {
		p := &plantedProgram{name: fmt.Sprintf("planted-%d-%d", seed, i), user: fmt.Sprintf("user%d", i%7), units: []int{4, 8, 16}[random.IntN(3)]}
		noise := noises[names[i%3]]
		if i%2 == 0 {
			p.changed = plantedRegions[1+random.IntN(3)]
			p.at, p.factor = 6+random.IntN(runs-12), []float64{1.15, 1.3, 2, 0.75}[random.IntN(4)]
		}
		base := []float64{0.5, 20 + 20*random.Float64(), 1 + 5*random.Float64(), 3}
		commit, module := 100, 1
		for run := range runs {
			was := [2]int{commit, module}
			switch kind := random.IntN(3); {
			case run == p.at && p.changed != "" && kind == 0:
				commit++
			case run == p.at && p.changed != "" && kind == 1:
				module++
			case run == p.at:
			default:
				commit += random.IntN(5) / 4
				module += random.IntN(15) / 14
			}
			if run == p.at && was[0] != commit {
				p.what = fmt.Sprintf("commit c%d → c%d", was[0], commit)
			} else if run == p.at && was[1] != module {
				p.what = fmt.Sprintf("module mpi/%d → mpi/%d", was[1], module)
			}
			e := &model.Experiment{Header: model.Header{Name: fmt.Sprintf("%s-%03d", p.name, run), Program: p.name, Created: day.AddDate(0, 0, run), Format: "csv", Runs: 1,
				Metrics: []model.Metric{{Name: "wtime", Unit: "s", Scope: model.Exclusive}},
				Factors: []model.Factor{model.NewFactor("user", p.user), model.NewFactor("commit", fmt.Sprint("c", commit)), model.NewFactor("module", fmt.Sprint("mpi/", module))}}}
			e.Regions = []model.Region{{Name: "main", Kind: "function", Parent: model.NoParent}, {Name: "solve", Kind: "function", Parent: 0}, {Name: "MPI_Wait", Kind: "mpi", Parent: 1}, {Name: "write", Kind: "io", Parent: 0}}
			e.Summaries.Values = make([][]float64, 1)
			var level [4]float64
			for r, path := range plantedRegions {
				level[r] = base[r] * noise(random)
				if path == p.changed && run >= p.at {
					level[r] *= p.factor
				}
			}
			longest, useful := 0.0, 0.0
			for u := range p.units {
				e.Units = append(e.Units, model.Unit{Node: fmt.Sprint("n", u/4), Process: u})
				sum := 0.0
				for r := range level {
					v := level[r] * (1 + 0.02*random.Float64())
					e.Summaries.Unit, e.Summaries.Region = append(e.Summaries.Unit, int32(u)), append(e.Summaries.Region, int32(r))
					e.Summaries.Values[0] = append(e.Summaries.Values[0], v)
					if sum += v; r != 2 {
						useful += v
					}
				}
				longest = max(longest, sum)
			}
			e.UnitCount, e.RegionCount, e.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
			nodes := float64((p.units + 3) / 4)
			p.hours += longest * nodes / 3600
			p.lost += (longest - useful/float64(p.units)) * nodes / 3600
			all = append(all, Item{Experiment: e})
		}
		truth = append(truth, p)
	}
	return all, truth
}

// TestPlantedSite asks a site with planted changes what a site asks: which regions
// changed, when, and with which commit or module; who loses most; what a user sees
// of his own. $AUSPEX_SITE_PROGRAMS programs of 40 runs, or 8, of the seed
// $AUSPEX_SEED. The bounds are those of the small set, which is always the same.
func TestPlantedSite(t *testing.T) {
	programs := cmp.Or(asked("AUSPEX_SITE_PROGRAMS"), 8)
	const runs = 40
	s, _ := started(t)
	items, truth := plantSite(uint64(asked("AUSPEX_SEED")), programs, runs)
	mustPush(t, s, items...)
	planted, found, exact, named, near, besides, even, alarms := 0, 0, 0, 0, 0, 0, 0, 0
	for _, p := range truth {
		for _, region := range plantedRegions {
			h, err := s.History(t.Context(), p.name, region, DefaultMetric, 0)
			if err != nil {
				t.Fatal(err)
			}
			if region != p.changed {
				if even++; len(h.Turns) > 0 {
					alarms++
				}
				continue
			}
			planted++
			for _, turn := range h.Turns {
				if off := turn.At - p.at; off < -2 || off > 2 || (turn.After > turn.Before) != (p.factor > 1) {
					besides++
					continue
				}
				found++
				if turn.At == p.at {
					exact++
				}
				if p.what == "" && len(turn.What) == 0 || p.what != "" && slices.Contains(turn.What, p.what) {
					named++
				} else if slices.Contains(turn.Near, p.what) {
					near++
				}
			}
		}
	}
	t.Logf("%d runs of %d programs: %d of %d changes found, %d at the very run, %d with what changed there and %d with it near by, %d told besides; %d of %d regions without a change have one", len(items), programs, found, planted, exact, named, near, besides, alarms, even)
	if found < planted*80/100 || alarms > max(1, even*3/100) {
		t.Errorf("%d of %d changes found, %d of %d false", found, planted, alarms, even)
	}
	checkLosses(t, s, truth, day.AddDate(0, 0, runs))
}

// checkLosses holds who loses most, and what a user sees of his own, to the truth.
func checkLosses(t *testing.T, s *Site, truth []*plantedProgram, until time.Time) {
	t.Helper()
	for _, of := range []string{"", "user3", "nobody"} {
		var want []*plantedProgram
		for _, p := range truth {
			if of == "" || p.user == of {
				want = append(want, p)
			}
		}
		slices.SortFunc(want, func(a, b *plantedProgram) int { return cmp.Compare(b.lost, a.lost) })
		got, err := s.Losses(t.Context(), "program", of, day.AddDate(0, 0, -1), until)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d programs of %q, not %d: %v", len(got), of, len(want), err)
		}
		for i, p := range want {
			if g := got[i]; g.Who != p.name || math.Abs(g.NodeHours-p.hours) > 1e-9*p.hours || math.Abs(g.Lost-p.lost) > 1e-9*p.hours {
				t.Errorf("of %q: place %d has %+v, not %+v", of, i, g, p)
			}
		}
	}
}
