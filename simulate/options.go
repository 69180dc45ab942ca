package simulate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"auspex/simulate/collective"
	"auspex/trace"
)

// Model is a way to turn a message into a flow.
type Model uint8

const (
	// SMPI is SimGrid's model of MPI over TCP: factors that depend on the
	// message's size (Clauss et al., IPDPS 2011).
	SMPI Model = iota
	// LV08 is the flow model of Velho and Legrand (SIMUTools 2009).
	LV08
	// CM02 is the flow model of Casanova and Marchal (RR-LIP 2002-40).
	CM02
)

// Segment is one piece of a piecewise function of the message size: it holds
// for sizes above From.
type Segment struct {
	From   float64
	Values []float64
}

// PlatformSpread is how far a replay on a calibrated platform is from the truth, as a
// relative standard deviation; package predict says on what it was chosen and checked.
const PlatformSpread = 0.055

// Options are the parameters of a replay.
type Options struct {
	Model        Model
	CrossTraffic bool    // acknowledgements load the reverse route by 5 %
	TCPGamma     float64 // TCP window in bytes: it bounds a flow to Gamma/RTT
	WeightS      float64 // share of the inverse bandwidths in a flow's penalty
	Selector     collective.Selector
	// RealOpenMPI: where Selector is OMPI, the algorithms are those of Open MPI 4.1
	// itself, not SimGrid's for its table (auspex/collectives: openmpi).
	RealOpenMPI bool
	// Algorithms are those of collectives that are not the selector's to choose
	// (auspex/allreduce: ring).
	Algorithms map[trace.Kind]string
	// BandwidthFactor and LatencyFactor scale a flow by its wire size.
	BandwidthFactor, LatencyFactor []Segment
	// SendOverhead, RecvOverhead and IsendOverhead are seconds, fixed and per
	// byte, that a rank spends in detached sends, their receives, and isends.
	SendOverhead, RecvOverhead, IsendOverhead []Segment
	// ReferenceSpeed is the flop/s that the machine counts as on which a trace in
	// ns was taken; 0 for what the platform says.
	ReferenceSpeed float64
	// EagerBelow: smaller sends return at once (smpi/send-is-detached-thresh).
	EagerBelow int64
	// PushBelow: smaller messages travel before they are received
	// (smpi/async-small-thresh).
	PushBelow int64
	// Cold is what a message takes longer, fixed and per byte, whose ranks both come
	// from computation (auspex/cold); after Cooling seconds of computation two thirds
	// of it (auspex/cooling).
	Cold    []Segment
	Cooling float64
	// Envelope is what a message has on the wire beyond its payload, in bytes
	// (auspex/envelope).
	Envelope int64
	// Burst is what a link that has rested passes at once, in bytes (auspex/burst).
	Burst float64
	// Early is how many seconds, fixed and per byte, before a rank is done with a send
	// its message is on its way (auspex/early).
	Early []Segment
	// HoldLarge: messages that are not detached move only while both ranks are inside
	// MPI (auspex/overlap: no).
	HoldLarge bool
	// ReceiveAlone: below this size the receiver suffices (auspex/receive-alone).
	ReceiveAlone int64
	// SendBuffer is how many bytes of small messages the system carries from rank to
	// rank while the sender computes (auspex/sendbuffer); 0 for any number.
	SendBuffer int64
	// InOrder: the answer to a large message's announcement goes behind what its rank
	// sends the other way (auspex/inorder).
	InOrder bool
	// Leaves is how many bytes of large messages to one rank may be on their way when
	// their sender is done with them (auspex/leaves).
	Leaves int64
	// Scatter is how far small messages on the platform are from their usual time from
	// one second to the next, as a relative standard deviation (auspex/scatter). A
	// replay has them take their usual time; Slower says what one would take else.
	Scatter float64
	// OwnCores: each thread of a team has a core, whatever the hosts say, since nobody knows
	// how many they have (auspex/threads).
	OwnCores bool
	// MeasuredOn are the hosts that the platform was measured on (auspex/hosts); a
	// replay does not ask for them.
	MeasuredOn []string
	// Signature is that of the machine whose speed is the platform's reference, as
	// package signature writes it (auspex/signature); a replay does not ask for it.
	Signature string
	// Exact keeps all links within their bandwidth also where SimGrid does not
	// (overlook.go).
	Exact bool
	// EveryIteration replays all iterations of a loop also where they have been
	// found to repeat (recur.go).
	EveryIteration bool
	// CriticalPath asks for Result.CriticalPath; it costs time and memory.
	CriticalPath bool

	weightSet bool
}

// Defaults returns the settings that smpirun uses.
func Defaults() Options {
	return Options{
		CrossTraffic: true,
		TCPGamma:     4194304,
		EagerBelow:   65536,
		Envelope:     envelope,
		BandwidthFactor: segments(65472, 0.940694, 15424, 0.697866, 9376, 0.58729, 5776, 1.08739, 3484, 0.77493,
			1426, 0.608902, 732, 0.341987, 257, 0.338112, 0, 0.812084),
		LatencyFactor: segments(65472, 11.6436, 15424, 3.48845, 9376, 2.59299, 5776, 2.18796, 3484, 1.88101,
			1426, 1.61075, 732, 1.9503, 257, 1.95341, 0, 2.01467),
	}
}

// segments builds a piecewise constant function from threshold, value pairs.
func segments(pairs ...float64) []Segment {
	var out []Segment
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Segment{From: pairs[i], Values: pairs[i+1 : i+2]})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].From < out[j].From })
	return out
}

// Set changes one option by SimGrid's name for it, as in --cfg=key:value.
func (o *Options) Set(key, value string) error {
	var err error
	switch key {
	case "network/model":
		models := map[string]Model{"SMPI": SMPI, "LV08": LV08, "CM02": CM02}
		m, ok := models[value]
		if !ok {
			return fmt.Errorf("%s: %q is not a known network model; SMPI, LV08 and CM02 are", key, value)
		}
		o.Model = m
	case "network/crosstraffic":
		o.CrossTraffic, err = boolean(value)
	case "network/TCP-gamma":
		o.TCPGamma, err = positive(value)
	case "network/weight-S":
		o.WeightS, err = positive(value)
		o.weightSet = err == nil
	case "smpi/coll-selector":
		selectors := map[string]collective.Selector{"default": collective.Default, "ompi": collective.OMPI, "mpich": collective.MPICH}
		s, ok := selectors[value]
		if !ok {
			return fmt.Errorf("%s: %q is not a known selector; default, ompi and mpich are", key, value)
		}
		o.Selector = s
	case "auspex/collectives":
		if value != "openmpi" && value != "simgrid" {
			return fmt.Errorf("%s: %q is not known; openmpi and simgrid are", key, value)
		}
		o.RealOpenMPI = value == "openmpi"
	case "auspex/allreduce", "auspex/bcast", "auspex/reduce", "auspex/reducescatter":
		return o.setAlgorithm(strings.TrimPrefix(key, "auspex/"), value)
	case "smpi/bw-factor":
		if o.BandwidthFactor, err = parseSegments(value, 1); err == nil && slices.ContainsFunc(o.BandwidthFactor, func(s Segment) bool { return s.Values[0] == 0 }) {
			err = fmt.Errorf("in %q a factor is 0: no message of that size would arrive", value)
		}
	case "smpi/lat-factor":
		o.LatencyFactor, err = parseSegments(value, 1)
	case "smpi/os":
		o.SendOverhead, err = parseSegments(value, 2)
	case "smpi/or":
		o.RecvOverhead, err = parseSegments(value, 2)
	case "smpi/ois":
		o.IsendOverhead, err = parseSegments(value, 2)
	case "auspex/cold":
		o.Cold, err = parseSegments(value, 2)
	case "auspex/cooling":
		o.Cooling, err = positive(value)
	case "auspex/early":
		if !strings.Contains(value, ":") {
			value = "0:" + value // one number for all sizes
		}
		o.Early, err = parseSegments(value, 2)
	case "auspex/envelope":
		o.Envelope, err = bytesValue(value)
	case "auspex/burst":
		o.Burst, err = positive(value)
	case "auspex/threads":
		if value != "own" && value != "shared" {
			return fmt.Errorf("%s: %q is not known; own and shared are", key, value)
		}
		o.OwnCores = value == "own"
	case "auspex/hosts":
		o.MeasuredOn = strings.Split(value, ",")
	case "auspex/signature":
		o.Signature = value
	case "auspex/scatter":
		o.Scatter, err = positive(value)
	case "auspex/overlap":
		o.HoldLarge, err = boolean(value)
		o.HoldLarge = !o.HoldLarge
	case "auspex/receive-alone":
		o.ReceiveAlone, err = bytesValue(value)
	case "auspex/inorder":
		o.InOrder, err = boolean(value)
	case "auspex/leaves":
		o.Leaves, err = bytesValue(value)
	case "auspex/sendbuffer":
		o.SendBuffer, err = bytesValue(value)
	case "smpi/async-small-thresh":
		o.PushBelow, err = bytesValue(value)
	case "smpi/send-is-detached-thresh":
		o.EagerBelow, err = bytesValue(value)
	default:
		return fmt.Errorf("the option %s is not supported", key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// check refuses options that do not go together, as SimGrid does.
func (o *Options) check() error {
	if o.PushBelow > o.EagerBelow {
		return fmt.Errorf("simulate: smpi/async-small-thresh (%d) must not be above smpi/send-is-detached-thresh (%d)", o.PushBelow, o.EagerBelow)
	}
	return nil
}

// setAlgorithm has a collective done by an algorithm.
func (o *Options) setAlgorithm(call, name string) error {
	k := map[string]trace.Kind{"allreduce": trace.Allreduce, "bcast": trace.Bcast, "reduce": trace.Reduce, "reducescatter": trace.ReduceScatter}[call]
	if _, ok := collective.Named(k, name); !ok {
		return fmt.Errorf("%s by %q is not known; %s are", call, name, strings.Join(collective.Names(k), ", "))
	}
	o.Algorithms = maps.Clone(o.Algorithms)
	if o.Algorithms == nil {
		o.Algorithms = map[trace.Kind]string{}
	}
	o.Algorithms[k] = name
	return nil
}

func boolean(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "1", "yes", "true", "on":
		return true, nil
	case "0", "no", "false", "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither yes nor no", s)
}

func positive(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number from 0", s)
	}
	return v, nil
}

func bytesValue(s string) (int64, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is not a number of bytes", s)
	}
	return v, nil
}

// maxSegments bounds the pieces of a factor or a cost: a flow keeps which is its.
const maxSegments = math.MaxUint16

// parseSegments reads `size:value[:value];size:value…`.
func parseSegments(s string, values int) ([]Segment, error) {
	var out []Segment
	parts := strings.Split(s, ";")
	if len(parts) > maxSegments {
		return nil, fmt.Errorf("%d pieces; %d are the most", len(parts), maxSegments)
	}
	for _, part := range parts {
		nums := strings.Split(part, ":")
		if len(nums) < 2 {
			return nil, fmt.Errorf("%q is not size:value", part)
		}
		from, err := positive(nums[0])
		if err != nil {
			return nil, err
		}
		seg := Segment{From: from, Values: make([]float64, values)}
		for i := range seg.Values {
			if i+1 >= len(nums) {
				break // SimGrid's own default writes fewer values than it reads
			}
			if seg.Values[i], err = positive(nums[i+1]); err != nil {
				return nil, err
			}
		}
		out = append(out, seg)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].From < out[j].From })
	return out, nil
}

// factor is the piecewise constant factor for a wire size.
func factor(segs []Segment, size float64) float64 {
	if i := segment(segs, size); i > 0 {
		return segs[i-1].Values[0]
	}
	return 1
}

// segment is how many segments begin below a size; the last of them is the size's.
func segment(segs []Segment, size float64) int {
	for i, s := range segs {
		if size <= s.From {
			return i
		}
	}
	return len(segs)
}

// overhead is the piecewise affine cost of handling a message.
func overhead(segs []Segment, bytes int64) float64 {
	if len(segs) == 0 {
		return 0
	}
	size := float64(bytes)
	cost := segs[0].Values[0] + segs[0].Values[1]*size
	for _, s := range segs {
		if size <= s.From {
			break
		}
		cost = s.Values[0] + s.Values[1]*size
	}
	return cost
}

// Slower returns the options with what each message takes but for its bytes, in the
// ranks and on the way, longer by a share.
func (o Options) Slower(share float64) Options {
	for _, segs := range []*[]Segment{&o.LatencyFactor, &o.SendOverhead, &o.RecvOverhead, &o.IsendOverhead, &o.Early, &o.Cold} {
		longer := make([]Segment, len(*segs))
		for i, s := range *segs {
			values := slices.Clone(s.Values)
			values[0] *= 1 + share
			longer[i] = Segment{s.From, values}
		}
		*segs = longer
	}
	return o
}

// algorithm is how a collective is done.
func (o *Options) algorithm(c *collective.Call) (collective.Algorithm, error) {
	if name, ok := o.Algorithms[c.Kind]; ok {
		if a, ok := collective.Named(c.Kind, name); ok {
			return a, nil
		}
		return nil, fmt.Errorf("%s by %q is not known", c.Kind, name)
	}
	return collective.Select(c, o.selector())
}

// selector is the one that collectives are done by.
func (o *Options) selector() collective.Selector {
	if o.Selector == collective.OMPI && o.RealOpenMPI {
		return collective.OpenMPI
	}
	return o.Selector
}
