package replay

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"auspex/platform"
	"auspex/simulate"
)

// PlatformGraph is a platform as a picture shows it: hosts, the places where
// links meet, and the load of the links. It is found from the routes between
// hosts, so every topology is drawn alike.
type PlatformGraph struct {
	Hosts int            `json:"hosts"` // of the platform; nodes may be fewer
	Nodes []PlatformNode `json:"nodes"`
	Edges []PlatformEdge `json:"edges"`
}

// PlatformNode is a host, some hosts that are alike, a place where links meet
// ("switch"), or a link that more than two share ("link"), with its load.
type PlatformNode struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Count int     `json:"count"` // hosts that it stands for
	Speed float64 `json:"speed"` // flop/s of a core, 0 for others than hosts
	Ranks []int   `json:"ranks"`
	LinkLoad
}

// PlatformEdge is a link between two nodes, or several in a row.
type PlatformEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	LinkLoad
}

// LinkLoad is what links can carry and did carry; of several in a row the
// narrowest and the busiest, of both directions the busier.
type LinkLoad struct {
	Links       []string `json:"links"`
	Bandwidth   float64  `json:"bandwidth"` // bytes/s
	Latency     float64  `json:"latency"`
	Bytes       float64  `json:"bytes"`
	Utilisation float64  `json:"utilisation"`
}

// drawnHosts is the most hosts that are drawn one by one.
const drawnHosts = 48

// DrawPlatform draws the hosts that ranks ran on, all of them where they are
// few.
func DrawPlatform(p *platform.Platform, hostOfRank []int, use []simulate.LinkUse) *PlatformGraph {
	b := &graphBuilder{p: p, load: map[string]LinkLoad{}, same: map[string]string{}, edges: map[[2]string][]string{}, private: map[int]string{}}
	b.measure(use)
	b.trace(graphHosts(p, hostOfRank))
	b.contract()
	g := b.draw(hostOfRank)
	if len(g.Nodes) > drawnHosts {
		g.gather()
	}
	g.Hosts = len(p.Hosts)
	return g
}

func graphHosts(p *platform.Platform, hostOfRank []int) []int {
	used := map[int]bool{}
	for _, h := range hostOfRank {
		used[h] = true
	}
	if len(p.Hosts) <= drawnHosts {
		for h := range p.Hosts {
			used[h] = true
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// pairs are the positions of hosts between which routes are asked for: all of
// a few, and of many each with some others.
func pairs(n int) [][2]int {
	var list [][2]int
	for i := range n {
		others := []int{0, i + 1, i + n/2, 7919*i + 1}
		if n <= drawnHosts {
			others = others[:0]
			for j := range n {
				others = append(others, j)
			}
		}
		for _, j := range others {
			if j %= n; j != i {
				list = append(list, [2]int{i, j}, [2]int{j, i})
			}
		}
	}
	return list
}

// graphBuilder finds the graph. Its nodes are "host …", "at …" for the far end
// of a host's own link, and "link …".
type graphBuilder struct {
	p       *platform.Platform
	load    map[string]LinkLoad    // by link without direction
	private map[int]string         // the link that all routes of a host begin with
	same    map[string]string      // ends of links that are one place
	edges   map[[2]string][]string // links between two nodes, in order of their names
}

// undirected is a link's name without the direction of a duplex one.
func undirected(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "_UP"), "_DOWN")
}

func (b *graphBuilder) measure(use []simulate.LinkUse) {
	for _, l := range b.p.Links {
		name := undirected(l.Name())
		b.load[name] = LinkLoad{Links: []string{name}, Bandwidth: l.Bandwidth, Latency: l.Latency}
	}
	for _, u := range use {
		l := b.load[undirected(u.Name)]
		l.Bytes += u.Bytes
		l.Utilisation = max(l.Utilisation, u.Utilisation)
		b.load[undirected(u.Name)] = l
	}
}

// routed is the way between two hosts.
type routed struct {
	from, to int
	links    []string
}

// trace lays the routes between hosts over each other.
func (b *graphBuilder) trace(hosts []int) {
	var ways []routed
	var buffer []int32
	first := map[int]map[string]bool{} // by host: the links at its end of a route
	note := func(host int, link string) {
		if first[host] == nil {
			first[host] = map[string]bool{}
		}
		first[host][link] = true
	}
	for _, pair := range pairs(len(hosts)) {
		from, to := hosts[pair[0]], hosts[pair[1]]
		route, err := b.p.Route(from, to, buffer)
		if err != nil {
			continue
		}
		buffer = route.Links
		way := routed{from: from, to: to}
		for _, l := range route.Links {
			way.links = append(way.links, undirected(b.p.Links[l].Name()))
		}
		way.links = slices.Compact(way.links)
		note(from, way.links[0])
		note(to, way.links[len(way.links)-1])
		ways = append(ways, way)
	}
	owners := map[string]int{}
	for _, links := range first {
		for link := range links {
			owners[link]++
		}
	}
	for host, links := range first {
		for link := range links {
			if len(links) == 1 && owners[link] == 1 {
				b.private[host] = link
			}
		}
	}
	for _, way := range ways {
		b.lay(way)
	}
}

// lay adds one route to the graph.
func (b *graphBuilder) lay(way routed) {
	middle := way.links
	begin, end := b.hostID(way.from), b.hostID(way.to)
	if link, ok := b.private[way.from]; ok {
		begin = b.join(begin, "at "+begin, link)
		middle = middle[1:]
	}
	if link, ok := b.private[way.to]; ok && len(middle) > 0 {
		end = b.join(end, "at "+end, link)
		middle = middle[:len(middle)-1]
	}
	if len(middle) == 0 {
		b.merge(begin, end)
		return
	}
	for _, link := range middle {
		begin = b.join(begin, "link "+link, "")
	}
	b.join(begin, end, "")
}

func (b *graphBuilder) hostID(host int) string { return "host " + b.p.Hosts[host].Name }

// join puts an edge between two nodes and returns the second.
func (b *graphBuilder) join(from, to, link string) string {
	key := edgeKey(from, to)
	links := b.edges[key]
	if link != "" && !slices.Contains(links, link) {
		links = append(links, link)
	}
	b.edges[key] = links
	return to
}

func edgeKey(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

// merge says that two ends of links are one place.
func (b *graphBuilder) merge(x, y string) {
	if x, y = b.find(x), b.find(y); x != y {
		b.same[max(x, y)] = min(x, y)
	}
}

func (b *graphBuilder) find(x string) string {
	for b.same[x] != "" {
		if above := b.same[b.same[x]]; above != "" {
			b.same[x] = above // the way is shorter next time
		}
		x = b.same[x]
	}
	return x
}

// contract draws what only joins two others as a line between them.
func (b *graphBuilder) contract() {
	merged := map[[2]string][]string{}
	for _, key := range slices.SortedFunc(maps.Keys(b.edges), compareKeys) {
		if from, to := b.find(key[0]), b.find(key[1]); from != to {
			at := edgeKey(from, to)
			merged[at] = append(merged[at], b.edges[key]...)
		}
	}
	b.edges = merged
	around := map[string]map[string]bool{}
	for key := range b.edges {
		for i, node := range key {
			if around[node] == nil {
				around[node] = map[string]bool{}
			}
			around[node][key[1-i]] = true
		}
	}
	for _, kind := range []string{"at ", "link "} {
		for _, node := range slices.Sorted(maps.Keys(around)) {
			if !strings.HasPrefix(node, kind) || len(around[node]) != 2 {
				continue
			}
			two := slices.Sorted(maps.Keys(around[node]))
			x, y := two[0], two[1]
			if around[x][y] {
				continue // another way between the same two stays visible
			}
			links := append(slices.Clone(b.edges[edgeKey(x, node)]), b.edges[edgeKey(node, y)]...)
			if link, ok := strings.CutPrefix(node, "link "); ok {
				links = append(links, link)
			}
			delete(b.edges, edgeKey(x, node))
			delete(b.edges, edgeKey(node, y))
			b.edges[edgeKey(x, y)] = links
			delete(around[x], node)
			delete(around[y], node)
			delete(around, node)
			around[x][y], around[y][x] = true, true
		}
	}
}

func compareKeys(a, b [2]string) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func (b *graphBuilder) draw(hostOfRank []int) *PlatformGraph {
	g := &PlatformGraph{Nodes: []PlatformNode{}, Edges: []PlatformEdge{}}
	seen := map[string]bool{}
	ranks := map[string][]int{}
	for rank, host := range hostOfRank {
		ranks[b.hostID(host)] = append(ranks[b.hostID(host)], rank)
	}
	add := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		node := PlatformNode{ID: id, Kind: "switch", Ranks: []int{}, LinkLoad: b.combined(nil)}
		if host, ok := strings.CutPrefix(id, "host "); ok {
			node.Name, node.Kind, node.Count = host, "host", 1
			node.Ranks = append(node.Ranks, ranks[id]...)
			if at, found := b.p.HostByName(host); found {
				node.Speed = b.p.Hosts[at].Speed
			}
		} else if link, ok := strings.CutPrefix(id, "link "); ok {
			node.Name, node.Kind, node.LinkLoad = link, "link", b.combined([]string{link})
		}
		g.Nodes = append(g.Nodes, node)
	}
	for _, key := range slices.SortedFunc(maps.Keys(b.edges), compareKeys) {
		add(key[0])
		add(key[1])
		g.Edges = append(g.Edges, PlatformEdge{From: key[0], To: key[1], LinkLoad: b.combined(b.edges[key])})
	}
	for _, host := range hostOfRank { // one that nothing is joined to
		add(b.hostID(host))
	}
	return g
}

// combined is the load of links in a row.
func (b *graphBuilder) combined(links []string) LinkLoad {
	sum := LinkLoad{Links: []string{}}
	narrowest := math.Inf(1)
	for _, name := range links {
		l := b.load[name]
		sum.Links = append(sum.Links, name)
		narrowest = min(narrowest, l.Bandwidth)
		sum.Latency += l.Latency
		sum.Bytes = max(sum.Bytes, l.Bytes)
		sum.Utilisation = max(sum.Utilisation, l.Utilisation)
	}
	if len(links) > 0 {
		sum.Bandwidth = narrowest
	}
	return sum
}

// gather draws hosts that hang on the same node as one.
func (g *PlatformGraph) gather() {
	degree, only := map[string]int{}, map[string]int{}
	for i, e := range g.Edges {
		degree[e.From]++
		degree[e.To]++
		only[e.From], only[e.To] = i, i
	}
	group := map[string]int{} // by the node they hang on: position in nodes
	drop := map[int]bool{}    // edges
	nodes := []PlatformNode{}
	for _, n := range g.Nodes {
		if n.Kind != "host" || degree[n.ID] != 1 {
			nodes = append(nodes, n)
			continue
		}
		at := only[n.ID]
		e := g.Edges[at]
		on := e.From
		if on == n.ID {
			on = e.To
		}
		first, there := group[on]
		if !there {
			n.Kind = "hosts"
			group[on] = len(nodes)
			nodes = append(nodes, n)
			continue
		}
		drop[at] = true
		nodes[first].Count++
		nodes[first].Ranks = append(nodes[first].Ranks, n.Ranks...)
		kept := &g.Edges[only[nodes[first].ID]]
		kept.Bytes += e.Bytes
		kept.Utilisation = max(kept.Utilisation, e.Utilisation)
	}
	edges := []PlatformEdge{}
	for i, e := range g.Edges {
		if !drop[i] {
			edges = append(edges, e)
		}
	}
	for i := range nodes {
		slices.Sort(nodes[i].Ranks)
	}
	g.Nodes, g.Edges = nodes, edges
}
