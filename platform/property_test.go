package platform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// zoneWriter makes random platforms of Full zones and clusters in which every
// route counts for both directions.
type zoneWriter struct {
	t   *rapid.T
	out strings.Builder
	n   int
}

func (w *zoneWriter) id(prefix string) string {
	w.n++
	return fmt.Sprintf("%s%d", prefix, w.n)
}

func (w *zoneWriter) flip(label string) bool { return rapid.Bool().Draw(w.t, label) }

// path writes one or two links and returns the <link_ctn>s that use them.
func (w *zoneWriter) path() (links, ctn string) {
	for range rapid.IntRange(1, 2).Draw(w.t, "links") {
		id := w.id("l")
		if w.flip("split") {
			links += `<link id="` + id + `" bandwidth="1MBps" latency="1us" sharing_policy="SPLITDUPLEX"/>`
			ctn += `<link_ctn id="` + id + `" direction="UP"/>`
		} else {
			links += `<link id="` + id + `" bandwidth="1MBps" latency="1ms"/>`
			ctn += `<link_ctn id="` + id + `"/>`
		}
	}
	return links, ctn
}

// zone writes a zone and returns its name and a gateway. cut leaves the zones
// and hosts inside it unconnected.
func (w *zoneWriter) zone(depth int, cut bool) (name, gateway string) {
	if w.flip("cluster") {
		name = w.id("c")
		extra := ""
		if w.flip("backbone") {
			extra += ` bb_bw="1GBps" bb_lat="1us"`
		}
		if w.flip("limiter") {
			extra += ` limiter_link="1GBps"`
		}
		if w.flip("half duplex") {
			extra += ` sharing_policy="SHARED"`
		}
		fmt.Fprintf(&w.out, `<cluster id="%s" prefix="%s-" suffix="" radical="0-%d" speed="1Gf" bw="1GBps" lat="1us" router_id="%s-r"%s/>`+"\n",
			name, name, rapid.IntRange(0, 2).Draw(w.t, "nodes"), name, extra)
		return name, name + "-r"
	}
	name = w.id("z")
	fmt.Fprintf(&w.out, `<zone id="%s" routing="Full">`+"\n", name)
	var ends, gateways []string
	inner := depth < 3 && w.flip("inner")
	for range rapid.IntRange(1, 3).Draw(w.t, "parts") {
		if inner {
			end, gw := w.zone(depth+1, cut)
			ends, gateways = append(ends, end), append(gateways, gw)
		} else {
			end := w.id("h")
			fmt.Fprintf(&w.out, `<host id="%s" speed="1Gf"/>`+"\n", end)
			ends, gateways = append(ends, end), append(gateways, end)
		}
	}
	if !cut {
		w.routes(ends, gateways, inner)
	}
	w.out.WriteString("</zone>\n")
	return name, gateways[0]
}

func (w *zoneWriter) routes(ends, gateways []string, inner bool) {
	var routes strings.Builder
	for i, a := range ends {
		for j := i + 1; j < len(ends); j++ {
			links, ctn := w.path()
			w.out.WriteString(links + "\n")
			if inner {
				fmt.Fprintf(&routes, `<zoneRoute src="%s" dst="%s" gw_src="%s" gw_dst="%s">%s</zoneRoute>`+"\n", a, ends[j], gateways[i], gateways[j], ctn)
			} else {
				fmt.Fprintf(&routes, `<route src="%s" dst="%s">%s</route>`+"\n", a, ends[j], ctn)
			}
		}
	}
	w.out.WriteString(routes.String())
}

func drawZones(t *rapid.T, cut bool) *Platform {
	w := &zoneWriter{t: t}
	w.zone(0, cut)
	text := `<platform version="4.1">` + w.out.String() + `</platform>`
	p, err := Read("drawn", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// Routes run over links that exist, and the way back is the way there reversed,
// UP and DOWN exchanged.
func TestSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawZones(t, false)
		swap := strings.NewReplacer("_UP", "_DOWN", "_DOWN", "_UP")
		for a := range p.Hosts {
			for b := range p.Hosts {
				r, err := p.Route(a, b, nil)
				if err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for _, l := range r.Links {
					sum += p.Links[l].Latency // and so the link exists
				}
				if sum != r.Latency {
					t.Fatalf("latency %g, links have %g", r.Latency, sum)
				}
				there, _ := routeNames(p, a, b)
				back, _ := routeNames(p, b, a)
				slices.Reverse(back)
				for i := range back {
					back[i] = swap.Replace(back[i])
				}
				if a != b && !slices.Equal(there, back) {
					t.Fatalf("%v back %v", there, back)
				}
			}
		}
	})
}

// Where nothing joins the parts, there is an error and never an empty route.
func TestUnreachable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawZones(t, true)
		for a := range p.Hosts {
			for b := range p.Hosts {
				r, err := p.Route(a, b, nil)
				if joined := p.points[p.hostAt[a]].zone == p.points[p.hostAt[b]].zone && p.zones[p.points[p.hostAt[a]].zone].kind == "Cluster"; a != b && (err == nil) != joined {
					t.Fatalf("%d to %d: %v, %v", a, b, r, err)
				}
				if err == nil && len(r.Links) == 0 {
					t.Fatal("an empty route")
				}
			}
		}
	})
}

// Floyd and Dijkstra find paths of the length that plain relaxation finds.
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "hosts")
		far := 1000
		dist := make([][]int, n)
		var body strings.Builder
		for i := range n {
			dist[i] = slices.Repeat([]int{far}, n)
			fmt.Fprintf(&body, `<host id="h%d" speed="1Gf"/>`, i)
		}
		body.WriteString(`<link id="l" bandwidth="1MBps" latency="1us"/>`)
		for k := range rapid.IntRange(0, 12).Draw(t, "routes") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			if a == b || dist[a][b] < far {
				continue
			}
			dist[a][b] = 1 + k%3
			fmt.Fprintf(&body, `<route src="h%d" dst="h%d" symmetrical="NO">%s</route>`, a, b, strings.Repeat(`<link_ctn id="l"/>`, dist[a][b]))
		}
		for range n {
			for a := range n {
				for b := range n {
					for c := range n {
						dist[a][b] = min(dist[a][b], dist[a][c]+dist[c][b])
					}
				}
			}
		}
		for _, kind := range []string{"Floyd", "Dijkstra", "DijkstraCache"} {
			p, err := Read("drawn", strings.NewReader(`<platform version="4.1"><zone id="w" routing="`+kind+`">`+body.String()+`</zone></platform>`))
			if err != nil {
				t.Fatal(err)
			}
			for a := range n {
				for b := range n {
					r, err := p.Route(a, b, nil)
					if a == b {
						if len(r.Links) != 1 {
							t.Fatalf("loopback %v %v", r, err)
						}
						continue
					}
					if (err == nil) != (dist[a][b] < far) || err == nil && len(r.Links) != dist[a][b] {
						t.Fatalf("%s %d to %d: %v, %v, want %d links", kind, a, b, r.Links, err, dist[a][b])
					}
				}
			}
		}
	})
}

// In a torus a route has as many links as the hosts are apart, dimension by
// dimension, the shorter way round.
func TestTorusLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(2, 6), 1, 3).Draw(t, "dims")
		n := 1
		for _, d := range dims {
			n *= d
		}
		p, err := Read("drawn", strings.NewReader(clusterXML(fmt.Sprintf(`radical="0-%d" topology="TORUS" topo_parameters="%s"`, n-1, join(dims)))))
		if err != nil {
			t.Fatal(err)
		}
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if a == b {
			return
		}
		want, x, y := 0, a, b
		for _, d := range dims {
			gap := (x%d - y%d + d) % d
			want += min(gap, d-gap)
			x, y = x/d, y/d
		}
		r, err := p.Route(a, b, nil)
		if err != nil || len(r.Links) != want {
			t.Fatalf("%d to %d in %v: %d links, %v; want %d", a, b, dims, len(r.Links), err, want)
		}
	})
}

// In a fat tree a route climbs link by link from the host, comes down link by
// link to the other, and is as long down as up.
func TestFatTreeConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.IntRange(1, 3).Draw(t, "levels")
		draw := func(name string) []int { return rapid.SliceOfN(rapid.IntRange(1, 3), levels, levels).Draw(t, name) }
		down, up, cables := draw("down"), draw("up"), draw("cables")
		n := 1
		for _, d := range down {
			n *= d
		}
		p, err := Read("drawn", strings.NewReader(clusterXML(fmt.Sprintf(`radical="0-%d" topology="FAT_TREE" topo_parameters="%d;%s;%s;%s"`, n-1, levels, join(down), join(up), join(cables)))))
		if err != nil {
			t.Fatal(err)
		}
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		names, _ := routeNames(p, a, b)
		at := a
		for i, name := range names {
			var child, parent, number int
			var side string
			fmt.Sscanf(name, "link_from_%d_%d_%d_%s", &child, &parent, &number, &side)
			climbs := i < len(names)/2
			if climbs != (side == "UP") || climbs && child != at || !climbs && parent != at {
				t.Fatalf("%d to %d: %v breaks at %s", a, b, names, name)
			}
			at = parent
			if !climbs {
				at = child
			}
		}
		if at != b || len(names) == 0 || len(names)%2 != 0 {
			t.Fatalf("%d to %d: %v ends at %d", a, b, names, at)
		}
	})
}
