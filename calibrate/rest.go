package calibrate

import (
	"context"
	"math"
	"slices"

	"auspex/simulate"
	"auspex/trace"
)

// Rest is how a message depends on what its ranks and links do before it and beside
// it.
type Rest struct {
	// Early is how many seconds before a rank is done with a send its message is on
	// its way.
	Early []Segment `json:"early,omitempty"`
	// Cold is what a message takes longer whose ranks come from computation, and
	// Cooling the seconds of computation after which two thirds of it.
	Cold    []Segment `json:"cold"`
	Cooling float64   `json:"cooling"`
	// Burst is what a link that has rested passes at once, in bytes.
	Burst float64 `json:"burst,omitempty"`
	// HoldLarge says that large messages do not move while ranks compute.
	HoldLarge bool `json:"hold_large"`
	// ReceiveAlone: messages below that size move as soon as their receiver waits for
	// them, whatever their sender does.
	ReceiveAlone int64 `json:"receive_alone"`
	// InOrder says that large messages both ways go one after the other where one rank
	// comes later.
	InOrder bool `json:"in_order"`
	// Leaves is how many bytes of large messages may be on their way when their sender
	// is done with them.
	Leaves int64 `json:"leaves,omitempty"`
	// SendBuffer is how many bytes of small messages the system carries while their
	// sender computes; 0 where no bound was seen.
	SendBuffer int64 `json:"send_buffer,omitempty"`
}

// earlier finds how long a sender goes on after its message has left, and a receiver
// takes one in. Neither shows in a ping-pong, where the network and the other rank
// work meanwhile, nor in a receive of what the library has taken in already. Of ranks
// that send and receive at once it does: what they take longer than a ping-pong, and
// what a message was on its way meanwhile. It adds that to the receiver's own times.
func earlier(pings, both []point, own [][]point) float64 {
	if len(both) != len(pings) {
		return 0
	}
	var longer, way []float64
	for i, p := range below(pings, coolMessage+1) {
		if i < min(len(own[0]), len(own[1])) {
			longer = append(longer, both[i].seconds-p.seconds)
			way = append(way, max(p.seconds-own[0][i].seconds-own[1][i].seconds, leastNetwork*p.seconds))
		}
	}
	if len(longer) == 0 || median(longer) < leastEarly*pings[0].seconds {
		return 0
	}
	early := min(median(longer)+median(way), mostEarly*own[0][0].seconds)
	for i := range own[1] {
		own[1][i].seconds += early
	}
	return early
}

// mostEarly is the largest part of a send that may come after its message has left,
// and leastEarly the part of a message's time that is more than chance.
const mostEarly, leastEarly = 0.8, 0.1

// coolMessage is the size of messages after more and more computation.
const coolMessage = 64

// fitCold finds what an exchange after computation takes longer than a message would
// on this network without that, as sizes near one another say together. With large
// ones that no longer grows.
func (c *Calibration) fitCold(cold []point) error {
	c.Cold = nil
	all, err := c.compare(context.Background(), below(cold, largeMessage), oneMessage)
	if err != nil {
		return err
	}
	var more []point
	for _, got := range all {
		more = append(more, point{float64(got.Bytes), max(0, got.Measured-got.Simulated), got.Measured})
	}
	more = likeNeighbours(more)
	c.Cold = affine(fitPieces(more))
	if n := len(more); n > 0 {
		c.Cold = append(c.Cold, Segment{more[n-1].size, []float64{more[n-1].seconds, 0}})
	}
	return nil
}

// fitCooling finds how much computation it takes for that: of 1 − exp(−t/τ) the τ
// nearest to the exchanges after more and more of it.
func (c *Calibration) fitCooling(m *Measurement, take func(a, b int) bool) {
	work := map[float64]float64{}
	for _, p := range m.curve(Work, take) {
		work[p.size] = p.seconds
	}
	points := m.curve(Cool, take)
	if len(points) < 3 || points[0].size != 0 {
		return
	}
	warm, all := points[0].seconds, points[len(points)-1].seconds-points[0].seconds
	best := math.Inf(1)
	for tau := shortestCooling; tau < longestCooling; tau *= 1.1 {
		off := 0.0
		for _, p := range points[1:] {
			e := p.seconds - warm - all*-math.Expm1(-work[p.size]/tau)
			off += e * e
		}
		if off < best {
			best, c.Cooling = off, tau
		}
	}
}

// shortestCooling and longestCooling bound what is looked for, in seconds.
const shortestCooling, longestCooling = 1e-6, 1e-3

// fitOverlap tells whether large messages move while ranks compute: less than half
// of an exchange does; and whether they pass at once where one rank comes later.
func (c *Calibration) fitOverlap(m *Measurement, take func(a, b int) bool) {
	whole := map[float64]float64{}
	for _, p := range m.curve(Exchange, take) {
		whole[p.size] = p.seconds
	}
	for _, p := range m.curve(Overlap, take) {
		if t := whole[p.size]; t > 0 && p.size > float64(c.EagerBelow) {
			c.HoldLarge = p.seconds > t/2
		}
	}
	for _, p := range m.curve(Skewed, take) {
		for _, s := range m.Samples { // they may go one after the other by chance, too
			if s.Kind == Exchange && take(s.From, s.To) && s.Bytes == int64(p.size) && s.Bytes > c.EagerBelow {
				c.InOrder = c.InOrder || p.seconds > 1.5*s.Least
			}
		}
	}
	if alone := m.bytes(Receives, take); c.HoldLarge && alone > c.EagerBelow {
		c.ReceiveAlone = alone
	}
}

// fitLeaves finds up to which size a sender is done with a large message before half
// of it has arrived.
func (c *Calibration) fitLeaves(pings, send []point) {
	for i, p := range send {
		if p.size < float64(c.EagerBelow) {
			continue
		}
		if i >= len(pings) || p.seconds > pings[i].seconds/2 {
			return
		}
		c.Leaves = int64(p.size)
	}
}

// shaped are the sizes at which a token bucket shows.
const shaped = 64 << 10

// fitBurst finds what a link that has rested passes at once. A shaped link is a
// token bucket: messages in quick succession find it empty, so that small ones take
// longer than after computation. For each depth there is a network whose messages,
// with the bucket, take what single ones take; the depth counts that is nearest to
// all measurements, if it is much nearer than none, and so does what a message takes
// of the bucket beyond its payload.
func (c *Calibration) fitBurst(pings, warm, cold []point, w wire) error {
	none, err := c.miss(pings, warm, cold)
	if err != nil {
		return err
	}
	quicker := growsLess(cold, pings)
	best, least := *c, clearlyNearer*none
	try := func(depth, envelope float64) error {
		x, on := *c, w
		on.envelope = envelope
		alone := slices.Clone(pings)
		for i := range alone {
			saved := min(depth, alone[i].size+envelope) / c.Bandwidth
			alone[i].seconds = max(pings[i].seconds-quicker[i], leastNetwork*pings[i].seconds) + saved
			alone[i].whole = alone[i].seconds
		}
		x.fitNetwork(alone, on)
		x.Burst = depth
		if err := x.fitCold(cold); err != nil {
			return err
		}
		off, err := x.miss(pings, warm, cold)
		if err == nil && off < least {
			best, least = x, off
		}
		return err
	}
	for _, depth := range []float64{1000, 1500, 2000, 2500, 3000, 4000, 6000, 8000, 12000, 16000, 32000} {
		if err := try(depth, tcpHeaders); err != nil {
			return err
		}
	}
	if best.Burst > 0 {
		for _, envelope := range []float64{16, 48, 80, 96} {
			if err := try(best.Burst, envelope); err != nil {
				return err
			}
		}
	}
	*c = best
	return nil
}

// tcpHeaders are the bytes of a frame that is Ethernet's, IP's and TCP's, about; to
// them comes what MPI adds.
const tcpHeaders = 64

// growsLess is by how much less times grow than others from the smallest sizes on,
// as sizes near one another say together.
func growsLess(times, others []point) []float64 {
	from := func(points []point) float64 {
		var small []float64
		for _, p := range below(points, coolMessage+1) {
			small = append(small, p.seconds)
		}
		return median(small)
	}
	less, smallest := slices.Clone(times), from(others)-from(times)
	for i := range less {
		less[i].seconds = others[i].seconds - times[i].seconds - smallest
	}
	var smooth []float64
	for _, p := range likeNeighbours(less) {
		if p.size <= coolMessage {
			p.seconds = 0
		}
		smooth = append(smooth, max(0, p.seconds))
	}
	return smooth
}

// likeNeighbours gives each size the median of five around it.
func likeNeighbours(points []point) []point {
	smooth := slices.Clone(points)
	for i := range smooth {
		var near []float64
		for _, p := range points[max(0, i-2):min(len(points), i+3)] {
			near = append(near, p.seconds)
		}
		smooth[i].seconds = median(near)
	}
	return smooth
}

// clearlyNearer is by how much the measurements must be nearer to a network with a
// bucket.
const clearlyNearer = 0.8

// miss is how far a network is from what was measured at sizes at which a bucket
// shows: the mean of the logarithms.
func (c *Calibration) miss(pings, warm, cold []point) (float64, error) {
	p, options, err := c.pair()
	if err != nil {
		return 0, err
	}
	seconds := func(t *trace.Trace) float64 {
		r, failed := simulate.Run(context.Background(), t, p, []int{0, 1}, options, simulate.Hooks{})
		if failed != nil {
			err = failed
			return math.NaN()
		}
		return r.Seconds
	}
	sum, n := 0.0, 0.0
	for _, kind := range []struct {
		points []point
		play   func(bytes int64) *trace.Trace
		less   float64
		times  float64
	}{{pings, func(bytes int64) *trace.Trace { t, _ := pingPong(bytes); return t }, 0, 2 * many}, {warm, manyExchanges, 0, many}, {cold, coldExchange, rest, 1}} {
		for _, pt := range below(kind.points, shaped) {
			t := seconds(kind.play(int64(pt.size))) - kind.less
			sum += math.Abs(math.Log(max(t/kind.times, 1e-9) / pt.seconds))
			n++
		}
	}
	return sum / n, err
}

// rest is what goes before an exchange that follows computation, in seconds.
const rest = 1.0

// manyExchanges is messages both ways at once, over and over.
func manyExchanges(bytes int64) *trace.Trace {
	both := trace.Action{Kind: trace.SendRecv, Count: bytes, Count2: bytes, Type: trace.Byte, Type2: trace.Byte}
	row := slices.Repeat([]trace.Action{both}, many)
	return play([2][]trace.Action{row, row})
}

// oneMessage is a message from one rank to the other.
func oneMessage(bytes int64) (*trace.Trace, float64) {
	message := trace.Action{Count: bytes, Type: trace.Byte}
	send, recv := message, message
	send.Kind, recv.Kind = trace.Send, trace.Recv
	return play([2][]trace.Action{{send}, {recv}}), 1
}

// coldExchange is one after a rest.
func coldExchange(bytes int64) *trace.Trace {
	work := trace.Action{Kind: trace.Sleep, Value: rest}
	both := trace.Action{Kind: trace.SendRecv, Count: bytes, Count2: bytes, Type: trace.Byte, Type2: trace.Byte}
	return play([2][]trace.Action{{work, both}, {work, both}})
}
