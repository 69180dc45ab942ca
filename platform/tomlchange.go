package platform

import "fmt"

// change adds the profile in a file, if one is named.
func (x *tomlReader) change(path, file string, of Quantity, indices ...int32) error {
	if file == "" {
		return nil
	}
	p, err := openProfile(x.file, file, of)
	if err != nil {
		return x.fail(path, "%v", err)
	}
	x.b.addChanges(of, p, indices...)
	return nil
}

// hostChanges reads the profiles of the host that was added last.
func (x *tomlReader) hostChanges(path string, h *tomlHost) error {
	host := int32(len(x.b.p.Hosts) - 1)
	if err := x.change(path+".speed-file", h.SpeedFile, HostSpeed, host); err != nil {
		return err
	}
	return x.change(path+".state-file", h.StateFile, HostState, host)
}

// linkChanges reads the profiles of the links that were added from first on.
func (x *tomlReader) linkChanges(path string, l *tomlLink, first int) error {
	var links []int32
	for i := first; i < len(x.b.p.Links); i++ {
		links = append(links, int32(i))
	}
	if err := x.change(path+".bandwidth-file", l.BandwidthFile, LinkBandwidth, links...); err != nil {
		return err
	}
	if err := x.change(path+".latency-file", l.LatencyFile, LinkLatency, links...); err != nil {
		return err
	}
	return x.change(path+".state-file", l.StateFile, LinkState, links...)
}

// peers builds a platform of peers, which nothing but their own links joins.
func (x *tomlReader) peers(t *tomlPlatform) (*Platform, error) {
	if len(t.Cluster)+len(t.Host)+len(t.Switches)+len(t.Link) > 0 {
		return nil, x.fail("peer[0]", "a platform of peers holds no clusters, hosts, switches or links beside them")
	}
	v := &vivaldi{}
	if err := x.b.openZone("world", "Vivaldi", v); err != nil {
		return nil, err
	}
	for i := range t.Peer {
		if err := x.peer(fmt.Sprintf("peer[%d]", i), v, &t.Peer[i]); err != nil {
			return nil, err
		}
	}
	if err := x.b.closeZone(); err != nil {
		return nil, x.fail("", "%v", err)
	}
	return x.b.finish()
}

func (x *tomlReader) peer(path string, v *vivaldi, p *tomlPeer) error {
	speed, err := x.quantity(path+".speed", p.Speed, speedUnit)
	if err != nil {
		return err
	}
	in, err := x.quantity(path+".in", p.In, bandwidthUnit)
	if err != nil {
		return err
	}
	out, err := x.quantity(path+".out", p.Out, bandwidthUnit)
	if err != nil {
		return err
	}
	if len(p.Coordinates) != 3 {
		return x.fail(path+".coordinates", "peer %q: coordinates are three numbers, two in the plane and a height, in ms", p.Name)
	}
	if p.Cores != nil {
		return x.fail(path+".cores", "peer %q: a peer has one core", p.Name)
	}
	if err := x.b.addPeer(v, p.Name, speed, in, out, [3]float64(p.Coordinates)); err != nil {
		return x.fail(path+".name", "peer %q: %v", p.Name, err)
	}
	return x.hostChanges(path, &p.tomlHost)
}
