package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const twoClusters = `[[cluster]]
name = "a"
nodes = "0-1"
prefix = "a-"
speed = "1Gf"
bandwidth = "1Gbps"
latency = "50us"

[[cluster]]
name = "b"
nodes = "2-3"
prefix = "b-"
speed = "1Gf"
bandwidth = "1Gbps"
latency = "50us"

[[link]]
between = ["a", "b"]
bandwidth = "10Mbps"
latency = "1ms"
`

// A program of peers is built and run for a prediction, and measured: of one in
// which the newest message wins no trace is kept, and what was overtaken is
// counted.
func TestPeersAreMeasuredAndPredicted(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	dir := t.TempDir()
	program, platform := filepath.Join(dir, "obstacle"), filepath.Join(dir, "two.toml")
	if err := os.WriteFile(platform, []byte(twoClusters), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, string) {
		t.Helper()
		cmd := auspex(t, append([]string{"--store", filepath.Join(dir, "store")}, args...)...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, said.String())
		}
		return string(out), said.String()
	}
	self := auspex(t).Path
	build := self + " p2p cc gcc -O2 -o " + program + " ../../examples/p2psap/obstacle.c -lm"
	out, _ := run("p2p", "predict", "--json", "--build", build, "--run", program+" 12 1e-5", "--clusters", "2,2", platform)
	var got p2pPrediction
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Peers != 4 || got.Steps < 10 || len(got.Schemes) != 3 || got.Schemes[0].Seconds <= 0 {
		t.Errorf("%+v", got)
	}
	for _, scheme := range []string{"synchronous", "asynchronous"} {
		_, said := run("run", "--name", scheme, "--trace", "--", self, "p2p", "run", "-n", "2", "--clusters", "1,1", "--scheme", scheme, program, "16", "1e-6")
		if dropped := strings.Contains(said, "no trace is kept"); dropped != (scheme == "asynchronous") {
			t.Errorf("%s: %s", scheme, said)
		}
		out, _ := run("show", scheme, "--json")
		var shown struct {
			Traced bool `json:"traced"`
		}
		if err := json.Unmarshal([]byte(out), &shown); err != nil {
			t.Fatal(err)
		}
		if shown.Traced != (scheme == "synchronous") {
			t.Errorf("%s: a trace is kept: %v", scheme, shown.Traced)
		}
	}
}
