package diagnose

import (
	"math"
	"slices"
	"testing"

	"auspex/model"
)

// counted builds a run whose seconds and counts by region are given; all wait for the
// last one afterwards.
func counted(t *testing.T, n int, regions []string, metrics []string, of func(p int, region string) (seconds float64, counts []float64)) *Diagnosis {
	t.Helper()
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	columns := make([]int, len(metrics))
	for i, m := range metrics {
		columns[i] = b.Metric(model.NewMetric(m, "", model.Exclusive))
	}
	sums, longest := make([]float64, n), 0.0
	for p := range n {
		for _, region := range regions {
			seconds, _ := of(p, region)
			sums[p] += seconds
		}
		longest = max(longest, sums[p])
	}
	for p := range n {
		u := b.Unit(model.Unit{Process: p})
		for _, region := range regions {
			seconds, counts := of(p, region)
			if seconds == 0 {
				continue
			}
			r := b.Region(model.Region{Name: region, Kind: model.Function, Parent: model.NoParent})
			b.Set(u, r, wall, seconds)
			for i, v := range counts {
				b.Set(u, r, columns[i], v)
			}
		}
		b.Set(u, b.Region(model.Region{Name: "MPI_Allreduce", Kind: model.MPI, Parent: model.NoParent}), wall, longest-sums[p]+1)
	}
	e, err := b.Build(model.Header{Name: "counted"})
	if err != nil {
		t.Fatal(err)
	}
	return diagnose(t, opened(t, e), Options{})
}

// jitter is between −1 and 1, and the same each time.
func jitter(seed, p int) float64 {
	return math.Mod(math.Abs(math.Sin(float64(p+1)*12.9898+float64(seed)*78.233))*43758.5453, 1)*2 - 1
}

func causeIn(d *Diagnosis, region string) *Cause {
	for i := range d.Causes {
		if d.Causes[i].Region == region {
			return &d.Causes[i]
		}
	}
	return nil
}

// One unit of many has little of the variance of all, however far out it is: its count
// is named all the same where it is above all others', and not where one other has more.
func TestOneOfManyIsExplained(t *testing.T) {
	for name, c := range map[string]struct {
		counts float64 // of the slow one; the others have 90 to 110
		want   []string
	}{
		"far above": {250, []string{"l3_misses"}},
		"among":     {105, []string{}},
	} {
		r := counted(t, 1000, []string{"solve", "flux"}, []string{model.L3Misses}, func(p int, region string) (float64, []float64) {
			seconds, count := 10*(1+0.06*jitter(1, p)), 1e6*(100+10*jitter(2, p))
			if region == "solve" && p == 700 {
				seconds, count = 20, 1e6*c.counts
			}
			return seconds, []float64{count}
		})
		got := causeIn(r, "solve")
		if got == nil || !slices.Equal(got.Attributes, c.want) {
			t.Errorf("%s: %+v", name, r.Causes)
		}
	}
}

// A master that does none of its workers' work does not hide why one worker is slow.
func TestMasterDoesNotHideItsWorkers(t *testing.T) {
	r := counted(t, 16, []string{"assign", "task", "store"}, []string{model.Instructions, model.L3Misses, model.IOWritten}, func(p int, region string) (float64, []float64) {
		switch {
		case (p == 0) != (region == "assign"):
			return 0, nil
		case region == "assign":
			return 1, []float64{1e9, 1e5, 1e3}
		case region == "task" && p == 5:
			return 30, []float64{1e10, 1e9, 1e4}
		}
		noise := 1 + 0.01*jitter(3, p)
		return 20 * noise, []float64{1e10 * noise, 1e7 * noise, 1e4}
	})
	c := causeIn(r, "task")
	if c == nil || !slices.Equal(c.Attributes, []string{"l3_misses/instructions"}) || len(c.Only) > 0 {
		t.Fatalf("%+v", r.Causes)
	}
	if e := c.Evidence[0]; texts(e.High) != "[5]" || len(e.Low) != 14 {
		t.Errorf("%v against %v", e.High, e.Low)
	}
	// That the master does not take part is all there is to say of the other region.
	if c := causeIn(r, "store"); c != nil && len(c.Attributes) > 0 {
		t.Errorf("%+v", c)
	}
}

// Who is not there executes no instructions there, which is no cause; calls say that it
// is not there, and bytes what the others do, if these can take as long.
func TestAbsenceIsNoCount(t *testing.T) {
	for name, c := range map[string]struct {
		metrics []string
		counts  []float64
		want    []string
		only    string
	}{
		"work":           {[]string{model.Instructions, model.L3Misses, model.PageFaults, "elements"}, []float64{1e10, 1e6, 1e4, 1e5}, []string{}, "[1 2 3 4 5]"},
		"calls":          {[]string{model.Instructions, model.Calls}, []float64{1e10, 100}, []string{"calls"}, "[]"},
		"few bytes":      {[]string{model.IOWritten}, []float64{1e5}, []string{}, "[1 2 3 4 5]"},
		"bytes for long": {[]string{model.IOWritten}, []float64{1e9}, []string{"io_written"}, "[]"},
	} {
		r := counted(t, 6, []string{"common", "task"}, c.metrics, func(p int, region string) (float64, []float64) {
			if region == "task" && p == 0 {
				return 0, nil
			}
			noise := 1 + 0.005*jitter(4, p)
			counts := slices.Clone(c.counts)
			for i := range counts {
				counts[i] *= noise
			}
			return 10 * noise, counts
		})
		got := causeIn(r, "task")
		if got == nil || !slices.Equal(got.Attributes, c.want) || texts(got.Only) != c.only {
			t.Errorf("%s: %+v", name, r.Causes)
		}
	}
}

// Where nothing tells why those that are there differ, it is told who is not, if that is
// much of it; and the others of whom a mean is told are all others.
func TestAbsenceWhereNothingElseTells(t *testing.T) {
	for _, c := range []struct {
		absent int
		only   string
	}{{6, "[6 7 8 9 10 11 12 13 14 15]"}, {1, "[]"}} {
		r := counted(t, 16, []string{"common", "task", "more"}, []string{model.Instructions}, func(p int, region string) (float64, []float64) {
			switch {
			case region == "task" && p < c.absent:
				return 0, nil
			case region == "task" && p == 15:
				return 40, []float64{1e10}
			}
			return 20 * (1 + 0.002*jitter(7, p)), []float64{1e10 * (1 + 0.001*jitter(8, p))}
		})
		got := causeIn(r, "task")
		if got == nil || len(got.Attributes) > 0 || texts(got.Only) != c.only || texts(got.Slow) != "[15]" {
			t.Fatalf("%d absent: %+v", c.absent, r.Causes)
		}
		if want := 20 * float64(15-c.absent) / 15; math.Abs(float64(got.OthersMean)-want) > 0.1 {
			t.Errorf("the others' mean is %g, want %g", got.OthersMean, want)
		}
	}
}

// Any two numbers are correlated: of two units it is said which has more.
func TestTwoUnitsAreNoCorrelation(t *testing.T) {
	r := counted(t, 2, []string{"solve", "flux", "update", "norm"}, []string{"elements"}, func(p int, region string) (float64, []float64) {
		if region == "solve" && p == 1 {
			return 11.5, []float64{1.045e6}
		}
		return 10, []float64{1e6}
	})
	c := causeIn(r, "solve")
	if c == nil || len(c.Evidence) != 1 || c.Evidence[0].Gradual || texts(c.Evidence[0].High) != "[1]" || texts(c.Evidence[0].Low) != "[0]" {
		t.Errorf("%+v", r.Causes)
	}
}

// Of what is below zero there are no multiples.
func TestNoMultiplesOfLessThanNothing(t *testing.T) {
	r := counted(t, 8, []string{"solve", "flux"}, []string{"drift"}, func(p int, region string) (float64, []float64) {
		if region == "solve" && p%2 == 1 {
			return 20 * (1 + 0.002*jitter(5, p)), []float64{400 + jitter(6, p)}
		}
		return 10 * (1 + 0.002*jitter(5, p)), []float64{-100 + jitter(6, p)}
	})
	for _, c := range r.Causes {
		for _, e := range c.Evidence {
			if !e.Gradual {
				t.Errorf("%+v", e)
			}
		}
	}
	if c := causeIn(r, "solve"); c == nil || len(c.Evidence) == 0 {
		t.Errorf("%+v", r.Causes)
	}
}
