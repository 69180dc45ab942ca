package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"auspex/platform"
)

// referenceSpeed is the speed of the processor that counts as 1: traces hold
// computation in ns, so it replays them as they were.
const referenceSpeed = 1e9

// WriteTOML writes a platform of nodes equal hosts, or of as many as were
// measured if nodes is 0, in the short form.
func (c *Calibration) WriteTOML(w io.Writer, nodes int) error {
	if nodes == 0 {
		nodes = len(c.Speeds)
	}
	return c.writeTOML(w, nodes)
}

// WriteXML is the same in SimGrid's form.
func (c *Calibration) WriteXML(w io.Writer, nodes int) error {
	var short bytes.Buffer
	if err := c.WriteTOML(&short, nodes); err != nil {
		return err
	}
	p, err := platform.Read("calibration", &short)
	if err != nil {
		return err
	}
	return platform.WriteXML(w, p)
}

func (c *Calibration) writeTOML(w io.Writer, nodes int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Measured by auspex calibrate over %s.\n\n", c.Library)
	fmt.Fprintf(&b, "reference = \"%sf\"\n\n[config]\n", digits(referenceSpeed))
	for _, kv := range c.config() {
		fmt.Fprintf(&b, "%q = %q\n", kv[0], kv[1])
	}
	speeds := make([]string, nodes)
	for i := range speeds {
		speeds[i] = strconv.Quote(digits(c.Speeds[i%len(c.Speeds)]*referenceSpeed) + "f")
	}
	// A message crosses two links: half of the latency is in each.
	fmt.Fprintf(&b, "\n[[cluster]]\nname = \"node\"\nnodes = %d\nspeed = [%s]\nbandwidth = \"%sBps\"\nlatency = \"%ss\"\n",
		nodes, strings.Join(speeds, ", "), digits(c.Bandwidth), digits(c.Latency/2))
	if c.BothWays > 0 {
		fmt.Fprintf(&b, "limiter = \"%sBps\"\n", digits(c.BothWays))
	}
	if c.Backbone > 0 {
		fmt.Fprintf(&b, "backbone = {bandwidth = \"%sBps\", latency = \"0s\"}\n", digits(c.Backbone))
	}
	if l := c.Loopback; l != nil {
		fmt.Fprintf(&b, "loopback = {bandwidth = \"%sBps\", latency = \"%ss\"}\n", digits(l.Bandwidth), digits(l.Latency))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// config lists the model's constants by SimGrid's names.
func (c *Calibration) config() [][2]string {
	list := [][2]string{
		{"network/crosstraffic", map[bool]string{true: "yes", false: "no"}[c.CrossTraffic]},
		{"smpi/coll-selector", c.Selector},
		{"smpi/bw-factor", segmentText(c.BandwidthFactor)},
		{"smpi/lat-factor", segmentText(c.LatencyFactor)},
		{"smpi/async-small-thresh", strconv.FormatInt(c.EagerBelow, 10)},
		{"smpi/send-is-detached-thresh", strconv.FormatInt(c.EagerBelow, 10)},
	}
	if c.Selector == "ompi" {
		list = append(list, [2]string{"auspex/collectives", "openmpi"})
	}
	if c.Cooling > 0 {
		list = append(list, [2]string{"auspex/cooling", digits(c.Cooling)})
	}
	if c.Envelope != envelope {
		list = append(list, [2]string{"auspex/envelope", strconv.FormatFloat(c.Envelope, 'f', 0, 64)})
	}
	if c.Burst > 0 {
		list = append(list, [2]string{"auspex/burst", digits(c.Burst)})
	}
	if c.HoldLarge {
		list = append(list, [2]string{"auspex/overlap", "no"})
	}
	if c.ReceiveAlone > 0 {
		list = append(list, [2]string{"auspex/receive-alone", strconv.FormatInt(c.ReceiveAlone, 10)})
	}
	if c.InOrder {
		list = append(list, [2]string{"auspex/inorder", "yes"})
	}
	if c.Leaves > 0 {
		list = append(list, [2]string{"auspex/leaves", strconv.FormatInt(c.Leaves, 10)})
	}
	if c.SendBuffer > 0 {
		list = append(list, [2]string{"auspex/sendbuffer", strconv.FormatInt(c.SendBuffer, 10)})
	}
	list = append(list, [2]string{"auspex/threads", "own"}) // cores are not measured
	hosts := slices.Compact(slices.Sorted(slices.Values(c.Hosts)))
	if names := strings.Join(hosts, ","); names != "" {
		list = append(list, [2]string{"auspex/hosts", names})
	}
	if c.Signature != nil {
		if text, err := json.Marshal(c.Signature); err == nil { // numbers that Read has checked, or Measure made
			list = append(list, [2]string{"auspex/signature", string(text)})
		}
	}
	if c.Scatter > 0 {
		list = append(list, [2]string{"auspex/scatter", digits(c.Scatter)})
	}
	for _, o := range []struct {
		key  string
		segs []Segment
	}{{"auspex/early", c.Early}, {"auspex/cold", c.Cold}, {"smpi/os", c.SendOverhead}, {"smpi/or", c.RecvOverhead}, {"smpi/ois", c.Isend}} {
		if len(o.segs) > 0 {
			list = append(list, [2]string{o.key, segmentText(o.segs)})
		}
	}
	return list
}

// segmentText is size:value[:value];…
func segmentText(segs []Segment) string {
	var parts []string
	for _, s := range segs {
		text := digits(s.From)
		for _, v := range s.Values {
			text += ":" + digits(v)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ";")
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
