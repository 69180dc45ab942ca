package tau

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// A merged profile is a row of small XML documents, one after the other and
// with NUL bytes in between:
//
//	<thread id="1.0.0.20497" node="1" context="0" thread="0">metadata</thread>
//	<definitions thread="*">metrics, events, userevents with their ids</definitions>
//	<profile thread="1.0.0.20497">
//	<interval_data metrics="0 ">event calls subroutines (exclusive inclusive)…</interval_data>
//	<atomic_data>userevent count max min mean sumsqr …</atomic_data>
//	</profile>
//
// Definitions are for one thread, or for all where thread is "*". Statistics
// over the threads (<derivedprofile> and the like) are passed over.

func isXML(name string, head []byte) bool {
	return bytes.Contains(head, []byte("<profile_xml"))
}

func readXML(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := parseXML(ctx, in.Reader, src.Given)
	if err != nil {
		return nil, err
	}
	return data.build(ctx, src)
}

// parseXML reads a merged profile.
func parseXML(ctx context.Context, r *bufio.Reader, name string) (*data, error) {
	p := &xmlParser{
		x: xmlScanner{r: r, name: name, line: 1}, data: newData(),
		threads:     map[string]*thread{},
		definitions: map[string]*definitions{"*": newDefinitions()},
	}
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tag, err := p.x.tag()
		if errors.Is(err, io.EOF) && p.depth == 0 && p.profiles > 0 {
			return p.data, nil
		}
		if errors.Is(err, io.EOF) {
			return nil, p.x.fail("the merged profile ends early")
		}
		if err == nil {
			err = p.element(tag)
		}
		if err != nil {
			return nil, err
		}
	}
}

type xmlParser struct {
	x           xmlScanner
	data        *data
	depth       int // of <profile_xml>
	profiles    int
	threads     map[string]*thread
	definitions map[string]*definitions

	// The elements open.
	thread  *thread
	current *definitions
	id      int
	name    string
	group   string
	snaps   bool // a note on snapshots was made
}

// definitions gives the numbers of the data for the ids of the file.
type definitions struct{ metrics, events, userEvents map[int]int32 }

func newDefinitions() *definitions {
	return &definitions{map[int]int32{}, map[int]int32{}, map[int]int32{}}
}

func (p *xmlParser) element(tag xmlTag) (err error) {
	switch tag.name {
	case "profile_xml":
		p.depth++
	case "/profile_xml":
		p.depth--
		p.thread, p.current = nil, nil
	case "thread":
		err = p.openThread(tag)
	case "/thread":
		p.thread = nil
	case "definitions":
		id := tag.attribute("thread")
		if p.current = p.definitions[id]; p.current == nil {
			p.current = newDefinitions()
			p.definitions[id] = p.current
		}
	case "/definitions":
		p.current = nil
	case "metric", "event", "userevent":
		p.name, p.group = "", ""
		if p.id, err = strconv.Atoi(tag.attribute("id")); err != nil {
			err = p.x.fail("<%s> has no number for an id", tag.name)
		}
	case "name":
		p.name, err = p.x.text()
	case "group":
		p.group, err = p.x.text()
	case "value":
		var value string
		if value, err = p.x.text(); err == nil && p.thread != nil {
			p.thread.metadata = append(p.thread.metadata, attribute{p.name, value})
		}
	case "/metric", "/event", "/userevent":
		p.define(tag.name[1:])
	case "profile":
		err = p.openProfile(tag)
	case "/profile":
		p.thread = nil
	case "interval_data":
		err = p.intervals(tag)
	case "atomic_data":
		err = p.atoms()
	}
	return err
}

func (p *xmlParser) openThread(tag xmlTag) error {
	var numbers [3]int
	for i, name := range []string{"node", "context", "thread"} {
		n, err := strconv.ParseInt(tag.attribute(name), 10, 32)
		if err != nil || n < 0 {
			return p.x.fail("<thread> has no number for its %s", name)
		}
		numbers[i] = int(n)
	}
	p.thread = p.data.thread(tauID{numbers[0], numbers[1], numbers[2]})
	p.threads[tag.attribute("id")] = p.thread
	return nil
}

func (p *xmlParser) define(what string) {
	if p.current == nil {
		return
	}
	switch what {
	case "metric":
		p.current.metrics[p.id] = p.data.metric(p.name)
	case "event":
		p.current.events[p.id] = p.data.function(tauFunction{p.name, p.group})
	case "userevent":
		p.current.userEvents[p.id] = p.data.event(strings.TrimSpace(p.name))
	}
}

func (p *xmlParser) openProfile(tag xmlTag) error {
	id := tag.attribute("thread")
	if p.thread = p.threads[id]; p.thread == nil {
		return p.x.fail("<profile> of thread %.40q, which was not introduced", id)
	}
	p.profiles++
	if p.current = p.definitions[id]; p.current == nil {
		p.current = p.definitions["*"]
	}
	// A snapshot holds all that was measured up to it, so the last one counts.
	if t := p.thread; len(t.function) > 0 {
		t.function, t.calls, t.values, t.events = nil, nil, nil, nil
		if !p.snaps {
			p.snaps = true
			p.data.notes = append(p.data.notes, "the profile is a series of snapshots: the last of each thread is read")
		}
	}
	return nil
}

// find looks an id up among the definitions of the thread and of all threads.
func (p *xmlParser) find(id float64, of func(*definitions) map[int]int32) (int32, bool) {
	i, ok := of(p.current)[int(id)]
	if !ok {
		i, ok = of(p.definitions["*"])[int(id)]
	}
	return i, ok
}

func (p *xmlParser) intervals(tag xmlTag) error {
	t := p.thread
	if t == nil || p.current == nil {
		return p.x.fail("<interval_data> outside of <profile>")
	}
	if len(t.function) > 0 {
		return p.x.fail("a second <interval_data> in one <profile>")
	}
	t.metrics = nil
	for _, field := range strings.Fields(tag.attribute("metrics")) {
		id, err := strconv.Atoi(field)
		metric, ok := p.find(float64(id), func(d *definitions) map[int]int32 { return d.metrics })
		if err != nil || !ok || len(t.metrics) == maxMetrics {
			return p.x.fail("metric %.40q is not defined", field)
		}
		t.metrics = append(t.metrics, metric)
	}
	return p.x.rows(3+2*len(t.metrics), func(row []float64) error {
		f, ok := p.find(row[0], func(d *definitions) map[int]int32 { return d.events })
		if !ok {
			return p.x.fail("event %g is not defined", row[0])
		}
		t.function = append(t.function, f)
		t.calls = append(t.calls, row[1])
		t.values = append(t.values, row[3:]...)
		return nil
	})
}

func (p *xmlParser) atoms() error {
	t := p.thread
	if t == nil || p.current == nil {
		return p.x.fail("<atomic_data> outside of <profile>")
	}
	return p.x.rows(6, func(row []float64) error {
		e, ok := p.find(row[0], func(d *definitions) map[int]int32 { return d.userEvents })
		if !ok {
			return p.x.fail("user event %g is not defined", row[0])
		}
		if e >= 0 {
			t.events = append(t.events, tauEvent{e, row[1], row[4]})
		}
		return nil
	})
}
