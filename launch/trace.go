package launch

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"auspex/probe"
	"auspex/trace"
)

var actionKinds = map[probe.EventKind]trace.Kind{
	probe.EventInit: trace.Init, probe.EventFinalize: trace.Finalize, probe.EventCommSplit: trace.CommSplit,
	probe.EventSend: trace.Send, probe.EventIsend: trace.Isend, probe.EventRecv: trace.Recv, probe.EventIrecv: trace.Irecv,
	probe.EventSendrecv: trace.SendRecv, probe.EventWait: trace.Wait, probe.EventBarrier: trace.Barrier, probe.EventBcast: trace.Bcast,
	probe.EventReduce: trace.Reduce, probe.EventAllreduce: trace.Allreduce, probe.EventScan: trace.Scan, probe.EventExscan: trace.Exscan,
	probe.EventAlltoall: trace.Alltoall, probe.EventAlltoallv: trace.Alltoallv, probe.EventGather: trace.Gather, probe.EventScatter: trace.Scatter,
	probe.EventAllgather: trace.Allgather, probe.EventGatherv: trace.Gatherv, probe.EventAllgatherv: trace.Allgatherv,
	probe.EventScatterv: trace.Scatterv, probe.EventReduceScatter: trace.ReduceScatter, probe.EventSleep: trace.Sleep,
	probe.EventPut: trace.Put, probe.EventGet: trace.Get, probe.EventFence: trace.Fence, probe.EventFlush: trace.Flush,
	probe.EventLock: trace.Lock, probe.EventUnlock: trace.Unlock,
}

// AskedForInput tells whether a program whose ranks wrote traces into dir came to
// the end of standard input.
func AskedForInput(dir string) bool {
	asked, err := filepath.Glob(filepath.Join(dir, "*.stdin"))
	return err == nil && len(asked) > 0
}

// rankNotes is what is known of a rank's trace beside it.
type rankNotes struct {
	deviations map[int]float64 // of the messages of loops cut short, by loop
	exchanges  bool            // there are MPI_Sendrecv among its calls
	stops      *stops          // nil where nothing is known of them
}

// ErrNoTrace is of a run in which no rank recorded events.
var ErrNoTrace = errors.New("no trace was recorded: the program makes no MPI calls")

// collectTrace makes a trace of the events that the ranks of a run wrote into
// dir. Sizes are bytes; computation is in ns, so a host of 10⁹ flop/s replays it
// as it was. Where a program's MPI_Sendrecv meet plain sends and receives, they
// are taken apart, so that tags count.
func collectTrace(ctx context.Context, dir string) (*trace.Trace, []rankNotes, error) {
	t, notes, err := collectRanks(ctx, dir, false)
	if err == nil && slices.ContainsFunc(notes, func(n rankNotes) bool { return n.exchanges }) && !exchangesMeet(t) {
		return collectRanks(ctx, dir, true)
	}
	return t, notes, err
}

func collectRanks(ctx context.Context, dir string, apart bool) (*trace.Trace, []rankNotes, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.events"))
	if err != nil {
		return nil, nil, err
	}
	var notes []rankNotes
	sort.Slice(files, func(i, j int) bool { return rankOf(files[i]) < rankOf(files[j]) })
	places := readPlaces(dir)
	t := &trace.Trace{Nanoseconds: true}
	for i, file := range files {
		if rankOf(file) != i {
			return nil, nil, fmt.Errorf("there is no trace of rank %d: it did not come to its end", i)
		}
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			return nil, nil, fmt.Errorf("the trace of rank %d was not written: it did not come to its end", i)
		}
		program, note, err := readProgram(ctx, file, i, places, apart)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, note)
		t.Programs = append(t.Programs, program)
	}
	if len(files) == 0 {
		return nil, nil, ErrNoTrace
	}
	return t, notes, nil
}

func rankOf(file string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".events"))
	if err != nil {
		return -1
	}
	return n
}

func readProgram(ctx context.Context, file string, rank int, places places, apart bool) (trace.Program, rankNotes, error) {
	r := recorder{ctx: ctx, to: trace.NewBuilder(rank), places: places[rank].calls, at: -1, rank: rank, apart: apart}
	r.turns = turns{to: r.to, deviations: map[int]float64{}}
	times, err := os.Open(strings.TrimSuffix(file, ".events") + ".times")
	switch {
	case err == nil:
		defer times.Close()
		r.times = bufio.NewReaderSize(times, 1<<16)
	case errors.Is(err, os.ErrNotExist):
		r.to.Means = true
	default:
		return trace.Program{}, rankNotes{}, err
	}
	stretches, err := openStretches(strings.TrimSuffix(file, ".events")+".stretches", places[rank].nodes)
	if err != nil {
		return trace.Program{}, rankNotes{}, err
	}
	if stretches != nil {
		defer stretches.file.Close()
		r.stretches = stretches
	}
	if r.stops, err = openStops(strings.TrimSuffix(file, ".events") + ".stops"); err != nil {
		return trace.Program{}, rankNotes{}, err
	}
	err = probe.ReadEvents(file, &r)
	return r.to.Program(), rankNotes{r.turns.deviations, r.exchanges, r.stops}, err
}

// recorder puts the events of one rank into its program.
type recorder struct {
	ctx    context.Context
	to     *trace.Builder
	turns  turns
	places []place       // of the rank's regions
	at     int           // region of the latest place told
	named  bool          // and its call
	times  *bufio.Reader // the computation before each event; nil where only means are known
	// stretches tells in which regions the computation before each event was;
	// nil where that is not known.
	stretches *stretches
	stops     *stops // nil where nothing is known of them
	seen      int
	rank      int
	teams     teams
	apart     bool // exchanges become the messages they are made of
	exchanges bool // there are some
}

// Event adds one event, with the place of its call where that is another than
// before.
func (r *recorder) Event(shared *probe.Event) error {
	e := *shared
	if r.times != nil {
		var raw [4]byte
		switch _, err := io.ReadFull(r.times, raw[:]); err {
		case nil:
			e.Compute, e.Variance = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[:]))), 0
		case io.EOF: // no more were kept
			r.times = nil
			if r.stops != nil {
				r.stops.cut = true
			}
		default:
			return err
		}
	}
	if e.Kind == probe.EventTeam {
		r.teams.tell(&e)
		return nil
	}
	if r.seen++; r.seen%65536 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	switch e.Kind {
	case probe.EventTurn:
		r.turns.head(&e)
	case probe.EventRepeat:
		return r.turns.repeat(&e)
	default:
		r.compute(&e)
		r.tell(e.Site)
		left := r.tellCall(&e)
		r.stops.begins(became{r.to.Steps(), r.sends(&e)})
		for _, a := range r.actions(&e) {
			r.to.Add(&a)
			r.turns.note(&e, a)
			e.Compute, e.Variance = 0, 0
		}
		if left {
			r.at = -1 // what follows is not in that call
			r.tell(e.Site)
		}
		r.stops.of(r.seen-1, trace.Stop{Action: r.to.Steps() - 1, Within: true, Outside: e.Kind == probe.EventInit || e.Kind == probe.EventFinalize})
	}
	return nil
}

// parallelRegion is what the names of parallel regions begin with.
const parallelRegion = "OpenMP parallel"

// teams is what is told of parallel regions before an event.
type teams struct {
	before, variance float64 // the computation before them
	work             float64 // of all their threads
}

// tell takes the first or the second of the two events that tell of them.
func (t *teams) tell(e *probe.Event) {
	if e.Tag == 0 {
		t.before, t.variance = t.before+e.Compute, t.variance+e.Variance
	} else {
		t.work += e.Compute
	}
}

// cores is for how many cores there was work, if they took so long.
func (t teams) cores(took float64) float64 {
	if t.work <= 0 || took <= 0 {
		return 0
	}
	return t.work / took
}

// inTeams makes those of the stretches that are of parallel regions as long as these took,
// waiting for the slowest thread included, and the others as long as the computation
// before; false where there are none of a kind that took time.
func inTeams(list []stretch, before, took float64) bool {
	sum := map[bool]float64{}
	for _, s := range list {
		sum[strings.Contains(s.region, parallelRegion)] += s.ns
	}
	if took > 0 && sum[true] <= 0 || before >= 1 && sum[false] <= 0 {
		return false
	}
	for i := range list {
		s := &list[i]
		if strings.Contains(s.region, parallelRegion) {
			s.ns *= took / sum[true]
		} else {
			s.ns *= before / sum[false]
		}
	}
	return true
}

// compute adds the computation before an event, by regions where they are
// known.
func (r *recorder) compute(e *probe.Event) {
	told := r.teams
	r.teams = teams{}
	cores := told.cores(e.Compute)
	if r.stretches == nil || r.turns.inside {
		r.turns.compute(told.before, told.variance, 0)
		r.turns.compute(e.Compute, e.Variance, cores)
		return
	}
	first := r.to.Steps()
	var parts []float64
	list := r.stretches.next(told.before + e.Compute)
	if told.work <= 0 || !inTeams(list, told.before, e.Compute) {
		cores = 0
	}
	for _, s := range list {
		r.to.Add(&trace.Action{Kind: trace.Location, File: s.region})
		r.at = -1 // the place of the call is to be told again
		own := 0.0
		if strings.Contains(s.region, parallelRegion) {
			own = cores
		}
		if r.turns.compute(s.ns, 0, own); r.to.Steps()-first > int64(len(parts)) {
			parts = append(parts, s.ns)
		}
	}
	r.stops.before(r.seen-1, first, parts)
}

// tell adds the place of the calls that follow, once.
func (r *recorder) tell(site int) {
	if site != r.at && site >= 0 && site < len(r.places) && r.places[site].file != "" {
		r.to.Add(&trace.Action{Kind: trace.Location, File: r.places[site].file, Tag: int32(r.places[site].line)})
	}
	r.named = r.named && site == r.at
	r.at = site
}

// tellCall names the call that an event is within, where it is not all that there is to
// tell of it, and tells whether it ends there: a pause in a call of which the trace does
// not tell for whom it waits, or the messages that a collective is made of.
func (r *recorder) tellCall(e *probe.Event) (left bool) {
	within, left := inCall(e)
	if !within || e.Site < 0 || e.Site >= len(r.places) || r.places[e.Site].call == "" {
		return false
	}
	if p := r.places[e.Site]; !r.named {
		r.to.Add(&trace.Action{Kind: trace.Location, File: trace.WithinCall(p.file, p.line, p.call)})
		r.named = true
	}
	return left
}

// inCall tells whether an event is within a call, and its end.
func inCall(e *probe.Event) (within, left bool) {
	switch e.Kind {
	case probe.EventSleep:
		return e.Tag != 0, true
	case probe.EventIsend, probe.EventIrecv, probe.EventWait, probe.EventPut, probe.EventGet, probe.EventFlush:
		return e.Count2 != 0, e.Count2 == probe.EndsCall
	}
	return false, false
}

// smallMessage is how long a message may be, in bytes, so that a replay as on one
// machine sends it off without its receiver.
const smallMessage = 65536

// sends tells whether an event only begins or ends the sending of small messages.
func (r *recorder) sends(e *probe.Event) bool {
	switch e.Kind {
	case probe.EventSend, probe.EventIsend:
		return e.Count < smallMessage
	case probe.EventSendrecv:
		return e.Peer2 == probe.None && e.Count < smallMessage
	case probe.EventIrecv:
		return true
	case probe.EventWait:
		return e.Peer == r.rank
	}
	return false
}

// Loop keeps a loop as one, but for those whose turns are looked at one by one.
func (r *recorder) Loop(l probe.Turns, body func() error) error {
	r.tell(l.Site) // where places differ, each turn tells them anew
	for i := range l.Count {
		if l.Plain && !r.turns.inside && r.times == nil {
			return r.to.Repeat(l.Count-i, body)
		}
		if err := body(); err != nil {
			return err
		}
	}
	return nil
}

// actions are what the replay makes of an event.
func (r *recorder) actions(e *probe.Event) []trace.Action {
	r.exchanges = r.exchanges || e.Kind == probe.EventSendrecv
	if e.Kind == probe.EventSendrecv && r.apart {
		return messagesOf(e, r.rank)
	}
	return []trace.Action{action(e)}
}

// element is a datatype for what is reduced, by its size, which an event has in the
// place of what is received: how many elements there are decides on the algorithm.
func element(bytes int64) trace.Type {
	switch {
	case bytes > 0 && bytes%8 == 0:
		return trace.Double
	case bytes == 4:
		return trace.Float
	case bytes == 2:
		return trace.Short
	}
	return trace.Byte
}

func action(e *probe.Event) trace.Action {
	a := trace.Action{
		Kind: actionKinds[e.Kind], Type: trace.Byte, Type2: trace.Byte, Comm: int32(e.Comm), Peer: peer(e.Peer), Peer2: peer(e.Peer2),
		Tag: int32(e.Tag), Count: e.Count, Count2: e.Count2, Counts: e.Sends, Counts2: e.Receives,
	}
	switch e.Kind {
	case probe.EventSend, probe.EventIsend, probe.EventRecv, probe.EventIrecv, probe.EventWait:
		if e.Tag == probe.Any {
			a.Tag = trace.AnyTag
		}
	case probe.EventSendrecv:
		a.Tag = 0 // both tags are in the event's
	case probe.EventReduce, probe.EventAllreduce:
		a.Type, a.Count2 = element(e.Count2), 0
		a.Count = e.Count / a.Type.Size()
	case probe.EventSleep:
		a.Value, a.Count = float64(e.Count)/1e9, 0
	case probe.EventAlltoallv:
		for _, n := range e.Sends {
			a.Count += n
		}
		for _, n := range e.Receives {
			a.Count2 += n
		}
	}
	return a
}

func peer(rank int) int32 {
	switch rank {
	case probe.Any:
		return trace.AnySource
	case probe.None:
		return trace.NullPeer
	}
	return int32(rank)
}

// WriteTrace collects a trace into a file, in the binary form. It returns when
// its ranks waited for a core, nil where that is not known of all.
func WriteTrace(ctx context.Context, dir, file string) (trace.Stops, error) {
	t, notes, err := collectTrace(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := trace.Write(out, t); err != nil {
		out.Close()
		return nil, err
	}
	return stopsOf(notes), out.Close()
}
