package pop_test

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"auspex/events/paraver"
	"auspex/pop"
)

// eight are the lines of the trace of 8 processes.
func eight(t *testing.T) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(epochDir, "epoch_8proc.prv.gz"))
	if err != nil {
		t.Skip("the traces of EPOCH are not here")
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	sc := bufio.NewScanner(z)
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	if sc.Err() != nil {
		t.Fatal(sc.Err())
	}
	return lines
}

func measured(t *testing.T, lines []string) pop.Factors {
	t.Helper()
	return pop.Of(run(t, lines))
}

// run measures a trace without its .pcf.
func run(t *testing.T, lines []string) pop.Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "variant.prv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := paraver.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rankOf is the process that a record is of, and the other one of a message.
func rankOf(line string) (rank, peer int) {
	f := strings.Split(line, ":")
	if len(f) < 6 || f[0] == "c" || strings.HasPrefix(line, "#") {
		return 0, 0
	}
	rank, _ = strconv.Atoi(f[3])
	if f[0] == "3" {
		peer, _ = strconv.Atoi(f[9])
	}
	return rank, peer
}

func like(t *testing.T, what string, got, want *float64, within float64) {
	t.Helper()
	if got == nil || math.Abs(*got-*want) > within {
		t.Errorf("%s is %v, not %v", what, show(got), *want)
	}
}

// TestTwice: the same run beside itself, as 16 processes in one world, has the
// factors of the run.
func TestTwice(t *testing.T) {
	lines := eight(t)
	var twice []string
	for i, line := range lines {
		rank, _ := rankOf(line)
		switch {
		case i == 0:
			head, _, _ := strings.Cut(line, ":1(8):")
			twice = append(twice, head+":1(16):1:16("+strings.TrimSuffix(strings.Repeat("1:1,", 16), ",")+"),9")
		case strings.HasPrefix(line, "c:1:1:8"):
			twice = append(twice, "c:1:1:16:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16")
		case rank == 0:
			twice = append(twice, line)
		default:
			f := strings.Split(line, ":")
			for _, k := range []int{1, 3, 7, 9} {
				if k < 4 || f[0] == "3" {
					n, _ := strconv.Atoi(f[k])
					f[k] = strconv.Itoa(n + 8)
				}
			}
			twice = append(twice, line, strings.Join(f, ":"))
		}
	}
	want, got := measured(t, lines), measured(t, twice)
	if got.Ranks != 16 {
		t.Fatalf("%d ranks", got.Ranks)
	}
	like(t, "load balance", got.LoadBalance, want.LoadBalance, 1e-9)
	like(t, "communication", got.Communication, want.Communication, 1e-9)
	like(t, "serialization", got.Serialization, want.Serialization, 1e-9)
	like(t, "transfer", got.Transfer, want.Transfer, 1e-9)
	like(t, "ideal run time", got.Ideal, want.Ideal, 1e-9)
}

// TestRankMissing: without a rank's records there is no replay, and that is
// said; what needs none is told.
func TestRankMissing(t *testing.T) {
	var left []string
	for _, line := range eight(t) {
		if rank, peer := rankOf(line); rank != 3 && peer != 3 {
			left = append(left, line)
		}
	}
	f := measured(t, left)
	if f.Serialization != nil || f.Transfer != nil || f.LoadBalance == nil || f.Communication == nil {
		t.Errorf("%+v", f)
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "no computation of rank 2,") || !strings.Contains(notes, "cannot be replayed") {
		t.Errorf("noted: %s", notes)
	}
}

// TestNoStates: without states the time between calls is computation.
func TestNoStates(t *testing.T) {
	lines := eight(t)
	var left []string
	for _, line := range lines {
		if !strings.HasPrefix(line, "1:") {
			left = append(left, line)
		}
	}
	want, got := measured(t, lines), measured(t, left)
	like(t, "load balance", got.LoadBalance, want.LoadBalance, 0.005)
	like(t, "serialization", got.Serialization, want.Serialization, 0.005)
	if len(got.Notes) > 0 {
		t.Errorf("noted: %v", got.Notes)
	}
}
