package platform

import (
	"fmt"
	"strings"
	"testing"
)

// large are clusters of 65,536 hosts.
var large = map[string]string{
	"flat":     `radical="0-65535" bb_bw="100GBps" bb_lat="1us"`,
	"torus":    `radical="0-65535" topology="TORUS" topo_parameters="64,32,32"`,
	"fat-tree": `radical="0-65535" topology="FAT_TREE" topo_parameters="4;16,16,16,16;1,16,16,16;1,1,1,1"`,
}

func clusterXML(attributes string) string {
	return fmt.Sprintf(`<platform version="4.1"><zone id="w" routing="Full">
<cluster id="c" prefix="n" suffix="" speed="1Gf" bw="1GBps" lat="1us" %s/></zone></platform>`, attributes)
}

func BenchmarkRoute(b *testing.B) {
	for _, name := range []string{"flat", "torus", "fat-tree"} {
		b.Run(name, func(b *testing.B) {
			p := mustRead(b, clusterXML(large[name]))
			n := len(p.Hosts)
			buf := make([]int32, 0, 128)
			a := 1
			b.ReportAllocs()
			for b.Loop() {
				a = a * 40503 % n // an odd stride visits far and near pairs
				r, err := p.Route(a, n-1-a, buf)
				if err != nil {
					b.Fatal(err)
				}
				buf = r.Links
				a++
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"flat", "torus", "fat-tree"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustRead(b, clusterXML(large[name]))
			}
		})
	}
}

func mustRead(tb testing.TB, text string) *Platform {
	tb.Helper()
	p, err := Read("platform", strings.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
