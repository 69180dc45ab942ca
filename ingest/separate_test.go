package ingest

import (
	"strings"
	"testing"
	"time"

	"auspex/model"
)

// A measured run comes from no file.
func TestRepeatsOfMeasuredRuns(t *testing.T) {
	a, b := part(t, "", map[int]float64{0: 1}), part(t, "", map[int]float64{0: 1, 1: 1})
	a.Sources, b.Sources = nil, nil
	if _, err := Repeats([]*model.Experiment{a, b}); err == nil || !strings.Contains(err.Error(), "run 1 has 1 units and run 2 has 2") {
		t.Error(err)
	}
	if _, err := Join([]*model.Experiment{b, b}); err == nil || !strings.Contains(err.Error(), "run 1 and run 2 both hold") {
		t.Error(err)
	}
}

func TestIncompleteRunsStaySo(t *testing.T) {
	whole, killed := part(t, "a", map[int]float64{0: 1}), part(t, "b", map[int]float64{0: 1})
	killed.Incomplete = "rank 0 was killed in solve"
	for name, combine := range map[string]func([]*model.Experiment) (*model.Experiment, error){"join": Join, "repeats": Repeats} {
		e, err := combine([]*model.Experiment{whole, killed})
		if err != nil {
			t.Fatal(err)
		}
		if e.Incomplete != "b: rank 0 was killed in solve" {
			t.Errorf("%s: incomplete %q", name, e.Incomplete)
		}
		if e, err = combine([]*model.Experiment{whole, whole}); err != nil || e.Incomplete != "" {
			t.Errorf("%s of whole runs: %v, incomplete %q", name, err, e.Incomplete)
		}
	}
}

func TestSeparate(t *testing.T) {
	now := time.Now()
	changed := func(source string, values map[int]float64, change func(e *model.Experiment)) *model.Experiment {
		e := part(t, source, values)
		change(e)
		return e
	}
	size := func(source string, n float64, begun time.Time) *model.Experiment {
		return changed(source, map[int]float64{0: 1}, func(e *model.Experiment) {
			e.SetFactor(model.NumberFactor("jobsize", n))
			e.Created = begun
		})
	}
	one, two := map[int]float64{0: 1}, map[int]float64{0: 1, 1: 1}
	old := now.Add(-100 * time.Hour)
	for name, c := range map[string]struct {
		parts []*model.Experiment
		why   string
	}{
		"ranks in files of their own": {[]*model.Experiment{part(t, "a", one), part(t, "b", one)}, ""},
		"ranks begun within seconds": {[]*model.Experiment{
			changed("a", one, func(e *model.Experiment) { e.Created = old }),
			changed("b", one, func(e *model.Experiment) { e.Created = old.Add(20 * time.Second) }),
		}, ""},
		"begun on other days": {[]*model.Experiment{
			changed("a", one, func(e *model.Experiment) { e.Created = old }),
			changed("b", one, func(e *model.Experiment) { e.Created = old.Add(24 * time.Hour) }),
		}, "a and b differ in launch date"},
		"no date": {[]*model.Experiment{
			changed("a", one, func(e *model.Experiment) { e.Created = now.Add(time.Second) }),
			changed("b", one, func(e *model.Experiment) { e.Created = now.Add(time.Hour) }),
		}, ""},
		"commands": {[]*model.Experiment{
			changed("a", one, func(e *model.Experiment) { e.Command = "x -s 10" }),
			changed("b", one, func(e *model.Experiment) { e.Command = "x -s 20" }),
		}, "command (x -s 10, x -s 20)"},
		"programs named after their ranks": {[]*model.Experiment{
			changed("a", one, func(e *model.Experiment) { e.Program = "trainer:0" }),
			changed("b", map[int]float64{1: 1}, func(e *model.Experiment) {
				e.Program = "trainer:1"
				e.SetFactor(model.NumberFactor("world_size", 128))
			}),
		}, ""},
		"programs": {[]*model.Experiment{
			changed("a", one, func(e *model.Experiment) { e.Program = "x" }),
			changed("b", one, func(e *model.Experiment) { e.Program = "y" }),
		}, "program (x, y)"},
		"sizes":                         {[]*model.Experiment{size("a", 27, old), size("b", 343, old)}, "size of the job (27, 343 processes)"},
		"all ranks summed up in each":   {[]*model.Experiment{size("a", 27, old), size("b", 27, old)}, "b stands for all 27 processes"},
		"as many files as the job says": {[]*model.Experiment{size("a", 2, old), size("b", 2, old)}, ""},
		"the same several processes":    {[]*model.Experiment{part(t, "a", two), part(t, "b", two)}, "a and b both hold process"},
	} {
		if why := Separate(c.parts, now); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, want %q", name, why, c.why)
		}
	}
}

func TestRepeatsRefusesOtherBuilds(t *testing.T) {
	for factor, refused := range map[string]bool{"compiler": true, "cmake_build_type": true, "Compiler Version": true, "version": true, "seed": false, "node": false} {
		a, b := part(t, "a", map[int]float64{0: 1}), part(t, "b", map[int]float64{0: 1})
		a.SetFactor(model.NewFactor(factor, "x"))
		b.SetFactor(model.NewFactor(factor, "y"))
		_, err := Repeats([]*model.Experiment{a, b})
		if (err != nil) != refused {
			t.Errorf("%s differs: %v", factor, err)
		}
		if refused && !strings.Contains(err.Error(), "different builds ("+factor+": x, y)") {
			t.Error(err)
		}
	}
}
