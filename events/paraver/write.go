package paraver

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
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
	w := writer{header: h, functions: numbered{of: map[string]int{}}, calls: map[int64]map[int64]string{}}
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
	// functions are those that computed, or called; calls are what was called, by type
	// and number.
	functions numbered
	calls     map[int64]map[int64]string
	pairs     events.Matcher
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
		enter, leave := "", ""
		for _, name := range namesOf(w.header.Paths[s.Path].Name) {
			enter += fmt.Sprintf(":%d:%d", typeUser, w.functions.number(name))
			leave += fmt.Sprintf(":%d:0", typeUser)
		}
		w.add(s.Begin, "2:%s:%d%s", where, s.Begin, enter)
		w.add(s.End, "2:%s:%d%s", where, s.End, leave)
		return
	}
	if s.Kind == events.ThreadBarrier && s.Comm < 0 {
		return // the state says all that is known
	}
	kind, value := w.call(s)
	extra := ""
	if s.Kind.Collective() {
		extra = fmt.Sprintf(":%d:%d:%d:%d", typeSendSize, s.Bytes, typeComm, s.Comm+1)
		if s.Root == w.header.Locations[s.Loc].Rank {
			extra += fmt.Sprintf(":%d:1", typeRoot)
		}
	}
	for level, caller := range w.callers(s.Path) {
		extra += fmt.Sprintf(":%d:%d", typeCaller+level, caller)
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

// callers numbers who called, innermost first.
func (w *writer) callers(path int32) []int {
	name := w.header.Paths[path].Name
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return nil
	}
	var numbers []int
	for _, function := range slices.Backward(namesOf(name[:i])) {
		numbers = append(numbers, w.functions.number(function))
	}
	return numbers[:min(len(numbers), callerLevels)]
}

// namesOf are the names of a path, outermost first. A place in a file is one, whatever
// folder the file is in.
func namesOf(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return splitNames(path)
	}
	if i := strings.Index(path, "/MPI_"); i > 0 { // what is within a call
		return append(namesOf(path[:i]), splitNames(path[i+1:])...)
	}
	return []string{path[strings.LastIndexByte(path, '/')+1:]}
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

// write lists them as the values of types of events.
func (n *numbered) write(out io.Writer) {
	fmt.Fprint(out, "VALUES\n0 End\n")
	for i, name := range n.names {
		fmt.Fprintf(out, "%d %s\n", i+3, name)
	}
	fmt.Fprintln(out)
}

// call is the type of events that a call is of and its number: Extrae's where it has
// one.
func (w *writer) call(s *events.Span) (kind, value int64) {
	if s.Kind == events.ThreadBarrier {
		return typeBarrier, 1
	}
	name := w.callName(s)
	switch {
	case s.Kind.Collective():
		kind = typeCollective
	case s.Kind >= trace.Send && s.Kind <= trace.WaitAll:
		kind = typePointToPoint
	default:
		kind = typeOther
	}
	if w.calls[kind] == nil {
		w.calls[kind] = map[int64]string{}
	}
	value = ownCalls
	for w.calls[kind][value] != "" && w.calls[kind][value] != name {
		value++
	}
	for n, call := range extraeCalls {
		if call == name {
			value = n
		}
	}
	w.calls[kind][value] = name
	return kind, value
}

// ownCalls is the first number of calls that Extrae has none for.
const ownCalls = 1000

// callName is what a call is called in the trace, where a reader takes that name for what
// the call did.
func (w *writer) callName(s *events.Span) string {
	name := events.LastName(w.header.Paths[s.Path].Name)
	kind, known := events.CallKind(name)
	waits := func(k trace.Kind) bool { return k == trace.Wait || k == trace.WaitAll }
	switch {
	case known && (kind == s.Kind || waits(kind) && waits(s.Kind)):
		return name
	case s.Kind == events.Other && (!known || kind == trace.Init || kind == trace.Finalize || kind == trace.Test):
		return name
	case s.Kind.Collective() && makesCommunicator(name):
		return name
	}
	return events.CallName(s.Kind)
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
		for _, value := range slices.Sorted(maps.Keys(w.calls[t.number])) {
			fmt.Fprintf(out, "%d %s\n", value, w.calls[t.number][value])
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, "EVENT_TYPE")
	for level := range callerLevels {
		fmt.Fprintf(out, "0 %d Caller at level %d\n", typeCaller+level, level+1)
	}
	w.functions.write(out)
	fmt.Fprintf(out, "EVENT_TYPE\n0 %d User function\n", typeUser)
	w.functions.write(out)
	return out.Flush()
}
