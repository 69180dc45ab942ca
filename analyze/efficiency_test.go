package analyze

import (
	"fmt"
	"math"
	"testing"

	"auspex/internal/sample"
	"auspex/model"
)

// realData imports one of the real profiles that lie beside the project.
func realData(t testing.TB, path string) *Dataset {
	t.Helper()
	return dataset(t, sample.Real(t, path))
}

// dataset stores an experiment and opens it.
func dataset(t testing.TB, e *model.Experiment) *Dataset {
	t.Helper()
	d, err := Open(sample.Stored(t, e))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The figures are those of the NOTES.md beside the data, computed there from
// the files by other means.
func TestEfficiencyOfRealPrograms(t *testing.T) {
	for _, c := range []struct {
		path                            string
		balance, communication, runtime float64
	}{
		{"tau-gromacs-scaling/2.ppk", .987, .979, 638.3},
		{"tau-gromacs-scaling/4.ppk", .970, .956, 352.6},
		{"tau-gromacs-scaling/8.ppk", .960, .804, 204.6},
		{"tau-gromacs-scaling/16.ppk", .580, .832, 164.0},
		{"tau-gromacs-scaling/32.ppk", .535, .730, 101.2},
		{"caliper-lulesh-scaling/lulesh-annotation-profile-8cores.json", .944, .725, 43.6},
		{"caliper-lulesh-scaling/lulesh-annotation-profile-27cores.json", .917, .769, 50.9},
		{"caliper-lulesh-scaling/lulesh-annotation-profile-64cores.json", .899, .828, 51.2},
		{"tau-mpas-128-papi/mpas.ppk", .778, .907, 819.6},
	} {
		t.Run(c.path, func(t *testing.T) {
			s, err := Summarise(realData(t, c.path), 5)
			if err != nil {
				t.Fatal(err)
			}
			near := func(what string, got Real, want, tolerance float64) {
				if !(math.Abs(float64(got)-want) <= tolerance) {
					t.Errorf("%s %.4f, want %.3f", what, got, want)
				}
			}
			near("load balance", s.Efficiency.LoadBalance, c.balance, 0.001)
			near("communication", s.Efficiency.Communication, c.communication, 0.001)
			near("parallel", s.Efficiency.Parallel, c.balance*c.communication, 0.002)
			near("run time", s.Runtime, c.runtime, 0.1)
		})
	}
}

// Two processes, work 3 and 1, waiting 1 and 3, in a run of 4: load balance
// 2/3, communication efficiency 3/4, parallel efficiency 1/2.
func TestEfficiencyByHand(t *testing.T) {
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	wait := b.Region(model.Region{Name: "MPI_Wait", Kind: model.MPI, Parent: root})
	for process, work := range []float64{3, 1} {
		u := b.Unit(model.Unit{Process: process})
		b.Set(u, root, m, work)
		b.Set(u, wait, m, 4-work)
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarise(dataset(t, e), 9)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Efficiency
	want := [3]Real{Real(2.0 / 3), 0.75, 0.5}
	if fmt.Sprintf("%.12f", [3]Real{got.LoadBalance, got.Communication, got.Parallel}) != fmt.Sprintf("%.12f", want) || s.Runtime != 4 || got.Serialization != nil {
		t.Errorf("%+v in %v, want %v in 4", got, s.Runtime, want)
	}
	if got.Split(0.8, 0); *got.Serialization != 0.8 || math.Abs(float64(*got.Transfer)-0.9375) > 1e-12 || got.Cores != nil {
		t.Errorf("communication 0.75 of 0.8 is split into %v and %v", *got.Serialization, *got.Transfer)
	}
}

// An experiment without times, or with times of zero, has no efficiency: null
// in JSON, never NaN.
func TestEfficiencyOfNothing(t *testing.T) {
	for _, metric := range []model.Metric{model.NewMetric(model.WallTime, "", model.Exclusive), model.NewMetric(model.Instructions, "", model.Exclusive)} {
		b := model.NewBuilder()
		b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: "main", Parent: model.NoParent}), b.Metric(metric), 0)
		e, err := b.Build(model.Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Summarise(dataset(t, e), 9)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Efficiency.Parallel.IsMissing() {
			t.Errorf("%s: parallel efficiency %v", metric.Name, s.Efficiency.Parallel)
		}
		if text, err := s.Efficiency.Parallel.MarshalJSON(); err != nil || string(text) != "null" {
			t.Errorf("%s: %s, %v", metric.Name, text, err)
		}
	}
}

func TestMetricNamesResolve(t *testing.T) {
	b := model.NewBuilder()
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	child := b.Region(model.Region{Name: "solve", Parent: root})
	m := b.Metric(model.NewMetric(model.Instructions, "PAPI_TOT_INS", model.Exclusive))
	u := b.Unit(model.Unit{})
	b.Set(u, root, m, 1)
	b.Set(u, child, m, 10)
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	d := dataset(t, e)
	for name, want := range map[string]float64{
		"instructions": 1, "instructions.exc": 1, "instructions.inc": 11, "PAPI_TOT_INS": 1, "papi_tot_ins.inc": 11,
	} {
		matrix, err := d.Matrix(name)
		if err != nil || matrix.At(0, 0) != want {
			t.Errorf("%s: %v, %v; want %v", name, matrix.Data, err, want)
		}
	}
	if _, err := d.Matrix("instruction"); err == nil || err.Error() != `experiment "x" has no metric "instruction"; did you mean instructions?` {
		t.Error(err)
	}
}

// TestMeansOfProcesses: of means over processes the parallel efficiency is
// known, the load balance is not.
func TestMeansOfProcesses(t *testing.T) {
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	u := b.Unit(model.Unit{})
	b.Set(u, b.Region(model.Region{Name: "work", Parent: model.NoParent}), m, 3)
	b.Set(u, b.Region(model.Region{Name: "MPI_Wait", Kind: model.MPI, Parent: model.NoParent}), m, 1)
	header := model.Header{Name: "means"}
	header.SetFactor(model.NumberFactor(model.AveragedOver, 125))
	e, err := b.Build(header)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarise(dataset(t, e), 5)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Efficiency.LoadBalance.IsMissing() || !s.Efficiency.Communication.IsMissing() || s.Efficiency.Parallel != 0.75 {
		t.Errorf("efficiency %+v", s.Efficiency)
	}
	if !s.Heaviest[0].Imbalance.IsMissing() || !s.Heaviest[0].Max.IsMissing() || s.Heaviest[0].Mean != 3 {
		t.Errorf("heaviest %+v", s.Heaviest[0])
	}
}
