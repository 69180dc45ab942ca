package platform

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// profileText is a <trace>: the text of a profile, or the file that holds it.
type profileText struct {
	line       int
	file, text string
}

// change adds the profile that an attribute names, if it does.
func (x *xmlReader) change(t tag, attr string, of Quantity, indices ...int32) error {
	file := t.attr[attr]
	if file == "" {
		return nil
	}
	p, err := openProfile(x.file, file, of)
	if err != nil {
		return x.fail(t.line, "%s %q: %s: %v", t.name, t.attr["id"], attr, err)
	}
	x.b.addChanges(of, p, indices...)
	return nil
}

func (b *builder) addChanges(of Quantity, p *Profile, indices ...int32) {
	for _, i := range indices {
		b.p.Changes = append(b.p.Changes, Change{of, i, p})
	}
}

// hostChanges reads the profiles of the host that was added last.
func (x *xmlReader) hostChanges(t tag) error {
	host := int32(len(x.b.p.Hosts) - 1)
	for _, attr := range []string{"speed_file", "availability_file"} { // the older name
		if err := x.change(t, attr, HostSpeed, host); err != nil {
			return err
		}
	}
	return x.change(t, "state_file", HostState, host)
}

// linkChanges reads the profiles of a link; those of a SPLITDUPLEX one are of
// both its directions.
func (x *xmlReader) linkChanges(t tag) error {
	links := x.b.linksNamed(t.attr["id"])
	if err := x.change(t, "bandwidth_file", LinkBandwidth, links...); err != nil {
		return err
	}
	if err := x.change(t, "latency_file", LinkLatency, links...); err != nil {
		return err
	}
	return x.change(t, "state_file", LinkState, links...)
}

// linksNamed are the links that a platform file calls by one name.
func (b *builder) linksNamed(name string) []int32 {
	var links []int32
	for _, n := range []string{name, name + "_UP", name + "_DOWN"} {
		if i, ok := b.links[n]; ok {
			links = append(links, i)
		}
	}
	return links
}

// peer reads a <peer>. SimGrid passes over its lat.
func (x *xmlReader) peer(t tag) error {
	v, ok := x.b.zone().routing.(*vivaldi)
	if !ok {
		return x.fail(t.line, "peer %q: peers stand in a zone of routing Vivaldi", t.attr["id"])
	}
	if err := x.props("peer", x.note); err != nil {
		return err
	}
	speed, err := x.speed(t)
	if err != nil {
		return err
	}
	in, err := x.quantity(t, "bw_in", t.attr["bw_in"], bandwidthUnit)
	if err != nil {
		return err
	}
	out, err := x.quantity(t, "bw_out", t.attr["bw_out"], bandwidthUnit)
	if err != nil {
		return err
	}
	at, err := coordinates(t.attr["coordinates"])
	if err != nil {
		return x.fail(t.line, "peer %q: %v", t.attr["id"], err)
	}
	if err := x.b.addPeer(v, t.attr["id"], speed, in, out, at); err != nil {
		return x.fail(t.line, "%v", err)
	}
	return x.hostChanges(t)
}

// coordinates are two in the plane and a height.
func coordinates(text string) (at [3]float64, err error) {
	words := strings.Fields(text)
	if len(words) != 3 {
		return at, fmt.Errorf("coordinates=%q: three numbers are needed, two in the plane and a height, in ms", text)
	}
	for i, w := range words {
		if at[i], err = strconv.ParseFloat(w, 64); err != nil || math.IsNaN(at[i]) || math.IsInf(at[i], 0) {
			return at, fmt.Errorf("coordinates=%q: %q is no number", text, w)
		}
	}
	return at, nil
}

// profile reads a <trace> or a <trace_connect>.
func (x *xmlReader) profile(t tag) error {
	if t.name == "trace_connect" {
		x.connected = append(x.connected, t)
		return x.empty("trace_connect")
	}
	text, err := x.text()
	if err != nil {
		return err
	}
	if period := strings.TrimSpace(t.attr["periodicity"]); period != "" {
		v, err := strconv.ParseFloat(period, 64)
		if err != nil || !(v >= 0) {
			return x.fail(t.line, "trace %q: the periodicity %q is no number of seconds", t.attr["id"], period)
		}
		if v > 0 {
			text += "\nPERIODICITY " + period
		}
	}
	if x.traces == nil {
		x.traces = map[string]profileText{}
	}
	if _, dup := x.traces[t.attr["id"]]; dup {
		return x.fail(t.line, "there is a trace %q already", t.attr["id"])
	}
	x.traces[t.attr["id"]] = profileText{t.line, t.attr["file"], text}
	return nil
}

// text reads what stands in an element, up to its end tag.
func (x *xmlReader) text() (string, error) {
	var all strings.Builder
	for {
		token, err := x.dec.Token()
		if err != nil {
			return "", x.xmlError(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			all.Write(token)
		case xml.EndElement:
			return all.String(), nil
		case xml.StartElement:
			return "", x.fail(x.line(), "<%s> cannot stand inside <trace>", token.Name.Local)
		}
	}
}

// kinds are those of <trace_connect>.
var kinds = map[string]Quantity{
	"": HostState, "HOST_AVAIL": HostState, "SPEED": HostSpeed, "POWER": HostSpeed,
	"LINK_AVAIL": LinkState, "BANDWIDTH": LinkBandwidth, "LATENCY": LinkLatency,
}

// connect gives hosts and links the profiles that <trace_connect>s name. Of
// several elements that one trace is connected to by the same kind the first has
// it, as in SimGrid 3.32 (surfxml_parseplatf.cpp).
func (x *xmlReader) connect() error {
	type use struct {
		trace string
		of    Quantity
	}
	first := map[use]string{}
	for _, t := range x.connected {
		text, ok := x.traces[t.attr["trace"]]
		if !ok {
			return x.fail(t.line, "trace_connect: there is no trace %q", t.attr["trace"])
		}
		of, known := kinds[strings.ToUpper(t.attr["kind"])]
		if !known {
			return x.fail(t.line, "trace_connect: the kind %q is not known; known are HOST_AVAIL, SPEED, LINK_AVAIL, BANDWIDTH and LATENCY", t.attr["kind"])
		}
		if by, taken := first[use{t.attr["trace"], of}]; taken {
			x.warn(t.line, "trace %q is connected to %q already and has no effect on %q, as in SimGrid 3.32: give each its own trace", t.attr["trace"], by, t.attr["element"])
			continue
		}
		first[use{t.attr["trace"], of}] = t.attr["element"]
		var indices []int32
		if of == HostSpeed || of == HostState {
			if i, ok := x.b.p.HostByName(t.attr["element"]); ok {
				indices = []int32{int32(i)}
			}
		} else {
			indices = x.b.linksNamed(t.attr["element"])
		}
		if len(indices) == 0 {
			return x.fail(t.line, "trace_connect: there is no host or link %q of that kind", t.attr["element"])
		}
		var p *Profile
		var err error
		if text.file != "" {
			p, err = openProfile(x.file, text.file, of)
		} else {
			p, err = ReadProfile(x.file, strings.NewReader(text.text), of)
		}
		if err != nil {
			return x.fail(text.line, "trace %q: %v", t.attr["trace"], err)
		}
		x.b.addChanges(of, p, indices...)
	}
	return nil
}
