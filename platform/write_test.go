package platform

import (
	"bytes"
	"errors"
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
				if r.Links[i].Name() == loopbackName {
					*r.Links[i].stem = "loopback"
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

func TestWriteXMLTellsAFailedWrite(t *testing.T) {
	p := mustRead(t, clusterXML(`radical="0-2"`))
	if err := WriteXML(failing{}, p); err == nil {
		t.Error("a failed write went unnoticed")
	}
}
