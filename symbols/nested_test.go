package symbols

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A function that stands in another is found without reading those in which none stands.
func TestNested(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	exe := filepath.Join(t.TempDir(), "scoped")
	if err := os.WriteFile(exe+".cc", []byte(scoped), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-g", "-O2", exe+".cc", "-o", exe).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := Open(exe)
	if frames := o.Frames(addressOf(t, exe, "_ZZ4workiEN3Own2goEi")); len(frames) == 0 || frames[0].Name != "work::Own::go" {
		t.Errorf("%v", frames)
	}
	at := addressOf(t, exe, "main")
	for _, p := range o.treeOf(o.unitAt(at)).unit.inside {
		if p.code != nil && innermost([]*scope{p.code}, at) != nil && p.read {
			t.Error("main was read")
		}
	}
}
