package platform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRead looks for input that makes a reader or a route panic, run away or
// break a promise.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"testdata/simgrid/mixed-*.xml", "testdata/simgrid/bypass.xml", "../examples/platforms/*"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(data))
		}
	}
	for _, attributes := range []string{
		`radical="0-7" bb_bw="1GBps" loopback_bw="1GBps" limiter_link="1GBps"`,
		`radical="0-11" topology="TORUS" topo_parameters="3,2,2" limiter_link="1GBps"`,
		`radical="0-15" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2" sharing_policy="SHARED"`,
		`radical="0-7" topology="DRAGONFLY" topo_parameters="2,1;2,1;2,1;1"`,
		`radical="0-999999999"`,
	} {
		f.Add(clusterXML(attributes))
	}
	f.Add(inWorld(twoZones + `<zoneRoute src="x" dst="y" gw_src="a" gw_dst="b"><link_ctn id="l"/></zoneRoute>`))
	f.Add("<!DOCTYPE platform [<!ENTITY l0 \"lol\">]>" + inWorld(twoHosts))
	f.Add(clusterA + "fat-tree = {down = [2]}\n" + linkAB)
	f.Add("[[cluster]]\nname = \"a\"\ntorus = [2, 2]\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"0\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := read("f", strings.NewReader(text), newBuilder(limits{hosts: 200, links: 2000, bytes: 1 << 16}))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error without a file: %v", err)
			}
			return
		}
		if len(p.Hosts) == 0 {
			t.Error("a platform without hosts")
		}
		for _, l := range p.Links {
			if !(l.Bandwidth > 0) || !(l.Latency >= 0) {
				t.Errorf("link %+v", l)
			}
		}
		for a := range p.Hosts {
			b := (a*7 + 3) % len(p.Hosts)
			r, err := p.Route(a, b, nil)
			if err == nil && len(r.Links) == 0 {
				t.Errorf("empty route from %d to %d", a, b)
			}
			for _, l := range r.Links {
				_ = p.Links[l]
			}
		}
	})
}

// FuzzHostfile looks for lines that break the placing of ranks.
func FuzzHostfile(f *testing.F) {
	for _, text := range []string{"n0\nn1:2\n", "# none\n", "n0:-1", "n3 : 3 # three", "n0:99999999999999999999", ":\n"} {
		f.Add(text)
	}
	p, err := Read("f", strings.NewReader(fourHosts))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		slots, err := ReadHostfile("h", strings.NewReader(text), p)
		if err != nil {
			return
		}
		hosts := Map(slots, 50)
		if len(hosts) != 50 {
			t.Errorf("%d ranks placed", len(hosts))
		}
		for _, h := range hosts {
			if h < 0 || h >= len(p.Hosts) {
				t.Errorf("host %d", h)
			}
		}
	})
}
