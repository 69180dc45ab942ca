package training_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/operations"
	"auspex/training"
)

// shared is the real data that lies beside the project.
func shared(t *testing.T, path string) string {
	t.Helper()
	full := filepath.Join("../../shared/data", path)
	if _, err := os.Stat(full); err != nil {
		t.Skip("the test needs the real traces that lie beside the project in ../shared/data")
	}
	return full
}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*math.Abs(want) {
		t.Errorf("%s is %.6g, not %.6g", what, got, want)
	}
}

func regionOf(r training.RankResult, name string) float64 {
	for _, region := range r.Regions {
		if region.Region == name {
			return region.Seconds
		}
	}
	return 0
}

// TestPlantedCauses: the times are those of ml-training/NOTES.md.
func TestPlantedCauses(t *testing.T) {
	t.Run("balanced", func(t *testing.T) {
		r := jobOf(t, shared(t, "ml-training/balanced"))
		if len(r.Stragglers) != 0 {
			t.Errorf("nobody stands out, and yet: %s", r.Words)
		}
		near(t, "all steps", r.Seconds, 0.115, 0.05)
	})
	t.Run("compute", func(t *testing.T) {
		r := jobOf(t, shared(t, "ml-training/compute"))
		if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 2 || r.Stragglers[0].Cause != "more work" {
			t.Fatalf("rank 2 has more work, not: %s", r.Words)
		}
		near(t, "all steps", r.Seconds, 0.146, 0.05)
		for i, want := range []float64{0.0080, 0.0080, 0.0196, 0.0080} {
			near(t, "kernels", *r.Ranks[i].Kernels, want, 0.05)
		}
		for i, want := range []float64{0.165, 0.163, 0.117, 0.158} {
			near(t, "all_reduce", *r.Ranks[i].Collective, want, 0.05)
		}
		near(t, "load_batch", regionOf(r.Ranks[2], "load_batch"), 0.026, 0.05)
		near(t, "load_batch, as said", r.Stragglers[0].Seconds, 0.026, 0.05)
		near(t, "the others' load_batch", r.Stragglers[0].Others, 0.009, 0.05)
	})
	t.Run("loader", func(t *testing.T) {
		r := jobOf(t, shared(t, "ml-training/loader"))
		if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 1 || r.Stragglers[0].Region != "load_batch" || r.Stragglers[0].Side != training.Host {
			t.Fatalf("rank 1 loads slowly, not: %s", r.Words)
		}
		near(t, "all steps", r.Seconds, 0.310, 0.05)
		for i, want := range []float64{0.0085, 0.210, 0.010, 0.0114} {
			near(t, "load_batch", regionOf(r.Ranks[i], "load_batch"), want, 0.05)
		}
		near(t, "load_batch, as said", r.Stragglers[0].Seconds, 0.210, 0.05)
		near(t, "the others' load_batch", r.Stragglers[0].Others, 0.010, 0.05)
		for i, want := range []float64{0.497, 0.089, 0.496, 0.490} {
			near(t, "all_reduce", *r.Ranks[i].Collective, want, 0.05)
		}
		for _, s := range r.Steps {
			if s.LastRank == nil || *s.LastRank != 1 || s.Waited < 0.06 {
				t.Errorf("in step %d all wait for rank 1: %+v", s.Step, s)
			}
		}
		if !strings.Contains(r.Words, "loader workers") {
			t.Errorf("no fix: %s", r.Words)
		}
	})
}

// TestRanksThatAreNotHere: two of 128 ranks, says their distributedInfo.
func TestRanksThatAreNotHere(t *testing.T) {
	r := jobOf(t, shared(t, "kineto/hta-2ranks"))
	if r.World != 128 || r.Present != 2 || !strings.Contains(r.Words, "2 of 128 ranks are here") {
		t.Errorf("%d of %d: %s", r.Present, r.World, r.Words)
	}
}

// TestWhatIfOfRealJobs: the answers of the authors of arXiv 2505.05713, as
// llm-stragglers/NOTES.md gives them.
func TestWhatIfOfRealJobs(t *testing.T) {
	for _, job := range []struct {
		name                      string
		slowdown, worst, last     float64
		measured, ideal           float64
		ranks, stages             map[int]float64
		forward, backward, within float64
	}{
		{"ST", 1.1787, 0.031, 1.219, 2.1727, 1.8433, map[int]float64{0: 1.173, 1: 1.178}, map[int]float64{0: 0.998, 1: 0.983, 3: 1.232}, 1.087, 1.074, 0.01},
		{"AR", 1.9730, 1.002, -0.001, 46.3364, 23.4847, map[int]float64{0: 1.973, 2: 1.011, 3: 1.011}, map[int]float64{0: 1.979, 1: 0.997, 3: 1.002}, 1.369, 1.581, 0.01},
	} {
		t.Run(job.name, func(t *testing.T) {
			file := shared(t, "llm-stragglers/trace-"+job.name+".parquet")
			table, err := operations.Read(t.Context(), file, file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := training.WhatIf(table)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "S", *r.Slowdown, job.slowdown, job.within)
			near(t, "the step", r.Seconds/float64(len(r.Steps)), job.measured, job.within)
			near(t, "the ideal step", *r.Ideal/float64(len(r.Steps)), job.ideal, job.within)
			for rank, want := range job.ranks {
				near(t, "a rank", *r.Ranks[rank].Slowdown, want, job.within)
			}
			for stage, want := range job.stages {
				near(t, "a stage", r.Stages[stage].Slowdown, want, job.within)
			}
			for _, k := range r.Kinds {
				switch k.Kind {
				case "forward-compute":
					near(t, k.Kind, k.Slowdown, job.forward, job.within)
				case "backward-compute":
					near(t, k.Kind, k.Slowdown, job.backward, job.within)
				}
			}
			if math.Abs(*r.WorstWorkers-job.worst) > 0.01 || math.Abs(*r.LastStage-job.last) > 0.01 {
				t.Errorf("worst workers %.4f and last stage %.4f, not %.3f and %.3f", *r.WorstWorkers, *r.LastStage, job.worst, job.last)
			}
		})
	}
}
