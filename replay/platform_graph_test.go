package replay

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/simulate"
)

func readPlatform(t *testing.T, name, text string) *platform.Platform {
	t.Helper()
	if text == "" {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	p, err := platform.Read(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func count(g *PlatformGraph, kind string) (n int) {
	for _, node := range g.Nodes {
		if node.Kind == kind {
			n++
		}
	}
	return n
}

// The paper's first site: two switches with eight hosts each, a ring between.
func TestPlatformGraphOfTwoSwitches(t *testing.T) {
	p := readPlatform(t, "../examples/platforms/site1.xml", "")
	hosts := platform.Map(platform.AllHosts(p), 32)
	g := DrawPlatform(p, hosts, []simulate.LinkUse{{Name: "srt_1-campus-0_UP", Bytes: 100, Utilisation: 0.5}, {Name: "srt_1-campus-0_DOWN", Bytes: 50, Utilisation: 0.25}})
	if g.Hosts != 16 || count(g, "host") != 16 || count(g, "switch") != 2 || count(g, "link") != 0 || len(g.Edges) != 17 {
		t.Fatalf("%d hosts, %d switches, %d links, %d edges", count(g, "host"), count(g, "switch"), count(g, "link"), len(g.Edges))
	}
	degree := map[string]int{}
	var ring PlatformEdge
	for _, e := range g.Edges {
		degree[e.From]++
		degree[e.To]++
		if len(e.Links) > 1 {
			ring = e
		}
	}
	for _, n := range g.Nodes {
		switch n.Kind {
		case "host":
			if degree[n.ID] != 1 || len(n.Ranks) != 2 || n.Speed == 0 {
				t.Errorf("%+v has %d neighbours", n, degree[n.ID])
			}
		case "switch":
			if degree[n.ID] != 9 {
				t.Errorf("%s has %d neighbours, not 8 hosts and the ring", n.ID, degree[n.ID])
			}
		}
	}
	if ring.Bytes != 150 || ring.Utilisation != 0.5 || ring.Bandwidth != 12.5e6 {
		t.Errorf("the ring carried %+v", ring.LinkLoad)
	}
}

// Hosts on one shared link: it is a node, with its load.
func TestPlatformGraphOfABus(t *testing.T) {
	p := readPlatform(t, "bus.xml", `<?xml version='1.0'?><platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="bus" bandwidth="100MBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="bus"/></route><route src="b" dst="c"><link_ctn id="bus"/></route><route src="a" dst="c"><link_ctn id="bus"/></route>
</zone></platform>`)
	g := DrawPlatform(p, []int{0, 2}, []simulate.LinkUse{{Name: "bus", Bytes: 7, Utilisation: 0.1}})
	if count(g, "host") != 3 || count(g, "link") != 1 || len(g.Edges) != 3 {
		t.Fatalf("%+v", g)
	}
	for _, n := range g.Nodes {
		if n.Kind == "link" && (n.Name != "bus" || n.Bytes != 7 || n.Utilisation != 0.1) {
			t.Errorf("the bus is %+v", n)
		}
	}
}

// A pair of hosts with a link of their own needs nothing between.
func TestPlatformGraphOfAPair(t *testing.T) {
	p := readPlatform(t, "pair.xml", `<?xml version='1.0'?><platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="2Gf"/><link id="l" bandwidth="100MBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>`)
	g := DrawPlatform(p, []int{0, 1}, nil)
	if len(g.Nodes) != 2 || len(g.Edges) != 1 || fmt.Sprint(g.Edges[0].Links) != "[l]" {
		t.Errorf("%+v", g)
	}
}

// Many hosts alike are drawn as one.
func TestPlatformGraphOfManyHosts(t *testing.T) {
	p := readPlatform(t, "many.xml", `<?xml version='1.0'?><platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-999" speed="1Gf" bw="125MBps" lat="50us"/></zone></platform>`)
	hosts := platform.Map(platform.AllHosts(p), 1000)
	g := DrawPlatform(p, hosts, nil)
	drawn, ranks := 0, 0
	for _, n := range g.Nodes {
		drawn += n.Count
		ranks += len(n.Ranks)
	}
	if g.Hosts != 1000 || len(g.Nodes) > drawnHosts || drawn != 1000 || ranks != 1000 {
		t.Errorf("%d nodes stand for %d of %d hosts and %d ranks", len(g.Nodes), drawn, g.Hosts, ranks)
	}
}
