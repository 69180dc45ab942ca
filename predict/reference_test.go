package predict

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"auspex/internal/processor"
	"auspex/platform"
	"auspex/signature"
	"auspex/simulate"
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
	on := &Platform{Name: "p", Platform: p}
	w := &workshop{Request: &Request{Counts: []int{1, 2}, Mix: signature.Mix{"memory": 1}}, here: times(1, 1, 1), there: map[*Platform]*signature.Signature{on: times(2, 4, 12)}, noted: map[string]bool{}}
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
	w.there = nil
	w.ReferenceSpeed = 3
	if speed, _, err := w.reference(on, []int{0}); err != nil || speed != 3 {
		t.Errorf("without signatures: %g, %v", speed, err)
	}
}

// A platform's own signature counts where it is of another machine than this one, and
// nobody gave a reference speed; ranks on cores of one machine share that.
func TestPlatformsOwnSignature(t *testing.T) {
	p, err := platform.Read("p.toml", strings.NewReader("reference = \"1Gf\"\n[[cluster]]\nname = \"h\"\nnodes = 4\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	own := &signature.Signature{Version: 2, Machine: "a", Processor: processor.Name(), Cores: runtime.NumCPU(), Kernels: map[string][]signature.Time{"memory": {{Busy: 1, Seconds: 2}, {Busy: 4, Seconds: 8}}}}
	other := *own
	other.Processor, other.Cores = "another", 4
	text := func(s *signature.Signature) string {
		var b strings.Builder
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := &signature.Signature{Cores: 4, Kernels: map[string][]signature.Time{"memory": {{Busy: 1, Seconds: 1}}}}
	for _, c := range []struct {
		name, signature string
		given           bool
		measuredOn      []string
		hosts           []int
		want            float64
	}{
		{"this machine", text(own), false, nil, []int{0}, 7},
		{"another", text(&other), false, nil, []int{0}, 2e9},
		{"another, but a speed was given", text(&other), true, nil, []int{0}, 7},
		{"four of its cores", text(&other), false, []string{"vm"}, []int{0, 1, 2, 3}, 8e9},
		{"four of its nodes", text(&other), false, []string{"a", "b", "c", "d"}, []int{0, 1, 2, 3}, 2e9},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &workshop{Request: &Request{Counts: []int{len(c.hosts)}, ReferenceSpeed: 7, Platforms: []Platform{{Name: "p", Platform: p, Options: simulate.Options{Signature: c.signature, MeasuredOn: c.measuredOn}}}}, here: one, noted: map[string]bool{}}
			if err := w.signatures(c.given); err != nil {
				t.Fatal(err)
			}
			if speed, _, err := w.reference(&w.Platforms[0], c.hosts); err != nil || math.Abs(speed-c.want) > 1 {
				t.Errorf("%g, %v", speed, err)
			}
		})
	}
	w := &workshop{Request: &Request{Platforms: []Platform{{Name: "p", Platform: p, Options: simulate.Options{Signature: "{}"}}}}}
	if err := w.signatures(false); err == nil || !strings.Contains(err.Error(), "p: auspex/signature: not a signature") {
		t.Errorf("%v", err)
	}
}
