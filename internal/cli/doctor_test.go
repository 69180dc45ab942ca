package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a machine where only a package manager is there, every absence comes with
// the command that mends it; what is found needs none.
func TestDoctorNamesTheRemedy(t *testing.T) {
	t.Setenv("MODULEPATH", "")
	for manager, want := range map[string]string{
		"apt-get": "sudo apt-get install gfortran",
		"dnf":     "sudo dnf install gcc-gfortran",
		"zypper":  "sudo zypper install gcc-fortran",
		"brew":    "brew install gcc",
	} {
		bare := func(command string) (string, error) {
			if command == manager {
				return "/usr/bin/" + command, nil
			}
			return "", errors.New("not found")
		}
		for _, f := range examine(t.Context(), bare, false) {
			if f.Found {
				t.Errorf("%s is found where nothing is", f.Name)
			}
			if f.Name == "Fortran compiler" && f.Remedy != want {
				t.Errorf("%s: %q, want %q", manager, f.Remedy, want)
			}
			if f.Name == "Slurm" && strings.Contains(f.Remedy, "install") {
				t.Errorf("Slurm is not something one installs for oneself: %q", f.Remedy)
			}
		}
		for _, f := range examine(t.Context(), bare, true) {
			if strings.HasPrefix(f.Remedy, "sudo") {
				t.Errorf("root needs no sudo: %q", f.Remedy)
			}
		}
	}
	there := func(command string) (string, error) { return "/bin/true", nil }
	for _, f := range examine(t.Context(), there, false) {
		if !f.Found || f.Remedy != "" {
			t.Errorf("%s is there and has the remedy %q", f.Name, f.Remedy)
		}
	}
}

// A command that is there and only complains is not found to work; one that tells its
// version with a failing status is.
func TestDoctorReadsWhatToolsSay(t *testing.T) {
	for says, works := range map[string]bool{"srun: error: no configuration source": false, "smpirun 3.32": true} {
		tool := filepath.Join(t.TempDir(), "tool")
		if err := os.WriteFile(tool, []byte("#!/bin/sh\necho '"+says+"'\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range examine(t.Context(), func(string) (string, error) { return tool, nil }, false) {
			if f.Found != works || !strings.Contains(f.Detail, says) || f.Remedy != "" {
				t.Errorf("%s of %q: found %v, %q", f.Name, says, f.Found, f.Detail)
			}
		}
	}
}
