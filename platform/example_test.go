package platform_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"auspex/platform"
)

// Two sites of eight nodes with a slow line between them.
func Example() {
	p, err := platform.Read("sites.toml", strings.NewReader(`
[[cluster]]
name = "a"
nodes = 8
speed = "2.4Gf"
bandwidth = "1Gbps"
latency = "50us"

[[cluster]]
name = "b"
nodes = 8
speed = "1Gf"
bandwidth = "1Gbps"
latency = "50us"

[[link]]
name = "line"
between = ["a", "b"]
bandwidth = "100Mbps"
latency = "1ms"
`))
	if err != nil {
		log.Fatal(err)
	}
	from, _ := p.HostByName("a-0")
	to, _ := p.HostByName("b-3")
	r, err := p.Route(from, to, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range r.Links {
		fmt.Printf("%-12s %4.0f Mbit/s\n", p.Links[l].Name(), p.Links[l].Bandwidth*8/1e6)
	}
	fmt.Printf("latency %.1f ms\n", r.Latency*1e3)
	// Output:
	// a_link_0_UP  1000 Mbit/s
	// line_UP       100 Mbit/s
	// b_link_3_DOWN 1000 Mbit/s
	// latency 1.1 ms
}

// TestDocumentation reads the platform that the package comment shows.
func TestDocumentation(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.SplitSeq(string(doc), "\n") {
		if toml, ok := strings.CutPrefix(line, "//\t"); ok {
			text.WriteString(toml + "\n")
		}
	}
	p, err := platform.Read("doc.go", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if d := platform.Describe(p); d.Hosts != 17 || d.PairsCut != 0 {
		t.Errorf("%+v", d)
	}
}
