package paraver

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"auspex/events"
	"auspex/trace"
)

// record is a line of the file with the time it is sorted by.
type record struct {
	at   int64
	line string
}

// Write writes a measured trace as .prv, and the names of its numbers as .pcf.
// Paraver wants all records in order of time, so they are sorted in memory.
func Write(ctx context.Context, prv, pcf io.Writer, src events.Source) error {
	h := src.Header()
	w := writer{header: h, calls: numbered{of: map[string]int{}}, regions: numbered{of: map[string]int{}}}
	if err := src.Each(ctx, func(s *events.Span) error { w.span(s); return nil }); err != nil {
		return err
	}
	slices.SortStableFunc(w.records, func(a, b record) int { return cmp.Compare(a.at, b.at) })
	out := bufio.NewWriterSize(prv, 1<<16)
	w.head(out)
	for _, r := range w.records {
		out.WriteString(r.line)
		out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return w.names(pcf)
}

type writer struct {
	header  *events.Header
	records []record
	end     int64
	calls   numbered // callers
	regions numbered // of computation
	pairs   events.Matcher
}

func (w *writer) add(at int64, format string, args ...any) {
	w.records = append(w.records, record{at, fmt.Sprintf(format, args...)})
}

// where writes cpu:app:task:thread of a location.
func (w *writer) where(loc int32) string {
	l := w.header.Locations[loc]
	return fmt.Sprintf("%d:1:%d:%d", loc+1, l.Rank+1, l.Thread+1)
}

// states are the numbers of Paraver's states for calls.
var states = map[trace.Kind]int{
	trace.Compute: stateRunning, trace.Recv: 3, trace.Send: 4, trace.Barrier: 5, trace.Wait: 8, trace.WaitAll: 8, trace.Isend: 10, trace.Irecv: 11,
	events.Pause: 12, trace.SendRecv: 16, events.ThreadBarrier: 5, events.Lock: 5,
}

func (w *writer) span(s *events.Span) {
	w.end = max(w.end, s.End)
	where := w.where(s.Loc)
	state, ok := states[s.Kind]
	if !ok {
		state = 13
		if !s.Kind.Collective() {
			state = 15
		}
	}
	w.add(s.Begin, "1:%s:%d:%d:%d", where, s.Begin, s.End, state)
	if s.Kind == trace.Compute || s.Kind == events.Pause {
		w.add(s.Begin, "2:%s:%d:%d:%d", where, s.Begin, typeUser, w.regions.number(w.header.Paths[s.Path].Name))
		w.add(s.End, "2:%s:%d:%d:0", where, s.End, typeUser)
		return
	}
	if s.Kind == events.ThreadBarrier && s.Comm < 0 {
		return // the state says all that is known
	}
	kind, value := callNumber(s.Kind)
	extra := ""
	if s.Kind.Collective() {
		extra = fmt.Sprintf(":%d:%d:%d:%d", typeSendSize, s.Bytes, typeComm, s.Comm+1)
		if s.Root == w.header.Locations[s.Loc].Rank {
			extra += fmt.Sprintf(":%d:1", typeRoot)
		}
	}
	if caller := w.caller(s.Path); caller > 0 {
		extra += fmt.Sprintf(":%d:%d", typeCaller, caller)
	}
	w.add(s.Begin, "2:%s:%d:%d:%d%s", where, s.Begin, kind, value, extra)
	w.add(s.End, "2:%s:%d:%d:0", where, s.End, kind)
	for i := range s.Messages {
		send, receive, ok := w.pairs.Half(w.header.Locations[s.Loc].Rank, s, &s.Messages[i])
		if ok {
			w.add(send.Begin, "3:%s:%d:%d:%s:%d:%d:%d:%d", w.where(send.Loc), send.Begin, send.Begin, w.where(receive.Loc), receive.Posted, receive.End, s.Messages[i].Bytes, s.Messages[i].Tag)
		}
	}
}

// caller numbers who called, 0 where nobody is known.
func (w *writer) caller(path int32) int {
	name := w.header.Paths[path].Name
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return 0
	}
	return w.calls.number(name[:i])
}

// numbered gives names numbers, from 3 on as Extrae does.
type numbered struct {
	of    map[string]int
	names []string
}

func (n *numbered) number(name string) int {
	number, ok := n.of[name]
	if !ok {
		n.names = append(n.names, name)
		number = len(n.names) + 2
		n.of[name] = number
	}
	return number
}

// write lists them as the values of a type of events.
func (n *numbered) write(out io.Writer, kind int64, title string) {
	fmt.Fprintf(out, "EVENT_TYPE\n0 %d %s\nVALUES\n0 End\n", kind, title)
	for i, name := range n.names {
		fmt.Fprintf(out, "%d %s\n", i+3, name)
	}
	fmt.Fprintln(out)
}

// callNumber is Extrae's number of a call.
func callNumber(k trace.Kind) (kind, value int64) {
	if k == events.ThreadBarrier {
		return typeBarrier, 1
	}
	name := events.CallName(k)
	kind = typeOther
	switch {
	case k.Collective():
		kind = typeCollective
	case k >= trace.Send && k <= trace.WaitAll:
		kind = typePointToPoint
	}
	for n, call := range extraeCalls {
		if call == name {
			return kind, n
		}
	}
	return kind, 100 + int64(k)
}

func (w *writer) head(out io.Writer) {
	h := w.header
	var tasks []string
	for r := range h.Ranks {
		threads := 0
		for _, l := range h.Locations {
			if int(l.Rank) == r {
				threads++
			}
		}
		tasks = append(tasks, fmt.Sprintf("%d:%d", max(threads, 1), 1))
	}
	fmt.Fprintf(out, "#Paraver (01/01/2000 at 00:00):%d_ns:1(%d):1:%d(%s),%d\n", w.end, len(h.Locations), h.Ranks, strings.Join(tasks, ","), len(h.Comms))
	for c, members := range h.Comms {
		if c == 0 {
			members = nil
			for r := range h.Ranks {
				members = append(members, int32(r))
			}
		}
		fmt.Fprintf(out, "c:1:%d:%d", c+1, len(members))
		for _, m := range members {
			fmt.Fprintf(out, ":%d", m+1)
		}
		fmt.Fprintln(out)
	}
}

func (w *writer) names(to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "STATES\n0 Idle\n1 Running\n3 Waiting a message\n4 Blocking Send\n5 Synchronization\n8 Wait/WaitAll\n10 Immediate Send\n11 Immediate Receive\n12 I/O\n13 Group Communication\n15 Others\n16 Send Receive\n\n")
	for _, t := range []struct {
		number int64
		name   string
	}{{typePointToPoint, "MPI Point-to-point"}, {typeCollective, "MPI Collective Comm"}, {typeOther, "MPI Other"}} {
		fmt.Fprintf(out, "EVENT_TYPE\n9 %d %s\nVALUES\n0 Outside MPI\n", t.number, t.name)
		for k := trace.Init; k.Collective() || k <= trace.WaitAll; k++ {
			if kind, value := callNumber(k); kind == t.number && k.String() != "unknown" {
				fmt.Fprintf(out, "%d %s\n", value, events.CallName(k))
			}
		}
		fmt.Fprintln(out)
	}
	w.calls.write(out, typeCaller, "Caller at level 1")
	w.regions.write(out, typeUser, "User function")
	return out.Flush()
}
