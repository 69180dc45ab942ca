package traceevent

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"auspex/internal/jsonscan"
)

// Event is an event as it stands in the file; its slices are used again for
// others. Times are nanoseconds.
type Event struct {
	Phase          byte
	Name, Category []byte
	Process        []byte // pid
	Thread         []byte // tid
	Label          []byte // args.name or args.labels, of metadata
	Start, Length  int64
	HasStart       bool
	HasLength      bool
	// Of what args says, only where Links asks for it.
	Args
	end int64 // offset in the file
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
	Source, Target        int64  // of a message between two ranks
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

// empty is an event of which nothing is known.
var empty = Event{Args: Args{Bytes: -1, In: -1, Seq: -1, Source: -1, Target: -1, Stream: -1, Allocated: -1, Reserved: -1, Device: -1, DeviceType: -1}}

// decoder makes events of tokens.
type decoder struct {
	s      *jsonscan.Scanner
	links  bool
	inputs func(name []byte) bool
	kept   []byte // texts of the events
}

// readEvents appends the events of an array to its end.
func (d *decoder) readEvents(events []Event) ([]Event, error) {
	if _, err := d.s.Next(); err != nil {
		return events, err
	}
	for {
		kind, err := d.s.Next()
		if err != nil {
			return events, err
		}
		switch kind {
		case jsonscan.ArrayEnd:
			return events, nil
		case jsonscan.ObjectStart:
			events = append(events, empty)
			if err := d.readEvent(&events[len(events)-1]); err != nil {
				return events[:len(events)-1], err
			}
		case jsonscan.ArrayStart:
			return events, errors.New("an event must be an object")
		}
	}
}

// readEvent reads the event that was begun.
func (d *decoder) readEvent(e *Event) error {
	for {
		kind, err := d.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			e.end = d.s.Offset()
			return nil
		}
		if err := d.readField(e); err != nil {
			return err
		}
	}
}

func (d *decoder) readField(e *Event) error {
	switch string(d.s.Bytes()) {
	case "ph":
		kind, err := d.s.Next()
		if err != nil {
			return err
		}
		if kind != jsonscan.String || len(d.s.Bytes()) != 1 {
			return errors.New("the phase (ph) of an event must be one letter")
		}
		e.Phase = d.s.Bytes()[0]
		return nil
	case "name":
		return d.into(&e.Name)
	case "cat":
		return d.into(&e.Category)
	case "pid":
		return d.into(&e.Process)
	case "tid":
		return d.into(&e.Thread)
	case "ts":
		return d.time(&e.Start, &e.HasStart)
	case "dur":
		return d.time(&e.Length, &e.HasLength)
	case "args":
		kind, err := d.s.Next()
		if err != nil || kind != jsonscan.ObjectStart {
			return errors.Join(err, d.s.Skip())
		}
		if e.Phase == 'M' || d.links && (e.Phase == 0 || e.Phase == 'X' || e.Phase == 'B' || e.Phase == 'i') {
			return d.readArgs(e)
		}
	}
	return d.s.Skip()
}

func (d *decoder) readArgs(e *Event) error {
	for {
		kind, err := d.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := d.readArg(e, d.s.Bytes()); err != nil {
			return err
		}
	}
}

// readArg reads an argument that links events, names a thread or tells a size.
func (d *decoder) readArg(e *Event, key []byte) error {
	switch string(key) {
	case "correlation":
		return d.link(&e.Correlation)
	case "External id", "external id":
		return d.link(&e.External)
	case "stream":
		n, err := d.number()
		e.Stream = int(n)
		return err
	case "bytes", "Bytes":
		e.Message = true
		return d.whole(&e.Bytes)
	case "Collective name":
		e.Message = true
		return d.into(&e.Collective)
	case "Process Group Name":
		e.Message = true
		return d.into(&e.Group)
	case "Process Group Ranks":
		return d.into(&e.Ranks)
	case "Group size":
		e.Message = true
		return d.whole(&e.GroupSize)
	case "In msg nelems":
		e.Message = true
		return d.whole(&e.In)
	case "Src Rank":
		return d.whole(&e.Source)
	case "Dst Rank":
		return d.whole(&e.Target)
	case "dtype":
		return d.into(&e.Type)
	case "Input Dims", "Input type":
		if d.inputs != nil && d.inputs(e.Name) {
			return d.readInputs(e, string(key))
		}
	case "Total Allocated":
		return d.whole(&e.Allocated)
	case "Total Reserved":
		return d.whole(&e.Reserved)
	case "Device Id":
		return d.whole(&e.Device)
	case "Device Type":
		return d.whole(&e.DeviceType)
	case "Seq", "seq":
		return d.whole(&e.Seq)
	case "name", "labels":
		if e.Phase == 'M' {
			return d.into(&e.Label)
		}
	}
	if string(e.Category) == ProfilerRange {
		return d.counter(e, string(key))
	}
	return d.s.Skip()
}

// counter reads a counter; what is no number is none.
func (d *decoder) counter(e *Event, name string) error {
	kind, err := d.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number {
		return d.s.Skip()
	}
	value, err := strconv.ParseFloat(string(d.s.Bytes()), 64)
	if err != nil {
		return fmt.Errorf("the value of the counter %q: %w", name, err)
	}
	e.Counters = append(e.Counters, Counter{name, value})
	return nil
}

func (d *decoder) whole(n *int64) (err error) {
	*n, err = d.number()
	return err
}

func (d *decoder) link(id *uint32) error {
	n, err := d.number()
	*id = uint32(n)
	return err
}

// number reads a whole number, 0 where the value is something else.
func (d *decoder) number() (int64, error) {
	kind, err := d.s.Next()
	if err != nil {
		return 0, err
	}
	if kind == jsonscan.Number || kind == jsonscan.String {
		if n, err := strconv.ParseInt(string(d.s.Bytes()), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, d.s.Skip()
}

// into copies a string or number; of other values the slice stays empty.
func (d *decoder) into(text *[]byte) error {
	kind, err := d.s.Next()
	if err != nil {
		return err
	}
	if kind == jsonscan.String || kind == jsonscan.Number {
		begin := len(d.kept)
		d.kept = append(d.kept, d.s.Bytes()...)
		*text = d.kept[begin:len(d.kept):len(d.kept)]
		return nil
	}
	return d.s.Skip()
}

// time reads microseconds, the only unit of such traces, into nanoseconds. What is
// no number (null, NaN) is none.
func (d *decoder) time(ns *int64, has *bool) error {
	kind, err := d.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number && kind != jsonscan.String {
		return d.s.Skip()
	}
	*ns, err = nanoseconds(d.s.Bytes())
	*has = true
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
