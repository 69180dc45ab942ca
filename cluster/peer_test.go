package cluster

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPeerR runs R's dbscan package and this one on the same points in the
// same run and prints the ratio of times. It needs Rscript with dbscan
// (Debian: r-cran-dbscan) and is asked for with AUSPEX_PEERS=1;
// AUSPEX_PEER_POINTS changes the number of points.
func TestPeerR(t *testing.T) {
	if os.Getenv("AUSPEX_PEERS") != "1" {
		t.Skip("set AUSPEX_PEERS=1 to compare with R, it takes half a minute")
	}
	rscript, err := exec.LookPath("Rscript")
	if err != nil {
		t.Skip("Rscript is not installed")
	}
	n := 30_000
	if s := os.Getenv("AUSPEX_PEER_POINTS"); s != "" {
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	p, truth := planted(n, 20, 6, 1)

	// Half of our runs before R's and half after. The best counts, as other
	// work on the machine can only make a short run look slower.
	var ours []int
	var took []float64
	run := func() {
		start := time.Now()
		o, err := Optics(t.Context(), p, Options{MinPts: 5, Eps: 10})
		if err != nil {
			t.Fatal(err)
		}
		ours = o.At(10)
		took = append(took, time.Since(start).Seconds())
	}
	for range 3 {
		run()
	}
	theirs, seconds := peerOptics(t, rscript, p)
	for range 3 {
		run()
	}
	slices.Sort(took)
	best, median := took[0], (took[2]+took[3])/2
	ratio := seconds / best
	ariPeer, ariTruth := RandIndex(ours, theirs), RandIndex(ours, truth)
	fmt.Printf("OPTICS of %d x %d: R dbscan %.2f s, auspex best %.3f s, median %.3f s, ratio %.1f; adjusted Rand index to R %.6f, to the planted kinds %.6f\n",
		p.N, p.Dim, seconds, best, median, ratio, ariPeer, ariTruth)
	if ratio < 25 && n == 30_000 {
		t.Errorf("ratio %.1f, want at least 25", ratio)
	}
	if ariPeer < 0.999 || ariTruth < 0.999 {
		t.Errorf("adjusted Rand index %v to R, %v to the truth, want 0.999", ariPeer, ariTruth)
	}
}

// peerOptics has R order and cut the points, and returns its labels and the
// seconds it took without reading and writing.
func peerOptics(t *testing.T, rscript string, p Points) ([]int, float64) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "points"), filepath.Join(dir, "labels")
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := binary.Write(f, binary.LittleEndian, p.Data); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`
		suppressMessages(library(dbscan))
		x <- matrix(readBin(%q, "double", %d), ncol = %d, byrow = TRUE)
		time <- system.time({ o <- optics(x, eps = 10, minPts = 5); l <- extractDBSCAN(o, 10)$cluster })
		writeLines(c(as.character(time[["elapsed"]]), as.character(l)), %q)`, in, len(p.Data), p.Dim, out)
	program := filepath.Join(dir, "optics.R")
	if err := os.WriteFile(program, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.CommandContext(t.Context(), rscript, program).CombinedOutput(); err != nil {
		t.Skipf("R cannot run dbscan: %v\n%s", err, msg)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	if len(lines) != p.N+1 {
		t.Fatalf("R wrote %d lines for %d points", len(lines), p.N)
	}
	seconds, err := strconv.ParseFloat(lines[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]int, p.N)
	for i, s := range lines[1:] {
		l, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		labels[i] = l - 1 // R counts from 1 and calls noise 0
	}
	return labels, seconds
}
