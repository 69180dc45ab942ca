package diagnose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// A rank that takes longer by one factor in everything is told as that; one that does
// so in one region is not.
func TestSlowerInEverything(t *testing.T) {
	run := func(factor func(u, region int) float64) *Diagnosis {
		return diagnose(t, made(t, model.Header{}, ranks(16), func(u int, _ *model.Builder, set setter) {
			all := 0.0
			for r, name := range []string{"flux", "solve", "norm", "update", "project"} {
				v := float64(10+5*r) * factor(u, r) * (1 + 0.004*float64((u*5+r*3)%7-3)/3)
				set(model.Function, v, "main", name)
				all += v
			}
			set(model.MPI, 140-all, "main", "MPI_Allreduce")
		}, nil), Options{})
	}
	r := run(func(u, _ int) float64 {
		if u == 5 {
			return 1.25
		}
		return 1
	})
	if r.Slower == nil || texts(r.Slower.Units) != "[5]" || math.Abs(float64(r.Slower.Factor)-1.25) > 0.01 {
		t.Errorf("%+v", r.Slower)
	}
	r = run(func(u, region int) float64 {
		if u == 5 && region == 3 {
			return 2
		}
		return 1
	})
	if r.Slower != nil || len(r.Causes) != 1 {
		t.Errorf("%+v, %+v", r.Slower, r.Causes)
	}
}

// paced makes ranks that take a factor in their regions, of 30 s in all, and then meet.
func paced(t *testing.T, units []model.Unit, regions int, noise float64, factor func(u, region int) float64) *Diagnosis {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 4))
	times := fill(len(units), regions, func(u, r int) float64 {
		return 30 / float64(regions) * factor(u, r) * (1 + noise*random.NormFloat64())
	})
	most := 0.0
	for _, row := range times {
		most = max(most, analyze.Total(row))
	}
	return diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		for r, v := range times[u] {
			set(model.Function, v, "main", fmt.Sprint("r", r))
		}
		set(model.MPI, most+0.01-analyze.Total(times[u]), "main", "MPI_Allreduce")
	}, nil), Options{})
}

// Slow ranks are found whatever the number of regions, how small the factor is, whether
// all have the same, how many are slow, and where some regions are not slower.
func TestSlowerInNearlyEverything(t *testing.T) {
	one := func(by float64) func(u, r int) float64 {
		return func(u, _ int) float64 {
			if u == 4 {
				return by
			}
			return 1
		}
	}
	for name, c := range map[string]struct {
		regions int
		factor  func(u, r int) float64
		want    string
		least   float64
		most    float64
		except  int
	}{
		"many regions":     {80, one(1.3), "[4]", 1.3, 1.3, 0},
		"a small factor":   {6, one(1.08), "[4]", 1.08, 1.08, 0},
		"one region alike": {10, func(u, r int) float64 { return []float64{one(1.3)(u, r), 1}[b2i(r == 7)] }, "[4]", 1.3, 1.3, 1},
		"two factors": {6, func(u, r int) float64 {
			if u == 9 {
				return 1.6
			}
			return one(1.3)(u, r)
		}, "[4 9]", 1.3, 1.6, 0},
		"more than half": {6, func(u, _ int) float64 { return []float64{1, 1.3}[b2i(u >= 4 && u < 13)] }, "[4 5 6 7 8 9 10 11 12]", 1.3, 1.3, 0},
	} {
		r := paced(t, ranks(16), c.regions, 0.003, c.factor)
		if r.Slower == nil {
			t.Errorf("%s: nobody is slower; %+v", name, r.Headline)
			continue
		}
		if texts(r.Slower.Units) != c.want || math.Abs(float64(r.Slower.Least)-c.least) > 0.01 || math.Abs(float64(r.Slower.Most)-c.most) > 0.01 || len(r.Slower.Except) != c.except {
			t.Errorf("%s: %+v", name, r.Slower)
		}
		if r.Headline.Kind != account.Imbalance {
			t.Errorf("%s: %+v", name, r.Headline)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Nobody is called slower for noise, a gradient, or some regions of many.
func TestNobodyIsSlower(t *testing.T) {
	for name, factor := range map[string]func(u, r int) float64{
		"noise":        func(int, int) float64 { return 1 },
		"a gradient":   func(u, _ int) float64 { return 1 + float64(u)/40 },
		"some regions": func(u, r int) float64 { return []float64{1, 1.5}[b2i(u == 4 && r < 5)] },
		"one is quick": func(u, _ int) float64 { return []float64{1, 0.7}[b2i(u == 4)] },
	} {
		for _, noise := range []float64{0.003, 0.02} {
			if r := paced(t, ranks(16), 12, noise, factor); r.Slower != nil {
				t.Errorf("%s, noise %v: %+v", name, noise, r.Slower)
			}
		}
	}
}

// The node of slow ranks is named however many other nodes there are.
func TestSlowNodeOfMany(t *testing.T) {
	units := ranks(1024)
	for u := range units {
		units[u].Node = fmt.Sprint("n", u/4)
	}
	r := paced(t, units, 5, 0.01, func(u, _ int) float64 { return []float64{1, 1.17}[b2i(u/4 == 3)] })
	if r.Slower == nil || fmt.Sprint(r.Slower.Nodes) != "[n3]" || texts(r.Slower.Units) != "[12 13 14 15]" {
		t.Errorf("%+v", r.Slower)
	}
	r = paced(t, units, 5, 0.01, func(u, region int) float64 { return []float64{1, 1.5}[b2i(u/4 == 3 && region == 2)] })
	if len(r.Causes) != 1 || len(r.Causes[0].Evidence) != 1 || fmt.Sprint(r.Causes[0].Evidence[0].Nodes) != "[n3]" {
		t.Errorf("%+v", r.Causes)
	}
}

// One rank that stands apart in a region is named, whatever the severity.
func TestApartIsNoContinuum(t *testing.T) {
	for more := 0.045; more < 0.1; more += 0.005 {
		r := paced(t, ranks(48), 4, 0.004, func(u, region int) float64 {
			if u == 17 && region == 1 {
				return 1 + 4*more
			}
			return 1
		})
		if r.Continuum || len(r.Causes) != 1 || texts(r.Causes[0].Slow) != "[17]" {
			t.Errorf("%.3f more: severity %.3f, continuum %v, %+v", more, float64(r.Severity), r.Continuum, r.Causes)
		}
	}
}

// Of two or three ranks, too, one may take longer in all regions; that each is longer in
// some of them, as noise has it, is nothing of the kind.
func TestSlowerOfFew(t *testing.T) {
	for _, units := range []int{2, 3} {
		r := paced(t, ranks(units), 8, 0.01, func(u, _ int) float64 {
			if u == 1 {
				return 1.2
			}
			return 1
		})
		if r.Slower == nil || texts(r.Slower.Units) != "[1]" || math.Abs(float64(r.Slower.Factor)-1.2) > 0.02 {
			t.Errorf("%d ranks: %+v", units, r.Slower)
		}
		r = paced(t, ranks(units), 8, 0.01, func(u, region int) float64 {
			if u == region%units {
				return 1.2
			}
			return 1
		})
		if r.Slower != nil {
			t.Errorf("%d ranks that are longer in turn: %+v", units, r.Slower)
		}
	}
}
