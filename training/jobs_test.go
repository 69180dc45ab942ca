package training_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/ingest/kineto"
	"auspex/training"
)

// jobOf reads the traces of a folder.
func jobOf(t *testing.T, dir string) *training.Result {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*rank*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces in %s (%v)", dir, err)
	}
	var ranks []*training.Rank
	for _, file := range files {
		trace, err := kineto.ReadFile(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, training.Summarize(trace))
	}
	result, err := training.Stragglers(ranks)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestJobs counts right answers on jobs made by scripts/training-jobs.py, which
// are too large to keep: AUSPEX_TRAINING_JOBS names the folder with them. An
// answer is right where it names the planted rank, no other, and the side on
// which the cause was planted.
func TestJobs(t *testing.T) {
	root := os.Getenv("AUSPEX_TRAINING_JOBS")
	if root == "" {
		t.Skip("AUSPEX_TRAINING_JOBS is not set")
	}
	truths, err := filepath.Glob(filepath.Join(root, "*", "*", "truth.json"))
	if err != nil || len(truths) == 0 {
		t.Fatalf("no jobs in %s (%v)", root, err)
	}
	planted, named, right, balanced, alarms := 0, 0, 0, 0, 0
	for _, file := range truths {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		truth := struct {
			Cause  string
			Rank   int
			Side   string // several, with spaces, where either is right
			Second int    // another rank with the same cause
		}{Second: -1}
		if err := json.Unmarshal(data, &truth); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(file)
		result := jobOf(t, dir)
		label := strings.TrimPrefix(dir, root)
		if truth.Rank < 0 {
			balanced++
			if len(result.Stragglers) > 0 {
				alarms++
				t.Logf("%s: FALSE ALARM: %s", label, result.Words)
			}
			continue
		}
		planted++
		want, got := []int{truth.Rank}, []int{}
		if truth.Second >= 0 {
			want = append(want, truth.Second)
		}
		for _, s := range result.Stragglers {
			got = append(got, s.Rank)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Logf("%s: WRONG, planted on rank %d: %s", label, want, result.Words)
			continue
		}
		named++
		s := result.Stragglers[0]
		if !strings.Contains(truth.Side, string(s.Side)) {
			t.Logf("%s: the rank is right, its cause is not %s/%s: %s", label, s.Side, s.Cause, result.Words)
			continue
		}
		right++
		t.Logf("%s: %s/%s %s", label, s.Side, s.Cause, result.Words)
	}
	t.Logf("%d of %d planted causes right (rank %d), %d false alarms in %d balanced jobs", right, planted, named, alarms, balanced)
}
