package peers

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"auspex/p2psap"
	"auspex/platform"
)

// Peers that compute at once on a host have its cores in equal parts: 100 iterations
// of 50 ms of 16 peers on one core take 16 times as long as on a core each.
func TestPeersShareTheirHost(t *testing.T) {
	one := "[[cluster]]\nname = \"a\"\nnodes = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"0us\"\n"
	for _, k := range []struct {
		clusters []int
		cores    int
		slower   float64
	}{{[]int{1, 1}, 1, 1}, {[]int{16, 16}, 1, 16}, {[]int{16, 16}, 4, 4}, {[]int{16, 16}, 16, 1}, {[]int{2, 1}, 1, 2}} {
		for _, scheme := range []p2psap.Scheme{p2psap.Synchronous, p2psap.Asynchronous} {
			p := Chain(k.clusters, 50e-3, 0, 8)
			p.Scheme = scheme
			site := site(t, one)
			for h := range site.Hosts {
				site.Hosts[h].Cores = k.cores
			}
			r := run(t, p, Options{Platform: site, Limit: 100})
			if want := 5 * k.slower; math.Abs(r.Seconds-want) > 0.02*want {
				t.Errorf("%v on %d cores, %v: %v s, want %v", k.clusters, k.cores, scheme, r.Seconds, want)
			}
		}
	}
}

// Where one of two that share a core has less to do, it is alone for the rest.
func TestSharedHostIsFreed(t *testing.T) {
	p := Chain([]int{2}, 1, 0, 8)
	p.Scheme, p.Peer[1].Compute = p2psap.Asynchronous, 3
	site := site(t, "[[host]]\nname = \"a\"\nspeed = \"1Gf\"\n")
	if r := run(t, p, Options{Platform: site, Limit: 1}); math.Abs(r.Seconds-4) > 1e-9 {
		t.Errorf("1 s and 3 s on one core take %v s", r.Seconds)
	}
	// At half its speed from 1 s on the host needs 1 + 2 · 3 s.
	site.Changes = []platform.Change{{Of: platform.HostSpeed, Index: 0, Profile: profile(-1, platform.Moment{At: 1, Value: 0.5})}}
	if r := run(t, p, Options{Platform: site, Limit: 1}); math.Abs(r.Seconds-7) > 1e-9 {
		t.Errorf("at half the speed from 1 s on they take %v s", r.Seconds)
	}
}

// Peers that fail long before they have computed again what they had never get
// further, which is found soon.
func TestFailuresWithoutEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, scheme := range []p2psap.Scheme{p2psap.Synchronous, p2psap.Asynchronous, p2psap.Hybrid} {
		p := Chain([]int{2, 2}, 5e-3, 0, 100)
		p.Steps, p.Coupling, p.Scheme = 100, 0.5, scheme
		if _, err := Run(ctx, p, Options{Platform: site(t, two), Churn: Churn{Mean: 1e-3, Restart: 5}}); !errors.Is(err, ErrNoEnd) && !errors.Is(err, ErrTooOften) {
			t.Errorf("%v: %v", scheme, err)
		}
	}
}
