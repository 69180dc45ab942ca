package vcluster

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Addresses are of 10.77.0.0/16 and exist inside the lab's namespaces alone.
func address(host int) string { return fmt.Sprintf("10.77.%d.%d", host/250, host%250+1) }

const headAddress = "10.77.255.1"

// script collects commands for one namespace, of iproute2 and of the shell.
type script struct{ ip, tc, settings strings.Builder }

// wire makes the namespaces, the cables and the routes.
func (l *Lab) wire(ctx context.Context, plan *Plan) error {
	var all strings.Builder
	nodes := make([]script, len(plan.Nodes)+1) // and the head
	head := len(plan.Nodes)
	name := func(i int) string {
		if i == head {
			return l.head()
		}
		return l.namespace(i)
	}
	for i := range nodes {
		fmt.Fprintf(&all, "netns add %s\n", name(i))
		fmt.Fprintf(&nodes[i].ip, "link set lo up\n")
	}
	ports := make([]int, len(nodes))
	// join makes a veth pair and returns the names of its ends; both have
	// addresses that the other end's neighbour table is given, so nobody asks.
	join := func(id, a, b int) (ends [2]string) {
		for side, node := range []int{a, b} {
			ends[side] = fmt.Sprintf("eth%d", ports[node])
			ports[node]++
		}
		fmt.Fprintf(&all, "link add %s netns %s address %s type veth peer name %s netns %s address %s\n",
			ends[0], name(a), hardware(id, 0), ends[1], name(b), hardware(id, 1))
		fmt.Fprintf(&nodes[a].ip, "link set %s up\n", ends[0])
		fmt.Fprintf(&nodes[b].ip, "link set %s up\n", ends[1])
		return ends
	}
	way := func(node int, to, device string, id, side int) {
		fmt.Fprintf(&nodes[node].ip, "route add %s dev %s\n", to, device)
		fmt.Fprintf(&nodes[node].ip, "neigh add %s lladdr %s dev %s nud permanent\n", to, hardware(id, 1-side), device)
	}
	ends := make([][2]string, len(plan.Cables))
	for id, c := range plan.Cables {
		ends[id] = join(id, c.Ends[0], c.Ends[1])
		for side, rate := range c.Rates {
			if rate > 0 {
				node := &nodes[c.Ends[side]]
				fmt.Fprintf(&node.tc, "qdisc add dev %s root tbf rate %.0fbit burst %d latency 50ms\n", ends[id][side], 8*rate, Burst(rate))
				// A connection has little before the link: else what its host sends
				// to another one waits behind 128 KiB of it, 11 ms at 100 Mbit/s.
				// Kernels that cannot cut packets so short leave half of that.
				fmt.Fprintf(&node.settings, "ip link set dev %s gso_max_size %d 2>/dev/null\necho %d > /proc/sys/net/ipv4/tcp_limit_output_bytes\n", ends[id][side], Burst(rate), 4*Burst(rate))
			}
		}
	}
	for i := range plan.Hosts {
		fmt.Fprintf(&nodes[i].ip, "addr add %s/32 dev eth0\n", address(i))
	}
	for i := range plan.Nodes {
		for to, h := range plan.Nodes[i].next {
			if h != (hop{}) {
				way(i, address(to), ends[h.cable-1][h.end], h.cable-1, h.end)
			}
		}
	}
	for i := range plan.Hosts {
		id := len(plan.Cables) + i
		pair := join(id, head, i)
		if i == 0 {
			fmt.Fprintf(&nodes[head].ip, "addr add %s/32 dev %s\n", headAddress, pair[0])
		}
		way(head, address(i), pair[0], id, 0)
		way(i, headAddress, pair[1], id, 1)
	}
	if err := feed(ctx, all.String(), "ip", "-batch", "-"); err != nil {
		return err
	}
	for i := range nodes {
		if err := feed(ctx, nodes[i].ip.String(), "ip", "-n", name(i), "-batch", "-"); err != nil {
			return err
		}
		if nodes[i].tc.Len() > 0 {
			if err := feed(ctx, nodes[i].tc.String(), "tc", "-n", name(i), "-batch", "-"); err != nil {
				return err
			}
		}
		// Junctions forward. A connection that has rested goes on as fast as it
		// was, and fills the link instead of probing it: reno, not bbr.
		const settings = "cd /proc/sys/net/ipv4 && echo 1 > ip_forward && echo 0 > conf/all/rp_filter && echo 0 > tcp_slow_start_after_idle && echo reno > tcp_congestion_control"
		if err := feed(ctx, nodes[i].settings.String()+settings+"\n", "ip", "netns", "exec", name(i), "sh"); err != nil {
			return err
		}
	}
	return nil
}

// hardware is the address of one end of a cable.
func hardware(cable, side int) string {
	return fmt.Sprintf("02:a5:%02x:%02x:%02x:%02x", cable>>16&0xff, cable>>8&0xff, cable&0xff, side+1)
}

// Burst is how many bytes a shaped link may send at once: enough to come near
// its rate in spite of the timer's grain, few enough that no message slips
// through unshaped, as with large buckets those do that have rested before.
func Burst(rate float64) int {
	const slow, fast = 100e6 / 8, 1e9 / 8
	if rate <= slow {
		return 3000
	}
	return int(3000 + (6000-3000)*(rate-slow)/(fast-slow))
}

// feed runs a command with an input and puts what it said into the error.
func feed(ctx context.Context, input, command string, args ...string) error {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Stdin = strings.NewReader(input)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("lab: %s %s: %w\n%s", command, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return nil
}
