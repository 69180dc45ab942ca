package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Directories that cannot be written to, and file systems that are full. Root may
// write whatever permissions say, so these are mounts, in a name space of the
// test's own: $1 is the directory, the rest a command.
const (
	onFull     = `mount -t tmpfs -o size=256k none "$1" && { head -c 1000000 /dev/zero >"$1/filler" 2>/dev/null; shift; exec "$@"; } 2>&1`
	onReadOnly = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && { shift; exec "$@"; } 2>&1`
)

// mounted runs a command there and gives what it printed and its exit status.
func mounted(t *testing.T, how, dir string, settings []string, words ...string) (string, int) {
	t.Helper()
	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", how, "sh", dir}, words...)...)
	cmd.Env = append(os.Environ(), settings...)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "mount: ") || strings.Contains(string(out), "unshare: ") {
		t.Skipf("mounting does not work here: %s", out)
	}
	status, err := exitStatus(err)
	if err != nil {
		t.Skipf("no mount name spaces here: %v", err)
	}
	return string(out), status
}

// hostileProgram writes hostileSource into a directory of its own, and gives the
// command that compiles it and the program that it makes.
func hostileProgram(t *testing.T) (src, exe string) {
	t.Helper()
	need(t, "gcc", "unshare")
	dir := write(t, map[string]string{"src/x.c": hostileSource})
	return filepath.Join(dir, "src"), filepath.Join(dir, "x")
}

func TestReadOnlySource(t *testing.T) {
	src, exe := hostileProgram(t)
	if out, status := mounted(t, onReadOnly, src, nil, wrapper(t, filepath.Dir(src)), "gcc", "-g", "x.c", "-o", exe); status != 0 || out != "" {
		t.Fatalf("status %d: %s", status, out)
	}
	r, out := measure(t, exe)
	if r.Status != 3 || out != "10\n" {
		t.Errorf("status %d, printed %q", r.Status, out)
	}
	expect(t, r.Experiment, 0, "x/work", map[string]float64{"calls": 1})
}

// The original is compiled, and a line says that nothing is measured.
func TestFullTemporaryDirectory(t *testing.T) {
	src, exe := hostileProgram(t)
	full := t.TempDir()
	// gcc itself needs no temporary file with -pipe.
	out, status := mounted(t, onFull, full, []string{"TMPDIR=" + full}, wrapper(t, filepath.Dir(src)), "gcc", "-pipe", "-c", filepath.Join(src, "x.c"), "-o", exe+".o")
	if status != 0 || !strings.Contains(out, "not instrumented") {
		t.Fatalf("status %d: %s", status, out)
	}
	mustCompile(t, "gcc", exe+".o", "-o", exe)
	r, out := measure(t, exe)
	if r.Status != 3 || out != "10\n" {
		t.Errorf("status %d, printed %q", r.Status, out)
	}
}

// measured is this test's own program as `auspex run` in miniature: it keeps what
// the processes write in dir.
func measured(t *testing.T, how, at, dir, exe string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	measure(t, "true") // has the runtime compiled
	return mounted(t, how, at, []string{"AUSPEX_TEST_AS=run", "AUSPEX_TEST_DIR=" + dir}, self, exe)
}

// A program in a directory where it may not write is measured all the same.
func TestUnwritableDirectory(t *testing.T) {
	src, exe := hostileProgram(t)
	mustCompile(t, "gcc", filepath.Join(src, "x.c"), "-o", exe)
	out, status := measured(t, onReadOnly, src, t.TempDir(), exe)
	if status != 3 || !strings.HasPrefix(out, "10\n") || !strings.Contains(out, "region x/work\n") {
		t.Errorf("status %d: %s", status, out)
	}
}

// Where there is no room for what is measured, the program runs as it would without.
func TestFullStore(t *testing.T) {
	src, exe := hostileProgram(t)
	mustCompile(t, "gcc", filepath.Join(src, "x.c"), "-o", exe)
	full := t.TempDir()
	out, status := measured(t, onFull, full, full, exe)
	if status != 3 || !strings.HasPrefix(out, "10\n") || !strings.Contains(out, "no room") {
		t.Errorf("status %d: %s", status, out)
	}
}
