package diagnose

import (
	"slices"
	"testing"

	"auspex/model"
)

// One rank is slow in a part of each of two phases, neither of which alone makes the
// kinds: the cores are the parts, and not the phases around them as well.
func TestCoresAreInnermost(t *testing.T) {
	r := diagnose(t, made(t, model.Header{}, ranks(4), func(u int, _ *model.Builder, set setter) {
		more := 0.0
		if u == 3 {
			more = 1
		}
		scatter := func(r int) float64 { return 1 + 0.003*float64((u*5+r*3)%7-3)/3 }
		set(model.Function, 10*scatter(0)+30*more, "main", "phase 1", "bond")
		set(model.Function, 20*scatter(1), "main", "phase 1", "pair")
		set(model.Function, 10*scatter(2)+25*more, "main", "phase 2", "face")
		set(model.Function, 20*scatter(3), "main", "phase 2", "cell")
		set(model.Function, 20*scatter(4), "main", "phase 3")
		set(model.MPI, 1+55*(1-more), "main", "MPI_Allreduce")
	}, nil), Options{})
	cores := slices.Sorted(slices.Values(r.CCCR))
	if !slices.Equal(cores, []string{"main/phase 1/bond", "main/phase 2/face"}) {
		t.Errorf("%v", cores)
	}
	for _, c := range r.CCR {
		if c.Core && (c.Inside == "" || c.Inside == c.Region) {
			t.Errorf("%s is inside %q", c.Region, c.Inside)
		}
		if c.Core && !(c.Share > 0.5) { // nearly all that differs in its phase
			t.Errorf("%s has %g of the variance", c.Region, float64(c.Share))
		}
	}
}

// A bandwidth is high where much is read, and no reason to take long.
func TestSpeedsAreNoCauses(t *testing.T) {
	for name, want := range map[string]bool{"MPI-IO Read Bandwidth (MB/s)": true, "io_read": false, "flops/s": true, "io_read_throughput": true, "PAPI_L1_DCM": false} {
		if got := isSpeed(model.Metric{Name: name}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !isSpeed(model.Metric{Name: "x", Unit: "B/s"}) {
		t.Error("B/s")
	}
}
