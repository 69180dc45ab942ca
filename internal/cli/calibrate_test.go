package cli

import (
	"strings"
	"testing"

	"auspex/calibrate"
)

// A machine is not slower than itself, and no message of one host is between hosts.
func TestCalibrationOfOneMachine(t *testing.T) {
	c := &calibrate.Calibration{Hosts: []string{"me", "me", "other"}, Speeds: []float64{1, 0.59, 0.59}}
	for rank, want := range []string{"rank 0 (me) runs at 1.00 times", "Rank 1 was on this machine (me) and ran at 0.59 times the speed of the reference", "rank 2 (other) runs at 0.59 times"} {
		if got := speedWords(c, rank, "me"); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := betweenWhom(c.Hosts); got != "Between hosts" {
		t.Error(got)
	}
	if got := betweenWhom(c.Hosts[:2]); !strings.HasPrefix(got, "Between ranks of one host (me)") {
		t.Error(got)
	}
}
