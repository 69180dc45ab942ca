package platform

import (
	"slices"
	"strconv"
	"testing"
)

func digits(n int) string { return strconv.Itoa(n) }

// samePlatform compares hosts by name and the routes between all of them, link
// by link.
func samePlatform(t *testing.T, p, q *Platform) bool {
	t.Helper()
	if len(p.Hosts) != len(q.Hosts) {
		t.Errorf("%d and %d hosts", len(p.Hosts), len(q.Hosts))
		return false
	}
	other := make([]int, len(p.Hosts))
	for i, h := range p.Hosts {
		j, ok := q.HostByName(h.Name)
		if !ok || q.Hosts[j] != h {
			t.Errorf("host %+v differs", h)
			return false
		}
		other[i] = j
	}
	for a := range p.Hosts {
		for b := range p.Hosts {
			r, errP := p.Route(a, b, nil)
			s, errQ := q.Route(other[a], other[b], nil)
			if a == b && errP != nil {
				continue // hosts without a way to themselves gain one when written
			}
			if (errP == nil) != (errQ == nil) || !slices.Equal(linksOf(p, r), linksOf(q, s)) {
				t.Errorf("%s to %s: %v (%v) and %v (%v)", p.Hosts[a].Name, p.Hosts[b].Name, linksOf(p, r), errP, linksOf(q, s), errQ)
				return false
			}
		}
	}
	return true
}

// shown is a link as users see it.
type shown struct {
	name               string
	bandwidth, latency float64
	sharing            Sharing
}

func linksOf(p *Platform, r Route) []shown {
	var links []shown
	for _, i := range r.Links {
		l := p.Links[i]
		links = append(links, shown{l.Name(), l.Bandwidth, l.Latency, l.Sharing})
	}
	return links
}
