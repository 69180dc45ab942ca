package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// watched writes the traces of a job of three ranks and four steps, in which one
// loads ten times as long, and returns their files.
func watched(t *testing.T, dir string, late int) []string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var files []string
	for rank := range 3 {
		events := []string{}
		add := func(category, name string, thread, start, length int) {
			events = append(events, fmt.Sprintf(`{"ph":"X","cat":%q,"name":%q,"pid":1,"tid":%d,"ts":%d,"dur":%d}`, category, name, thread, start, length))
		}
		for step := range 4 {
			at, load := 200_000*step, 10_000
			if rank == late {
				load = 100_000
			}
			add("user_annotation", fmt.Sprintf("ProfilerStep#%d", step), 1, at, 150_000)
			add("user_annotation", "load_batch", 1, at, load)
			add("cpu_op", "aten::mm", 1, at+load, 10_000)
			add("user_annotation", "gloo:all_reduce", 2, at+load+10_000, 135_000-load)
		}
		file := filepath.Join(dir, fmt.Sprintf("rank%d.json", rank))
		text := fmt.Sprintf(`{"distributedInfo":{"backend":"gloo","rank":%d,"world_size":3},"traceEvents":[%s]}`, rank, strings.Join(events, ",\n"))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// watching looks at a folder as often as it is asked, and returns what was printed
// and what was complained of.
func watching(t *testing.T, dir string, f watchFlags) func() (string, string) {
	seen := map[string]*seenJob{}
	return func() (string, string) {
		t.Helper()
		var out, complaints bytes.Buffer
		a := &app{out: &out, err: &complaints}
		if err := a.lookAgain(t.Context(), dir, f, seen); err != nil {
			t.Fatal(err)
		}
		return out.String(), complaints.String()
	}
}

// TestWatchHalfWritten: a trace that is still being written is waited for; one
// that does not grow, as its writer was killed, is told once, and the other ranks
// are looked at without it.
func TestWatchHalfWritten(t *testing.T) {
	dir := t.TempDir()
	files := watched(t, dir, 1)
	whole, err := os.ReadFile(files[2])
	if err != nil {
		t.Fatal(err)
	}
	write := func(n int) {
		if err := os.WriteFile(files[2], whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	look := watching(t, dir, watchFlags{})
	expect := func(when, says, complains string) {
		t.Helper()
		out, complaints := look()
		if !strings.Contains(out, says) || says == "" && out != "" || !strings.Contains(complaints, complains) || complains == "" && complaints != "" {
			t.Errorf("%s: %q, %q", when, out, complaints)
		}
	}
	write(len(whole) / 3)
	expect("half written", "", "")
	write(len(whole) / 2)
	expect("growing", "", "")
	expect("its writer is gone", "Rank 1 makes the others wait", "rank2.json")
	expect("told already", "", "")
	write(len(whole))
	expect("whole, and the same answer", "", "")
	write(0)
	expect("empty", "", "")
	watched(t, dir, 0)
	expect("another straggler", "Rank 0 makes the others wait", "")
}

// TestWatchOnce: who looks once is told at once what cannot be read.
func TestWatchOnce(t *testing.T) {
	dir := t.TempDir()
	files := watched(t, dir, 1)
	if err := os.Truncate(files[0], 300); err != nil {
		t.Fatal(err)
	}
	out, complaints := watching(t, dir, watchFlags{once: true})()
	if !strings.Contains(out, "Rank 1 makes the others wait") || !strings.Contains(complaints, "rank0.json") {
		t.Errorf("%q, %q", out, complaints)
	}
}

// TestWatchManyFolders: each folder is a job, told once, with its hook; a hook
// that fails is told and stops nothing.
func TestWatchManyFolders(t *testing.T) {
	dir := t.TempDir()
	const jobs = 12
	for n := range jobs {
		watched(t, filepath.Join(dir, fmt.Sprintf("day%d", n/4), fmt.Sprintf("job%d", n)), n%4) // 3: nobody
	}
	look := watching(t, dir, watchFlags{command: `echo "hook: $(basename $AUSPEX_JOB) rank $AUSPEX_RANK of $AUSPEX_REGION"; test $AUSPEX_RANK != 2`})
	out, complaints := look()
	for n := range jobs {
		hook := fmt.Sprintf("hook: job%d rank %d of load_batch\n", n, n%4)
		if strings.Contains(out, hook) != (n%4 < 3) {
			t.Errorf("job %d: %s", n, out)
		}
	}
	if failed := strings.Count(complaints, "--exec"); failed != jobs/4 {
		t.Errorf("%d hooks failed: %s", failed, complaints)
	}
	if out, complaints := look(); out != "" || complaints != "" {
		t.Errorf("nothing has changed: %q, %q", out, complaints)
	}
	watched(t, filepath.Join(dir, "day0", "job1"), 3)
	t.Setenv("AUSPEX_RANK", "7") // no hook sees what is left of another
	if out, _ := look(); !strings.Contains(out, "No straggler") || !strings.Contains(out, "hook: job1 rank  of \n") {
		t.Errorf("the straggler is gone: %q", out)
	}
}
