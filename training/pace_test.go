package training_test

import (
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/kineto"
	"auspex/training"
)

// slowed is a real job whose kernels all take longer.
func slowed(t *testing.T, by float64, files ...string) *training.Result {
	t.Helper()
	var ranks []*training.Rank
	for _, file := range files {
		trace, err := kineto.ReadFile(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range trace.Len() {
			if v := trace.At(i); v.Kind == training.Kernel {
				v.Length = int64(float64(v.Length) * by)
			}
		}
		ranks = append(ranks, training.Summarize(trace))
	}
	r, err := training.Stragglers(ranks)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUniformlySlowDevices: nobody waits where all devices are slow alike; held
// against an earlier run, or one trace of a device known to be good, it shows.
func TestUniformlySlowDevices(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared(t, "ml-training/balanced"), "*.json.gz"))
	slow := slowed(t, 1.4, files...)
	if len(slow.Stragglers) > 0 {
		t.Fatalf("all alike: %s", slow.Words)
	}
	for name, before := range map[string]*training.Result{"an earlier run": slowed(t, 1, files...), "one device": slowed(t, 1, files[0])} {
		r := *slow
		r.Against(before)
		if r.Uniform == nil || r.Uniform.Pace == nil || !strings.Contains(r.Words, "look at the devices") {
			t.Fatalf("against %s: %+v, %s", name, r.Uniform, r.Words)
		}
		near(t, "the pace", *r.Uniform.Pace, 1.4, 0.05)
	}
	same := slowed(t, 1, files...)
	same.Against(slowed(t, 1, files...))
	if *same.Uniform.Pace != 1 || !strings.Contains(same.Words, "takes as long as there") {
		t.Errorf("against itself: %s", same.Words)
	}
}

// TestUniformlySlowTables: the same for tables of operations.
func TestUniformlySlowTables(t *testing.T) {
	job := func(time float64) *training.Result {
		r, err := training.WhatIf(pipeline(t, 2, 2, 3, 4, func(int, int, int, bool) float64 { return time }))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := job(0.13)
	r.Against(job(0.1))
	if r.Uniform.Pace == nil || *r.Uniform.Pace < 1.25 || *r.Uniform.Pace > 1.31 || !strings.Contains(r.Words, "look at the devices") {
		t.Errorf("%+v %s", r.Uniform, r.Words)
	}
}
