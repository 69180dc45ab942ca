package simulate

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"auspex/platform"
	"auspex/trace"
)

// LogGP is a network in the four numbers of Alexandrov, Ionescu, Schauser and
// Scheiman (SPAA 1995), between the first two hosts that ranks run on.
type LogGP struct {
	Latency  float64 `json:"L"` // seconds of an empty message on its way
	Overhead float64 `json:"o"` // seconds that a processor spends on one
	Gap      float64 `json:"g"` // seconds between two
	PerByte  float64 `json:"G"` // seconds a byte of a long message
}

// Bounds is what a run takes at least and at most, reckoned from the trace and
// the platform without a replay: a message alone on its way takes L + k G, and
//
//   - no rank is done before it has computed, spent its overheads, and waited for
//     each blocking receive and each blocking send of a large message alone;
//   - somebody always works or some message is on its way, and sharing makes no
//     link slower in all, so the run is over at the latest after all that would
//     take one after the other.
//
// Upper is 0 where it is not known: the trace polls for messages. Collectives are
// reckoned with as many messages as any of their algorithms sends.
type Bounds struct {
	Lower float64 `json:"lower_seconds"`
	Upper float64 `json:"upper_seconds"`
	LogGP LogGP   `json:"loggp"`
}

// bounder reckons bounds.
type bounder struct {
	net   *network
	plat  *platform.Platform
	opts  *Options
	hosts []int
	trace *trace.Trace
	// least is how long the shortest message takes between two ranks with a tag.
	least   map[[3]int32]float64
	own     []float64 // by rank: what it takes at least
	all     float64
	polls   float64
	unknown bool
	// The slowest pair of hosts, without the factors that sizes have.
	latency, perByte float64
	// largest is what any rank has in a collective of a kind, in bytes.
	largest map[trace.Kind]float64
}

// mostPairs bounds the pairs of hosts that collectives are reckoned for.
const mostPairs = 1 << 14

// Estimate reckons the bounds of a replay with the same arguments.
func Estimate(ctx context.Context, t *trace.Trace, p *platform.Platform, hosts []int, o Options) (*Bounds, error) {
	np := t.NP()
	if len(hosts) < np {
		return nil, fmt.Errorf("simulate: %d ranks, but only %d are placed on hosts", np, len(hosts))
	}
	if len(p.Changes) > 0 {
		return nil, fmt.Errorf("simulate: the platform changes while the program runs, so no bounds are known")
	}
	if t.Nanoseconds {
		p = p.Timed(o.ReferenceSpeed)
	}
	b := &bounder{net: newNetwork(p, &o, newEventQueue(np+1), int32(np+1)), plat: p, opts: &o, hosts: hosts, trace: t,
		least: map[[3]int32]float64{}, own: make([]float64, np), largest: map[trace.Kind]float64{}}
	if err := b.pairs(np); err != nil {
		return nil, err
	}
	for _, round := range []round{sizes, sends, receives} {
		for rank := range np {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := b.rank(rank, round); err != nil {
				return nil, err
			}
		}
	}
	out := &Bounds{Upper: b.all + b.polls*(b.polls+1)/2*testSleep}
	for _, s := range b.own {
		out.Lower = max(out.Lower, s)
	}
	if b.unknown {
		out.Upper = 0
	}
	return out, b.parameters(out, np)
}

// alone is how long a message takes that has the network to itself, and least how
// long it takes if the links have rested.
func (b *bounder) alone(from, to int, bytes int64) (least, alone float64, err error) {
	r, err := b.net.route(int32(b.hosts[from]), int32(b.hosts[to]))
	if err != nil {
		return 0, 0, err
	}
	size := float64(bytes + b.opts.Envelope)
	share := factor(b.net.bandwidthFactor, size)
	rate, latency := r.alone*share, r.latency*factor(b.net.latencyFactor, size)
	if math.IsInf(rate, 1) {
		return latency, latency, nil
	}
	return latency + max(0, size-b.opts.Burst*share)/rate, latency + size/rate, nil
}

// pairs finds the slowest pair of hosts.
func (b *bounder) pairs(np int) error {
	seen := map[[2]int]bool{}
	for i := range np {
		for j := range np {
			key := [2]int{b.hosts[i], b.hosts[j]}
			if i == j || seen[key] || len(seen) >= mostPairs {
				continue
			}
			seen[key] = true
			r, err := b.net.route(int32(key[0]), int32(key[1]))
			if err != nil {
				return err
			}
			b.latency = max(b.latency, r.latency)
			b.perByte = max(b.perByte, 1/r.alone)
		}
	}
	return nil
}

// slowest is what messages of up to so many bytes take between the slowest pair of
// hosts: for each, and for a byte.
func (b *bounder) slowest(bytes float64) (latency, perByte float64) {
	size := bytes + float64(b.opts.Envelope)
	slow, narrow := 1.0, 1.0
	for _, s := range b.net.latencyFactor {
		if size > s.From {
			slow = max(slow, s.Values[0])
		}
	}
	for _, s := range b.net.bandwidthFactor {
		if size > s.From {
			narrow = min(narrow, s.Values[0])
		}
	}
	return b.latency * slow, b.perByte / narrow
}

// round is what is looked for in a rank's actions.
type round int

const (
	sizes round = iota // of collectives
	sends              // and work of its own
	receives
)

// rank adds what a rank does.
func (b *bounder) rank(id int, round round) error {
	double := false
	size := func(n int64, t trace.Type) int64 {
		r := rank{double: double}
		return r.size(max(n, 0), t)
	}
	c := b.trace.Cursor(id)
	for {
		a := trace.Action{} // a cursor leaves fields alone that an action has not
		if !c.Next(&a) {
			return nil
		}
		switch a.Kind {
		case trace.Init:
			double = a.Count != 0
			continue
		case trace.Finalize, trace.CommSize, trace.Location, trace.Wait, trace.WaitAll:
			continue
		}
		switch round {
		case sizes:
			if a.Kind.Collective() {
				b.largest[a.Kind] = max(b.largest[a.Kind], b.moved(&a, size))
			}
			continue
		case receives:
			if a.Kind == trace.Recv && a.Comm == 0 && b.opts.PushBelow <= 0 {
				b.own[id] += b.least[[3]int32{a.Peer, int32(id), a.Tag}]
			}
			continue
		}
		if err := b.action(id, &a, size); err != nil {
			return err
		}
	}
}

func (b *bounder) action(id int, a *trace.Action, size func(int64, trace.Type) int64) error {
	work := func(seconds float64) {
		b.own[id] += seconds
		b.all += seconds
	}
	switch a.Kind {
	case trace.Compute:
		h := &b.plat.Hosts[b.hosts[id]]
		s := a.Value / h.Speed
		b.own[id] += s
		if !b.opts.OwnCores {
			s *= max(1, a.Cores/float64(max(h.Cores, 1)))
		}
		b.all += s
	case trace.Sleep:
		work(slept(a.Value))
	case trace.Test:
		b.polls++
	case trace.Recv, trace.Irecv:
		b.unknown = b.unknown || a.Count == trace.ProbeSize
	case trace.Send, trace.Isend, trace.SendRecv:
		return b.message(id, a, size(a.Count, a.Type), work)
	default:
		b.collective(id, a, size)
	}
	return nil
}

// message adds a send, and for the upper bound what its receiver spends.
func (b *bounder) message(id int, a *trace.Action, bytes int64, work func(float64)) error {
	if a.Peer == trace.NullPeer {
		return nil
	}
	eager := bytes < b.opts.EagerBelow
	switch {
	case a.Kind != trace.Send:
		work(overhead(b.opts.IsendOverhead, bytes))
	case eager:
		work(overhead(b.opts.SendOverhead, bytes))
	}
	if eager {
		b.all += overhead(b.opts.RecvOverhead, bytes) + precision
	}
	b.all += precision
	b.all += overhead(b.opts.Cold, bytes)
	if a.Comm != 0 || int(a.Peer) >= len(b.hosts) || a.Peer < 0 {
		latency, perByte := b.slowest(float64(bytes))
		b.all += latency + float64(bytes+b.opts.Envelope)*perByte
		return nil
	}
	t, most, err := b.alone(id, int(a.Peer), bytes)
	if err != nil {
		return err
	}
	b.all += most
	tag := a.Tag
	if a.Kind == trace.SendRecv {
		return nil // its tag is its own
	}
	key := [3]int32{int32(id), a.Peer, tag}
	if known, ok := b.least[key]; !ok || t < known {
		b.least[key] = t
	}
	if a.Kind == trace.Send && !eager && b.opts.PushBelow <= 0 && bytes > b.opts.Leaves {
		// The sender is done when so much is left.
		b.own[id] += max(0, t-most*float64(b.opts.Leaves)/float64(bytes))
	}
	return nil
}

// moved is all that a rank has in a collective, and so no less than any message of it:
// as much for every rank, or what its lists add up to.
func (b *bounder) moved(a *trace.Action, size func(int64, trace.Type) int64) float64 {
	sum := 0.0
	for _, n := range a.Counts {
		sum += float64(size(n, a.Type))
	}
	for _, n := range a.Counts2 {
		sum += float64(size(n, a.Type2))
	}
	return max(sum, float64(b.trace.NP())*float64(max(size(a.Count, a.Type), size(a.Count2, a.Type2))))
}

// collective adds a rank's part of a collective to the upper bound: it takes part
// in no more rounds than there are ranks, and in each moves no more than all that
// it sends and receives; what is combined is computed after it.
func (b *bounder) collective(id int, a *trace.Action, size func(int64, trace.Type) int64) {
	p := float64(b.trace.NP())
	bytes := b.moved(a, size) / max(p, 1)
	latency, narrow := b.slowest(b.largest[a.Kind])
	rounds := float64(bits.Len(uint(b.trace.NP()))) + 1
	messages := 4 * (p + rounds)
	each := overhead(b.opts.SendOverhead, 0) + overhead(b.opts.IsendOverhead, 0) + overhead(b.opts.RecvOverhead, 0) + mostFixed(b.opts.Cold) + latency + float64(b.opts.Envelope)*narrow + 2*precision
	b.all += messages*each + bytes*2*(p+rounds)*rounds*(narrow+perByte(b.opts))
	if a.Value > 0 {
		seconds := a.Value / b.plat.Hosts[b.hosts[id]].Speed
		b.own[id] += seconds
		b.all += seconds
	}
}

// perByte is what overheads add for a byte at most.
func perByte(o *Options) float64 {
	most := 0.0
	for _, list := range [][]Segment{o.SendOverhead, o.RecvOverhead, o.IsendOverhead, o.Cold} {
		for _, s := range list {
			if len(s.Values) > 1 {
				most = max(most, s.Values[1])
			}
		}
	}
	return most
}

// mostFixed is the largest part of a cost that does not grow with the size.
func mostFixed(segs []Segment) float64 {
	most := 0.0
	for _, s := range segs {
		most = max(most, s.Values[0])
	}
	return most
}

// parameters gives the network's four numbers: what an empty message takes beyond
// its bytes, and a byte of a megabyte.
func (b *bounder) parameters(out *Bounds, np int) error {
	if np < 2 {
		return nil
	}
	const long = 1 << 20
	_, empty, err := b.alone(0, 1, 0)
	if err != nil {
		return err
	}
	_, large, err := b.alone(0, 1, long)
	if err != nil {
		return err
	}
	_, half, err := b.alone(0, 1, long/2)
	if err != nil {
		return err
	}
	o := max(overhead(b.opts.SendOverhead, 0), overhead(b.opts.RecvOverhead, 0))
	perByte := (large - half) / (long / 2)
	out.LogGP = LogGP{Latency: empty, Overhead: o, Gap: max(o, float64(b.opts.Envelope)*perByte), PerByte: perByte}
	return nil
}
