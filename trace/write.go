package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// WriteText writes one rank's actions in the time-independent text form.
func WriteText(w io.Writer, t *Trace, rank int) error {
	return writeLines(w, t, rank, appendText, func(*Action) bool { return false })
}

// WriteDPerf writes one rank's actions in dPerf's text form. Actions that the
// form cannot say are refused; init, finalize and locations leave no line.
func WriteDPerf(w io.Writer, t *Trace, rank int) error {
	unit := Byte // of sizes without a type
	return writeLines(w, t, rank, func(b []byte, rank int, a *Action) ([]byte, error) { return appendDPerf(b, rank, a, unit) }, func(a *Action) bool {
		if a.Kind == Init && a.Count != 0 {
			unit = Double
		}
		return dperfSkips(a.Kind)
	})
}

func writeLines(w io.Writer, t *Trace, rank int, line func([]byte, int, *Action) ([]byte, error), skip func(*Action) bool) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	c := t.Cursor(rank)
	var a Action
	var b []byte
	for c.Next(&a) {
		if skip(&a) {
			continue
		}
		var err error
		if b, err = line(b[:0], rank, &a); err != nil {
			return fmt.Errorf("%s: action %d of rank %d: %w", t.Name, c.Done()-1, rank, err)
		}
		if _, err := buf.Write(b); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// appendNumber writes the shortest text that reads back as v.
func appendNumber(b []byte, v float64) []byte {
	if integral(v) {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

func appendInt(b []byte, v int64) []byte {
	return strconv.AppendInt(append(b, ' '), v, 10)
}

// appendTypes writes trailing datatypes, as far as they were written.
func appendTypes(b []byte, types ...Type) []byte {
	for _, t := range types {
		if t == DefaultType {
			break
		}
		b = appendInt(b, int64(t))
	}
	return b
}

func appendText(b []byte, rank int, a *Action) ([]byte, error) {
	if a.Kind.OneSided() {
		return b, fmt.Errorf("the time-independent form has no %s, nor any other one-sided communication", a.Kind)
	}
	if a.Comm > 0 || (a.Kind == CommSplit || a.Kind == CommDup) && a.Comm == 0 {
		return b, fmt.Errorf("the time-independent form knows the world communicator only")
	}
	b = strconv.AppendInt(b, int64(rank), 10)
	b = append(append(b, ' '), a.Kind.String()...)
	root := func() {
		if a.Peer != RootUnset {
			b = appendInt(b, int64(a.Peer))
		}
	}
	counts := func(c []int64) {
		for _, n := range c {
			b = appendInt(b, n)
		}
	}
	value := func() { b = appendNumber(append(b, ' '), a.Value) }
	switch a.Kind {
	case Init:
		if a.Count != 0 {
			b = append(b, " 1"...)
		}
	case Compute, Sleep:
		value()
	case Location:
		b = append(append(b, ' '), a.File...)
		b = appendInt(b, int64(a.Tag))
	case Send, Isend, Recv, Irecv:
		count := a.Count
		if count == AnySize {
			return b, fmt.Errorf("the time-independent form needs the size of this %s", a.Kind)
		}
		b = appendInt(appendInt(appendInt(b, int64(a.Peer)), int64(a.Tag)), count)
		b = appendTypes(b, a.Type)
	case SendRecv:
		b = appendInt(appendInt(appendInt(appendInt(b, a.Count), int64(a.Peer)), a.Count2), int64(a.Peer2))
		b = appendTypes(b, a.Type, a.Type2)
	case Wait, Test:
		b = appendInt(appendInt(appendInt(b, int64(a.Peer)), int64(a.Peer2)), int64(a.Tag))
	case Bcast:
		b = appendInt(b, a.Count)
		root()
		b = appendTypes(b, a.Type)
	case Reduce:
		b = appendInt(b, a.Count)
		value()
		root()
		b = appendTypes(b, a.Type)
	case Allreduce, Scan, Exscan:
		b = appendInt(b, a.Count)
		value()
		b = appendTypes(b, a.Type)
	case Alltoall, Allgather:
		b = appendTypes(appendInt(appendInt(b, a.Count), a.Count2), a.Type, a.Type2)
	case Alltoallv:
		b = appendInt(b, a.Count)
		counts(a.Counts)
		b = appendInt(b, a.Count2)
		counts(a.Counts2)
		b = appendTypes(b, a.Type, a.Type2)
	case Gather, Scatter:
		b = appendInt(appendInt(b, a.Count), a.Count2)
		root()
		b = appendTypes(b, a.Type, a.Type2)
	case Gatherv:
		b = appendInt(b, a.Count)
		counts(a.Counts2)
		root()
		b = appendTypes(b, a.Type, a.Type2)
	case Allgatherv:
		b = appendInt(b, a.Count)
		counts(a.Counts2)
		b = appendTypes(b, a.Type, a.Type2)
	case Scatterv:
		counts(a.Counts)
		b = appendInt(b, a.Count2)
		root()
		b = appendTypes(b, a.Type, a.Type2)
	case ReduceScatter:
		counts(a.Counts)
		value()
		b = appendTypes(b, a.Type)
	}
	return append(b, '\n'), nil
}
