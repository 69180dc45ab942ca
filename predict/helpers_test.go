package predict

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/launch"
	"auspex/platform"
	"auspex/simulate"
)

// TestMain lets the test binary stand in for compilers, as auspex cc does.
func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == "cc" && os.Args[2] == "--plan" {
		plan, err := launch.ReadPlan(os.Args[3])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		compiler := launch.Compiler{Real: os.Args[4:], Plan: plan, Cache: testCache(), Out: os.Stdout, Err: os.Stderr}
		status, err := compiler.Run(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// testCache outlives a test: the runtime is compiled once for each MPI.
func testCache() string {
	if dir := os.Getenv("AUSPEX_CACHE"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "auspex-predict-test")
}

func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// cluster is a platform of hosts of one speed on one switch.
func cluster(t testing.TB, hosts int, speed string) Platform {
	t.Helper()
	text := fmt.Sprintf(`<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="node-" suffix="" radical="0-%d" speed="%s" bw="125MBps" lat="50us"/></platform>`, hosts-1, speed)
	p, err := platform.Read("test.xml", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return Platform{Name: fmt.Sprintf("%d at %s", hosts, speed), Platform: p, Options: simulate.Defaults()}
}

// tree writes sources into a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// request is a request for one process of a sequential program.
func request(t testing.TB, files map[string]string) Request {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Source: tree(t, files), Build: "gcc -O{opt} p.c -o p", Run: "./p", Levels: []string{"1"}, Counts: []int{1},
		Platforms: []Platform{cluster(t, 4, "1Gf")}, Method: Simple, Settle: 200 * time.Millisecond, Cache: testCache(), Compiler: []string{self, "cc"},
	}
}

// predictHere runs a request with a temporary directory of its own, and makes
// sure that nothing stays there and that the source is as it was.
func predictHere(t *testing.T, ctx context.Context, r Request) (*Report, error) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("AUSPEX_CACHE", testCache()) // for the compilers' stand-in
	t.Setenv("TMPDIR", temp)
	before := listing(t, r.Source)
	report, err := Run(ctx, r)
	if left := listing(t, temp); left != "" {
		t.Errorf("left behind: %s", left)
	}
	if after := listing(t, r.Source); after != before {
		t.Errorf("the source had %s and has %s", before, after)
	}
	return report, err
}

func listing(t testing.TB, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && path != dir {
			names = append(names, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}
