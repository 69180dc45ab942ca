package platform

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteXML writes platforms of every kind and reads them back.
func TestWriteXML(t *testing.T) {
	files, _ := filepath.Glob("testdata/simgrid/*.xml")
	for _, file := range files {
		p := readFile(t, file)
		var b bytes.Buffer
		if err := WriteXML(&b, p); err != nil {
			t.Fatal(err)
		}
		q := mustRead(t, b.String())
		for _, r := range []*Platform{p, q} { // it may stand inside a longer route
			for i := range r.Links {
				if r.Links[i].Name == loopbackName {
					r.Links[i].Name = "loopback"
				}
			}
		}
		if !samePlatform(t, p, q) {
			t.Errorf("%s changed on its way", file)
		}
	}
}

func TestWriteXMLOddNames(t *testing.T) {
	p := mustRead(t, `<platform version="4.1"><config><prop id="a&amp;b" value="&lt;&quot;&#10;"/></config>
<zone id="w" routing="Full"><host id="world" speed="1Gf"/><host id="&lt;&amp;'&quot;" speed="0.1Gf" core="3"/>
<link id="&#x9;l" bandwidth="1e-3Bps" latency="1ps"/><route src="world" dst="&lt;&amp;'&quot;" symmetrical="NO"><link_ctn id="&#x9;l"/></route></zone></platform>`)
	var b bytes.Buffer
	if err := WriteXML(&b, p); err != nil {
		t.Fatal(err)
	}
	q := mustRead(t, b.String())
	if !samePlatform(t, p, q) || q.Config["a&b"] != "<\"\n" {
		t.Errorf("%v", b.String())
	}
}

func TestWriteXMLTooLarge(t *testing.T) {
	p := mustRead(t, clusterXML(`radical="0-512"`))
	if err := WriteXML(&bytes.Buffer{}, p); err == nil || !strings.Contains(err.Error(), "513 hosts") {
		t.Errorf("got %v", err)
	}
}

// failing refuses to be written to.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestClusterWriteXML(t *testing.T) {
	c := Cluster{
		Name: "m", Nodes: 3, Speed: 1.5e9, Cores: 2, Bandwidth: 1.1e8, Latency: 23e-6,
		BackboneBandwidth: 5e9, BackboneLatency: 1e-7, LoopbackBandwidth: 7e9, LoopbackLatency: 3e-7,
	}
	var b bytes.Buffer
	if err := c.WriteXML(&b); err != nil {
		t.Fatal(err)
	}
	p := mustRead(t, b.String())
	if len(p.Hosts) != 3 || p.Hosts[2] != (Host{"m-2", 1.5e9, 2}) {
		t.Errorf("hosts %+v", p.Hosts)
	}
	r, err := p.Route(0, 2, nil)
	if err != nil || !near(r.Latency, 2*23e-6+1e-7) || len(r.Links) != 3 || p.Links[r.Links[0]].Bandwidth != 1.1e8 {
		t.Errorf("route %+v, %v", r, err)
	}
	if r, _ := p.Route(1, 1, nil); len(r.Links) != 1 || r.Latency != 3e-7 {
		t.Errorf("loopback %+v", r)
	}
	if err := c.WriteXML(failing{}); err == nil {
		t.Error("a failed write went unnoticed")
	}
	c.Speed = math.NaN()
	if err := c.WriteXML(&b); err == nil {
		t.Error("a speed that is no number was written")
	}
}
