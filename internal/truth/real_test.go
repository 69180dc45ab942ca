package truth

import (
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var real = flag.Int("real", 0, "run examples/planted so many times each way, and score what is said of it")

// said is what is read of a diagnosis.
type said struct {
	Headline struct {
		Line   string  `json:"line"`
		Region string  `json:"region"`
		Share  float64 `json:"share"`
	} `json:"headline"`
	Causes []struct {
		Region     string   `json:"region"`
		Attributes []string `json:"attributes"`
		LostShare  float64  `json:"lost_share"`
	} `json:"causes"`
	Words string `json:"words"`
}

// The example with planted causes, measured: on as many ranks as there are
// cores and on twice as many. It takes minutes and a machine with MPI, and is
// only run where it is asked for: scripts/truth does.
func TestRealRuns(t *testing.T) {
	if *real == 0 {
		t.Skip("-real N runs the example N times each way")
	}
	dir := t.TempDir()
	do := func(name string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "AUSPEX_STORE="+filepath.Join(dir, "store"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
		}
		return out
	}
	source, err := filepath.Abs("../../examples/planted/planted.c")
	if err != nil {
		t.Fatal(err)
	}
	auspex := filepath.Join(dir, "auspex")
	if out, err := exec.Command("go", "build", "-o", auspex, "auspex/cmd/auspex").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	do(auspex, "cc", "mpicc.mpich", "-O2", "-o", "planted", source)
	for _, ranks := range []int{runtime.NumCPU(), 2 * runtime.NumCPU()} {
		for _, c := range []struct{ args, region, cause string }{
			{"", "", ""},
			{"--cause work --where solve --who one", "solve", "iterations"},
			{"--cause work --where assemble --who half", "assemble", "iterations"},
			{"--cause work --where update --who gradient --more 100", "update", "iterations"},
			{"--cause memory --where solve --who one --more 100", "solve", ""},
			{"--cause disk --who one", "record", "io_"},
		} {
			region, cause, alarms, cores := 0, 0, 0, 0
			for i := range *real {
				name := fmt.Sprint("run-", i)
				command := append([]string{"run", "--replace", "--name", name, "--", "mpirun.mpich", "-n", fmt.Sprint(ranks), "./planted"}, strings.Fields(c.args)...)
				do(auspex, append(command, "20")...)
				var d said
				if err := json.Unmarshal(do(auspex, "diagnose", name, "--json"), &d); err != nil {
					t.Fatal(err)
				}
				if d.Headline.Line == "shared_cores" {
					cores++
				}
				if c.region == "" {
					if d.Headline.Line == "imbalance" {
						alarms++
						t.Log(d.Words)
					}
					continue
				}
				found := false
				for _, x := range d.Causes {
					if !strings.Contains(x.Region, "/"+c.region) {
						continue
					}
					if !found {
						region++
						found = true
						if c.cause == "" && len(x.Attributes) == 0 || c.cause != "" && strings.Contains(strings.Join(x.Attributes, " "), c.cause) {
							cause++
						} else {
							t.Logf("%s: %v", c.args, x.Attributes)
						}
					}
				}
				if !found {
					t.Logf("%s: %s", c.args, d.Words)
				}
			}
			t.Logf("%d ranks on %d cores, %q: region %d, cause %d of %d; false alarms %d; shared cores first %d",
				ranks, runtime.NumCPU(), c.args, region, cause, *real, alarms, cores)
		}
	}
}
