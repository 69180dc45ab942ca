package ingest

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"auspex/ingest/inputtest"
)

// TestCompressedText: the small formats are recognised and read compressed as
// they are plain, and an empty file is none of them.
func TestCompressedText(t *testing.T) {
	for format, text := range map[string]string{
		"perf":      "p  6723  4927.851468:     500000 cpu-clock: \n\t            116c work+0x33 (/home/p)\n\t            1240 main+0x12 (/home/p)\n\n",
		"folded":    "p;main;work 42\np;main 3.5\n",
		"callgrind": "# callgrind format\nversion: 1\nevents: Ir\nfl=(1) a.c\nfn=(1) main\n3 20\n",
		"cprofile":  "{)\x03z\x04a.pyi\x03\x00\x00\x00z\x01f)\x05i\x01\x00\x00\x00i\x01\x00\x00\x00f\x030.5f\x031.0{00",
		"pprof":     "heap profile:    3:     3072 [     5:     7000] @ heapprofile\n     3:     3072 [     5:     7000] @ 0x400100 0x400200\n\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 fd:01 123 /home/me/prog\n",
	} {
		var sums [2]float64
		for i, content := range [][]byte{[]byte(text), inputtest.Gzipped(t, []byte(text))} {
			path := filepath.Join(t.TempDir(), "profile")
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			e := inputtest.ReadOne(t, formats(), path, format)
			for _, column := range e.Summaries.Values {
				for _, v := range column {
					if !math.IsNaN(v) {
						sums[i] += v
					}
				}
			}
		}
		if sums[0] != sums[1] || !(sums[0] > 0) {
			t.Errorf("%s: %v plain, %v compressed", format, sums[0], sums[1])
		}
	}
	path := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if found, err := Find([]string{path}, ""); err == nil {
		t.Errorf("an empty file is %s", found.Sources[0].Format)
		found.Close()
	}
}
