package platform

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/internal/mistake"
)

const clusterA = `[[cluster]]
name = "a"
nodes = 2
speed = "1Gf"
bandwidth = "1Gbps"
latency = "50us"
`

const linkAB = `
[[link]]
between = ["a", "b"]
bandwidth = "100Mbps"
latency = "1ms"
`

func TestTOML(t *testing.T) {
	b := strings.Replace(clusterA, `"a"`, `"b"`, 1)
	c := strings.Replace(clusterA, `"a"`, `"c"`, 1)
	pipe := "bandwidth = \"100Mbps\"\nlatency = \"1ms\"\n"
	for name, test := range map[string]struct {
		text string
		want map[string]string
	}{
		"one cluster": {clusterA, map[string]string{
			"a-0 a-1": "a_link_0_UP a_link_1_DOWN",
		}},
		"two clusters": {clusterA + b + linkAB, map[string]string{
			"a-0 b-1": "a_link_0_UP a-b_UP b_link_1_DOWN",
			"b-1 a-0": "b_link_1_UP a-b_DOWN a_link_0_DOWN",
		}},
		"half duplex": {clusterA + "sharing = \"half-duplex\"\n" + b + linkAB + "sharing = \"half-duplex\"\nname = \"wan\"", map[string]string{
			"a-0 b-1": "a_link_0 wan b_link_1_DOWN",
		}},
		"extras": {clusterA + "backbone = {bandwidth = \"10Gbps\", sharing = \"fatpipe\"}\nlimiter = \"1Gbps\"\nloopback = {bandwidth = \"5GBps\"}", map[string]string{
			"a-0 a-1": "a_link_0_limiter a_link_0_UP a_backbone a_link_1_DOWN a_link_1_limiter",
			"a-1 a-1": "a_link_1_loopback",
		}},
		"ring": {clusterA + b + c + "[[link]]\nring = [\"a\", \"b\", \"c\"]\n" + pipe, map[string]string{
			"a-0 b-0": "a_link_0_UP a-b_UP b_link_0_DOWN",
			"a-0 c-0": "a_link_0_UP c-a_DOWN c_link_0_DOWN",
		}},
		"star": {clusterA + b + c + "[[link]]\nname = \"hub\"\nstar = [\"a\", \"b\", \"c\"]\n" + pipe, map[string]string{
			"a-0 c-0": "a_link_0_UP hub-0_UP hub-2_DOWN c_link_0_DOWN",
		}},
		"full": {clusterA + b + c + "[[link]]\nfull = [\"a\", \"b\", \"c\"]\n" + pipe, map[string]string{
			"b-0 c-0": "b_link_0_UP b-c_UP c_link_0_DOWN",
		}},
		"hosts": {"switches = [\"s\"]\n[[host]]\nname = \"x\"\nspeed = \"1Gf\"\n[[host]]\nname = \"y\"\nspeed = \"1Gf\"\ncores = 2\n" +
			"[[link]]\nbetween = [\"x\", \"s\"]\n" + pipe + "[[link]]\nbetween = [\"s\", \"y\"]\nsharing = \"fatpipe\"\n" + pipe, map[string]string{
			"x y": "x-s_UP s-y",
			"x x": "__loopback__",
		}},
		"torus": {"[[cluster]]\nname = \"t\"\ntorus = [2, 2]\nspeed = \"1Gf\"\n" + pipe + b + "[[link]]\nbetween = [\"t\", \"b\"]\n" + pipe, map[string]string{
			"t-0 t-3": "t_link_from_0_to_1_UP t_link_from_1_to_3_UP",
			"t-1 b-0": "t_link_from_0_to_1_DOWN t-b_UP b_link_0_DOWN",
		}},
		"fat tree": {"[[cluster]]\nname = \"t\"\nfat-tree = {down = [4, 2], up = [1, 2]}\nspeed = \"1Gf\"\n" + pipe, map[string]string{
			"t-0 t-4": "link_from_0_15_0_UP link_from_15_13_8_UP link_from_14_13_10_DOWN link_from_4_14_4_DOWN",
		}},
		"dragonfly": {"[[cluster]]\nname = \"t\"\nprefix = \"n\"\ndragonfly = {groups = 2, chassis = 2, blades = 2, nodes = 1, group-links = 3}\nspeed = \"1Gf\"\n" + pipe, map[string]string{
			"n1 n4": "local_link_from_router_1_to_node_0_1_UP blue_link_between_group_0_and_1_routers_1_and_4_16_UP local_link_from_router_4_to_node_0_4_DOWN",
		}},
	} {
		t.Run(name, func(t *testing.T) { checkRoutes(t, test.text, test.want) })
	}
}

func TestTOMLValues(t *testing.T) {
	p := mustRead(t, `[config]
"network/crosstraffic" = false
"network/TCP-gamma" = 20000
"smpi/os" = "0:0:0"
"x" = 0.5
[[cluster]]
name = "a"
nodes = "3,7-8"
prefix = "n"
speed = ["1Gf", "2Gf", "3Gf"]
cores = 4
bandwidth = "1Gbps"
latency = "50us"
`)
	for i, h := range []Host{{"n3", 1e9, 4}, {"n7", 2e9, 4}, {"n8", 3e9, 4}} {
		if p.Hosts[i] != h {
			t.Errorf("host %d is %+v, want %+v", i, p.Hosts[i], h)
		}
	}
	if l := p.Links[0]; l.Name() != "a_link_3_UP" || l.Bandwidth != 125e6 || !near(l.Latency, 50e-6) || l.Sharing != Shared {
		t.Errorf("link %+v", l)
	}
	for key, want := range map[string]string{"network/crosstraffic": "false", "network/TCP-gamma": "20000", "smpi/os": "0:0:0", "x": "0.5"} {
		if p.Config[key] != want {
			t.Errorf("%s = %q, want %q", key, p.Config[key], want)
		}
	}
}

func TestTOMLRefused(t *testing.T) {
	b := strings.Replace(clusterA, `"a"`, `"b"`, 1)
	without := func(key string) string {
		var kept []string
		for line := range strings.SplitSeq(clusterA, "\n") {
			if !strings.HasPrefix(line, key) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "\n")
	}
	for name, c := range map[string]struct {
		text   string
		line   int
		reason string
	}{
		"nothing":         {"# a comment", 0, "no host"},
		"only switches":   {"switches = [\"s\"]", 0, "no host"},
		"not toml":        {"nodes: 16", 1, "not well-formed TOML"},
		"semicolon":       {"[[cluster]]\nname = \"a\"; nodes = 8", 2, "not well-formed TOML"},
		"unknown key":     {clusterA + "colour = \"red\"", 7, `"cluster.colour"`},
		"unknown table":   {clusterA + "[[clusters]]\nname = \"x\"", 7, `"clusters"`},
		"no name":         {without("name"), 1, "no name"},
		"no nodes":        {without("nodes"), 1, "nodes = 16"},
		"no speed":        {without("speed"), 1, `speed = "2.4Gf"`},
		"no bandwidth":    {without("bandwidth"), 1, `bandwidth = "125MBps"`},
		"no latency":      {without("latency"), 1, "latency is missing"},
		"number":          {without("bandwidth") + "bandwidth = 100", 6, "needs a unit"},
		"bare":            {without("bandwidth") + "bandwidth = \"100\"", 6, "has no unit"},
		"unit":            {without("bandwidth") + "bandwidth = \"100Mbit\"", 6, "unknown unit"},
		"zero":            {without("bandwidth") + "bandwidth = \"0Bps\"", 6, "above 0"},
		"negative":        {without("latency") + "latency = \"-1us\"", 6, "must be 0 or more"},
		"nodes 0":         {without("nodes") + "nodes = 0", 6, "1 or more"},
		"nodes text":      {without("nodes") + "nodes = \"many\"", 6, "neither"},
		"nodes list":      {without("nodes") + "nodes = [1]", 6, "nodes is a number"},
		"giant":           {without("nodes") + "nodes = 999999999", 6, "more than"},
		"cores":           {clusterA + "cores = 0", 7, "1 or more"},
		"cores kind":      {clusterA + "cores = \"x\"", 7, "cores is of the wrong kind"},
		"sharing":         {clusterA + "sharing = \"none\"", 7, "full-duplex"},
		"fatpipe":         {clusterA + "sharing = \"fatpipe\"", 7, "half-duplex"},
		"backbone":        {clusterA + "backbone = {latency = \"1us\"}", 7, "bandwidth is missing"},
		"backbone unit":   {clusterA + "[cluster.backbone]\nbandwidth = \"1Gb\"", 8, "unknown unit"},
		"loopback":        {clusterA + "loopback = {bandwidth = \"1GBps\", sharing = \"fatpipe\"}", 7, "never shared"},
		"speeds":          {without("speed") + "speed = [\"1Gf\"]", 6, "1 speeds for 2 nodes"},
		"speeds kind":     {without("speed") + "speed = [\"1Gf\", 2]", 6, "needs a unit"},
		"two topologies":  {without("nodes") + "torus = [2]\nfat-tree = {down = [2]}", 1, "more than one"},
		"torus size":      {clusterA + "torus = [3]", 1, "3 hosts but"},
		"torus backbone":  {without("nodes") + "torus = [3]\nbackbone = {bandwidth = \"1GBps\"}", 7, "plain cluster"},
		"same name":       {clusterA + clusterA, 7, `"a" is taken`},
		"host name":       {clusterA + "[[host]]\nname = \"a\"\nspeed = \"1Gf\"", 8, `"a" is taken`},
		"apart":           {clusterA + b, 0, "no link leads to b"},
		"unknown end":     {clusterA + linkAB, 9, `no cluster, host or switch "b"`},
		"no shape":        {clusterA + b + "[[link]]\nbandwidth = \"1Gbps\"\nlatency = \"0\"", 13, "one of them; this one says 0"},
		"two shapes":      {clusterA + b + "[[link]]\nbetween = [\"a\", \"b\"]\nfull = [\"a\", \"b\"]\nbandwidth = \"1Gbps\"\nlatency = \"0\"", 13, "says 2"},
		"one end":         {clusterA + b + "[[link]]\nbetween = [\"a\"]\nbandwidth = \"1Gbps\"\nlatency = \"0\"", 14, "needs 2"},
		"three ends":      {clusterA + b + "[[link]]\nbetween = [\"a\", \"b\", \"a\"]\nbandwidth = \"1Gbps\"\nlatency = \"0\"", 14, "needs 2"},
		"small ring":      {clusterA + b + "[[link]]\nring = [\"a\", \"b\"]\nbandwidth = \"1Gbps\"\nlatency = \"0\"", 14, "3 or more"},
		"same end":        {clusterA + "[[link]]\nbetween = [\"a\", \"a\"]\nbandwidth = \"1Gbps\"\nlatency = \"0\"", 7, "the same"},
		"joined twice":    {clusterA + b + linkAB + "name = \"x\"" + linkAB, 19, "joined already"},
		"link name twice": {clusterA + b + linkAB + linkAB, 19, "already"},
		"long name":       {"[[cluster]]\nname = \"" + strings.Repeat("x", 5000) + "\"\nnodes = 1\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"0\"\ntorus = [2]", 1, "xxx..."},
		"inline tables":   {"host = [\n{name = \"a\", speed = \"1Gf\"},\n{name = \"b\", speed = \"1\"}]", 3, "has no unit"},
		"large":           {strings.Repeat("#\n", maxTOML/2+1), 0, "larger than 8 MiB"},
		"config kind":     {clusterA + "[config]\nx = [1]", 8, "must be a text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("f.toml", strings.NewReader(c.text))
			place, ok := mistake.Find(err)
			if !ok {
				t.Fatalf("got %v, want an error with a place", err)
			}
			if place.File != "f.toml" || place.Line != c.line || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("got %v, want line %d and %q", err, c.line, c.reason)
			}
		})
	}
}

// TestTwins holds the two forms of the paper's sites to the same hosts and
// routes, and those to the paper: 16 nodes, bottleneck 100 Mbps.
func TestTwins(t *testing.T) {
	for _, site := range []string{"site1", "site2"} {
		dir := filepath.Join("..", "examples", "platforms")
		x, s := readFile(t, filepath.Join(dir, site+".xml")), readFile(t, filepath.Join(dir, site+".toml"))
		if len(x.Hosts) != 16 || !samePlatform(t, x, s) {
			t.Errorf("%s: %d hosts", site, len(x.Hosts))
		}
		for i := range 16 {
			if _, ok := x.HostByName("node-" + digits(i)); !ok {
				t.Errorf("%s lacks node-%d", site, i)
			}
		}
		a, _ := x.HostByName("node-0")
		b, _ := x.HostByName("node-8")
		r, err := x.Route(a, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		slowest := slices.MinFunc(r.Links, func(i, j int32) int { return int(x.Links[i].Bandwidth - x.Links[j].Bandwidth) })
		if bw := x.Links[slowest].Bandwidth; bw != 12.5e6 {
			t.Errorf("%s: node-0 to node-8 runs at %g bytes/s", site, bw)
		}
	}
}
