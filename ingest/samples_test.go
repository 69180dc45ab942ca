package ingest

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"auspex/model"
)

var update = flag.Bool("update", false, "rewrite the table of samples in docs/formats.md")

// samples are the real files beside the project, by folder.
var samples = []struct{ what, folder, format string }{
	{"TAU profile files, packed and merged", "tau-gromacs-scaling tau-mpas-128-papi tau-nas-bt-16 tau-powercap-45runs tau-xml-8ranks small-format-samples/tau-profile-files", ""},
	{"Caliper `json-split`, `json`", "caliper-lulesh-scaling rajaperf-ensemble", ""},
	{"Caliper `.cali`", "caliper-cali", ""},
	{"HPCToolkit 2 and 4", "hpctoolkit-allgather-10x2 small-format-samples/hpctoolkit-v4", ""},
	{"Score-P `.cubex`", "small-format-samples/scorep-cubex small-format-samples/cubex-threaded-5pts", ""},
	{"OTF2", "small-format-samples/otf2-pingpong", ""},
	{"Kineto", "kineto ml-training", ""},
	{"tables of operations", "llm-stragglers", "operations"},
	{"Paraver", "paraver-epoch", ""},
}

// TestSamples reads every sample and counts: read, refused with an error that
// names the file, or wrong, which is anything else. The table of docs/formats.md
// is what it counts; -update rewrites it.
func TestSamples(t *testing.T) {
	root := "../../shared/data"
	if _, err := os.Stat(root); err != nil {
		t.Skip("the test needs the real files that lie beside the project in ../shared/data")
	}
	if _, err := exec.LookPath("otf2-print"); err != nil {
		t.Skip("otf2-print is not installed (Debian package otf2-tools)")
	}
	table := "| sample | profiles | read | refused clearly | wrong |\n|---|---|---|---|---|\n"
	for _, s := range samples {
		var read, refused, wrong int
		for _, folder := range strings.Fields(s.folder) {
			sources := sourcesIn(t, filepath.Join(root, folder), s.format)
			for _, src := range sources {
				e, err := Read(t.Context(), src)
				switch {
				case err == nil && whole(e):
					read++
				case err != nil && strings.Contains(err.Error(), filepath.Base(src.Path)):
					refused++
				default:
					wrong++
					t.Errorf("%s: %v", src.Given, err)
				}
			}
			if len(sources) == 0 {
				t.Errorf("nothing in %s", folder)
			}
		}
		table += fmt.Sprintf("| %s | %d | %d | %d | %d |\n", s.what, read+refused+wrong, read, refused, wrong)
	}
	doc := "../docs/formats.md"
	data, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	from := strings.Index(string(data), "| sample | profiles |")
	if from < 0 {
		t.Fatal("docs/formats.md has no table of samples")
	}
	to := from + strings.LastIndex(string(data)[from:], "|\n") + 2
	if got := string(data)[from:to]; got != table {
		if *update {
			if err := os.WriteFile(doc, []byte(string(data)[:from]+table+string(data)[to:]), 0o666); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Errorf("docs/formats.md says\n%sbut it is\n%s(go test ./ingest -run TestSamples -update rewrites it)", got, table)
	}
}

// sourcesIn finds the profiles of a folder; each file for itself where a format
// is given.
func sourcesIn(t *testing.T, folder, format string) []*Source {
	t.Helper()
	paths := []string{folder}
	if format != "" {
		var err error
		if paths, err = filepath.Glob(filepath.Join(folder, "*.parquet")); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find(paths, format)
	if err != nil {
		return nil
	}
	t.Cleanup(func() { found.Close() })
	return found.Sources
}

// whole tells experiments with units, regions and finite values, some of them
// above zero.
func whole(e *model.Experiment) bool {
	if len(e.Units) == 0 || len(e.Regions) == 0 || len(e.Metrics) == 0 {
		return false
	}
	positive := false
	for i := range e.Metrics {
		m := e.Matrix(i)
		for u := range e.Units {
			for r := range e.Regions {
				v := m.At(u, r)
				if math.IsInf(v, 0) {
					return false
				}
				positive = positive || v > 0
			}
		}
		if positive {
			return true
		}
	}
	return positive
}
