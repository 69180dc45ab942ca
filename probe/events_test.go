package probe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// record writes trace records as the runtime does.
type record struct{ bytes.Buffer }

func (r *record) put(kind byte, values ...any) *record {
	r.WriteByte(kind)
	for _, v := range values {
		binary.Write(r, binary.LittleEndian, v)
	}
	return r
}

func traceFile(records func(*record)) []byte {
	var r record
	r.WriteString("auspexT\n")
	records(&r)
	return r.Bytes()
}

// sampleTrace is a send, then twice (a barrier and three sends).
func sampleTrace() []byte {
	event := func(kind EventKind, count int64, lists ...int64) [10]int64 {
		return [10]int64{int64(kind), 0, 1, 0, 5, count, 0, int64(len(lists)), 0, 3}
	}
	return traceFile(func(r *record) {
		r.put('D', uint64(1), uint32(80), event(EventSend, 100))
		r.put('D', uint64(3), uint32(80), event(EventBarrier, 0))
		r.put('D', uint64(5), uint32(96), event(EventReduceScatter, 0, 7, 8), []int64{7, 8})
		r.put('E', uint64(1), uint64(1), 10.0, 0.0)
		r.put('L', uint64(2), uint32(2))
		r.put('E', uint64(3), uint64(2), 20.0, 8.0)
		r.put('L', uint64(3), uint32(1)).put('E', uint64(1), uint64(6), 30.0, 0.0)
		r.put('E', uint64(5), uint64(1), 0.0, 0.0)
		r.put('Z')
	})
}

// unrolled visits every turn of every loop.
type unrolled func(*Event) error

func (u unrolled) Event(e *Event) error { return u(e) }

func (u unrolled) Loop(l Turns, body func() error) error {
	for range l.Count {
		if err := body(); err != nil {
			return err
		}
	}
	return nil
}

func TestReadEvents(t *testing.T) {
	var got []string
	err := readEvents(bytes.NewReader(sampleTrace()), unrolled(func(e *Event) error {
		got = append(got, fmt.Sprintf("%d:%g/%g%v", e.Kind, e.Compute, e.Variance, e.Sends))
		if e.Site != 2 {
			t.Errorf("site %d", e.Site)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	turn := "9:20/4[] 3:30/0[] 3:30/0[] 3:30/0[]"
	if want := "3:10/0[] " + turn + " " + turn + " 23:0/0[7 8]"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestReadEventsCut(t *testing.T) {
	whole := sampleTrace()
	for n := 8; n < len(whole); n++ {
		if err := readEvents(bytes.NewReader(whole[:n]), unrolled(func(*Event) error { return nil })); !errors.Is(err, ErrCut) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add(sampleTrace())
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		stop := errors.New("enough")
		readEvents(bytes.NewReader(data), unrolled(func(e *Event) error {
			if e.Kind < 0 || e.Kind >= eventKinds || !(e.Compute >= 0) || !(e.Variance >= 0) {
				t.Fatalf("%+v", e)
			}
			if n++; n > 1000 {
				return stop
			}
			return nil
		}))
	})
}
