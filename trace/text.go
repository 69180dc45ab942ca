package trace

import (
	"fmt"
	"strconv"
)

// usage lists the arguments of each action of the time-independent form.
var usage = [numKinds]string{
	Compute: "flops", Sleep: "seconds", Location: "file line",
	Send: "peer tag count [datatype]", Isend: "peer tag count [datatype]",
	Recv: "peer tag count [datatype]", Irecv: "peer tag count [datatype]",
	SendRecv: "send-count destination receive-count source send-datatype receive-datatype",
	Wait:     "source destination tag", Test: "source destination tag",
	Bcast:     "count [root [datatype]]",
	Reduce:    "count flops [root [datatype]]",
	Allreduce: "count flops [datatype]", Scan: "count flops [datatype]", Exscan: "count flops [datatype]",
	Alltoall:      "send-count receive-count [send-datatype receive-datatype]",
	Alltoallv:     "send-buffer, a send count per rank, receive-buffer, a receive count per rank [datatypes]",
	Gather:        "send-count receive-count [root [datatypes]]",
	Scatter:       "send-count receive-count [root [datatypes]]",
	Allgather:     "send-count receive-count [datatypes]",
	Gatherv:       "send-count, a receive count per rank [root [datatypes]]",
	Allgatherv:    "send-count, a receive count per rank [datatypes]",
	Scatterv:      "a send count per rank, receive-count [root [datatypes]]",
	ReduceScatter: "a count per rank, flops [datatype]",
}

// kindByName finds an action by its name; the switch costs no allocation.
func kindByName(name []byte) (Kind, bool) {
	switch string(name) {
	case "init":
		return Init, true
	case "finalize":
		return Finalize, true
	case "comm_size":
		return CommSize, true
	case "comm_split":
		return CommSplit, true
	case "comm_dup":
		return CommDup, true
	case "compute":
		return Compute, true
	case "sleep":
		return Sleep, true
	case "location":
		return Location, true
	case "send":
		return Send, true
	case "isend":
		return Isend, true
	case "recv":
		return Recv, true
	case "irecv":
		return Irecv, true
	case "sendRecv":
		return SendRecv, true
	case "wait":
		return Wait, true
	case "test":
		return Test, true
	case "waitall":
		return WaitAll, true
	}
	for k := Barrier; k <= ReduceScatter; k++ {
		if kindNames[k] == string(name) {
			return k, true
		}
	}
	return 0, false
}

// lineReader splits one line at blanks and keeps the first mistake.
type lineReader struct {
	line []byte
	pos  int
	args int // arguments read so far
	err  error
}

// next returns the next word, empty at the end of the line.
func (r *lineReader) next() []byte {
	line, i := r.line, r.pos
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	start := i
	for i < len(line) && line[i] != ' ' && line[i] != '\t' {
		i++
	}
	r.pos = i
	return line[start:i]
}

// argument returns the next word, which must be there.
func (r *lineReader) argument() []byte {
	w := r.next()
	if len(w) == 0 {
		if r.err == nil {
			r.err = errMissing
		}
		return nil
	}
	r.args++
	return w
}

var errMissing = fmt.Errorf("arguments are missing")

// whole converts a word of digits; ok is false for anything else.
func whole(w []byte) (v int64, ok bool) {
	neg := false
	if len(w) > 1 && w[0] == '-' {
		neg, w = true, w[1:]
	}
	if len(w) == 0 || len(w) > 18 {
		return 0, false
	}
	for _, c := range w {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if neg {
		v = -v
	}
	return v, true
}

func (r *lineReader) fail(w []byte, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%q is not %s", clip(w), what)
	}
}

// clip keeps messages short whatever the file holds.
func clip(w []byte) string {
	if len(w) > 40 {
		return string(w[:40]) + "…"
	}
	return string(w)
}

// integer reads a rank, tag or line number.
func (r *lineReader) integer() int32 {
	w := r.argument()
	if r.err != nil {
		return 0
	}
	v, ok := whole(w)
	if !ok || v != int64(int32(v)) {
		r.fail(w, "a whole number")
	}
	return int32(v)
}

// count reads a number of elements; 1e6 is as good as 1000000.
func (r *lineReader) count() int64 {
	w := r.argument()
	if r.err != nil {
		return 0
	}
	if v, ok := whole(w); ok {
		return v
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil || f != f || f > maxBytes || f < -maxBytes {
		r.fail(w, "a number of elements")
		return 0
	}
	return int64(f)
}

// number reads flops or seconds.
func (r *lineReader) number() float64 {
	w := r.argument()
	if r.err != nil {
		return 0
	}
	if v, ok := whole(w); ok && len(w) <= 15 {
		return float64(v)
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil && f == 0 {
		r.fail(w, "a number")
	}
	return f
}

// datatype reads a datatype number if one is written.
func (r *lineReader) datatype() Type {
	w := r.next()
	if len(w) == 0 {
		return DefaultType
	}
	v, ok := whole(w)
	if !ok || v < 0 || v > int64(LongLong) {
		r.fail(w, "a datatype; 0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte and 7 long long are known")
		return DefaultType
	}
	return Type(v)
}

// root reads a root if one is written.
func (r *lineReader) root() int32 {
	w := r.next()
	if len(w) == 0 {
		return RootUnset
	}
	v, ok := whole(w)
	if !ok || v != int64(int32(v)) {
		r.fail(w, "a root's rank")
	}
	return int32(v)
}

func (r *lineReader) counts(buf []int64, np int) []int64 {
	buf = buf[:0]
	for i := 0; i < np && r.err == nil; i++ {
		buf = append(buf, r.count())
	}
	return buf
}

// parse reads the arguments of an action that starts after the rank.
func (r *lineReader) parse(a *Action, np int) error {
	name := r.next()
	k, ok := kindByName(name)
	if !ok {
		return fmt.Errorf("the action %q is not known", clip(name))
	}
	a.Kind, a.Type, a.Type2, a.Comm, a.Peer, a.Variance = k, DefaultType, DefaultType, 0, RootUnset, 0
	switch k {
	case Init:
		a.Count = 0
		if len(r.next()) > 0 {
			a.Count = 1
		}
	case CommSplit, CommDup: // this form does not say what they made
		a.Comm, a.Tag, a.Count = -1, 0, 0
	case Compute, Sleep:
		a.Value = r.number()
	case Location:
		a.File = string(r.argument())
		a.Tag = r.integer()
	case Send, Isend, Recv, Irecv:
		a.Peer = r.integer()
		a.Tag = r.integer()
		a.Count = r.count()
		a.Type = r.datatype()
	case SendRecv:
		a.Count, a.Peer = r.count(), r.integer()
		a.Count2, a.Peer2 = r.count(), r.integer()
		a.Type, a.Type2 = r.datatype(), r.datatype()
	case Wait, Test:
		a.Peer, a.Peer2, a.Tag = r.integer(), r.integer(), r.integer()
	case Bcast:
		a.Count, a.Peer, a.Type = r.count(), r.root(), r.datatype()
	case Reduce:
		a.Count, a.Value, a.Peer, a.Type = r.count(), r.number(), r.root(), r.datatype()
	case Allreduce, Scan, Exscan:
		a.Count, a.Value, a.Type = r.count(), r.number(), r.datatype()
	case Alltoall, Allgather:
		a.Count, a.Count2, a.Type, a.Type2 = r.count(), r.count(), r.datatype(), r.datatype()
	case Alltoallv:
		a.Count, a.Counts = r.count(), r.counts(a.Counts, np)
		a.Count2, a.Counts2 = r.count(), r.counts(a.Counts2, np)
		a.Type, a.Type2 = r.datatype(), r.datatype()
	case Gather, Scatter:
		a.Count, a.Count2, a.Peer = r.count(), r.count(), r.root()
		a.Type, a.Type2 = r.datatype(), r.datatype()
	case Gatherv:
		a.Count, a.Counts2, a.Peer = r.count(), r.counts(a.Counts2, np), r.root()
		a.Type, a.Type2 = r.datatype(), r.datatype()
	case Allgatherv:
		a.Count, a.Counts2 = r.count(), r.counts(a.Counts2, np)
		a.Type, a.Type2 = r.datatype(), r.datatype()
	case Scatterv:
		a.Counts, a.Count2, a.Peer = r.counts(a.Counts, np), r.count(), r.root()
		a.Type, a.Type2 = r.datatype(), r.datatype()
	case ReduceScatter:
		a.Counts, a.Value, a.Type = r.counts(a.Counts, np), r.number(), r.datatype()
	}
	if r.err == errMissing {
		return fmt.Errorf("%s needs %s; only %d given", k, usage[k], r.args)
	}
	if r.err != nil {
		return fmt.Errorf("%s: %w", k, r.err)
	}
	return validate(a, np)
}
