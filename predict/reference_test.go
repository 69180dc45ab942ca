package predict

import (
	"math"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/signature"
)

// A machine on which memory takes twice as long makes the measuring one count as
// twice as fast where all work is memory; four ranks on a node there share what
// two shared here.
func TestReferenceBySignatures(t *testing.T) {
	p, err := platform.Read("p.toml", strings.NewReader("reference = \"2Gf\"\n[[cluster]]\nname = \"h\"\nnodes = 4\nspeed = \"2Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	times := func(seconds ...float64) *signature.Signature {
		return &signature.Signature{Cores: 4, Kernels: map[string][]signature.Time{"memory": {{Busy: 1, Seconds: seconds[0]}, {Busy: 2, Seconds: seconds[1]}, {Busy: 4, Seconds: seconds[2]}}}}
	}
	w := &workshop{Request: &Request{Counts: []int{1, 2}, There: times(2, 4, 12), Mix: signature.Mix{"memory": 1}}, here: times(1, 1, 1), noted: map[string]bool{}}
	on := &Platform{Name: "p", Platform: p}
	for _, c := range []struct {
		hosts   []int
		perNode int
		want    float64
	}{{[]int{0, 1}, 0, 4e9}, {[]int{0, 0}, 0, 8e9}, {[]int{0, 1, 2, 3}, 4, 24e9}} {
		w.PerNode = c.perNode
		speed, doubt, err := w.reference(on, c.hosts)
		if err != nil || math.Abs(speed-c.want) > 1 || doubt != 0 {
			t.Errorf("%v: %g ± %g, %v", c.hosts, speed, doubt, err)
		}
	}
	if !strings.Contains(strings.Join(w.notes, "\n"), "takes 12 times as long on p (cores busy on a node: 4) as here (2): by the mix of work that was given") {
		t.Errorf("%q", w.notes)
	}
	w.There = nil
	w.ReferenceSpeed = 3
	if speed, _, err := w.reference(on, []int{0}); err != nil || speed != 3 {
		t.Errorf("without signatures: %g, %v", speed, err)
	}
}
