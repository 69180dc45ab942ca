package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLastStored: a command without its experiment takes the one stored last and says
// so, one that was named is not talked about, and an empty store is told as that.
func TestLastStored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AUSPEX_STORE", filepath.Join(dir, "store"))
	run := func(line string) (status int, out, said string) {
		var o, e strings.Builder
		status = Main(strings.Fields(line), strings.NewReader(""), &o, &e)
		return status, o.String(), e.String()
	}
	if status, _, said := run("show"); status != 2 || !strings.Contains(said, "has none: `auspex run -- COMMAND` measures one") {
		t.Errorf("an empty store: status %d, %q", status, said)
	}
	if status, _, said := run("--store clickhouse://localhost/perf show"); status != 2 || !strings.Contains(said, "name an experiment") {
		t.Errorf("a site: status %d, %q", status, said)
	}
	for _, name := range []string{"zeta", "alpha"} { // not in the names' order
		profile := filepath.Join(dir, name+".csv")
		if err := os.WriteFile(profile, []byte("process,region,metric,value\n0,main,wtime,1\n1,main,wtime,2\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if status, _, said := run("import " + profile); status != 0 {
			t.Fatal(said)
		}
		if name == "zeta" {
			if _, _, said := run("show"); said != "auspex: taking zeta, the only experiment\n" {
				t.Errorf("one experiment: said %q", said)
			}
		}
	}
	const taken = "auspex: taking alpha, the last stored of 2 experiments\n"
	for _, line := range []string{"show", "show --json", "diagnose", "bottlenecks", "rules", "classify", "score", "rank", "export", "efficiency", "whatif", "report -o " + dir + "/r.html"} {
		if status, out, said := run(line); status != 0 || out == "" || !strings.HasPrefix(said, taken) {
			t.Errorf("%s: status %d, %d bytes, said %q", line, status, len(out), said)
		}
	}
	if _, out, _ := run("show --json"); !strings.Contains(out, `"name": "alpha"`) {
		t.Errorf("show took another: %s", out)
	}
	for _, line := range []string{"show zeta", "rules --list", "stragglers " + dir} {
		if _, _, said := run(line); strings.Contains(said, "taking") {
			t.Errorf("%s: said %q", line, said)
		}
	}
	if status, out, _ := run("bottlenecks zeta"); status != 0 || !strings.Contains(out, "time_share above 0.1") {
		t.Errorf("bottlenecks: status %d, %s", status, out)
	}
	if status, _, said := run("rm"); status != 2 || strings.Contains(said, "taking") {
		t.Errorf("rm takes nothing by itself: status %d, %q", status, said)
	}
}

// TestNextQuestion: an import leads on to what answers most, of a training job to who
// is late, of other profiles to show.
func TestNextQuestion(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AUSPEX_STORE", filepath.Join(dir, "store"))
	watched(t, filepath.Join(dir, "job"), 1)
	profile := filepath.Join(dir, "made.csv")
	if err := os.WriteFile(profile, []byte("process,region,metric,value\n0,main,wtime,1\n1,main,wtime,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, next := range map[string]string{filepath.Join(dir, "job"): "next: auspex stragglers job\n", profile: "next: auspex show made\n"} {
		var out strings.Builder
		if status := Main([]string{"import", path}, nil, &out, os.Stderr); status != 0 || !strings.HasSuffix(out.String(), next) {
			t.Errorf("%s: status %d, %q", path, status, out.String())
		}
	}
}

// TestWrongFlagWithJSON: an error is JSON where --json comes after what is wrong, and
// text where the flag is the program's.
func TestWrongFlagWithJSON(t *testing.T) {
	t.Setenv("AUSPEX_STORE", t.TempDir())
	for line, want := range map[string]string{
		"show made --nothere --json":      `{"error":{"message":"unknown flag: --nothere`,
		"show made --nothere":             "auspex: unknown flag: --nothere",
		"run --nothere -- program --json": "auspex: unknown flag: --nothere",
	} {
		var said strings.Builder
		if status := Main(strings.Fields(line), nil, new(strings.Builder), &said); status != exitUsage || !strings.HasPrefix(said.String(), want) {
			t.Errorf("%s: status %d, %q", line, status, said.String())
		}
	}
}
