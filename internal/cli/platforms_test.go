package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/internal/sample"
	"auspex/model"
	"auspex/store"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// On a platform that was measured on the run's own hosts the run takes what it took;
// on another it takes what the replay there takes, and the sentence says where.
func TestWhatifOnAPlatform(t *testing.T) {
	dir := t.TempDir()
	run := sample.Scored(t, 1)
	run.Name = "run"
	run.SetFactor(model.Factor{Name: "hosts", Word: "node-3,node-7"})
	if err := store.Open(filepath.Join(dir, "store")).Put(run, false, store.Attachment{Name: kept.TraceName, Data: sample.UnevenTrace(t, 2)}); err != nil {
		t.Fatal(err)
	}
	price := func(args ...string) whatif.Answer {
		t.Helper()
		out, err := auspex(t, append([]string{"--store", filepath.Join(dir, "store"), "--json", "whatif", "run", "--network", "latency=0"}, args...)...).Output()
		var a whatif.Answer
		if err == nil {
			err = json.Unmarshal(out, &a)
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	measured := price()
	for name, hosts := range map[string]string{"own.toml": "\"auspex/hosts\" = \"node-7\"\n", "other.toml": "\"auspex/hosts\" = \"node-8\"\n", "unknown.toml": ""} {
		platform := filepath.Join(dir, name)
		text := "[config]\n\"smpi/coll-selector\" = \"ompi\"\n" + hosts + "\n[[cluster]]\nname = \"node\"\nnodes = 2\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\nlatency = \"50us\"\n"
		if err := os.WriteFile(platform, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		a := price("--platform", platform)
		if own := name == "own.toml"; own != a.Measured || own != (a.BaseSeconds == measured.BaseSeconds) || own == strings.HasPrefix(a.Words, "On "+name+" the run would take ") {
			t.Errorf("%s: %+v; measured %+v", name, a, measured)
		}
		if told := strings.Contains(strings.Join(a.Notes, "\n"), "own.toml was calibrated on node-7, a host of this run"); told != (name == "own.toml") {
			t.Errorf("%s: %q", name, a.Notes)
		}
	}
}

// That small messages scatter is said of measurements in which they do (12.8 %), and not
// where they were measured once.
func TestCalibrateTellsScatter(t *testing.T) {
	for file, told := range map[string]bool{"others2x100m.txt": true, "net100-O2.txt": false} {
		out, err := auspex(t, "calibrate", "--from", "../../docs/accuracy/"+file, "-o", filepath.Join(t.TempDir(), "p.toml")).CombinedOutput()
		if err != nil || strings.Contains(string(out), "Small messages took 13 % more or less") != told {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}
