package events

import (
	"context"

	"auspex/trace"
)

// Program makes a replayable trace of a measured one: computation and pauses as
// they took, in ns, so that a host of 10⁹ flop/s replays them as they were;
// messages and collectives without their times. A Location before a compute
// names its region. Receives stand where they were completed; calls that
// exchange nothing leave no trace, as they would take no time on an ideal
// network. Only the first thread of each rank is taken.
func Program(ctx context.Context, src Source) (*trace.Trace, error) {
	if r, is := src.(Replayable); is {
		src = r.ForReplay()
	}
	p := programmer{}
	if err := p.read(ctx, src); err != nil {
		return nil, err
	}
	if p.uneven { // only now it is known what the ranks before the last were to be told
		p = programmer{sizes: p.sizes}
		if err := p.read(ctx, src); err != nil {
			return nil, err
		}
	}
	t := &trace.Trace{Name: src.Header().Name, Nanoseconds: true}
	for _, b := range p.ranks {
		b.Add(&trace.Action{Kind: trace.Finalize})
		t.Programs = append(t.Programs, b.Program())
	}
	if src.Header().Joined {
		t.Joins, t.Launches = p.joins, p.launch
		for _, path := range src.Header().Paths {
			t.HostRegions = append(t.HostRegions, path.Name)
		}
	}
	return t, nil
}

// programmer collects the actions of all ranks.
type programmer struct {
	header *Header
	ranks  []*trace.Builder
	at     []int32   // region last told, of each rank
	comms  [][]int32 // number of each communicator in each rank, -1 where it is not in it
	begins [][]int64 // of the computation of each rank, where the trace is joined
	joins  [][]trace.Join
	launch [][]trace.Launch

	sizes  [][]int64 // by communicator: the most that a rank sends in each of its collectives
	nth    [][]int32 // by rank and communicator: collectives so far
	uneven bool      // ranks were told a size before one came that sends more
}

// read makes all ranks' programs.
func (p *programmer) read(ctx context.Context, src Source) error {
	seen := 0
	err := src.Each(ctx, func(s *Span) error {
		if seen++; seen%65536 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.begin(src.Header())
		p.add(s)
		return nil
	})
	if err == nil {
		p.begin(src.Header())
	}
	return err
}

// begin starts all ranks' programs, with the communicators known from the
// start.
func (p *programmer) begin(h *Header) {
	if p.header != nil {
		return
	}
	p.header = h
	for r := range h.Ranks {
		b := trace.NewBuilder(r)
		b.Add(&trace.Action{Kind: trace.Init})
		p.ranks, p.at = append(p.ranks, b), append(p.at, -1)
		p.comms = append(p.comms, []int32{0})
	}
	p.nth = make([][]int32, h.Ranks)
	p.begins, p.joins, p.launch = make([][]int64, h.Ranks), make([][]trace.Join, h.Ranks), make([][]trace.Launch, h.Ranks)
	for c := 1; c < len(h.Comms); c++ {
		p.split(c)
	}
}

// split makes communicator c in the ranks' programs. One of a single rank needs
// none: nobody waits in it.
func (p *programmer) split(c int) {
	members := p.header.Comms[c]
	for r := range p.ranks {
		p.comms[r] = append(p.comms[r], -1)
	}
	if len(members) < 2 {
		return
	}
	key := map[int32]int{}
	for i, m := range members {
		key[m] = i
	}
	number := int32(1)
	for k := 1; k < c; k++ {
		if len(p.header.Comms[k]) >= 2 {
			number++
		}
	}
	for r, b := range p.ranks {
		k, in := key[int32(r)]
		colour := int32(1)
		if in {
			colour, p.comms[r][c] = 0, number
		}
		b.Add(&trace.Action{Kind: trace.CommSplit, Tag: colour, Count: int64(k)})
	}
}

func (p *programmer) add(s *Span) {
	loc := p.header.Locations[s.Loc]
	if loc.Thread != 0 {
		return
	}
	b := p.ranks[loc.Rank]
	switch s.Kind {
	case trace.Compute, Pause, ThreadBarrier, Lock:
		if s.End <= s.Begin {
			return
		}
		if s.Path != p.at[loc.Rank] {
			p.at[loc.Rank] = s.Path
			path := p.header.Paths[s.Path]
			b.Add(&trace.Action{Kind: trace.Location, File: path.Name, Tag: int32(path.Line)})
		}
		b.Add(&trace.Action{Kind: trace.Compute, Value: float64(s.End - s.Begin)})
		if p.header.Joined {
			p.begins[loc.Rank] = append(p.begins[loc.Rank], s.Begin)
			p.launch[loc.Rank] = append(p.launch[loc.Rank], s.Launch)
		}
	case Other, trace.Init, trace.Finalize:
	default:
		if s.Kind.Collective() {
			p.collective(b, loc.Rank, s)
			return
		}
		p.messages(b, loc.Rank, s)
	}
}

// join notes how many stretches of computation ago a rank was ready for a call.
func (p *programmer) join(rank int32, s *Span) {
	if !p.header.Joined {
		return
	}
	n, begins := int32(0), p.begins[rank]
	for i := len(begins) - 1; s.Lead > 0 && i >= 0 && begins[i] >= s.Begin-s.Lead; i-- {
		n++
	}
	p.joins[rank] = append(p.joins[rank], trace.Join{Ahead: n, Behind: s.Behind, After: s.After, Seconds: float64(s.Transfer) / 1e9, Launched: s.Launch.Waited, Host: s.Launch.Since})
}

// messages adds the point-to-point actions of a span: what it sends first. A
// send-receive ends when both its halves have.
func (p *programmer) messages(b *trace.Builder, rank int32, s *Span) {
	blocking := s.Kind == trace.Send
	for _, m := range s.Messages {
		if m.Side != Sent {
			continue
		}
		kind := trace.Isend
		if blocking {
			kind = trace.Send
		}
		// One that does not block is waited for at the end: the buffers of the
		// run that was measured held it.
		b.Add(&trace.Action{Kind: kind, Type: trace.Byte, Peer: m.Peer, Tag: max(m.Tag, 0), Count: m.Bytes})
	}
	for _, m := range s.Messages {
		if m.Side == Received {
			p.join(rank, s)
			b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: m.Peer, Tag: max(m.Tag, 0), Count: m.Bytes})
		}
	}
	if s.Kind != trace.SendRecv {
		return
	}
	for _, m := range s.Messages {
		if m.Side == Sent {
			b.Add(&trace.Action{Kind: trace.Wait, Peer: rank, Peer2: m.Peer, Tag: max(m.Tag, 0)})
		}
	}
}

func (p *programmer) collective(b *trace.Builder, rank int32, s *Span) {
	c := 0
	if s.Comm > 0 && int(s.Comm) < len(p.comms[rank]) {
		c = int(s.Comm)
	}
	comm := p.comms[rank][c]
	if comm < 0 {
		return // alone in it, or not a member
	}
	size := p.size(rank, c, s.Bytes)
	a := trace.Action{Kind: plainKind(s.Kind), Type: trace.Byte, Type2: trace.Byte, Comm: comm, Count: size, Count2: size, Peer: trace.RootUnset}
	if Rooted(s.Kind) && s.Root >= 0 {
		a.Peer = s.Root
		if comm > 0 {
			for i, m := range p.header.Comms[s.Comm] {
				if m == s.Root {
					a.Peer = int32(i)
				}
			}
		}
	}
	p.join(rank, s)
	b.Add(&a)
}

// size is that of a collective, on which all its ranks have to agree: the most that one
// of them sends. Of a broadcast all but the root send nothing.
func (p *programmer) size(rank int32, c int, bytes int64) int64 {
	for len(p.nth[rank]) <= c {
		p.nth[rank] = append(p.nth[rank], 0)
	}
	for len(p.sizes) <= c {
		p.sizes = append(p.sizes, nil)
	}
	k, sizes := int(p.nth[rank][c]), p.sizes[c]
	p.nth[rank][c]++
	if k == len(sizes) {
		p.sizes[c] = append(sizes, bytes)
		return bytes
	}
	p.uneven = p.uneven || bytes != sizes[k]
	sizes[k] = max(sizes[k], bytes)
	return sizes[k]
}

// plainKind is the collective with one size that stands for one with lists:
// measured traces say what each rank sends, not to whom how much.
func plainKind(k trace.Kind) trace.Kind {
	switch k {
	case trace.Alltoallv:
		return trace.Alltoall
	case trace.Gatherv:
		return trace.Gather
	case trace.Scatterv:
		return trace.Scatter
	case trace.Allgatherv:
		return trace.Allgather
	case trace.ReduceScatter:
		return trace.Allreduce
	}
	return k
}

// Rooted tells whether a collective has a root.
func Rooted(k trace.Kind) bool {
	switch k {
	case trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter, trace.Gatherv, trace.Scatterv:
		return true
	}
	return false
}
