package paraver

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"auspex/events"
	"auspex/internal/mistake"
)

// Looks tells whether a file begins like a Paraver trace.
func Looks(head []byte) bool { return bytes.HasPrefix(head, []byte("#Paraver ")) }

// Trace is a Paraver trace on disk. It is an events.Source.
type Trace struct {
	path   string
	header events.Header
	labels labels
	scale  int64                    // ns of the file's unit
	lasts  int64                    // ns that the first line says; 0 where it says nothing
	first  []int32                  // first location of each rank
	apps   []int32                  // first rank of each program, and the number of ranks
	comms  []map[int64]int32        // of each program: its communicators in the header
	users  map[int32]map[int32]bool // of communicators that are not defined: who uses them
	roots  roots
	called bool                  // computation has the name of the call after it
	stated []bool                // by location: it has states
	early  map[int32][]timedHalf // by location: messages that stand after their calls
	open   func() (io.ReadCloser, error)
}

// Open reads the head of a trace and the .pcf file beside it, should there be
// one.
func Open(path string) (*Trace, error) {
	t := &Trace{path: path, open: func() (io.ReadCloser, error) { return openPlain(path) }}
	base := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".prv")
	names, err := openPlain(base + ".pcf")
	if errors.Is(err, fs.ErrNotExist) {
		names, err = openPlain(base + ".pcf.gz")
	}
	switch {
	case err == nil:
		defer names.Close()
		if t.labels, err = readLabels(names); err != nil {
			return nil, mistake.InFile(base+".pcf", "%v", err)
		}
		if t.called = len(t.labels[typeUser]) == 0 && len(t.labels[typeCaller]) > 0; t.called || t.labels.lead() {
			t.header.NameNotes = append(t.header.NameNotes, calledNext)
		}
	case errors.Is(err, fs.ErrNotExist):
		t.header.NameNotes = append(t.header.NameNotes, "there is no .pcf file beside the trace, so functions have no names")
	default:
		return nil, err
	}
	return t, t.readHead()
}

// calledNext is said of traces without functions of the program.
const calledNext = "the trace tells who called MPI, not which functions computed: computation is named by the call of MPI after it"

// openPlain opens a file, through gunzip where it is gzipped.
func openPlain(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(f, 1<<16)
	if head, _ := in.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return struct {
			io.Reader
			io.Closer
		}{in, f}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// Header is what the first lines say.
func (t *Trace) Header() *events.Header { return &t.header }

// What a file may claim.
const (
	maxLocations = 1 << 22
	maxComms     = 1 << 16
	maxLine      = 1 << 24
)

// readHead reads the first line and the communicators.
func (t *Trace) readHead() error {
	in, err := t.open()
	if err != nil {
		return err
	}
	defer in.Close()
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 1<<16), maxLine)
	if !sc.Scan() || !Looks(sc.Bytes()) {
		return mistake.AtLine(t.path, 1, "not a Paraver trace: it does not begin with #Paraver")
	}
	t.header.Name = t.path
	if err := t.firstLine(sc.Text()); err != nil {
		return mistake.AtLine(t.path, 1, "%v", err)
	}
	for line := 2; sc.Scan() && (bytes.HasPrefix(sc.Bytes(), []byte("c:")) || bytes.HasPrefix(sc.Bytes(), []byte("i:"))); line++ {
		if sc.Bytes()[0] == 'i' {
			continue // between two communicators: not read
		}
		if err := t.communicator(sc.Text()); err != nil {
			return mistake.AtLine(t.path, line, "%v", err)
		}
	}
	return sc.Err()
}

// firstLine reads `#Paraver (date):duration_ns:nodes(cpus,…):apps:tasks(threads:node,…),comms`.
func (t *Trace) firstLine(line string) error {
	_, rest, ok := strings.Cut(line, "):")
	parts := strings.SplitN(rest, ":", 4)
	if !ok || len(parts) < 4 {
		return errors.New("the first line is cut short")
	}
	lasts, unit, _ := strings.Cut(parts[0], "_")
	if t.scale = units[unit]; t.scale == 0 {
		return fmt.Errorf("the duration %.60q is in a unit that is not known; ns and us are", parts[0])
	}
	if n, err := strconv.ParseInt(lasts, 10, 64); err == nil && n > 0 && n <= maxTime/t.scale {
		t.lasts = n * t.scale
	}
	apps, err := strconv.Atoi(parts[2])
	if err != nil || apps < 1 || apps > maxLocations {
		return fmt.Errorf("the number of programs cannot be read from %.60q", parts[2])
	}
	rest = parts[3]
	for range apps {
		t.apps = append(t.apps, int32(t.header.Ranks))
		if rest, err = t.program(rest); err != nil {
			return err
		}
	}
	t.apps = append(t.apps, int32(t.header.Ranks))
	t.comms = make([]map[int64]int32, apps)
	t.header.Comms = [][]int32{nil}
	if apps > 1 {
		t.header.Notes = append(t.header.Notes, fmt.Sprintf("the trace holds %d programs; the processes of each are numbered on from those of the one before", apps))
		for i := range t.comms { // each has a world of its own
			t.comms[i] = map[int64]int32{0: int32(len(t.header.Comms))}
			var all []int32
			for rank := t.apps[i]; rank < t.apps[i+1]; rank++ {
				all = append(all, rank)
			}
			t.header.Comms = append(t.header.Comms, all)
		}
	}
	return nil
}

// units are those of times, in ns: microseconds where none is named.
var units = map[string]int64{"": 1e3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

// program reads `tasks(threads:node,…),comms` of one program, and returns what
// follows the colon after it.
func (t *Trace) program(text string) (string, error) {
	count, rest, ok := strings.Cut(text, "(")
	list, rest, closed := strings.Cut(rest, ")")
	tasks, err := strconv.Atoi(count)
	if !ok || !closed || err != nil || tasks < 1 || t.header.Ranks+tasks > maxLocations {
		return "", fmt.Errorf("the number of processes cannot be read from %.60q", text)
	}
	if n := strings.Count(list, ",") + 1; n != tasks {
		return "", fmt.Errorf("the first line names %d processes and lists %d", tasks, n)
	}
	for _, task := range strings.Split(list, ",") {
		number, _, _ := strings.Cut(task, ":")
		threads, err := strconv.Atoi(number)
		if err != nil || threads < 1 || threads > maxLocations-len(t.header.Locations) {
			return "", fmt.Errorf("process %d has an impossible number of threads, %q", t.header.Ranks+1, number)
		}
		t.first = append(t.first, int32(len(t.header.Locations)))
		for thread := range threads {
			t.header.Locations = append(t.header.Locations, events.Location{Rank: int32(t.header.Ranks), Thread: int32(thread)})
		}
		t.header.Ranks++
	}
	_, rest, _ = strings.Cut(rest, ":")
	return rest, nil
}

// communicator reads `c:app:id:n:task:task:…`. The one of all tasks is the
// world.
func (t *Trace) communicator(line string) error {
	parts := strings.Split(line, ":")
	if len(parts) < 4 {
		return errors.New("a communicator is cut short")
	}
	app, err := strconv.Atoi(parts[1])
	if err != nil || app < 1 || app > len(t.comms) {
		return fmt.Errorf("a communicator of program %q, but there are %d", parts[1], len(t.comms))
	}
	id, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || id < 1 || len(t.header.Comms) > maxComms {
		return fmt.Errorf("%q is no number of a communicator, or there are too many", parts[2])
	}
	first, tasks := t.apps[app-1], t.apps[app]-t.apps[app-1]
	var members []int32
	for _, p := range parts[4:] {
		task, err := strconv.Atoi(p)
		if err != nil || task < 1 || task > int(tasks) {
			return fmt.Errorf("communicator %d names process %q, but there are %d", id, p, tasks)
		}
		members = append(members, first+int32(task)-1)
	}
	if t.comms[app-1] == nil {
		t.comms[app-1] = map[int64]int32{}
	}
	if len(members) == int(tasks) {
		t.comms[app-1][id] = t.comms[app-1][0] // its world
		return nil
	}
	t.comms[app-1][id] = int32(len(t.header.Comms))
	t.header.Comms = append(t.header.Comms, members)
	return nil
}

// Each hands over the spans of the trace.
func (t *Trace) Each(ctx context.Context, visit func(*events.Span) error) error {
	if err := t.findRoots(ctx); err != nil {
		return err
	}
	return t.each(ctx, visit)
}

// each reads the records.
func (t *Trace) each(ctx context.Context, visit func(*events.Span) error) error {
	in, err := t.open()
	if err != nil {
		return err
	}
	defer in.Close()
	t.header.Paths, t.header.Counted, t.header.Incomplete = nil, false, ""
	r := newReader(t, visit)
	lines := bufio.NewReaderSize(in, 1<<20)
	for number := 1; ; number++ {
		if number&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > 0 && line[0] != '#' && line[0] != 'c' {
				return mistake.AtLine(t.path, number, "a record of more than a million characters")
			}
			for errors.Is(err, bufio.ErrBufferFull) { // the head was read already
				_, err = lines.ReadSlice('\n')
			}
			line = []byte{'#'}
		}
		if len(line) > 0 {
			if err := r.record(line); err != nil {
				var own visitError
				if errors.As(err, &own) {
					return own.error
				}
				return mistake.AtLine(t.path, number, "%v", err)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return mistake.AtLine(t.path, number, "cannot read: %v", err)
		}
	}
	if err := r.end(); err != nil {
		var own visitError
		if errors.As(err, &own) {
			return own.error
		}
		return err
	}
	if r.unordered && !t.header.Unordered {
		t.header.Unordered = true
		t.header.Notes = append(t.header.Notes, "records of this trace do not stand in the order of time, as those of Paraver do: what ranks did when may be told wrongly")
	}
	return nil
}

// visitError is what the visitor said: not a mistake of the file.
type visitError struct{ error }
