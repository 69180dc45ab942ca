package analyze

import (
	"testing"

	"auspex/model"
)

func TestProgramOf(t *testing.T) {
	for name, want := range map[string]string{"gromacs-16": "gromacs", "heat_2x4": "heat", "3": "3", "before": "before", "lulesh-27": "lulesh"} {
		if got := ProgramOf(&model.Header{Name: name}); got != want {
			t.Errorf("%s is a run of %q, not %q", name, got, want)
		}
	}
	if got := ProgramOf(&model.Header{Name: "x-1", Program: "/usr/bin/heat"}); got != "heat" {
		t.Errorf("a recorded program is %q", got)
	}
}
