package ingest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
)

// part makes an experiment with one value per process in region "main".
func part(t *testing.T, source string, values map[int]float64) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	r := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	for process, v := range values {
		b.Set(b.Unit(model.Unit{Process: process}), r, m, v)
	}
	e, err := b.Build(model.Header{Name: source, Sources: []string{source}, Factors: []model.Factor{
		model.NewFactor("net", "GM"), model.NewFactor("file", source),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestJoinPutsRanksSideBySide(t *testing.T) {
	for name, parts := range map[string][]*model.Experiment{
		"numbered by the files":      {part(t, "b", map[int]float64{1: 20}), part(t, "a", map[int]float64{0: 10})},
		"numbered in order of files": {part(t, "a", map[int]float64{0: 10}), part(t, "b", map[int]float64{0: 20})},
	} {
		joined, err := Join(parts)
		if err != nil {
			t.Fatal(name, err)
		}
		if d := cmp.Diff([]float64{10, 20}, joined.Matrix(0).Data); d != "" {
			t.Error(name, d)
		}
		if f, _ := joined.Factor("ranks"); f.Number != 2 {
			t.Error(name, "ranks", f)
		}
		if _, ok := joined.Factor("file"); ok {
			t.Error(name, "kept a factor that differs between the files")
		}
		if _, ok := joined.Factor("net"); !ok {
			t.Error(name, "lost a factor that all files share")
		}
	}
}

func TestJoinRefusesDifferentRuns(t *testing.T) {
	_, err := Join([]*model.Experiment{part(t, "a", map[int]float64{0: 1, 1: 1}), part(t, "b", map[int]float64{0: 1, 1: 1})})
	if err == nil || !strings.Contains(err.Error(), "--each") {
		t.Fatal(err)
	}
}

func TestRepeatsKeepMeanDeviationAndCount(t *testing.T) {
	// 1, 2, 3: mean 2, sample deviation 1.
	e, err := Repeats([]*model.Experiment{
		part(t, "a", map[int]float64{0: 1}), part(t, "b", map[int]float64{0: 2}), part(t, "c", map[int]float64{0: 3}),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Summaries
	if e.Runs != 3 || s.Values[0][0] != 2 || s.Deviation[0][0] != 1 || s.Count[0] != 3 {
		t.Fatalf("%d runs, mean %v, deviation %v, count %v", e.Runs, s.Values[0], s.Deviation[0], s.Count)
	}
	if _, err := Repeats([]*model.Experiment{part(t, "a", map[int]float64{0: 1}), part(t, "b", map[int]float64{0: 1, 1: 1})}); err == nil {
		t.Error("runs of different size were joined")
	}
}

// A region entered in one of two runs counts as zero in the other.
func TestRepeatsCountAbsentTimesAsZero(t *testing.T) {
	second := part(t, "b", map[int]float64{0: 2})
	second.Regions[0].Name = "other"
	e, err := Repeats([]*model.Experiment{part(t, "a", map[int]float64{0: 4}), second})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{2, 1}, e.Matrix(0).Data); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{1, 1}, e.Summaries.Count); d != "" {
		t.Error(d)
	}
}

func TestNamePattern(t *testing.T) {
	for _, c := range []struct{ pattern, path, want string }{
		{"cap{cap}_{code}", "data.tgz/cap50_wrapped_lu8", "cap=50 code=wrapped_lu8"},
		{"{code}-{n}cores", "x/lulesh-27cores.json", "code=lulesh n=27"},
		{"run{n}", "a/run3/profile.ppk", "n=3"},
		{"cap{cap}_{code}", "x/dyn50_am8", ""},
	} {
		p, err := ParseNamePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		factors, err := p.Factors(c.path)
		var got []string
		for _, f := range factors {
			got = append(got, f.Name+"="+f.Word)
		}
		if strings.Join(got, " ") != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s on %s: %v %v, want %s", c.pattern, c.path, got, err, c.want)
		}
	}
	if _, err := ParseNamePattern("cap"); err == nil {
		t.Error("a pattern without braces was accepted")
	}
}

func TestNaturalOrder(t *testing.T) {
	names := []string{"rank-2", "rank-10", "rank-010", "a", "rank-1x"}
	for _, pair := range [][2]int{{0, 1}, {3, 0}, {4, 0}} {
		if input.CompareNatural(names[pair[0]], names[pair[1]]) >= 0 {
			t.Errorf("%s should stand before %s", names[pair[0]], names[pair[1]])
		}
	}
}

func TestJoinRanksOfATrainingJob(t *testing.T) {
	dir := inputtest.SampleData(t, "kineto", "hta-2ranks")
	found, err := Find([]string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var parts []*model.Experiment
	for _, src := range found.Sources {
		if src.Format != "chrome" {
			continue
		}
		e, err := Read(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, e)
	}
	joined, err := Join(parts)
	if err != nil {
		t.Fatal(err)
	}
	joined.Name = "hta"
	if err := joined.Check(); err != nil {
		t.Fatal(err)
	}
	// Two threads and five streams each; 4810 and 4675 events with a
	// duration, less the one that describes the trace.
	if len(joined.Units) != 14 || input.Processes(joined) != 2 {
		t.Errorf("units %v", joined.Units)
	}
	calls := inputtest.MatrixOf(t, joined, "calls")
	all := 0.0
	for u := range joined.Units {
		all += inputtest.RowSum(calls, u)
	}
	inputtest.WantNear(t, "calls", all, 4810+4675)
	wtime := inputtest.MatrixOf(t, joined, "wtime.exc")
	kernels, comm := 0.0, 0.0
	for r, region := range joined.Regions {
		for u := range joined.Units {
			switch region.Kind {
			case model.Kernel:
				kernels += wtime.At(u, r)
			case model.Comm:
				comm += wtime.At(u, r)
			}
		}
	}
	if kernels < 0.01 || comm < 0.01 {
		t.Errorf("%v s in kernels and %v s in communication", kernels, comm)
	}
}
