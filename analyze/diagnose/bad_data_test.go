package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/analyze"
	"auspex/cluster"
	"auspex/internal/sample"
	"auspex/model"
)

// program makes a flat experiment: processes × regions of CPU time, and other
// metrics of the same shape. NaN is a value never measured.
func program(t testing.TB, times [][]float64, others map[string][][]float64) *analyze.Dataset {
	t.Helper()
	b := model.NewBuilder()
	put := func(metric model.Metric, values [][]float64) {
		m := b.Metric(metric)
		for p, row := range values {
			u := b.Unit(model.Unit{Process: p})
			for r, v := range row {
				if v == v {
					b.Set(u, b.Region(model.Region{Name: fmt.Sprint("r", r), Parent: model.NoParent}), m, v)
				}
			}
		}
	}
	put(model.NewMetric(model.CPUTime, "", model.Exclusive), times)
	for name, values := range others {
		metric := model.NewMetric(name, "", model.Exclusive)
		if name == "ipc" {
			metric = model.Metric{Name: name, Unit: "ratio", Missing: model.Absent}
		}
		put(metric, values)
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, e)
}

// fill makes a table of values.
func fill(units, regions int, value func(u, r int) float64) [][]float64 {
	out := make([][]float64, units)
	for u := range out {
		for r := range regions {
			out[u] = append(out[u], value(u, r))
		}
	}
	return out
}

func noise(seed uint64, share float64) func(float64) float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	return func(v float64) float64 { return v * (1 - share + 2*share*random.Float64()) }
}

func TestDiagnoseOneUnit(t *testing.T) {
	r := diagnose(t, program(t, fill(1, 3, func(u, r int) float64 { return 1 }), nil), Options{})
	if r.UnitCount != 1 || kindsText(r.Kinds) != "0" || r.Severity != 0 || len(r.CCR) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestDiagnoseIdenticalUnits(t *testing.T) {
	r := diagnose(t, program(t, fill(50, 3, func(u, r int) float64 { return float64(r + 1) }), nil), Options{})
	if len(r.Kinds) != 1 || r.Severity != 0 || r.Continuum {
		t.Errorf("%d kinds, severity %v", len(r.Kinds), r.Severity)
	}
}

func TestDiagnoseNoTime(t *testing.T) {
	r := diagnose(t, program(t, fill(4, 3, func(u, r int) float64 { return 0 }), nil), Options{})
	if len(r.Kinds) != 1 || r.Severity != 0 || r.Level1 != 0 {
		t.Errorf("%+v", r)
	}
}

// Noise of a few percent on a balanced program is one kind.
func TestDiagnoseNoise(t *testing.T) {
	for seed := range uint64(20) {
		noisy := noise(seed, 0.03)
		r := diagnose(t, program(t, fill(64, 5, func(u, r int) float64 { return noisy(float64(1 + r)) }), nil), Options{})
		if len(r.Kinds) != 1 || r.Severity > 0.1 || len(r.CCR) > 0 {
			t.Errorf("seed %d: %d kinds, severity %v", seed, len(r.Kinds), r.Severity)
		}
	}
}

// A metric of zeros, one that is missing in places and one that is noise are
// no causes; where there is nothing else, none is invented.
func TestDiagnoseInventsNoCause(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 9))
		noisy := noise(seed, 0.01)
		wild := fill(24, 2, func(u, r int) float64 { return 1000 * random.Float64() })
		holes := fill(24, 2, func(u, r int) float64 {
			if u%5 == 0 {
				return math.NaN()
			}
			return 1
		})
		times := fill(24, 2, func(u, r int) float64 { return noisy(float64(1 + 3*(u%3)*r)) })
		d := program(t, times, map[string][][]float64{
			"page_faults": wild, "messages": fill(24, 2, func(u, r int) float64 { return 0 }), "ipc": holes,
		})
		r := diagnose(t, d, Options{})
		if len(r.Kinds) != 3 || !slices.Equal(r.CCCR, []string{"r1"}) {
			t.Fatalf("seed %d: %s, %v", seed, kindsText(r.Kinds), r.CCCR)
		}
		c := r.Causes[0]
		if len(c.Attributes) != 0 || len(c.Excluded) != 3 || c.InexplicablePairs != 3 {
			t.Errorf("seed %d: attributes %v, excluded %v, inexplicable %d", seed, c.Attributes, c.Excluded, c.InexplicablePairs)
		}
	}
}

// Two kinds that no metric tells apart are named.
func TestDiagnoseInexplicable(t *testing.T) {
	noisy := noise(1, 0.01)
	times := fill(12, 2, func(u, r int) float64 { return noisy(float64(1 + 4*(u%3)*r)) })
	instructions := fill(12, 2, func(u, r int) float64 { return noisy(float64(1 + 4*min(u%3, 1)*r)) })
	c := diagnose(t, program(t, times, map[string][][]float64{"instructions": instructions}), Options{}).Causes[0]
	if !slices.Equal(c.Attributes, []string{"instructions"}) || c.InexplicablePairs != 1 || fmt.Sprint(c.Inexplicable) != "[[1 2]]" {
		t.Errorf("attributes %v, inexplicable %v", c.Attributes, c.Inexplicable)
	}
}

// Where zeroing any one region leaves the kinds as they are, two are joined.
func TestDiagnoseRegionsTogether(t *testing.T) {
	noisy := noise(1, 0.01)
	times := fill(12, 4, func(u, r int) float64 {
		if r < 2 && u%2 == 1 {
			return noisy(9)
		}
		return noisy(1)
	})
	r := diagnose(t, program(t, times, nil), Options{})
	if len(r.Kinds) != 2 || !slices.Equal(r.CCCR, []string{"r0", "r1"}) && !slices.Equal(r.CCCR, []string{"r1", "r0"}) {
		t.Fatalf("%s, cores %v", kindsText(r.Kinds), r.CCCR)
	}
	if len(r.CCR[0].With) != 1 || r.CCR[0].With[0] != r.CCR[1].Region {
		t.Errorf("together with %v", r.CCR[0].With)
	}
}

// Many regions that only together make the kinds end the search at its bound.
func TestDiagnoseManyTogether(t *testing.T) {
	noisy := noise(1, 0.01)
	times := fill(12, 40, func(u, r int) float64 { return noisy(float64(1 + 8*(u%2))) })
	r := diagnose(t, program(t, times, nil), Options{})
	if len(r.Kinds) != 2 || len(r.CCCR) < 5 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "change without") {
		t.Errorf("%s, %d cores, %v", kindsText(r.Kinds), len(r.CCCR), r.Warnings)
	}
}

func TestDiagnoseNoTwoAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	times := fill(3000, 8, func(u, r int) float64 { return 1 + 99*random.Float64() })
	instructions := fill(3000, 8, func(u, r int) float64 { return 2e9 * times[u][r] })
	r := diagnose(t, program(t, times, map[string][][]float64{"instructions": instructions, "io_read": fill(3000, 8, func(u, r int) float64 { return random.Float64() })}), Options{})
	if !r.Scattered || r.Continuum || len(r.CCCR) == 0 {
		t.Fatalf("scattered %v, continuum %v, %d kinds, cores %v", r.Scattered, r.Continuum, len(r.Kinds), r.CCCR)
	}
	for _, c := range r.Causes {
		if !slices.Equal(c.Attributes, []string{"instructions"}) {
			t.Errorf("%s varies with %v", c.Region, c.Attributes)
		}
	}
}

// Sixty attributes that all vary, at random, tell sixteen kinds apart between
// them. None goes with the time: none is a cause.
func TestDiagnoseSixtyAttributes(t *testing.T) {
	noisy := noise(3, 0.005)
	random := rand.New(rand.NewPCG(4, 4))
	times := fill(64, 2, func(u, r int) float64 { return noisy(float64(1 + 3*(u%16)*r)) })
	others := map[string][][]float64{}
	for a := range 60 {
		level := make([]float64, 16)
		for k := range level {
			level[k] = float64(1 + 2*random.IntN(2))
		}
		others[fmt.Sprintf("count%02d", a)] = fill(64, 2, func(u, r int) float64 { return noisy(level[u%16]) })
	}
	r := diagnose(t, program(t, times, others), Options{})
	if len(r.Kinds) != 16 || len(r.Causes) != 1 {
		t.Fatalf("%d kinds, causes in %v", len(r.Kinds), r.CCCR)
	}
	if c := r.Causes[0]; len(c.Attributes) != 0 || c.InexplicablePairs != 120 || len(c.Excluded) != 60 {
		t.Errorf("%v explain 16 kinds, %d pairs left", c.Attributes, c.InexplicablePairs)
	}
}

// Units that lack regions others have spend no time there.
func TestDiagnoseLackingRegions(t *testing.T) {
	times := fill(8, 3, func(u, r int) float64 {
		if u < 3 && r == 2 {
			return math.NaN()
		}
		return 5
	})
	r := diagnose(t, program(t, times, nil), Options{})
	if kindsText(r.Kinds) != "0 1 2|3 4 5 6 7" || !slices.Equal(r.CCCR, []string{"r2"}) {
		t.Errorf("%s, cores %v", kindsText(r.Kinds), r.CCCR)
	}
	for _, w := range r.Causes[0].Balance[:3] {
		if !w.Share.IsMissing() {
			t.Errorf("process %s spends no time there and is given a share of %v", w.Unit, w.Share)
		}
	}
}

// S is 0 for equal vectors, at most 1, the same in any unit of time and any
// order of processes.
func TestDissimilarityLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 20).Draw(t, "units"), rapid.IntRange(1, 6).Draw(t, "regions")
		p := cluster.Points{N: n, Dim: dim}
		for range n * dim {
			// No clock knows less than a picosecond; squares of less than 1e-150 are
			// no numbers.
			time := rapid.Float64Range(0, 1000).Draw(t, "time")
			if time < 1e-12 {
				time = 0
			}
			p.Data = append(p.Data, time)
		}
		s := dissimilarity(p)
		if !(s >= 0 && s <= 1) {
			t.Fatalf("S = %v", s)
		}
		scaled, turned, equal := cluster.Points{N: n, Dim: dim}, cluster.Points{N: n, Dim: dim}, cluster.Points{N: n, Dim: dim}
		for i := range n {
			turned.Data = append(turned.Data, p.Row(n-1-i)...)
			equal.Data = append(equal.Data, p.Row(0)...)
			for _, v := range p.Row(i) {
				scaled.Data = append(scaled.Data, 1e-6*v)
			}
		}
		if x := dissimilarity(scaled); math.Abs(x-s) > 1e-9 {
			t.Fatalf("S = %v, in another unit %v", s, x)
		}
		if x := dissimilarity(turned); math.Abs(x-s) > 1e-9 {
			t.Fatalf("S = %v, in another order %v", s, x)
		}
		if x := dissimilarity(equal); x > 1e-12 {
			t.Fatalf("S = %v for equal vectors", x)
		}
	})
}

// Planted kinds and their region come back, wherever in a random tree the
// region stands.
func TestDiagnosePlanted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		regions := rapid.IntRange(3, 12).Draw(rt, "regions")
		guilty := rapid.IntRange(1, regions-1).Draw(rt, "guilty")
		kinds := rapid.IntRange(2, 4).Draw(rt, "kinds")
		noisy := noise(rapid.Uint64().Draw(rt, "seed"), 0.01)
		b := model.NewBuilder()
		time := b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
		place := []int{b.Region(model.Region{Name: "main", Parent: model.NoParent})}
		for r := 1; r < regions; r++ {
			parent := place[rapid.IntRange(0, r-1).Draw(rt, "parent")]
			place = append(place, b.Region(model.Region{Name: fmt.Sprint("r", r), Parent: parent}))
		}
		for p := range 12 {
			u := b.Unit(model.Unit{Process: p})
			for r, at := range place {
				v := noisy(1)
				if r == guilty {
					v = noisy(float64(20 * (1 + p%kinds)))
				}
				b.Set(u, at, time, v)
			}
		}
		e, err := b.Build(model.Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		r := diagnose(t, opened(t, e), Options{})
		if len(r.Kinds) != kinds {
			rt.Fatalf("%d kinds, planted %d", len(r.Kinds), kinds)
		}
		if len(r.CCCR) != 1 || !coreIs(r.CCCR[0], e.Regions, guilty) {
			rt.Fatalf("core %v, planted in %s", r.CCCR, model.Paths(e.Regions)[guilty])
		}
	})
}

// coreIs allows for the place where a region's own time shows when level 1
// lies below it.
func coreIs(path string, regions []model.Region, want int) bool {
	paths := model.Paths(regions)
	return path == paths[want] || path == paths[want]+"/"+ownTime
}

// Whatever was measured, the answer holds together: kinds part the units,
// cores are critical regions, severity is a share.
func TestDiagnoseAnything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := sample.Random(rt, rapid.SampledFrom([]model.Scope{model.Exclusive, model.Inclusive}).Draw(rt, "scope"))
		o := Options{
			Level:   rapid.SampledFrom([]Level{"", Processes, Threads}).Draw(rt, "level"),
			WithMPI: rapid.Bool().Draw(rt, "with mpi"), Table: true, Matrix: true,
		}
		r, err := Run(context.Background(), opened(t, e), analyze.ShippedWords(), o)
		if err != nil {
			rt.Fatal(err)
		}
		members := 0
		for _, k := range r.Kinds {
			members += len(k)
		}
		if members != r.UnitCount || !(r.Severity >= 0 && r.Severity <= 1) {
			rt.Fatalf("%d of %d units in kinds, severity %v", members, r.UnitCount, r.Severity)
		}
		cores := 0
		for _, c := range r.CCR {
			if c.Core {
				cores++
			}
		}
		if cores != len(r.CCCR) {
			rt.Fatalf("%d cores, named %d", cores, len(r.CCCR))
		}
		lost := analyze.Real(0)
		for _, c := range r.Causes {
			lost += c.LostShare
		}
		sum := 0.0
		for _, line := range r.Ledger {
			sum += line.Share
		}
		if lost > 1+1e-9 || len(r.Ledger) > 0 && (sum < 1-1e-9 || sum > 1+1e-9) || r.Headline.Kind == "" || r.Headline.Share > 1+1e-9 {
			rt.Fatalf("lost %v, ledger %v, headline %+v", lost, sum, r.Headline)
		}
		if _, err := json.Marshal(r); err != nil {
			rt.Fatal(err)
		}
	})
}

// What a process reads or writes explains its time where that takes a part of it, or
// where so many bytes of text would; a file of six megabytes that is read in a
// millisecond explains no two seconds.
func TestFilesThatTakeNoTime(t *testing.T) {
	for _, c := range []struct {
		name              string
		metric            string
		bytes, inFile     float64
		untimed, explains bool
	}{
		{"read in no time", "io_read", 6e6, 0.0012, false, false},
		{"read for as long as it takes", "io_read", 6e6, 1.9, false, true},
		{"read, and how long is not known", "io_read", 6e6, 0, true, true},
		{"written as text", "io_written", 8e7, 0.02, false, true},
		{"written in no time", "io_written", 8e4, 0.0001, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			others := map[string][][]float64{c.metric: {{0, c.bytes}, {0, 0}}}
			if !c.untimed {
				others["io_time"] = [][]float64{{0, c.inFile}, {0, 0}}
			}
			r := diagnose(t, program(t, [][]float64{{1, 3.5}, {1, 1.5}}, others), Options{})
			if len(r.Causes) == 0 {
				t.Fatal("nothing is uneven")
			}
			if got := slices.Contains(r.Causes[0].Attributes, c.metric); got != c.explains {
				t.Errorf("%v; not: %v", r.Causes[0].Attributes, r.Causes[0].Excluded)
			}
		})
	}
}

// Page faults of a program that auspex ran take microseconds; other tools' counts and
// made-up ones may mean something else. Memory takes no time by itself, where there are
// too few processes to see more than that they differ.
func TestFaultsThatTakeNoTime(t *testing.T) {
	for _, c := range []struct {
		name, format, metric string
		more                 float64
		explains             bool
	}{
		{"two thousand in two seconds", "auspex", "page_faults", 2000, false},
		{"two hundred thousand", "auspex", "page_faults", 200_000, true},
		{"another tool's", "tau", "page_faults", 2000, true},
		{"memory", "auspex", "peak_memory", 1e9, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := program(t, [][]float64{{1, 3.5}, {1, 1.5}}, map[string][][]float64{c.metric: {{0, 2 * c.more}, {0, c.more}}})
			d.Format = c.format
			r := diagnose(t, d, Options{})
			if len(r.Causes) == 0 {
				t.Fatal("nothing is uneven")
			}
			if got := slices.Contains(r.Causes[0].Attributes, c.metric); got != c.explains {
				t.Errorf("%v; not: %v", r.Causes[0].Attributes, r.Causes[0].Excluded)
			}
		})
	}
}
