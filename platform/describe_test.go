package platform

import (
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	p := mustRead(t, `<platform version="4.1"><config><prop id="network/crosstraffic" value="0"/></config>
<zone id="w" routing="Full"><prop id="note" value="x"/>
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="2" bw="1GBps" lat="1us" router_id="cr"/>
<zone id="z" routing="Floyd"><host id="h" speed="3Gf"/><router id="r"/><link id="l" bandwidth="1MBps" latency="1ms"/><route src="h" dst="r"><link_ctn id="l"/></route></zone>
<cluster id="t" prefix="t" suffix="" radical="0-1" speed="2Gf" bw="1GBps" lat="2us" topology="TORUS" topo_parameters="2" router_id="gone"/>
<zoneRoute src="c" dst="z" gw_src="cr" gw_dst="r"><link_ctn id="l"/></zoneRoute>
</zone></platform>`)
	d := Describe(p)
	// 4 hosts in c, 1 in z, 2 in t; t is not joined to the others: of the 42
	// ordered pairs the 2 x 5 x 2 between t and the rest have no route.
	if d.Hosts != 7 || d.Cores != 11 || d.Routers != 2 || d.PairsChecked != 42 || d.PairsCut != 20 || len(d.CutExamples) != 5 {
		t.Errorf("%+v", d)
	}
	if d.Speed != (Range{1e9, 3e9}) || d.Bandwidth.Max != 1e9 || d.Bandwidth.Min != 1e6 || d.Latency.Max != 1e-3 {
		t.Errorf("ranges %+v %+v %+v", d.Speed, d.Bandwidth, d.Latency)
	}
	// From n0 to h: private link, l of the zoneRoute, l to the host.
	if d.LongestRoute != 3 || !near(d.LargestLatency, 2e-3+1e-6) || d.Properties != 1 || d.Config["network/crosstraffic"] != "0" {
		t.Errorf("%+v", d)
	}
	want := []ZoneDescription{
		{Name: "w", Routing: "Full", Zones: 3, Routes: 1},
		{Name: "c", Routing: "Cluster", Depth: 1, Hosts: 4, Routers: 1},
		{Name: "z", Routing: "Floyd", Depth: 1, Hosts: 1, Routers: 1, Routes: 1},
		{Name: "t", Routing: "TORUS", Depth: 1, Hosts: 2},
	}
	for i, z := range want {
		if d.Zones[i] != z {
			t.Errorf("zone %+v, want %+v", d.Zones[i], z)
		}
	}
	if len(d.Warnings) != 2 || !strings.Contains(d.Warnings[0], "router_id has no effect") || !strings.Contains(d.Warnings[1], "2 hosts have no route to themselves") {
		t.Errorf("%q", d.Warnings)
	}
}

func TestDescribeLarge(t *testing.T) {
	d := Describe(mustRead(t, clusterXML(`radical="0-999" topology="TORUS" topo_parameters="10,10,10"`)))
	// 0 to i, i to 0 and neighbours: 3 x 999; the farthest is 5 + 5 + 5 hops.
	if d.PairsChecked != 3*999 || d.PairsCut != 0 || d.LongestRoute != 15 {
		t.Errorf("%+v", d)
	}
}
