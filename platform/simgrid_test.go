package platform

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAgainstSimGrid holds hosts, links and routes to what SimGrid 3.32 makes
// of the same files. testdata/simgrid/probe.cpp wrote the .routes.
func TestAgainstSimGrid(t *testing.T) {
	files, err := filepath.Glob("testdata/simgrid/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference platforms: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".xml"), func(t *testing.T) {
			p := readFile(t, file)
			sameAsSimGrid(t, p, strings.TrimSuffix(file, ".xml")+".routes")
		})
	}
}

func readFile(tb testing.TB, file string) *Platform {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	p, err := Read(file, f)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func sameAsSimGrid(t *testing.T, p *Platform, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	links := map[string]Link{}
	for _, l := range p.Links {
		links[l.Name()] = l
	}
	// SimGrid 3.32 lists a route's links in no useful order in Dijkstra zones.
	anyOrder := slices.ContainsFunc(p.zones, func(z zone) bool { return strings.HasPrefix(z.kind, "Dijkstra") })
	hosts, seen, routes := 0, 0, 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		w := strings.Fields(sc.Text())
		switch w[0] {
		case "H":
			hosts++
			i, ok := p.HostByName(w[1])
			if !ok {
				t.Fatalf("host %s is missing", w[1])
			}
			if h := p.Hosts[i]; h.Speed != number64(t, w[2]) || strconv.Itoa(h.Cores) != w[3] {
				t.Errorf("host %+v, SimGrid has %v", h, w)
			}
		case "L":
			l, ok := links[w[1]]
			if !ok && w[1] == loopbackName {
				continue // SimGrid has it even where no route can use it
			}
			seen++
			policy := map[Sharing]string{Fatpipe: "0", Shared: "1"}[l.Sharing]
			if !near(l.Bandwidth, number64(t, w[2])) || !near(l.Latency, number64(t, w[3])) || policy != w[4] {
				t.Errorf("link %+v, SimGrid has %v", l, w)
			}
		case "R":
			routes++
			a, _ := p.HostByName(w[1])
			b, _ := p.HostByName(w[2])
			got, latency := routeNames(p, a, b)
			want := w[4:]
			if anyOrder {
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) || !near(latency, number64(t, w[3])) {
				t.Errorf("%s to %s: %v in %g s, SimGrid has %v", w[1], w[2], got, latency, w[3:])
			}
		}
	}
	if hosts != len(p.Hosts) || seen != len(p.Links) || routes == 0 {
		t.Errorf("%d hosts and %d links; SimGrid has %d and %d (%d routes)", len(p.Hosts), len(p.Links), hosts, seen, routes)
	}
}

// routeNames gives a route's links by name; none where there is no route.
func routeNames(p *Platform, a, b int) (names []string, latency float64) {
	r, err := p.Route(a, b, nil)
	if err != nil {
		return nil, 0
	}
	for _, l := range r.Links {
		names = append(names, p.Links[l].Name())
	}
	return names, r.Latency
}

func number64(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// near allows for the order in which latencies are added.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
