package predict

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"auspex/launch"
	"auspex/trace"
)

// Collective operations as programs write them by hand, of messages.

func exchange(do func(trace.Action), to, from int, bytes int64) {
	do(trace.Action{Kind: trace.SendRecv, Type: trace.Byte, Type2: trace.Byte, Peer: int32(to), Peer2: int32(from), Count: bytes, Count2: bytes})
}

// posted is the same without blocking.
func posted(do func(trace.Action), me, to, from int, bytes int64) {
	do(toward(trace.Irecv, from, bytes))
	do(toward(trace.Isend, to, bytes))
	do(trace.Action{Kind: trace.Wait, Peer: int32(from), Peer2: int32(me)})
	do(trace.Action{Kind: trace.Wait, Peer: int32(me), Peer2: int32(to)})
}

func broadcastTree(rank, np int, do func(trace.Action)) {
	up := 1
	for ; up < np && rank&up == 0; up *= 2 {
	}
	if rank > 0 {
		do(toward(trace.Recv, rank-up, 4096))
	}
	for up /= 2; up > 0; up /= 2 {
		if rank+up < np {
			do(toward(trace.Send, rank+up, 4096))
		}
	}
}

func reduceTree(rank, np int, do func(trace.Action)) {
	for d := 1; d < np; d *= 2 {
		if rank&d != 0 {
			do(toward(trace.Send, rank-d, 800))
			return
		}
		if rank+d < np {
			do(toward(trace.Recv, rank+d, 800))
			do(compute(1000))
		}
	}
}

func recursiveDoubling(rank, np int, do func(trace.Action)) {
	for d := 1; d < np; d *= 2 {
		exchange(do, rank^d, rank^d, 64)
	}
}

// gatherDoubling sends twice as much in each round.
func gatherDoubling(rank, np int, do func(trace.Action)) {
	for d := 1; d < np; d *= 2 {
		posted(do, rank, rank^d, rank^d, int64(d*(1<<20)/np))
	}
}

func recursiveHalving(rank, np int, do func(trace.Action)) {
	for d := np / 2; d > 0; d /= 2 {
		exchange(do, rank^d, rank^d, int64(d*(1<<20)/np))
	}
}

func dissemination(rank, np int, do func(trace.Action)) {
	for d := 1; d < np; d *= 2 {
		exchange(do, (rank+d)%np, (rank-d+np)%np, 1)
	}
}

// bruck sends what is left in the last round.
func bruck(rank, np int, do func(trace.Action)) {
	for d := 1; d < np; d *= 2 {
		exchange(do, (rank-d+np)%np, (rank+d)%np, int64(1000*min(d, np-d)))
	}
}

func aroundRingOnce(rank, np int, do func(trace.Action)) {
	for range np - 1 {
		posted(do, rank, (rank+1)%np, (rank+np-1)%np, int64((1<<20)/np))
	}
}

func pairs(rank, np int, do func(trace.Action)) {
	for i := 1; i < np; i++ {
		exchange(do, (rank+i)%np, (rank-i+np)%np, int64((1<<20)/np/np))
	}
}

func flippedPairs(rank, np int, do func(trace.Action)) {
	for i := 1; i < np; i++ {
		exchange(do, rank^i, rank^i, 512)
	}
}

// tournament is how everyone meets everyone in np − 1 rounds, as teams do: in each the
// last meets one, and the others meet across it.
func tournament(rank, np int, do func(trace.Action)) {
	others := np - 1
	for round := range others {
		meets := map[int]int{others: round, round: others}
		for k := 1; k <= others/2; k++ {
			a, b := (round+k)%others, (round-k+others)%others
			meets[a], meets[b] = b, a
		}
		exchange(do, meets[rank], meets[rank], 256)
	}
}

func toFirst(rank, np int, do func(trace.Action)) {
	if rank > 0 {
		do(trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 0, Tag: int32(rank), Count: 100})
		return
	}
	for i := 1; i < np; i++ {
		do(trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: int32(i), Tag: int32(i), Count: 100})
	}
}

func everyoneAsksEveryone(rank, np int, do func(trace.Action)) {
	for i := range np {
		if i != rank {
			do(toward(trace.Irecv, i, 24))
		}
	}
	for i := range np {
		if i != rank {
			do(toward(trace.Send, i, 24))
		}
	}
	for i := range np {
		if i != rank {
			do(trace.Action{Kind: trace.Wait, Peer: int32(i), Peer2: int32(rank)})
		}
	}
}

// prefixes is what a trace has of MPI_Exscan.
func prefixes(rank, np int, do func(trace.Action)) {
	for i := rank - 1; i >= 0; i-- {
		do(toward(trace.Irecv, i, 4))
	}
	for i := rank + 1; i < np; i++ {
		do(toward(trace.Isend, i, 4))
	}
	for i := rank - 1; i >= 0; i-- {
		do(trace.Action{Kind: trace.Wait, Peer: int32(i), Peer2: int32(rank)})
	}
	for i := rank + 1; i < np; i++ {
		do(trace.Action{Kind: trace.Wait, Peer: int32(rank), Peer2: int32(i)})
	}
}

func everyoneBroadcasts(_, np int, do func(trace.Action)) {
	for root := range np {
		do(trace.Action{Kind: trace.Bcast, Type: trace.Byte, Peer: int32(root), Count: 8000})
	}
}

func redBlack(rank, np int, do func(trace.Action)) {
	if rank%2 == 0 {
		do(toward(trace.Send, (rank+1)%np, 8))
		do(toward(trace.Recv, (rank+np-1)%np, 8))
		return
	}
	do(toward(trace.Recv, rank-1, 8))
	do(toward(trace.Send, (rank+1)%np, 8))
}

// ofWholeElements reduces what is a float with two processes and bytes with more.
func ofWholeElements(_, np int, do func(trace.Action)) {
	bytes, of := int64(4*(np-1)), trace.Byte
	if bytes == 4 {
		of = trace.Float
	}
	do(trace.Action{Kind: trace.Allreduce, Type: of, Count: bytes / of.Size()})
}

func rounds(of func(np int) int) func(int, int, func(trace.Action)) {
	return func(_, np int, do func(trace.Action)) {
		for range of(np) {
			do(trace.Action{Kind: trace.Allreduce, Type: trace.Double, Count: 1})
		}
	}
}

var byHand = map[string]func(int, int, func(trace.Action)){
	"broadcast tree": broadcastTree, "reduction tree": reduceTree, "recursive doubling": recursiveDoubling,
	"gather by doubling": gatherDoubling, "recursive halving": recursiveHalving, "dissemination": dissemination, "Bruck": bruck,
	"ring": aroundRingOnce, "pairs": pairs, "flipped pairs": flippedPairs, "to the first": toFirst,
	"everyone asks everyone": everyoneAsksEveryone, "everyone broadcasts": everyoneBroadcasts, "prefixes": prefixes,
	"log p rounds": rounds(func(np int) int { return 3 * int(math.Log2(float64(np))) }),
	"p − 1 rounds": rounds(func(np int) int { return np - 1 }),
	"line":         alongLine, "around a ring": aroundRing, "red and black": redBlack,
	"of whole elements": ofWholeElements, "tournament": tournament,
}

// grown makes the trace of more processes of those of 2, 4 and 8 and says where it is not
// the one it would be.
func grown(np int, program func(int, int, func(trace.Action))) (where string, err error) {
	got, _, err := Extrapolate([]*trace.Trace{made(2, program), made(4, program), made(8, program)}, np)
	if err != nil {
		return "", err
	}
	never := func(p, q trace.Action) bool { return false }
	return differ(got, made(np, program), never), nil
}

// What is written by hand goes on as it would, call by call, to the byte.
func TestByHand(t *testing.T) {
	for name, program := range byHand {
		for _, np := range []int{16, 64} {
			if where, err := grown(np, program); err != nil || where != "" {
				t.Errorf("%s on %d: %s, %v", name, np, where, err)
			}
		}
	}
}

// Also one after another, several times, with computation between: what cannot be told
// apart is refused, and nothing is made that would not be. With MPI's own collectives
// between them all can be told apart.
func TestByHandTogether(t *testing.T) {
	names := slices.Sorted(maps.Keys(byHand))
	for seed := range uint64(16) {
		random := rand.New(rand.NewPCG(seed, 1))
		chosen, apart := []string{}, seed%2 == 0
		for range 1 + random.IntN(3) {
			chosen = append(chosen, names[random.IntN(len(names))])
		}
		turns := 1 + random.IntN(3)
		where, err := grown(16, func(rank, np int, do func(trace.Action)) {
			for range turns {
				for _, name := range chosen {
					do(compute(1e6 / float64(np)))
					byHand[name](rank, np, do)
					if apart {
						do(trace.Action{Kind: trace.Barrier})
					}
				}
			}
		})
		if where != "" || apart && err != nil {
			t.Errorf("%d times %q: %s, %v", turns, chosen, where, err)
		}
	}
}

// What only looks like a law up to 8 processes, or does not even, is refused.
func TestByHandRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		does func(int, int, func(trace.Action))
		want string
	}{
		"sizes by no law": {func(rank, np int, do func(trace.Action)) {
			do(trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: map[int]int64{2: 100, 4: 900, 8: 30}[np]})
		}, "call 2 of rank 7 of 8, allreduce: sizes 100 with 2, 900 with 4, 30 with 8 processes follow no law"},
		"another partner in every run": {func(rank, np int, do func(trace.Action)) {
			d := map[int]int{2: 1, 4: 3, 8: 2}[np]
			exchange(do, (rank+d)%np, (rank-d+np)%np, 8)
		}, "call 2 is sendRecv"},
		"rounds by no law":                      {rounds(func(np int) int { return map[int]int{2: 1, 4: 5, 8: 2}[np] }), "do not make as many calls|call"},
		"iterations that happen to fit a + b/p": {rounds(func(np int) int { return map[int]int{2: 10, 4: 12, 8: 13}[np] }), "do not make as many calls|call"},
		"shuffled": {func(rank, np int, do func(trace.Action)) {
			do(toward(trace.Isend, (3*rank+1)%np, 8))
			for from := range np {
				if (3*from+1)%np == rank {
					do(toward(trace.Recv, from, 8))
				}
			}
		}, "call 2 is"},
	} {
		_, err := grown(16, c.does)
		ok := false
		for _, want := range strings.Split(c.want, "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), want)
		}
		if !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Two counts show no loop.
	if _, _, err := Extrapolate([]*trace.Trace{made(4, recursiveDoubling), made(8, recursiveDoubling)}, 16); err == nil {
		t.Error("two counts were enough")
	}
}

// beyondTheEdge exchanges with both neighbours, of whom the first and the last lack one.
func beyondTheEdge(rank, np int, do func(trace.Action)) {
	for _, step := range []int{-1, 1} {
		to, from := rank+step, rank-step
		if to < 0 || to >= np {
			to = trace.NullPeer
		}
		if from < 0 || from >= np {
			from = trace.NullPeer
		}
		exchange(do, to, from, 800)
	}
}

func transposed(rank, np int, do func(trace.Action)) {
	side := int(math.Sqrt(float64(np)))
	other := rank%side*side + rank/side
	exchange(do, other, other, int64(1<<12/side))
}

func acrossTheMiddle(rank, np int, do func(trace.Action)) {
	exchange(do, (rank+np/2)%np, (rank+np/2)%np, 64)
}

// Partners are found again as programs find them, also where only square numbers of
// processes are possible.
func TestPartners(t *testing.T) {
	for name, c := range map[string]struct {
		does func(int, int, func(trace.Action))
		runs []int
		to   int
	}{
		"beyond the edge":   {beyondTheEdge, []int{2, 4, 8}, 16},
		"transposed":        {transposed, []int{4, 16, 64}, 256},
		"across the middle": {acrossTheMiddle, []int{2, 4, 8}, 32},
		"red and black":     {redBlack, []int{4, 8}, 32},
	} {
		var runs []*trace.Trace
		for _, np := range c.runs {
			runs = append(runs, made(np, c.does))
		}
		got, _, err := Extrapolate(runs, c.to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if where := differ(got, made(c.to, c.does), func(p, q trace.Action) bool { return false }); where != "" {
			t.Errorf("%s: %s", name, where)
		}
	}
}

// Communicators of groups: pairs, halves, odd and even ranks, nodes of four and those of
// the same place in each.
func TestGroups(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(rank, np int) (first, me int)
		runs []int
	}{
		"pairs":        {pairsOf, []int{4, 8, 16}},
		"halves":       {func(rank, np int) (int, int) { return rank / (np / 2) * (np / 2), rank % (np / 2) }, []int{4, 8, 16}},
		"odd and even": {func(rank, np int) (int, int) { return rank % 2, rank / 2 }, []int{4, 8, 16}},
		"nodes":        {func(rank, np int) (int, int) { return rank - rank%4, rank % 4 }, []int{4, 8, 16}},
		"leaders":      {func(rank, np int) (int, int) { return rank % 4, rank / 4 }, []int{4, 8, 16}},
	} {
		program := inGroups(c.of)
		var runs []*trace.Trace
		for _, np := range c.runs {
			runs = append(runs, made(np, program))
		}
		got, _, err := Extrapolate(runs, 32)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if where := differ(got, made(32, program), waits); where != "" {
			t.Errorf("%s: %s", name, where)
		}
	}
	// Those of 2, 4 and 8 may as well be a side of a cube.
	program := inGroups(pairsOf)
	if _, _, err := Extrapolate([]*trace.Trace{made(2, program), made(4, program), made(8, program)}, 32); err == nil || !strings.Contains(err.Error(), "grids of") {
		t.Error(err)
	}
}

func pairsOf(rank, _ int) (first, me int) { return rank - rank%2, rank % 2 }

// inGroups adds up within groups and passes on around all.
func inGroups(of func(rank, np int) (first, me int)) func(int, int, func(trace.Action)) {
	return func(rank, np int, do func(trace.Action)) {
		first, me := of(rank, np)
		do(trace.Action{Kind: trace.CommSplit, Tag: int32(first), Count: int64(me)})
		do(trace.Action{Kind: trace.Allreduce, Comm: 1, Type: trace.Double, Count: 4})
		exchange(do, (rank+1)%np, (rank+np-1)%np, 80)
	}
}

// Two processes, each the other's left and right, may exchange once; a note says that
// their run was left out.
func TestTwoOfTheirOwn(t *testing.T) {
	program := func(rank, np int, do func(trace.Action)) {
		exchange(do, (rank+1)%np, (rank+np-1)%np, 8)
		if np > 2 {
			exchange(do, (rank+np-1)%np, (rank+1)%np, 8)
		}
	}
	got, how, err := Extrapolate([]*trace.Trace{made(2, program), made(4, program), made(8, program)}, 16)
	if err != nil || !strings.Contains(how, "made of those of 4 and 8") || !strings.Contains(how, "the run of 2 does otherwise") {
		t.Fatalf("%q, %v", how, err)
	}
	if where := differ(got, made(16, program), waits); where != "" {
		t.Error(where)
	}
}

// Sizes that only a model of growth gives widen the interval, by the time spent on
// messages.
func TestIntervalOfSizes(t *testing.T) {
	program := func(rank, np int, do func(trace.Action)) {
		do(compute(1e8))
		do(trace.Action{Kind: trace.Alltoall, Type: trace.Byte, Type2: trace.Byte, Count: 1 << 20, Count2: 1 << 20})
	}
	w := &workshop{Request: &Request{ReferenceSpeed: 1e9, Platforms: []Platform{cluster(t, 4, "1Gf")}}, noted: map[string]bool{}}
	var widths []float64
	for _, off := range []float64{0, 0.1} {
		p, err := w.replay(t.Context(), &w.Platforms[0], []*taken{{CutTrace: &launch.CutTrace{Trace: made(4, program)}, sizesOff: off}}, "", 4)
		if err != nil {
			t.Fatal(err)
		}
		widths = append(widths, p.High-p.Predicted)
	}
	if !(widths[1] > widths[0]) {
		t.Errorf("the interval goes %v s up without and %v s with an error of sizes", widths[0], widths[1])
	}
}
