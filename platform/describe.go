package platform

import (
	"fmt"
	"maps"
	"slices"
)

// Description tells what was understood of a platform, for people to check.
type Description struct {
	Hosts      int               `json:"hosts"`
	Cores      int               `json:"cores"`
	Routers    int               `json:"routers"`
	Links      int               `json:"links"` // a SPLITDUPLEX link counts as two
	Speed      Range             `json:"speed"`
	Bandwidth  Range             `json:"bandwidth"` // the loopback of hosts in routed zones apart
	Latency    Range             `json:"latency"`
	Zones      []ZoneDescription `json:"zones"` // the root first, each before those inside it
	Config     map[string]string `json:"config"`
	Changes    int               `json:"changes"`    // hosts and links with a profile, each kind by itself
	Properties int               `json:"properties"` // <prop>s that change no time

	PairsChecked   int      `json:"pairs_checked"`
	PairsCut       int      `json:"pairs_cut"` // of those, pairs without a route
	CutExamples    []string `json:"cut_examples"`
	LongestRoute   int      `json:"longest_route"` // links, among the pairs checked
	LargestLatency float64  `json:"largest_latency"`

	Warnings []string `json:"warnings"`
}

// Range is the smallest and largest of some values.
type Range struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

func (r *Range) add(v float64, first bool) {
	if first {
		*r = Range{v, v}
		return
	}
	r.Min, r.Max = min(r.Min, v), max(r.Max, v)
}

// ZoneDescription is one zone and what lies directly in it.
type ZoneDescription struct {
	Name    string `json:"name"`
	Routing string `json:"routing"`
	Depth   int    `json:"depth"`
	Hosts   int    `json:"hosts"`
	Routers int    `json:"routers"`
	Zones   int    `json:"zones"`
	Routes  int    `json:"routes"` // as written, bypass routes included
}

// checkAllPairs is the number of hosts up to which every pair is looked at.
const checkAllPairs = 200

// maxPairsChecked bounds the look at larger platforms.
const maxPairsChecked = 100_000

// Describe sums a platform up and looks for routes that are missing: between
// all pairs of hosts of a small platform, to and from the first host and
// between neighbours of a large one.
func Describe(p *Platform) Description {
	d := Description{
		Hosts: len(p.Hosts), Links: len(p.Links), Config: maps.Clone(p.Config),
		Changes: len(p.Changes), Properties: p.properties, Warnings: slices.Clone(p.warnings),
	}
	for i, h := range p.Hosts {
		d.Cores += h.Cores
		d.Speed.add(h.Speed, i == 0)
	}
	first := true
	for _, l := range p.Links {
		if l.Name() != loopbackName {
			d.Bandwidth.add(l.Bandwidth, first)
			d.Latency.add(l.Latency, first)
			first = false
		}
	}
	for _, z := range p.zones {
		d.Zones = append(d.Zones, ZoneDescription{Name: z.name, Routing: z.kind, Depth: int(z.depth), Routes: z.routes + len(z.bypass)})
	}
	for _, pt := range p.points {
		if pt.zone < 0 {
			continue
		}
		z := &d.Zones[pt.zone]
		switch pt.kind {
		case hostPoint:
			z.Hosts++
		case routerPoint:
			z.Routers++
			d.Routers++
		case zonePoint:
			z.Zones++
		}
	}
	d.checkRoutes(p)
	return d
}

func (d *Description) checkRoutes(p *Platform) {
	var buf []int32
	look := func(a, b int) bool {
		if d.PairsChecked >= maxPairsChecked {
			return true
		}
		d.PairsChecked++
		r, err := p.Route(a, b, buf)
		if err != nil {
			d.PairsCut++
			if len(d.CutExamples) < 5 {
				d.CutExamples = append(d.CutExamples, err.Error())
			}
			return false
		}
		buf = r.Links
		d.LongestRoute = max(d.LongestRoute, len(r.Links))
		d.LargestLatency = max(d.LargestLatency, r.Latency)
		return true
	}
	n := len(p.Hosts)
	for a := range n {
		switch {
		case n <= checkAllPairs:
			for b := range n {
				if b != a {
					look(a, b)
				}
			}
		case a > 0:
			look(0, a)
			look(a, 0)
			look(a-1, a)
		}
	}
	alone := 0
	for a := range min(n, maxPairsChecked) {
		if r, err := p.Route(a, a, buf); err != nil {
			alone++
		} else {
			buf = r.Links
		}
	}
	if alone > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%d hosts have no route to themselves: two ranks on one of them cannot exchange messages (give the cluster a loopback)", alone))
	}
}
