package cli

import (
	"errors"
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
