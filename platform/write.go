package platform

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxWritten bounds the platforms WriteXML spells out, whose size grows with
// the square of the number of hosts.
const maxWritten = 512

// WriteXML writes a platform for SimGrid as one Full zone in which every route
// is spelled out. Reading it back gives the same hosts, links and routes, but
// hosts without a way to themselves gain SimGrid's loopback, and where that is
// part of a longer route (a bypass can do that) it appears there as a link
// named "loopback".
func WriteXML(w io.Writer, p *Platform) error {
	if len(p.Hosts) > maxWritten {
		return fmt.Errorf("platform: %d hosts are too many to write every route; the limit is %d", len(p.Hosts), maxWritten)
	}
	if len(p.Changes) > 0 || slices.ContainsFunc(p.zones, func(z zone) bool { _, ok := z.routing.(*vivaldi); return ok }) {
		return fmt.Errorf("platform: peers, and what changes over time, cannot be written as plain routes")
	}
	out := newXMLWriter(w)
	out.loopback = freshName("loopback", func(s string) bool {
		return slices.ContainsFunc(p.Links, func(l Link) bool { return l.Name() == s })
	})
	var own []string // that SimGrid does not know as options
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(p.Config)), func(key string) bool {
		if strings.HasPrefix(key, ownPrefix) {
			own = append(own, key)
		}
		return strings.HasPrefix(key, ownPrefix)
	})
	if len(keys) > 0 {
		out.line("  <config>")
		for _, key := range keys {
			out.line("    <prop%s/>", attrs("id", key, "value", p.Config[key]))
		}
		out.line("  </config>")
	}
	zone := freshName("world", func(s string) bool { _, taken := p.HostByName(s); return taken })
	out.line("  <zone%s>", attrs("id", zone, "routing", "Full"))
	if p.Reference > 0 {
		out.line("    <prop%s/>", attrs("id", referenceKey, "value", number(p.Reference, "f")))
	}
	for _, key := range own {
		out.line("    <prop%s/>", attrs("id", key, "value", p.Config[key]))
	}
	for _, h := range p.Hosts {
		out.line("    <host%s/>", attrs("id", h.Name, "speed", number(h.Speed, "f"), "core", strconv.Itoa(h.Cores)))
	}
	for _, l := range p.Links {
		out.line("    <link%s/>", attrs("id", out.name(l), "bandwidth", number(l.Bandwidth, "Bps"), "latency", number(l.Latency, "s"), "sharing_policy", l.Sharing.String()))
	}
	for a := range p.Hosts {
		for b := a; b < len(p.Hosts); b++ {
			out.pair(p, a, b)
		}
	}
	out.line("  </zone>")
	out.line("</platform>")
	return out.Flush()
}

// freshName adds underscores to a name until it is free.
func freshName(name string, taken func(string) bool) string {
	for taken(name) {
		name += "_"
	}
	return name
}

type xmlWriter struct {
	*bufio.Writer
	loopback string // what the link that a Full zone brings along is called
}

// line writes one line; errors stay in the bufio.Writer until Flush.
func (w *xmlWriter) line(format string, args ...any) {
	fmt.Fprintf(w.Writer, format+"\n", args...)
}

func newXMLWriter(w io.Writer) *xmlWriter {
	out := &xmlWriter{Writer: bufio.NewWriter(w)}
	out.line("<?xml version='1.0'?>")
	out.line("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">")
	out.line("<platform version=\"4.1\">")
	return out
}

func (w *xmlWriter) name(l Link) string {
	if l.Name() == loopbackName {
		return w.loopback
	}
	return l.Name()
}

// pair writes the routes between two hosts: one element if the way back is the
// way there reversed.
func (w *xmlWriter) pair(p *Platform, a, b int) {
	there, err := p.Route(a, b, nil)
	if a == b {
		if err == nil && !(len(there.Links) == 1 && p.Links[there.Links[0]].Name() == loopbackName) {
			w.route(p, a, b, there.Links, "NO")
		}
		return
	}
	back, errBack := p.Route(b, a, nil)
	reversed := slices.Clone(back.Links)
	slices.Reverse(reversed)
	if err == nil && errBack == nil && slices.Equal(there.Links, reversed) {
		w.route(p, a, b, there.Links, "YES")
		return
	}
	if err == nil {
		w.route(p, a, b, there.Links, "NO")
	}
	if errBack == nil {
		w.route(p, b, a, back.Links, "NO")
	}
}

func (w *xmlWriter) route(p *Platform, a, b int, links []int32, symmetrical string) {
	var path strings.Builder
	for _, l := range links {
		path.WriteString("<link_ctn" + attrs("id", w.name(p.Links[l])) + "/>")
	}
	w.line("    <route%s>%s</route>", attrs("src", p.Hosts[a].Name, "dst", p.Hosts[b].Name, "symmetrical", symmetrical), path.String())
}

// attrs writes names and values as attributes.
func attrs(pairs ...string) string {
	var s strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		s.WriteString(" " + pairs[i] + "=\"")
		xml.EscapeText(&s, []byte(pairs[i+1])) // a strings.Builder never fails
		s.WriteString("\"")
	}
	return s.String()
}

// number writes a value so that reading it gives the same one.
func number(v float64, unit string) string {
	return strconv.FormatFloat(v, 'g', -1, 64) + unit
}
