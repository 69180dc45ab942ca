package peers

import (
	"context"
	"testing"

	"auspex/p2psap"
	"auspex/platform"
)

const crowd = "[[cluster]]\nname = \"a\"\nnodes = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"0us\"\n"

// A host has half of a core that two share: a hundred iterations of 1 ms need
// twenty periods of 10 ms, of which the first may be half over, whether or not
// the other host does anything.
func TestShareOfACore(t *testing.T) {
	alone := Chain([]int{1}, 1e-3, 0, 0)
	both := Chain([]int{2}, 1e-3, 0, 8)
	for name, p := range map[string]*Program{"alone": alone, "both": both} {
		p.Scheme = p2psap.Asynchronous
		for seed := range uint64(20) {
			r := run(t, p, Options{Platform: site(t, crowd), Limit: 100, Cores: 1, Seed: seed})
			if r.Seconds < 0.19 || r.Seconds > 0.21 {
				t.Errorf("%s, seed %d: 100 ms of work on half a core take %v s", name, seed, r.Seconds)
			}
		}
		if r := run(t, p, Options{Platform: site(t, crowd), Limit: 100, Cores: 2}); r.Seconds < 0.1-1e-9 || r.Seconds > 0.1+1e-9 {
			t.Errorf("%s: on a core each it takes %v s, not 0.1", name, r.Seconds)
		}
	}
}

// Peers that wait for one another use a core in turns, and what their links do for
// a message takes its time there: 1 ms and two messages' 0.5 ms (one that goes, one
// that comes) for either peer, on one core.
func TestLinksNeedTheCoreToo(t *testing.T) {
	p := Chain([]int{2}, 1e-3, 0, 8)
	p.Scheme, p.Awaited = p2psap.Synchronous, 1
	for i := range p.Peer {
		p.Peer[i].Handling = 0.5e-3
	}
	r := run(t, p, Options{Platform: site(t, crowd), Limit: 50, Cores: 1})
	if work := 50 * 2 * 2e-3; r.Seconds < work-2e-3 || r.Seconds > 1.15*work {
		t.Errorf("%v s for %v s of work on one core", r.Seconds, work)
	}
	for i := range p.Peer {
		p.Peer[i].Handling = 0
	}
	if r := run(t, p, Options{Platform: site(t, crowd), Limit: 50, Cores: 1}); r.Seconds > 1.15*50*2e-3 {
		t.Errorf("%v s where links take nothing", r.Seconds)
	}
}

// A host that has a core to itself has its links there too: an asynchronous peer
// computes 1 ms and has a message come and one go, 0.25 ms each, as long as there
// is a new one.
func TestLinksTakeFromTheirOwnPeer(t *testing.T) {
	p := Chain([]int{2}, 1e-3, 0, 8)
	p.Scheme, p.Awaited = p2psap.Asynchronous, 1
	alone := run(t, p, Options{Platform: site(t, crowd), Limit: 200, Cores: 2})
	for i := range p.Peer {
		p.Peer[i].Handling = 0.25e-3
	}
	r := run(t, p, Options{Platform: site(t, crowd), Limit: 200, Cores: 2})
	least, most := alone.Seconds+0.1*alone.Seconds, alone.Seconds*1.5+1e-3
	if r.Seconds < least || r.Seconds > most {
		t.Errorf("%v s, and %v s where links take nothing: want %v to %v", r.Seconds, alone.Seconds, least, most)
	}
	if far := run(t, p, Options{Platform: site(t, crowd), Limit: 200}); far.Seconds != alone.Seconds {
		t.Errorf("%v s where links have cores of their own, want %v", far.Seconds, alone.Seconds)
	}
}

func TestSharedCoresHaveOneSpeed(t *testing.T) {
	p := Chain([]int{2}, 1e-3, 0, 8)
	p.Steps = 5
	site := site(t, crowd)
	site.Changes = []platform.Change{{Of: platform.HostSpeed, Index: 0, Profile: profile(-1, platform.Moment{At: 0, Value: 0.5})}}
	if _, err := Run(context.Background(), p, Options{Platform: site, Cores: 1}); err == nil {
		t.Error("a host that shares a core changes its speed")
	}
}
