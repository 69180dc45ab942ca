package traceevent

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"auspex/internal/jsonscan"
)

// Event is an event as it stands in the file; its slices are used again for the
// next one. Times are nanoseconds.
type Event struct {
	Phase          byte
	Name, Category []byte
	Process        []byte // pid
	Thread         []byte // tid
	Label          []byte // args.name or args.labels, of metadata
	Start, Length  int64
	HasStart       bool
	// Of what args says, only where Links asks for it.
	Args
}

// Args is what the arguments of PyTorch's events say of links and data; numbers
// that are not there are -1, links 0.
type Args struct {
	Correlation, External uint32
	Stream                int
	Message               bool // there is something of a message
	Bytes, In, Seq        int64
	GroupSize             int64
	Collective, Group     []byte
	Ranks, Type           []byte // of the group, of its elements
	// Of an event about memory: what the allocator holds, and which device's
	// memory it is.
	Allocated, Reserved, Device, DeviceType int64
	Counters                                []Counter // of a ProfilerRange
}

// ProfilerRange is the category of the events whose arguments are the values of
// the accelerator's counters.
const ProfilerRange = "cuda_profiler_range"

// Counter is a counter and its value.
type Counter struct {
	Name  string
	Value float64
}

func (e *Event) reset() {
	*e = Event{
		Name: e.Name[:0], Category: e.Category[:0], Process: e.Process[:0], Thread: e.Thread[:0], Label: e.Label[:0],
		Args: Args{
			Collective: e.Collective[:0], Group: e.Group[:0], Ranks: e.Ranks[:0], Type: e.Type[:0], Counters: e.Counters[:0],
			Bytes: -1, In: -1, Seq: -1, Stream: -1, Allocated: -1, Reserved: -1, Device: -1, DeviceType: -1,
		},
	}
}

// readEvent reads the event that was begun.
func (r *reader) readEvent() error {
	e := &r.event
	e.reset()
	for {
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return r.Event(e)
		}
		if err := r.readField(e); err != nil {
			return err
		}
	}
}

func (r *reader) readField(e *Event) error {
	switch string(r.s.Bytes()) {
	case "ph":
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		if kind != jsonscan.String || len(r.s.Bytes()) != 1 {
			return errors.New("the phase (ph) of an event must be one letter")
		}
		e.Phase = r.s.Bytes()[0]
		return nil
	case "name":
		return r.into(&e.Name)
	case "cat":
		return r.into(&e.Category)
	case "pid":
		return r.into(&e.Process)
	case "tid":
		return r.into(&e.Thread)
	case "ts":
		e.HasStart = true
		return r.time(&e.Start)
	case "dur":
		return r.time(&e.Length)
	case "args":
		kind, err := r.s.Next()
		if err != nil || kind != jsonscan.ObjectStart {
			return errors.Join(err, r.s.Skip())
		}
		if e.Phase == 'M' || r.Links && (e.Phase == 0 || e.Phase == 'X' || e.Phase == 'i') {
			return r.readArgs(e)
		}
	}
	return r.s.Skip()
}

func (r *reader) readArgs(e *Event) error {
	for {
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := r.readArg(e, r.s.Bytes()); err != nil {
			return err
		}
	}
}

// readArg reads an argument that links events, names a thread or tells a size.
func (r *reader) readArg(e *Event, key []byte) error {
	switch string(key) {
	case "correlation":
		return r.link(&e.Correlation)
	case "External id", "external id":
		return r.link(&e.External)
	case "stream":
		n, err := r.number()
		e.Stream = int(n)
		return err
	case "bytes", "Bytes":
		e.Message = true
		return r.whole(&e.Bytes)
	case "Collective name":
		e.Message = true
		return r.into(&e.Collective)
	case "Process Group Name":
		e.Message = true
		return r.into(&e.Group)
	case "Process Group Ranks":
		return r.into(&e.Ranks)
	case "Group size":
		e.Message = true
		return r.whole(&e.GroupSize)
	case "In msg nelems":
		e.Message = true
		return r.whole(&e.In)
	case "dtype":
		return r.into(&e.Type)
	case "Total Allocated":
		return r.whole(&e.Allocated)
	case "Total Reserved":
		return r.whole(&e.Reserved)
	case "Device Id":
		return r.whole(&e.Device)
	case "Device Type":
		return r.whole(&e.DeviceType)
	case "Seq", "seq":
		return r.whole(&e.Seq)
	case "name", "labels":
		if e.Phase == 'M' {
			return r.into(&e.Label)
		}
	}
	if string(e.Category) == ProfilerRange {
		return r.counter(e, string(key))
	}
	return r.s.Skip()
}

// counter reads a counter; what is no number is none.
func (r *reader) counter(e *Event, name string) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number {
		return r.s.Skip()
	}
	value, err := strconv.ParseFloat(string(r.s.Bytes()), 64)
	if err != nil {
		return fmt.Errorf("the value of the counter %q: %w", name, err)
	}
	e.Counters = append(e.Counters, Counter{name, value})
	return nil
}

func (r *reader) whole(n *int64) (err error) {
	*n, err = r.number()
	return err
}

func (r *reader) link(id *uint32) error {
	n, err := r.number()
	*id = uint32(n)
	return err
}

// number reads a whole number, 0 where the value is something else.
func (r *reader) number() (int64, error) {
	kind, err := r.s.Next()
	if err != nil {
		return 0, err
	}
	if kind == jsonscan.Number || kind == jsonscan.String {
		if n, err := strconv.ParseInt(string(r.s.Bytes()), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, r.s.Skip()
}

// into copies a string or number; of other values the slice stays empty.
func (r *reader) into(text *[]byte) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind == jsonscan.String || kind == jsonscan.Number {
		*text = append((*text)[:0], r.s.Bytes()...)
		return nil
	}
	return r.s.Skip()
}

// time reads microseconds, the only unit of such traces, into nanoseconds.
func (r *reader) time(ns *int64) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number && kind != jsonscan.String {
		return r.s.Skip()
	}
	*ns, err = nanoseconds(r.s.Bytes())
	return err
}

const maxMicroseconds = 4e15 // the year 2096

// nanoseconds reads a time in microseconds to the nanosecond; a float64 of an
// epoch would be a quarter of a microsecond off, so the digits are taken as
// they stand.
func nanoseconds(text []byte) (int64, error) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	var whole, thousandths int64
	i := 0
	for ; i < len(digits) && i < 16 && digits[i] >= '0' && digits[i] <= '9'; i++ {
		whole = whole*10 + int64(digits[i]-'0')
	}
	if i < len(digits) && digits[i] == '.' {
		i++
		for place := int64(100); i < len(digits) && digits[i] >= '0' && digits[i] <= '9'; i++ {
			thousandths += int64(digits[i]-'0') * place
			place /= 10
		}
	}
	if i < len(digits) || len(digits) == 0 || whole > maxMicroseconds {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil || !(math.Abs(v) <= maxMicroseconds) {
			return 0, fmt.Errorf("%q is not a time in microseconds", text[:min(len(text), 40)])
		}
		return int64(math.Round(v * 1e3)), nil
	}
	if negative {
		return -(whole*1000 + thousandths), nil
	}
	return whole*1000 + thousandths, nil
}
