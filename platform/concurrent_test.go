package platform

import (
	"path/filepath"
	"sync"
	"testing"
)

// TestConcurrent asks for routes from several goroutines (run it with -race).
func TestConcurrent(t *testing.T) {
	p := readFile(t, filepath.Join("testdata", "simgrid", "mesh-dijkstra.xml"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for a := range p.Hosts {
				for b := range p.Hosts {
					if _, err := p.Route(a, b, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestRouteAllocates holds Route to no allocation where the caller brings a
// large enough buffer.
func TestRouteAllocates(t *testing.T) {
	for _, file := range []string{"cluster-everything", "torus-even", "fattree-cables", "dragonfly", "mesh-floyd", "mesh-dijkstra", "mixed-zones-3"} {
		p := readFile(t, filepath.Join("testdata", "simgrid", file+".xml"))
		last := len(p.Hosts) - 1
		buf := make([]int32, 0, 256)
		p.Route(0, last, buf) // a Dijkstra zone remembers its paths
		if n := testing.AllocsPerRun(100, func() {
			if _, err := p.Route(0, last, buf); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %g allocations", file, n)
		}
	}
}
