package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Hold is what the devices of all ranks spend beside computing: a rank that is late
// is a Straggler, and what the others wait for it is none of this.
type Hold struct {
	Cause   string  `json:"cause"`
	What    string  `json:"what"`    // the range, the operator, or the layer; "" for none
	When    string  `json:"when"`    // in which steps; "" for most
	Seconds float64 `json:"seconds"` // on the median rank
	Share   float64 `json:"share"`   // of the job's time: what would be gained at most
	Fix     string  `json:"fix"`

	most   int64   // nanoseconds that could be gained
	beside float64 // of transfers: the share that is hidden
	onHost bool    // of transfers: hosts make them
	gloo   bool    // of transfers: gloo makes them, of what devices computed
	run    int64
}

// The causes that only all ranks together can have.
const (
	heldNetwork = "slow network"
	heldOverlap = "communication beside nothing"
	heldBubbles = "bubbles of the pipeline"
	heldLayer   = "heavy layer"
)

// hides is from what share of the communication on some of it runs beside
// computation by design.
const hides = 0.1

// holdKey is one thing that holds ranks up.
type holdKey struct{ cause, what string }

// holds lists what costs the typical rank a tenth of the run or more, the most first.
func (j *job) holds() []Hold {
	list := []Hold{}
	if j.run == 0 {
		return list
	}
	for _, key := range j.heldKeys() {
		in := func(s *Step) (sum int64) {
			for _, h := range s.Held {
				if h.Cause == key.cause && h.What == key.what {
					sum += h.Time
				}
			}
			return sum
		}
		time := j.typical(func(r int) (sum int64) {
			for i := range j.ranks[r].Steps {
				sum += in(&j.ranks[r].Steps[i])
			}
			return sum
		})
		list = append(list, Hold{Cause: key.cause, What: key.what, When: whenOf(j.typicalSteps(in)), Seconds: seconds(time), most: time})
	}
	list = append(list, j.communication()...)
	if layer, ok := j.heavyLayer(); ok {
		list = append(list, layer)
	}
	for i := range list {
		h := &list[i]
		h.run, h.Share, h.Fix = j.run, min(float64(h.most)/float64(j.run), 1), h.fix()
	}
	list = slices.DeleteFunc(list, func(h Hold) bool { return h.Share < minShare })
	slices.SortStableFunc(list, func(a, b Hold) int { return cmp.Compare(b.Share, a.Share) })
	if len(list) > 0 && (list[0].Cause == heldLaunching || list[0].Cause == heldWaiting) {
		// More micro-batches would make more of what the hosts are late with already.
		list = slices.DeleteFunc(list, func(h Hold) bool { return h.Cause == heldBubbles })
	}
	return list
}

func (j *job) heldKeys() []holdKey {
	var keys []holdKey
	for _, r := range j.ranks {
		for i := range r.Steps {
			for _, h := range r.Steps[i].Held {
				keys = append(keys, holdKey{h.Cause, h.What})
			}
		}
	}
	slices.SortFunc(keys, func(a, b holdKey) int { return cmp.Or(cmp.Compare(a.cause, b.cause), cmp.Compare(a.what, b.what)) })
	return slices.Compact(keys)
}

// typical is the lower median over the ranks: what one of two has alone is its own.
func (j *job) typical(of func(r int) int64) int64 {
	list := make([]int64, len(j.ranks))
	for r := range j.ranks {
		list[r] = of(r)
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// typicalSteps is the same step by step.
func (j *job) typicalSteps(of func(*Step) int64) []int64 {
	var list []int64
	for n := range j.ranks[0].Steps {
		list = append(list, j.typical(func(r int) int64 {
			if n >= len(j.ranks[r].Steps) {
				return 0
			}
			return of(&j.ranks[r].Steps[n])
		}))
	}
	return list
}

// whenOf tells which steps have nearly all of something, where that is not most of
// them: the first, each of so many, or some.
func whenOf(times []int64) string {
	if len(times) < 4 {
		return ""
	}
	most := slices.Max(times)
	var at []int
	var in int64
	for i, time := range times {
		if 2*time >= most {
			at, in = append(at, i), in+time
		}
	}
	switch n := len(at); {
	case 2*n > len(times) || 5*in < 4*sumOf(times):
		return ""
	case at[n-1] == n-1:
		if n == 1 {
			return "the first step"
		}
		return fmt.Sprintf("the first %d steps", n)
	case n > 1 && evenly(at):
		return fmt.Sprintf("every %s step", ordinal(at[1]-at[0]))
	default:
		return fmt.Sprintf("%d of %s", n, count(len(times), "step"))
	}
}

func evenly(at []int) bool {
	for i := 2; i < len(at); i++ {
		if at[i]-at[i-1] != at[1]-at[0] {
			return false
		}
	}
	return true
}

func ordinal(n int) string {
	switch {
	case n == 2:
		return "second"
	case n == 3:
		return "third"
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// communication is what the network costs all, beside which nothing is computed, and
// what the stages of a pipeline wait for each other's messages. Who takes part and is
// not here may be who is waited for: then neither is known.
func (j *job) communication() []Hold {
	if len(j.ranks) < j.world() || len(j.ranks) < 2 {
		return nil
	}
	transfers, bubbles := make([]int64, len(j.ranks)), make([][]stretch, len(j.ranks))
	calls := 0
	for _, m := range j.meetings {
		least, _ := m.least()
		for r, c := range m.calls {
			switch {
			case c == nil:
			case m.pair:
				bubbles[r] = append(bubbles[r], stretch{max(c.Still, c.Arrived), c.End - least})
			default:
				calls++
				transfers[r] += least
			}
		}
	}
	alone := j.exposed()
	all := j.typical(func(r int) int64 { return transfers[r] })
	network := Hold{Cause: heldNetwork, Seconds: seconds(alone), most: alone}
	if all > 0 {
		network.beside = max(1-float64(alone)/float64(all), 0)
	}
	computing := j.computing()
	for _, c := range j.ranks[0].Calls {
		network.onHost = network.onHost || HostCollective(c.Name)
		network.gloo = network.gloo || computing > 0 && strings.HasPrefix(c.Name, "gloo:")
	}
	if network.beside < hides && all <= computing {
		network.Cause = heldOverlap
		network.most = hideable(alone, computing, calls/len(j.ranks)/max(len(j.steps), 1))
	}
	empty := min(j.typical(func(r int) int64 { return covered(bubbles[r]) }), int64(j.bubbles()*float64(j.run)))
	return []Hold{network, {Cause: heldBubbles, Seconds: seconds(empty), most: empty}}
}

// exposed is how long the typical rank is in collectives that all have come to, with
// nothing computed beside them.
func (j *job) exposed() int64 {
	times := make([][]stretch, len(j.ranks))
	for i := range j.meetings {
		m := &j.meetings[i]
		if m.pair {
			continue
		}
		_, alone := m.least()
		for r, c := range m.calls {
			if c != nil {
				times[r] = append(times[r], stretch{c.End - alone, c.End})
			}
		}
	}
	return j.typical(func(r int) int64 { return covered(times[r]) })
}

// bubbles is the share of a step that p stages stand still with m micro-batches,
// (p - 1) / (m + p - 1), one forward and one backward in turn: what they wait for
// messages beyond that has other causes.
func (j *job) bubbles() float64 {
	most := 0.0
	for _, chain := range j.chains {
		micro := 0
		for _, r := range chain {
			received := 0
			for _, c := range j.ranks[r].Calls {
				if c.Pair && !c.Sends {
					received++
				}
			}
			if micro == 0 || received < micro {
				micro = received // stages between others receive twice as often
			}
		}
		perStep := float64(micro) / float64(max(len(j.steps), 1))
		if others := float64(len(chain) - 1); others > 0 && perStep > 0 {
			most = max(most, others/(perStep+others))
		}
	}
	return most
}

// hideable is how much of what so many collectives a step take could run beside the
// backward pass, which is two thirds of what is computed: each waits for its part of the
// gradients, and beside the last nothing is left to compute.
func hideable(alone, computing int64, calls int) int64 {
	most := min(alone, computing*2/3)
	if calls < 2 {
		return most
	}
	return most - most/int64(calls)
}

// computing is how long the devices compute.
func (j *job) computing() int64 {
	return j.typical(func(r int) (sum int64) {
		for i := range j.ranks[r].Steps {
			sum += j.ranks[r].Steps[i].Computing
		}
		return sum
	})
}

// least is the time that a meeting takes once all are there, whatever the clocks say:
// that of the rank that waits least. Alone is what of it the rank that can hide most
// computes nothing beside: a rank with less to do has only to wait for the others.
func (m *meeting) least() (least, alone int64) {
	least = -1
	for _, c := range m.calls {
		if c != nil && (least < 0 || c.End-c.Arrived < least) {
			least = max(c.End-c.Arrived, 0)
		}
	}
	alone = least
	for _, c := range m.calls {
		if c != nil {
			alone = min(alone, c.Alone)
		}
	}
	return least, alone
}

// muchHeavier is how many times its siblings' time a layer takes that is told.
const muchHeavier = 2

// heavyLayer is the layer among siblings, ranges that differ in a number, that takes
// most beyond their median. Devices tell of layers in the forward pass only: of all
// that they compute the layer is taken to have the same share.
func (j *job) heavyLayer() (Hold, bool) {
	names := map[string]bool{}
	for _, r := range j.ranks {
		for i := range r.Steps {
			for name := range r.Steps[i].Layers {
				names[name] = true
			}
		}
	}
	siblings := map[string][]string{}
	for name := range names {
		if prefix, _, ok := cutNumber(name); ok {
			siblings[prefix] = append(siblings[prefix], name)
		}
	}
	best := Hold{Cause: heldLayer}
	for _, list := range siblings {
		if len(list) < 3 {
			continue
		}
		slices.Sort(list)
		var times []int64
		for _, name := range list {
			times = append(times, j.typical(func(r int) (sum int64) {
				for i := range j.ranks[r].Steps {
					sum += j.ranks[r].Steps[i].Layers[name]
				}
				return sum
			}))
		}
		usual, most := median(times), slices.Max(times)
		if most < muchHeavier*usual {
			continue
		}
		share := float64(most-usual) / float64(sumOf(times))
		more := int64(share * float64(j.computing()))
		if more > best.most {
			best.What, best.most, best.Seconds = list[slices.Index(times, most)], more, seconds(more)
		}
	}
	return best, best.most > 0
}

func (h *Hold) fix() string {
	switch h.Cause {
	case heldLaunching:
		return "larger batches, fused kernels (torch.compile) or graphs, so that each launch brings more work"
	case heldNetwork:
		switch {
		case h.gloo:
			return "NCCL in place of gloo, which sends through the hosts; or send less or less often (accumulated gradients, smaller types, compression)"
		case h.onHost:
			return "send less or less often (accumulated gradients, smaller types, compression), or look at the network"
		}
		return "send less or less often (accumulated gradients, smaller types, compression), or look at the network and at NCCL's settings"
	case heldOverlap:
		return "let it run beside computation (buckets of DDP, prefetching of FSDP), or send less"
	case heldBubbles:
		return "more micro-batches, or a schedule that interleaves stages"
	case heldLayer:
		return "look at what it does that its siblings do not, and split it or make it cheaper"
	case heldCopying:
		return "copy from pinned memory on a stream of its own, the next batch while this one is computed"
	case heldHost:
		return "look at what the hosts do there, and do it less often, in a thread of its own, or in fewer operators"
	}
	return fix(&Straggler{Side: Host, Cause: h.Cause})
}

// words is what is said of it.
func (h *Hold) words() string {
	when := ""
	if h.When != "" {
		when = " (in " + h.When + ")"
	}
	where := ""
	if h.What != "" {
		where = " in " + h.What
	}
	share := fmt.Sprintf("%.0f %% of the time", 100*min(h.Seconds/seconds(h.run), 1))
	said, without, less := "", "Without that", fmt.Sprintf("up to %.0f %% less time", 100*h.Share)
	switch h.Cause {
	case heldLaunching:
		said = fmt.Sprintf("For %s the devices have nothing to do because the hosts launch kernels more slowly than these run%s", share, when)
		less = fmt.Sprintf("%.0f %% less time, or less still", 100*h.Share) // collectives would begin earlier, too
	case heldWaiting:
		said = fmt.Sprintf("For %s the devices have nothing to do because the hosts waited for them%s and launch the next kernels only then%s", share, where, when)
	case heldNetwork:
		said = fmt.Sprintf("For %s the ranks do nothing but wait for the network, in collectives that all have come to; %.0f %% of what these take is hidden behind computing", share, 100*h.beside)
	case heldOverlap:
		said = fmt.Sprintf("For %s the ranks do nothing but wait for the network, in collectives that all have come to and beside which hardly anything is computed", share)
		without = "With these beside the backward pass"
	case heldBubbles:
		said = fmt.Sprintf("The stages of the pipeline wait %s for each other's messages, as with so few micro-batches they must", share)
	case heldLayer:
		said = fmt.Sprintf("%s takes much longer than its siblings, as if by %s", h.What, share)
	case heldCopying:
		from := ""
		if h.What != "" {
			from = ", most of it from " + h.What
		}
		said = fmt.Sprintf("For %s the devices only copy%s%s", share, from, when)
	case heldHost:
		if h.What == "" {
			where = " in code outside any range"
		}
		said = fmt.Sprintf("For %s the devices have nothing to do while the hosts are%s%s", share, where, when)
	default:
		said = fmt.Sprintf("For %s the devices have nothing to do while the hosts are %s%s%s", share, h.Cause, where, when)
	}
	return fmt.Sprintf("%s. %s the job would take %s. Fix: %s.", said, without, less, h.Fix)
}
