package vcluster

import (
	"strings"
	"testing"

	"auspex/platform"
)

func read(t *testing.T, text string) *platform.Platform {
	t.Helper()
	name := "test.toml"
	if strings.HasPrefix(text, "<?xml") {
		name = "test.xml"
	}
	p, err := platform.Read(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanOfACluster(t *testing.T) {
	plan, err := NewPlan(read(t, "[[cluster]]\nname = \"h\"\nnodes = 3\nspeed = \"1Gf\"\nbandwidth = \"100Mbps\"\nlatency = \"10us\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	// A switch, and a cable to it from each host with both directions shaped.
	if len(plan.Nodes) != 4 || len(plan.Cables) != 3 || plan.Hosts != 3 {
		t.Fatalf("%d nodes, %d cables", len(plan.Nodes), len(plan.Cables))
	}
	for _, c := range plan.Cables {
		if c.Rates != [2]float64{12.5e6, 12.5e6} {
			t.Errorf("a cable has the rates %v", c.Rates)
		}
	}
}

// Two clusters behind a slow link: packets must cross it, and every node knows
// a way to every host but itself.
func TestPlanOfTwoSites(t *testing.T) {
	plan, err := NewPlan(read(t, `switches = ["core"]
[[cluster]]
name = "a"
nodes = 2
speed = "1Gf"
bandwidth = "1Gbps"
latency = "10us"
[[cluster]]
name = "b"
nodes = 2
speed = "1Gf"
bandwidth = "1Gbps"
latency = "10us"
[[link]]
between = ["a", "core"]
bandwidth = "100Mbps"
latency = "1ms"
[[link]]
between = ["b", "core"]
bandwidth = "200Mbps"
latency = "1ms"
`))
	if err != nil {
		t.Fatal(err)
	}
	for from := range plan.Hosts {
		for to := range plan.Hosts {
			rates := walk(t, plan, from, to)
			crosses := (from < 2) != (to < 2)
			if from != to && (rates == 12.5e6) != crosses {
				t.Errorf("from %d to %d the narrowest is %g bytes/s", from, to, rates)
			}
		}
	}
}

// walk follows a packet and returns the narrowest rate on its way.
func walk(t *testing.T, p *Plan, from, to int) float64 {
	narrowest := 1e12
	for at, steps := from, 0; at != to; steps++ {
		h := p.Nodes[at].next[to]
		if h == (hop{}) || steps > len(p.Nodes) {
			t.Fatalf("from %d a packet does not reach %d", from, to)
		}
		c := p.Cables[h.cable-1]
		if c.Ends[h.end] != at {
			t.Fatalf("node %d sends over a cable that it does not have", at)
		}
		narrowest = min(narrowest, c.Rates[h.end])
		at = c.Ends[1-h.end]
	}
	return narrowest
}

func TestPlanRefuses(t *testing.T) {
	cluster := func(more string) string {
		return "[[cluster]]\nname = \"h\"\nnodes = 2\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n" + more
	}
	for _, c := range []struct{ name, text, want string }{
		{"one host", strings.Replace(cluster(""), "nodes = 2", "nodes = 1", 1), "1 hosts"},
		{"many hosts", strings.Replace(cluster(""), "nodes = 2", "nodes = 65", 1), "65 hosts"},
		{"half duplex", cluster("sharing = \"half-duplex\"\n"), "full-duplex"},
		{"fatpipe", cluster("backbone = {bandwidth = \"1Gbps\", latency = \"1us\", sharing = \"fatpipe\"}\n"), "fatpipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewPlan(read(t, c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, not about %q", err, c.want)
			}
		})
	}
}
