// Package platform describes the machines a program is replayed on: hosts,
// links, and which links a message crosses from one host to another.
//
//  1. Read a platform from SimGrid's XML (version 4.1) or from the short TOML
//     form below: p, err := platform.Read(name, file).
//  2. Place the ranks: slots, err := platform.ReadHostfile(name, file, p), or
//     platform.AllHosts(p), then hosts := platform.Map(slots, np).
//  3. Ask for ways: r, err := p.Route(hosts[0], hosts[1], buf). Routes are
//     worked out when asked for, from the tree of zones; there is no table of
//     all pairs, so clusters of many thousand hosts stay small.
//  4. Describe(p) tells what was understood, and which routes are missing.
//
// The links of a route, their order and capacities are those of SimGrid 3.32,
// to which the tests hold them. Elements and attributes that would change a
// simulated time and are not supported are refused with their line.
//
// # The short form
//
// Clusters, hosts and switches, and the links between them. A message takes the
// way with the fewest links.
//
//	switches = ["core"]
//
//	[[cluster]]
//	name = "a"                  # hosts are called a-0 ... a-15
//	nodes = 16
//	speed = "2.4Gf"             # of a core
//	bandwidth = "1Gbps"         # of each node's link to the switch
//	latency = "50us"
//
//	[[host]]
//	name = "front"
//	speed = "3Gf"
//	cores = 4
//
//	[[link]]
//	between = ["a", "core"]     # or ring, star or full with more names
//	bandwidth = "100Mbps"
//	latency = "1ms"
//
//	[[link]]
//	between = ["front", "core"]
//	bandwidth = "1Gbps"
//	latency = "100us"
//
// A cluster may also have cores, nodes as numbers ("0-3,8-11"), a prefix of host
// names, a list of speeds, sharing ("full-duplex" by default, or
// "half-duplex"), a backbone = {bandwidth, latency, sharing}, a loopback =
// {bandwidth, latency}, a limiter, and one of the topologies torus = [4, 4],
// fat-tree = {down = [4, 4], up = [1, 2], cables = [1, 2]} and dragonfly =
// {groups, chassis, blades, nodes, group-links, chassis-links, blade-links},
// which imply the number of nodes; links to such a cluster arrive at its first
// node. A link may have a name and sharing ("full-duplex", "half-duplex" or
// "fatpipe"). [config] takes SimGrid's options, and reference = "1Gf" says what
// speed the machine counts as on which traces in ns were taken. A host may have a
// speed-file and a state-file, a link a bandwidth-file, a latency-file and a
// state-file: profiles of how they change ([ReadProfile]). A platform of peers has
// [[peer]]s only, each with a name, a speed, the bandwidths in and out, and
// coordinates = [x, y, height] in ms.
package platform
