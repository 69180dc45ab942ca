package collective

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/trace"
)

// traffic is what a collective sends, and which ranks have heard of which, by
// way of others or directly: bit j of heard[i] says that i has heard of j.
type traffic struct {
	messages int
	bytes    int64
	heard    []uint64
}

// pairUp plays the plans of all ranks of a collective against each other with
// every send buffered, and returns an error unless each receive finds its
// message, of a size it has room for, and no message is left over.
func pairUp(calls []Call, alg func(*Call) (Algorithm, error)) (all traffic, err error) {
	type key struct{ from, to, tag int32 }
	type parcel struct {
		bytes int64
		heard uint64
	}
	n := len(calls)
	boxes := map[key][]parcel{}
	for i := range n {
		all.heard = append(all.heard, 1<<i)
	}
	steps := make([][]Step, n)
	for i := range calls {
		a, err := alg(&calls[i])
		if err != nil {
			return all, err
		}
		var p Plan
		p.writeOut(&calls[i], a)
		steps[i] = p.Steps
	}
	// Receives are taken in order; sends never wait. A blocking step of a rank
	// waits for its receive.
	at := make([]int, n)
	type pend struct {
		key  key
		room int64
	}
	open := make([][]pend, n)
	take := func(k key, room int64) (bool, error) {
		box := boxes[k]
		if len(box) == 0 {
			return false, nil
		}
		if box[0].bytes > room {
			return false, fmt.Errorf("%v: %d bytes meet room for %d", k, box[0].bytes, room)
		}
		all.heard[k.to] |= box[0].heard
		boxes[k] = box[1:]
		return true, nil
	}
	sent := make([]bool, n) // the send half of an exchange is done
	for progress := true; progress; {
		progress = false
		for i := range n {
			for at[i] < len(steps[i]) {
				s := steps[i][at[i]]
				me := int32(i)
				put := func() {
					k := key{me, s.Peer, s.Tag}
					boxes[k] = append(boxes[k], parcel{s.Bytes, all.heard[me]})
					all.bytes += s.Bytes
					all.messages++
				}
				done := true
				switch s.Kind {
				case StepSend, StepIsend:
					put()
					if s.Kind == StepIsend {
						open[i] = append(open[i], pend{key{-1, -1, -1}, 0})
					}
				case StepRecv:
					done, err = take(key{s.Peer, me, s.Tag}, s.Bytes)
				case StepIrecv:
					open[i] = append(open[i], pend{key{s.Peer, me, s.Tag}, s.Bytes})
				case StepExchange:
					if !sent[i] {
						put()
						sent[i], progress = true, true
					}
					if done, err = take(key{s.Source, me, s.Tag}, s.Room); done {
						sent[i] = false
					}
				case StepWait, StepWaitAll:
					for j := range open[i] {
						if s.Kind == StepWait && int32(j) != s.Peer || open[i][j].key.from < 0 {
							continue
						}
						var ok bool
						if ok, err = take(open[i][j].key, open[i][j].room); !ok {
							done = false
							break
						}
						open[i][j].key.from = -1
					}
					if done && s.Kind == StepWaitAll {
						open[i] = open[i][:0]
					}
				}
				if err != nil {
					return all, fmt.Errorf("rank %d: %w", i, err)
				}
				if !done {
					break
				}
				at[i]++
				progress = true
			}
		}
	}
	for i := range n {
		if at[i] < len(steps[i]) {
			return all, fmt.Errorf("rank %d is stuck at step %d of %d: %+v", i, at[i], len(steps[i]), steps[i][at[i]])
		}
	}
	for k, box := range boxes {
		if len(box) > 0 {
			return all, fmt.Errorf("%v: %d messages are left over", k, len(box))
		}
	}
	return all, nil
}

// uninformed names a rank that has not heard of one whose data it needs.
func uninformed(k trace.Kind, root int, heard []uint64) error {
	n := len(heard)
	for i := range n {
		for j := range n {
			needs := true
			switch k {
			case trace.Bcast, trace.Scatter, trace.Scatterv:
				needs = j == root
			case trace.Reduce, trace.Gather, trace.Gatherv:
				needs = i == root
			case trace.Scan, trace.Exscan:
				needs = j < i
			}
			if needs && heard[i]&(1<<j) == 0 {
				return fmt.Errorf("rank %d never hears of rank %d", i, j)
			}
		}
	}
	return nil
}

// Every algorithm must pair up its sends and receives for any number of ranks,
// size, datatype and root, and data must find its way to all who need it.
func TestCollectivesPairUp(t *testing.T) {
	selectors := map[string]func(*Call) (Algorithm, error){
		"default": defaultAlgorithm, "ompi": ompiAlgorithm, "mpich": mpichAlgorithm, "openmpi": openmpiAlgorithm,
	}
	for k := range named {
		for _, name := range Names(k) {
			selectors[name+" "+k.String()] = func(c *Call) (Algorithm, error) {
				if a, ok := Named(c.Kind, name); ok {
					return a, nil
				}
				return defaultAlgorithm(c)
			}
		}
	}
	for name, alg := range selectors {
		for k := trace.Barrier; k <= trace.ReduceScatter; k++ {
			if _, of, ok := strings.Cut(name, " "); ok && of != k.String() {
				continue
			}
			t.Run(name+"/"+k.String(), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					n := rapid.OneOf(rapid.IntRange(2, 17), rapid.IntRange(2, 40)).Draw(rt, "ranks")
					unit := rapid.SampledFrom([]int64{1, 2, 4, 8}).Draw(rt, "unit")
					count := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, 1<<19)).Draw(rt, "count")
					root := rapid.IntRange(0, n-1).Draw(rt, "root")
					amounts := make([]int64, n*n)
					for i := range amounts {
						amounts[i] = unit * (count/int64(i%7+1) + int64(i%3))
					}
					hosts := make([]int32, n)
					perHost := rapid.IntRange(1, 3).Draw(rt, "per host")
					for i := range hosts {
						hosts[i] = int32(i / perHost)
					}
					calls := make([]Call, n)
					for i := range calls {
						c := Call{Kind: k, Me: i, Size: n, Root: root, Unit: unit, Send: count * unit, Recv: count * unit, Place: &Place{Hosts: hosts}}
						switch k {
						case trace.Alltoallv, trace.Gatherv, trace.Allgatherv, trace.Scatterv, trace.ReduceScatter:
							c.Counts = &Counts{} // others must do without
						}
						for j := range n {
							switch k {
							case trace.Alltoallv:
								c.Sends, c.Recvs = append(c.Sends, amounts[i*n+j]), append(c.Recvs, amounts[j*n+i])
							case trace.Gatherv, trace.Allgatherv:
								c.Recvs = append(c.Recvs, amounts[j])
								c.Send = amounts[i]
							case trace.Scatterv, trace.ReduceScatter:
								c.Sends = append(c.Sends, amounts[j])
								c.Recv = amounts[i]
							}
						}
						calls[i] = c
					}
					if !powerOfTwo(n) {
						if _, err := alg(&calls[0]); err != nil {
							return // pairwise exchange is refused
						}
					}
					all, err := pairUp(calls, alg)
					if err != nil {
						rt.Fatal(err)
					}
					if count >= int64(n) || k == trace.Barrier { // else some have nothing to tell
						if err := uninformed(k, root, all.heard); err != nil {
							rt.Fatal(err)
						}
					}
				})
			})
		}
	}
}
