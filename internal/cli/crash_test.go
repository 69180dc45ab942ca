package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"auspex/store"
)

// bigTable writes a long table whose import takes long enough to be killed
// at many places.
func bigTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("process,region,metric,value\n")
	for process := range 200 {
		for region := range 100 {
			fmt.Fprintf(&b, "%d,main/r%d,wtime,%d\n%d,main/r%d,calls,1\n", process, region, region, process, region)
		}
	}
	path := filepath.Join(t.TempDir(), "big.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// auspex makes a command that runs this program in a process of its own.
func auspex(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("auspex") // testscript.Main puts it on the PATH
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, args...)
}

// mustBeWhole loads every experiment of a store.
func mustBeWhole(t *testing.T, dir string) int {
	t.Helper()
	s := store.Open(dir)
	headers, problems, err := s.List()
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for _, h := range headers {
		e, err := s.Get(h.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Load(); err != nil {
			t.Fatal(err)
		}
	}
	return len(headers)
}

func TestKilledImportsLeaveTheStoreWhole(t *testing.T) {
	table := bigTable(t)
	dir := filepath.Join(t.TempDir(), "store")
	start := time.Now()
	if out, err := auspex(t, "--store", dir, "import", table, "--name", "first").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(start)
	random := rand.New(rand.NewPCG(1, 1))
	killed := 0
	for i := range 40 {
		cmd := auspex(t, "--store", dir, "import", table, "--name", fmt.Sprint("run", i))
		if i%4 == 0 {
			cmd = auspex(t, "--store", dir, "import", table, "--name", "first", "--replace")
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pause := time.Duration(random.Float64() * 1.1 * float64(whole))
		time.Sleep(pause)
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		} else {
			whole = min(whole, pause) // the first one may have been held up
		}
		if n := mustBeWhole(t, dir); n < 1 {
			t.Fatalf("after kill %d the first experiment is gone", i)
		}
	}
	if killed < 5 {
		t.Fatalf("only %d of 40 imports were killed: the test shows nothing", killed)
	}
	before := mustBeWhole(t, dir)
	old := time.Now().Add(-time.Hour)
	orphans, _ := filepath.Glob(filepath.Join(dir, "experiments", "*"))
	for _, path := range orphans {
		os.Chtimes(path, old, old)
	}
	if out, err := auspex(t, "--store", dir, "gc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "experiments"))
	if err != nil {
		t.Fatal(err)
	}
	if after := mustBeWhole(t, dir); after != before || len(entries) != after {
		t.Fatalf("%d experiments before gc, %d after, %d folders", before, after, len(entries))
	}
}

func TestTwoProcessesImportAtOnce(t *testing.T) {
	table := bigTable(t)
	dir := filepath.Join(t.TempDir(), "store")
	var wg sync.WaitGroup
	for i := range 2 {
		cmd := auspex(t, "--store", dir, "import", table, "--name", fmt.Sprint("writer", i), "--json")
		wg.Go(func() {
			out, err := cmd.Output()
			if err != nil || !json.Valid(out) {
				t.Errorf("writer %d: %v %s", i, err, out)
			}
		})
	}
	wg.Wait()
	if n := mustBeWhole(t, dir); n != 2 {
		t.Fatalf("%d experiments, want 2", n)
	}
}
