package simulate

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"auspex/platform"
)

// envelope is what MPI adds to a payload on the wire, as SimGrid has it.
const envelope = 16

// crossTraffic is the share of a flow that its acknowledgements take on the
// way back.
const crossTraffic = 0.05

// route is all that a flow between two hosts needs to know.
type route struct {
	links   []int32
	latency float64
	alone   float64 // bytes/s of a flow that has the way to itself
	terms   *terms  // those of the way there have a weight of 1 at least
}

// load is a link of a route and the weight a flow uses it with.
type load struct {
	link   int32
	weight float64
}

// transfer is the progress of a message on its way.
type transfer struct {
	remains float64 // bytes
	since   float64 // when remains was right
	speed   float64 // bytes/s since then, the flow's rate times the factor of its size
	message int32
	place   int32 // in the crowd's queue, or one of the two below; of a free one, the next
}

const (
	notYet = int32(-2) // the latency is not paid
	alone  = int32(-1) // it moves, but is not in the crowd's queue
)

// network turns messages into flows.
type network struct {
	solver
	crowdTime
	transfers []transfer
	free      int32 // the first flow that is, or none; the others follow as place
	routes    routeTable
	terms     map[string]*terms
	plat      *platform.Platform
	opts      *Options
	queue     *eventQueue
	firstID   int32 // event id of flow 0
	dirty     bool
	running   int
	buf       []int32
	loads     []load
	key       []byte
	spare     route // one that is not remembered

	// Where the platform changes: see change.go.
	ends      func(message int32) (src, dst int32, a, b int32)
	latencies []float64
	off       []bool
	narrowest []float64 // by flow: the least bandwidth on its way when it was started

	reserves []reserve // by link, where links pass bytes at once after a rest; see rest.go

	// By flow, where Options.Leaves asks for it: with how many bytes left its sender is
	// done, once; and those that were just then. See answers.go.
	tails  []float64
	tailed []int32

	use usage

	latencyFactor, bandwidthFactor []Segment
	bandwidthFactors               []float64 // of no segment, and of each
	weightS                        float64
	factors                        [16]factors // of sizes asked for, by a hash
}

// factors are those of a message's size.
type factors struct {
	size, latency float64
	bandwidth     uint16 // place in network.bandwidthFactors
}

// maxRoutes bounds the routes remembered; others are found anew every time.
const maxRoutes = 1 << 14

func newNetwork(p *platform.Platform, o *Options, q *eventQueue, firstID int32) *network {
	n := &network{plat: p, opts: o, queue: q, firstID: firstID, free: none, terms: map[string]*terms{}}
	n.crowd.link, n.epoch, n.exact = none, 1, o.Exact
	ranks := int(firstID)
	n.flows, n.transfers = make([]flow, 0, 4*ranks), make([]transfer, 0, 4*ranks)
	n.links = make([]link, len(p.Links))
	for i, l := range p.Links {
		n.links[i] = link{capacity: l.Bandwidth, fat: l.Sharing == platform.Fatpipe}
	}
	if o.Burst > 0 {
		n.reserves = make([]reserve, len(p.Links))
		for i := range n.reserves {
			n.reserves[i].filled = o.Burst / p.Links[i].Bandwidth
		}
	}
	// The models' constants are SimGrid's: Velho 2011 for LV08's, and the
	// calibration of SMPI's piecewise factors in Defaults.
	switch o.Model {
	case SMPI:
		n.latencyFactor, n.bandwidthFactor, n.weightS = o.LatencyFactor, o.BandwidthFactor, 8775
	case LV08:
		n.latencyFactor, n.bandwidthFactor, n.weightS = segments(-1, 13.01), segments(-1, 0.97), 20537
	case CM02:
		n.weightS = 0
	}
	if o.weightSet {
		n.weightS = o.WeightS
	}
	n.bandwidthFactors = []float64{1}
	for _, s := range n.bandwidthFactor {
		n.bandwidthFactors = append(n.bandwidthFactors, s.Values[0])
	}
	n.use.fat = map[int32]presence{}
	if slices.Max(n.bandwidthFactors) > 1 {
		n.use.needed = make([]float64, len(n.links))
	}
	return n
}

// route finds the way between two hosts, or makes it.
func (n *network) route(src, dst int32) (*route, error) {
	if r := n.routes.get(src, dst); r != nil {
		return r, nil
	}
	there, err := n.plat.Route(int(src), int(dst), n.buf)
	if err != nil {
		return nil, err
	}
	n.buf = there.Links
	r, remember := &n.spare, n.routes.used < maxRoutes
	if remember {
		r = &route{}
	}
	r.latency = max(there.Latency+n.late(there.Links), 0)
	t := terms{penalty: r.latency, bound: math.Inf(1)}
	loads := n.loads[:0]
	for _, e := range there.Links {
		bandwidth := n.links[e].capacity
		if !(bandwidth > 0) {
			return nil, fmt.Errorf("simulate: link %s has no bandwidth", n.plat.Links[e].Name())
		}
		t.bound = min(t.bound, bandwidth)
		t.penalty += n.weightS / bandwidth
		loads = n.load(loads, e, 1)
	}
	if n.opts.CrossTraffic {
		back, err := n.plat.Route(int(dst), int(src), n.buf)
		if err != nil {
			return nil, err
		}
		n.buf = back.Links
		for _, e := range back.Links {
			loads = n.load(loads, e, crossTraffic)
		}
	}
	n.loads = loads
	r.links, r.alone = r.links[:0], n.window(r.latency)
	for _, x := range loads {
		r.links = append(r.links, x.link)
		r.alone = min(r.alone, n.links[x.link].capacity/x.weight)
	}
	t.bound = min(t.bound, n.window(r.latency))
	if r.latency <= 0 {
		t.penalty = 1 // as in SimGrid, where such a flow skips the latency phase
	}
	r.terms = n.termsOf(t.penalty, t.bound)
	if remember {
		n.routes.put(src, dst, r)
	}
	return r, nil
}

// load adds weight on a link; a FATPIPE link keeps the largest.
func (n *network) load(loads []load, e int32, weight float64) []load {
	for i := range loads {
		if loads[i].link == e {
			if n.links[e].fat {
				loads[i].weight = max(loads[i].weight, weight)
			} else {
				loads[i].weight += weight
			}
			return loads
		}
	}
	return append(loads, load{link: e, weight: weight})
}

// termsOf finds the terms of flows with the weights in n.loads, or makes them.
func (n *network) termsOf(penalty, bound float64) *terms {
	key := binary.LittleEndian.AppendUint64(n.key[:0], math.Float64bits(penalty))
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(bound))
	for _, x := range n.loads {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x.weight))
	}
	n.key = key
	t := n.terms[string(key)]
	if t == nil {
		t = &terms{penalty: penalty, inverse: 1 / penalty, bound: bound}
		for _, x := range n.loads {
			t.weights = append(t.weights, x.weight)
		}
		n.terms[string(key)] = t
	}
	return t
}

// lay gives a flow its way.
func (n *network) lay(f *flow, r *route) {
	f.terms = r.terms
	if int(f.room) < len(r.links) {
		if n.parts == nil { // as many as there may be soon, since to grow costs much
			n.parts = make([]part, 0, cap(n.flows)*len(r.links))
		}
		f.first, f.room = int32(len(n.parts)), uint16(min(len(r.links), math.MaxUint16))
		n.parts = append(n.parts, make([]part, len(r.links))...)
	}
	for i, e := range r.links {
		n.parts[int(f.first)+i].link = e
	}
}

// start sends a message's bytes off, with a delay beyond the way's latency. tail is with
// how many bytes left there is an event of its own; 0 for none.
func (n *network) start(now, delay float64, src, dst int32, bytes, tail int64, message int32) error {
	r, err := n.route(src, dst)
	if err != nil {
		return err
	}
	if n.ends != nil {
		for _, l := range r.links {
			if n.off[l] {
				from, to, _, _ := n.ends(message)
				return n.lost(l, from, to, now)
			}
		}
	}
	var id int32
	if id = n.free; id != none {
		n.free = n.transfers[id].place
	} else {
		id = int32(len(n.flows))
		n.flows = append(n.flows, flow{})
		n.transfers = append(n.transfers, transfer{})
		n.queue.grow(int(n.firstID) + len(n.flows))
	}
	size := float64(bytes + n.opts.Envelope)
	by := &n.factors[uint64(bytes)*0x9e3779b97f4a7c15>>60]
	if size != by.size {
		*by = factors{size, factor(n.latencyFactor, size), uint16(segment(n.bandwidthFactor, size))}
	}
	n.transfers[id] = transfer{message: message, remains: size, since: now, place: notYet}
	f := &n.flows[id]
	f.factor = by.bandwidth
	n.lay(f, r)
	if n.ends != nil {
		n.narrow(id, r.links)
	}
	if n.opts.Leaves > 0 {
		n.tails = slices.Grow(n.tails, len(n.flows)-len(n.tails))[:len(n.flows)]
		n.tails[id] = float64(tail)
	}
	n.started = longer(n.started, id, cap(n.flows))
	n.running++
	latency := r.latency*by.latency + delay
	if latency > 0 {
		n.queue.schedule(n.firstID+id, now+latency)
	} else {
		return n.move(id, now)
	}
	return nil
}

// move ends a flow's latency phase: it takes bandwidth from now on.
func (n *network) move(id int32, now float64) error {
	if n.ends != nil { // its way may have changed meanwhile
		if err := n.renew(id); err != nil {
			return err
		}
	}
	t := &n.transfers[id]
	t.place, t.since = alone, now
	n.join(id)
	f := &n.flows[id]
	n.come(f, now, t.remains)
	if n.reserves != nil {
		t.remains = n.pass(f, t, now)
	}
	if n.tails != nil {
		n.tails[id] = min(n.tails[id], t.remains)
		t.remains -= n.tails[id]
	}
	n.dirty = true
	return nil
}

// tail lets a flow that has moved all but its tail move that too; false where it has
// none.
func (n *network) tail(id int32, now float64) bool {
	if n.tails == nil || n.tails[id] == 0 {
		return false
	}
	t := &n.transfers[id]
	t.remains, t.since, n.tails[id] = n.tails[id], now, 0
	n.tailed = append(n.tailed, id)
	n.dirty = true
	return true
}

// finish ends a flow and returns its message.
func (n *network) finish(id int32, now float64) int32 {
	if len(n.use.fat) > 0 {
		n.gone(id, now)
	}
	n.leave(id)
	n.dirty = true
	n.running--
	t := &n.transfers[id]
	message := t.message
	t.message, t.place, n.free = none, n.free, id
	return message
}

// share solves the sharing problem and dates the flows whose rate it changed.
func (n *network) share(now float64) {
	if !n.dirty {
		return
	}
	n.dirty = false
	n.advance(n.crowd.level, now)
	for _, id := range n.tailed {
		if f, t := &n.flows[id], &n.transfers[id]; f.inCrowd {
			n.enqueue(n.transfers, id, n.virtual+t.remains*f.penalty/n.bandwidthFactors[f.factor])
		} else {
			n.queue.schedule(n.firstID+id, now+t.remains/t.speed)
		}
	}
	n.tailed = n.tailed[:0]
	for _, id := range n.solve() {
		n.date(id, now)
	}
	n.set = emptied(n.set)
	for _, id := range n.crowd.come {
		n.date(id, now)
	}
	for _, id := range n.crowd.gone {
		n.date(id, now)
	}
	n.dateCrowd(now)
}

// date sets when a flow arrives after its rate was found.
func (n *network) date(id int32, now float64) {
	f := &n.flows[id]
	t := &n.transfers[id]
	factor := n.bandwidthFactors[f.factor]
	crowded := t.place >= 0
	if f.inCrowd && crowded {
		return // back where it was
	}
	if crowded {
		t.remains = (n.unqueue(n.transfers, id) - n.virtual) * factor / f.penalty
	} else {
		if t.speed > 0 && f.rate*factor == t.speed && !f.inCrowd {
			return
		}
		t.remains -= t.speed * (now - t.since)
	}
	if t.remains < 1e-14 { // SimGrid's precision on what remains
		t.remains = 0
	}
	t.since = now
	t.speed = f.rate * factor
	switch {
	case f.inCrowd:
		n.enqueue(n.transfers, id, n.virtual+t.remains*f.penalty/factor)
		n.queue.cancel(n.firstID + id)
	case t.speed > 0:
		n.queue.schedule(n.firstID+id, now+t.remains/t.speed)
	default:
		n.queue.cancel(n.firstID + id)
	}
}

// dateCrowd sets when the next flow of the crowd arrives.
func (n *network) dateCrowd(now float64) {
	if len(n.order) == 0 || !(n.crowd.level > 0) {
		n.queue.cancel(n.firstID - 1)
		return
	}
	wait := max((n.order[0].target-n.virtual)/n.crowd.level, 0)
	n.queue.schedule(n.firstID-1, now+wait)
}

// arrivedOfCrowd takes the next flow of the crowd that has arrived by now.
func (n *network) arrivedOfCrowd(now float64) int32 {
	n.advance(n.crowd.level, now)
	if len(n.order) == 0 {
		return none
	}
	next := n.order[0]
	// Far on, the clock moves in steps wider than precision.
	if (next.target-n.virtual)/n.crowd.level >= max(precision, 4*0x1p-52*now) {
		return none
	}
	n.unqueue(n.transfers, next.flow)
	return next.flow
}
