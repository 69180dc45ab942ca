package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// deadOwner stands for a process that has ended.
func deadOwner(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip(err)
	}
	return strconv.Itoa(cmd.Process.Pid) + ".1." + machine()
}

func TestAlive(t *testing.T) {
	parts := strings.Split(Self(), ".")
	for owner, want := range map[string][2]bool{
		Self():                                  {true, true},
		deadOwner(t):                            {false, true},
		parts[0] + ".1." + parts[2]:             {false, true}, // the number is in use again
		parts[0] + "." + parts[1] + ".01234567": {false, false},
		parts[0]:                                {false, false},
		"":                                      {false, false},
		"-1.0." + parts[2]:                      {false, false},
	} {
		if alive, known := Alive(owner); alive != want[0] || known != want[1] {
			t.Errorf("%q: alive %v, known %v", owner, alive, known)
		}
	}
}

func TestCollectSparesTheLiving(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	living, err := Dir("predict")
	if err != nil {
		t.Fatal(err)
	}
	file, err := File("trace")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	dead := filepath.Join(os.TempDir(), prefix+"predict-"+deadOwner(t)+"-1")
	elsewhere := filepath.Join(os.TempDir(), prefix+"predict-12.34.01234567-1")
	other := filepath.Join(os.TempDir(), "someone-elses")
	for _, dir := range []string{filepath.Join(dead, "deep"), elsewhere, other} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := Collect()
	if err != nil || !slices.Equal(removed, []string{dead}) {
		t.Errorf("removed %q, %v", removed, err)
	}
	for path, want := range map[string]bool{living: true, file.Name(): true, dead: false, elsewhere: true, other: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there %v", path, err == nil)
		}
	}
}
