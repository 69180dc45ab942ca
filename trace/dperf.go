package trace

import (
	"bytes"
	"fmt"
	"strings"
)

// dPerf's text form (the dPerf paper, §3.1): one line an action,
// `p<rank> <action> args…`. Computation is in nanoseconds, which are flops on
// the 1 Gflop/s host the blocks were measured for; communication is in bytes.
//
//	compute NS                     Send, Isend pD BYTES [TAG]
//	Recv, Irecv pS [BYTES [TAG]]   Wait, Waitall, Barrier
//	Bcast, Reduce, Gather, Scatter BYTES [pROOT]
//	Allreduce, Allgather, Alltoall BYTES
//
// Wait and Waitall wait for everything the process has started.
var dperfNames = map[Kind]string{
	Compute: "compute", Send: "Send", Isend: "Isend", Recv: "Recv", Irecv: "Irecv",
	WaitAll: "Waitall", Barrier: "Barrier", Bcast: "Bcast", Reduce: "Reduce",
	Gather: "Gather", Scatter: "Scatter", Allreduce: "Allreduce",
	Allgather: "Allgather", Alltoall: "Alltoall",
}

func dperfKind(name []byte) (Kind, bool) {
	if bytes.EqualFold(name, []byte("wait")) {
		return WaitAll, true
	}
	for k := Compute; k <= ReduceScatter; k++ {
		if n, ok := dperfNames[k]; ok && bytes.EqualFold(name, []byte(n)) {
			return k, true
		}
	}
	return 0, false
}

// process reads a peer written as p and a number.
func (r *lineReader) process(w []byte) int32 {
	if r.err != nil {
		return 0
	}
	if len(w) > 1 && w[0] == 'p' {
		if v, ok := whole(w[1:]); ok && v >= 0 && v < maxRanks {
			return int32(v)
		}
	}
	r.fail(w, "a process such as p0")
	return 0
}

// parseDPerf reads the action of a dPerf line, after its process.
func (r *lineReader) parseDPerf(a *Action, rank int32, np int) error {
	name := r.next()
	k, ok := dperfKind(name)
	if !ok {
		return fmt.Errorf("the action %q is not known", clip(name))
	}
	*a = Action{Kind: k, Type: DefaultType, Type2: DefaultType, Peer: RootUnset, Counts: a.Counts, Counts2: a.Counts2}
	switch k {
	case Compute:
		a.Value = r.number()
	case Send, Isend:
		a.Peer, a.Count = r.process(r.argument()), r.count()
		a.Tag = r.optional()
	case Recv, Irecv:
		a.Peer, a.Count = r.process(r.argument()), AnySize
		if rest := (lineReader{line: r.line, pos: r.pos}); len(rest.next()) > 0 {
			a.Count = r.count()
			a.Tag = r.optional()
		}
	case Bcast, Reduce, Gather, Scatter:
		a.Count = r.count()
		a.Count2 = a.Count
		if w := r.next(); len(w) > 0 {
			a.Peer = r.process(w)
		}
	case Allreduce, Allgather, Alltoall:
		a.Count = r.count()
		a.Count2 = a.Count
	}
	if r.err == errMissing {
		return fmt.Errorf("%s lacks an argument", dperfNames[k])
	}
	if r.err != nil {
		return fmt.Errorf("%s: %w", dperfNames[k], r.err)
	}
	return validate(a, np)
}

// optional reads a tag if one is written.
func (r *lineReader) optional() int32 {
	w := r.next()
	if len(w) == 0 {
		return 0
	}
	v, ok := whole(w)
	if !ok || v != int64(int32(v)) {
		r.fail(w, "a tag")
	}
	return int32(v)
}

// appendDPerf writes one action in dPerf's form; unit is that of sizes without a type.
func appendDPerf(b []byte, rank int, a *Action, unit Type) ([]byte, error) {
	name, ok := dperfNames[a.Kind]
	switch {
	case !ok:
		return b, fmt.Errorf("dPerf's form has no %s", a.Kind)
	case a.Comm > 0:
		return b, fmt.Errorf("dPerf's form knows the world communicator only")
	case a.Count == ProbeSize || a.Peer < 0 && a.Peer != RootUnset || a.Tag < 0:
		return b, fmt.Errorf("dPerf's form cannot say this %s", a.Kind)
	case (a.Kind == Reduce || a.Kind == Allreduce) && a.Value != 0:
		return b, fmt.Errorf("dPerf's form cannot say how much %s computes", a.Kind)
	}
	b = fmt.Appendf(b, "p%d %s", rank, name)
	bytesOf := func(n int64, t Type) int64 {
		if t == DefaultType {
			t = unit
		}
		return n * t.Size()
	}
	sent, received := bytesOf(a.Count, a.Type), bytesOf(a.Count2, a.Type2)
	root := a.Peer == int32(rank) || a.Peer == RootUnset && rank == 0
	switch { // the form has one size for both
	case (a.Kind == Allgather || a.Kind == Alltoall || (a.Kind == Gather || a.Kind == Scatter) && root) && sent != received:
		return b, fmt.Errorf("dPerf's form cannot say a %s that sends %d bytes and receives %d", a.Kind, sent, received)
	case a.Kind == Scatter && !root: // which sends nothing
		sent = received
	}
	switch a.Kind {
	case Compute:
		b = appendNumber(append(b, ' '), a.Value)
	case Send, Isend, Recv, Irecv:
		b = fmt.Appendf(b, " p%d", a.Peer)
		if a.Count != AnySize {
			b = fmt.Appendf(b, " %d", sent)
			if a.Tag != 0 {
				b = fmt.Appendf(b, " %d", a.Tag)
			}
		} else if a.Tag != 0 {
			return b, fmt.Errorf("dPerf's form cannot give a receive of any size the tag %d", a.Tag)
		}
	case Bcast, Reduce, Gather, Scatter, Allreduce, Allgather, Alltoall:
		b = fmt.Appendf(b, " %d", sent)
		if a.Peer != RootUnset {
			b = fmt.Appendf(b, " p%d", a.Peer)
		}
	}
	return append(b, '\n'), nil
}

// dperfSkips tells which actions leave no line in dPerf's form.
func dperfSkips(k Kind) bool {
	return k == Init || k == Finalize || strings.HasPrefix(k.String(), "comm_") || k == Location
}
