package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What could not be printed is no success, for people as for scripts.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"terms"}, {"terms", "--json"}, {"rules", "--list"}, {"version"}} {
		var errs strings.Builder
		status := Main(append(args, "--store", t.TempDir()), strings.NewReader(""), full{}, &errs)
		if status != 1 || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%q: status %d, said %q", args, status, errs.String())
		}
	}
}

// Where nothing can be stored, the program runs as it would without, its exit
// status is kept, and a line says why it was not measured.
func TestStoreThatCannotBeWritten(t *testing.T) {
	skipWithout(t, "sh")
	var out, errs strings.Builder
	status := Main([]string{"--store", "/proc/nowhere", "run", "--", "sh", "-c", "echo done; exit 4"}, strings.NewReader(""), &out, &errs)
	if status != 4 || out.String() != "done\n" || !strings.Contains(errs.String(), "not measured: mkdir /proc/nowhere") {
		t.Errorf("status %d, printed %q, said %q", status, out.String(), errs.String())
	}
}

// An error of the system names the file first, and no system call.
func TestPlainPath(t *testing.T) {
	denied := errors.New("permission denied")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "a.csv", Err: denied}, "a.csv: permission denied"},
		{fmt.Errorf("a.csv: %w", &fs.PathError{Op: "open", Path: "a.csv", Err: denied}), "a.csv: permission denied"},
		{fmt.Errorf("reading: %w", &fs.PathError{Op: "stat", Path: "a.csv", Err: denied}), "reading: a.csv: permission denied"},
		{&os.LinkError{Op: "rename", Old: "names/a", New: "names/.b", Err: denied}, "names/a: permission denied"},
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: denied}, "write /dev/stdout: permission denied"},
		{denied, "permission denied"},
	} {
		if got := plainPath(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// A table that goes to a file leaves JSON on standard output, and nothing else does.
func TestExportToFileAsJSON(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AUSPEX_STORE", filepath.Join(dir, "store"))
	table := filepath.Join(dir, "made.csv")
	if err := os.WriteFile(table, []byte("process,region,metric,value\n0,main,wtime,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"import", table, "--json"}, `"name": "made"`},
		{[]string{"export", "made", "-o", table, "--json"}, `"file": "` + table + `"`},
		{[]string{"export", "made", "-o", table}, ""},
	} {
		var out, errs strings.Builder
		if status := Main(c.args, nil, &out, &errs); status != 0 || !strings.Contains(out.String(), c.want) || c.want == "" && out.Len() > 0 {
			t.Errorf("%q: status %d, printed %q, said %q", c.args, status, &out, &errs)
		}
	}
}
