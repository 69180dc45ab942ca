package platform

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// checkRoutes compares routes with what was worked out by hand: "from to" to
// the names of the links. SimGrid 3.32 gives the same for all of them.
func checkRoutes(t *testing.T, text string, want map[string]string) {
	t.Helper()
	p := mustRead(t, text)
	for ends, links := range want {
		from, to, _ := strings.Cut(ends, " ")
		a, okA := p.HostByName(from)
		b, okB := p.HostByName(to)
		if !okA || !okB {
			t.Fatalf("no hosts %s", ends)
		}
		if got, _ := routeNames(p, a, b); !slices.Equal(got, strings.Fields(links)) {
			t.Errorf("%s: %v, want %v", ends, got, links)
		}
	}
}

// A cluster: limiter and private link up, backbone, private link and limiter
// down. To itself a host takes its loopback, or without one goes to the switch
// and back, crossing a link that serves both directions once.
func TestFlatCluster(t *testing.T) {
	checkRoutes(t, clusterXML(`radical="0-1" bb_bw="1GBps" limiter_link="1GBps"`), map[string]string{
		"n0 n1": "c_link_0_limiter c_link_0_UP c_backbone c_link_1_DOWN c_link_1_limiter",
		"n1 n1": "c_link_1_limiter c_link_1_UP c_backbone c_link_1_DOWN",
	})
	checkRoutes(t, clusterXML(`radical="0-1" bb_bw="1GBps" sharing_policy="SHARED"`), map[string]string{
		"n0 n1": "c_link_0 c_backbone c_link_1",
		"n1 n1": "c_link_1 c_backbone",
	})
	checkRoutes(t, clusterXML(`radical="4,7" loopback_bw="1GBps"`), map[string]string{
		"n4 n7": "c_link_4_UP c_link_7_DOWN",
		"n7 n7": "c_link_7_loopback",
	})
}

// Host r of a 4 x 3 torus is at column r%4, row r/4. Rank r owns the links to
// the next column and to the next row; who goes the other way uses its
// neighbour's link downwards. First columns, then rows, each the shorter way:
// from column 0 to 3 backwards over the wrap-around, from 3 to 0 forwards. Two
// columns away is up from columns 0, 1 and 3 and down from 2: SimGrid's test
// for the wrap-around asks for more than half the size.
func TestTorus(t *testing.T) {
	checkRoutes(t, clusterXML(`radical="0-11" topology="TORUS" topo_parameters="4,3"`), map[string]string{
		"n0 n1":  "c_link_from_0_to_1_UP",
		"n1 n0":  "c_link_from_0_to_1_DOWN",
		"n0 n3":  "c_link_from_3_to_0_DOWN",
		"n3 n0":  "c_link_from_3_to_0_UP",
		"n0 n2":  "c_link_from_0_to_1_UP c_link_from_1_to_2_UP",
		"n2 n0":  "c_link_from_1_to_2_DOWN c_link_from_0_to_1_DOWN",
		"n3 n1":  "c_link_from_3_to_0_UP c_link_from_0_to_1_UP",
		"n0 n8":  "c_link_from_8_to_0_DOWN",
		"n8 n0":  "c_link_from_8_to_0_UP",
		"n1 n10": "c_link_from_1_to_2_UP c_link_from_10_to_2_DOWN",
		"n10 n1": "c_link_from_9_to_10_DOWN c_link_from_9_to_1_UP",
	})
	p := mustRead(t, clusterXML(`radical="0-11" topology="TORUS" topo_parameters="4,3"`))
	if _, err := p.Route(5, 5, nil); err == nil {
		t.Error("a torus without loopback has no link from a host to itself")
	}
}

// Two levels, four children below each switch; hosts have one parent, leaf
// switches two with one cable each. Hosts 0-7, leaf switches 15 and 14, roots
// 13 and 12 (SimGrid counts switches down from twice the hosts). D-mod-k: at
// the leaf switch the parent is number destination%2 (the hosts below have a
// single parent, so nothing is divided away).
func TestFatTree(t *testing.T) {
	checkRoutes(t, clusterXML(`radical="0-7" topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,1"`), map[string]string{
		"n0 n3": "link_from_0_15_0_UP link_from_3_15_3_DOWN",
		"n0 n4": "link_from_0_15_0_UP link_from_15_13_8_UP link_from_14_13_10_DOWN link_from_4_14_4_DOWN",
		"n0 n5": "link_from_0_15_0_UP link_from_15_12_9_UP link_from_14_12_11_DOWN link_from_5_14_5_DOWN",
		"n5 n0": "link_from_5_14_5_UP link_from_14_13_10_UP link_from_15_13_8_DOWN link_from_0_15_0_DOWN",
		"n2 n2": "link_from_2_15_2_UP link_from_2_15_2_DOWN",
	})
}

// Two groups of two chassis of two blades with one host each: host h is on
// router h, and links are numbered as they are made: 0-7 to the hosts, 8-11
// green in each chassis, 12-15 black in each group and blade, 16 blue. To the
// other group: green to the blade with that group's number, black to chassis
// 0, blue; after it, from blade "own group" of chassis 0, green and black.
func TestDragonfly(t *testing.T) {
	checkRoutes(t, clusterXML(`radical="0-7" topology="DRAGONFLY" topo_parameters="2,1;2,1;2,1;1"`), map[string]string{
		"n0 n1": "local_link_from_router_0_to_node_0_0_UP green_link_in_chassis_0_between_routers_0_and_1_8_UP local_link_from_router_1_to_node_0_1_DOWN",
		"n0 n2": "local_link_from_router_0_to_node_0_0_UP black_link_in_group_0_between_chassis_0_and_1_blade_0_12_UP local_link_from_router_2_to_node_0_2_DOWN",
		// After a green link SimGrid takes itself to be in chassis 0, so from
		// chassis 1 to another blade of chassis 1 it adds a black link.
		"n2 n3": "local_link_from_router_2_to_node_0_2_UP green_link_in_chassis_1_between_routers_0_and_1_9_UP black_link_in_group_0_between_chassis_0_and_1_blade_1_13_UP local_link_from_router_3_to_node_0_3_DOWN",
		"n2 n7": "local_link_from_router_2_to_node_0_2_UP green_link_in_chassis_1_between_routers_0_and_1_9_UP black_link_in_group_0_between_chassis_0_and_1_blade_1_13_DOWN blue_link_between_group_0_and_1_routers_1_and_4_16_UP green_link_in_chassis_0_between_routers_0_and_1_10_UP black_link_in_group_1_between_chassis_0_and_1_blade_1_15_UP local_link_from_router_7_to_node_0_7_DOWN",
	})
}

// Cross-zone: up to the gateway, the zoneRoute, and from the other gateway
// down. A SPLITDUPLEX link changes its side on the way back, and the routes
// that meet inside a zone are joined there.
func TestZones(t *testing.T) {
	checkRoutes(t, `<platform version="4.1"><zone id="w" routing="Floyd">
<zone id="x" routing="Full"><host id="a" speed="1Gf"/><router id="ra"/><link id="la" bandwidth="1MBps" latency="1ms"/><route src="a" dst="ra"><link_ctn id="la"/></route></zone>
<zone id="y" routing="Full"><router id="r1"/><router id="r2"/><link id="lr" bandwidth="1MBps" latency="1ms"/><route src="r1" dst="r2"><link_ctn id="lr"/></route></zone>
<zone id="z" routing="Full"><host id="b" speed="1Gf"/></zone>
<link id="xy" bandwidth="1MBps" latency="1ms" sharing_policy="SPLITDUPLEX"/><link id="yz" bandwidth="1MBps" latency="1ms"/>
<zoneRoute src="x" dst="y" gw_src="ra" gw_dst="r1"><link_ctn id="xy" direction="UP"/></zoneRoute>
<zoneRoute src="y" dst="z" gw_src="r2" gw_dst="b"><link_ctn id="yz"/></zoneRoute>
</zone></platform>`, map[string]string{
		"a b": "la xy_UP lr yz",
		"b a": "yz lr xy_DOWN la",
		"a a": "__loopback__",
	})
}

// In a Cluster zone a host_link gives the links up and down; the router sits
// on the hub.
func TestClusterZone(t *testing.T) {
	checkRoutes(t, `<platform version="4.1"><zone id="w" routing="Full"><zone id="c" routing="Cluster">
<host_link id="a" up="la" down="la"/>
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="la" bandwidth="1MBps" latency="1ms"/><link id="lb" bandwidth="1MBps" latency="1ms" sharing_policy="SPLITDUPLEX"/>
<host_link id="b" up="lb_UP" down="lb_DOWN"/>
<cabinet id="k" prefix="k" suffix="" radical="1" speed="1Gf" bw="1MBps" lat="1ms"/>
<backbone id="bb" bandwidth="1MBps" latency="1ms"/><router id="r"/>
<route src="b" dst="b"><link_ctn id="lb_UP"/></route>
</zone><zone id="d" routing="Full"><host id="e" speed="1Gf"/></zone><link id="cd" bandwidth="1MBps" latency="1ms"/>
<zoneRoute src="c" dst="d" gw_src="r" gw_dst="e"><link_ctn id="cd"/></zoneRoute></zone></platform>`, map[string]string{
		"a b":  "la bb lb_DOWN",
		"b a":  "lb_UP bb la",
		"a a":  "la bb",
		"b b":  "lb_UP",
		"a k1": "la bb link_k1_DOWN",
		"a e":  "la bb cd",
		"e b":  "cd bb lb_DOWN",
	})
}

func TestLoopbackOptions(t *testing.T) {
	p := mustRead(t, `<platform version="4.1"><config><prop id="network/loopback-bw" value="1e6"/><prop id="network/loopback-lat" value="0.5"/></config>
<zone id="w" routing="Full"><host id="a" speed="1Gf"/></zone></platform>`)
	r, err := p.Route(0, 0, nil)
	if err != nil || r.Latency != 0.5 || p.Links[r.Links[0]].Bandwidth != 1e6 || p.Links[r.Links[0]].Sharing != Fatpipe {
		t.Errorf("%v %v", r, err)
	}
}

// Routes that do not exist say why.
func TestNoRoute(t *testing.T) {
	for name, c := range map[string]struct{ text, reason string }{
		"none":         {`<platform version="4.1"><zone id="w" routing="None">` + twoHosts + `</zone></platform>`, "routing None"},
		"full":         {inWorld(twoHosts), "zone w, from a to b: nothing joins"},
		"floyd":        {`<platform version="4.1"><zone id="w" routing="Floyd">` + twoHosts + `</zone></platform>`, "nothing joins"},
		"dijkstra":     {`<platform version="4.1"><zone id="w" routing="Dijkstra">` + twoHosts + `</zone></platform>`, "nothing joins"},
		"zones":        {inWorld(twoZones), "zone w, from x to y"},
		"to gateway":   {inWorld(`<zone id="x" routing="Full"><host id="a" speed="1Gf"/><router id="r"/></zone><zone id="y" routing="Full"><host id="b" speed="1Gf"/></zone><link id="l" bandwidth="1MBps"/><zoneRoute src="x" dst="y" gw_src="r" gw_dst="b"><link_ctn id="l"/></zoneRoute>`), "zone x, from a to r"},
		"no host_link": {`<platform version="4.1"><zone id="w" routing="Cluster">` + twoHosts + `<route src="a" dst="a"><link_ctn id="l"/></route></zone></platform>`, "host_link is missing"},
		"no links":     {`<platform version="4.1"><zone id="w" routing="Cluster">` + twoHosts + `</zone></platform>`, "nothing joins"},
	} {
		p := mustRead(t, c.text)
		if _, err := p.Route(0, 1, nil); err == nil || !strings.Contains(err.Error(), c.reason) || !strings.Contains(err.Error(), "no route from a to b") {
			t.Errorf("%s: got %v, want %q", name, err, c.reason)
		}
	}
	p := mustRead(t, inWorld(twoHosts))
	for _, ends := range [][2]int{{-1, 0}, {0, 2}, {5, 5}} {
		if _, err := p.Route(ends[0], ends[1], nil); err == nil || !strings.Contains(err.Error(), "there are 2 hosts") {
			t.Errorf("%v: %v", ends, err)
		}
	}
}

// A Floyd zone of many points would take too long; a Dijkstra zone does not.
func TestLargeGraph(t *testing.T) {
	var body strings.Builder
	body.WriteString(`<link id="l" bandwidth="1MBps" latency="1us"/>`)
	for i := range maxFloyd + 1 {
		fmt.Fprintf(&body, `<host id="h%d" speed="1Gf"/>`, i)
	}
	for i := range maxFloyd {
		fmt.Fprintf(&body, `<route src="h%d" dst="h%d"><link_ctn id="l"/></route>`, i, i+1)
	}
	_, err := Read("f", strings.NewReader(`<platform version="4.1"><zone id="w" routing="Floyd">`+body.String()+`</zone></platform>`))
	if err == nil || !strings.Contains(err.Error(), "use Dijkstra") {
		t.Errorf("got %v", err)
	}
	p := mustRead(t, `<platform version="4.1"><zone id="w" routing="Dijkstra">`+body.String()+`</zone></platform>`)
	if r, err := p.Route(maxFloyd, 0, nil); err != nil || len(r.Links) != maxFloyd {
		t.Errorf("%d links, %v", len(r.Links), err)
	}
}

// A number in a host's name may be larger than any number of hosts, and names the links.
func TestLargeNumbers(t *testing.T) {
	p := mustRead(t, clusterXML(`radical="2147483647-2147483648" limiter_link="1GBps" loopback_bw="1GBps" loopback_lat="0"`))
	var names []string
	for _, l := range p.Links {
		names = append(names, l.Name())
	}
	for _, want := range []string{"_link_2147483647_UP", "_link_2147483648_DOWN", "_link_2147483648_limiter", "_link_2147483647_loopback"} {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, want) }) {
			t.Errorf("no %s among %v", want, names)
		}
	}
}
