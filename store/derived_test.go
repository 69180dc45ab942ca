package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDerived: what was worked out of an experiment is there again while it is whole
// and this build's, and goes with the experiment.
func TestDerived(t *testing.T) {
	if Build() == "" {
		t.Skip("this program does not tell which build it is")
	}
	s := Open(t.TempDir())
	everything(t, s)
	e, err := s.Get("e")
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Derived("waits"); got != nil {
		t.Errorf("%q before anything was kept", got)
	}
	for _, data := range []string{`{"a":1}`, `{"a":2}`} {
		if err := e.KeepDerived("waits", []byte(data)); err != nil {
			t.Fatal(err)
		}
		if got := bytes.TrimSpace(e.Derived("waits")); string(got) != data {
			t.Errorf("%q, not %q", got, data)
		}
	}
	if len(e.Attached()) != 1 { // cpu.csv
		t.Errorf("it counts as measured: %q", e.Attached())
	}
	file := filepath.Join(s.Dir(), "experiments", e.ID, "waits"+derivedEnding)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte("0"+Build()+"\n"), `{"a":2}`+"\n"...)
	for why, text := range map[string][]byte{
		"cut":           whole[:len(whole)-3],
		"empty":         {},
		"changed":       bytes.Replace(whole, []byte("2}"), []byte("3}"), 1),
		"another build": seal(other, "sum "),
	} {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := e.Derived("waits"); got != nil {
			t.Errorf("%s: %q", why, got)
		}
	}
	if err := s.Remove("e"); err != nil {
		t.Fatal(err)
	}
	if err := e.KeepDerived("waits", nil); err == nil {
		t.Error("kept with an experiment that is gone")
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir(), "experiments", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir(), "experiments", ".*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}
