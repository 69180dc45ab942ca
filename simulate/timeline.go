package simulate

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"auspex/trace"
)

// Timeline is told about every action when it ends. Actions of one rank come
// in order; those of different ranks in the order of their end.
type Timeline interface {
	Action(rank int, kind trace.Kind, begin, end float64)
}

// ChromeTrace writes a timeline in Chrome's trace event form, which Perfetto
// and chrome://tracing open: a row per rank, a bar per action that took time.
type ChromeTrace struct {
	w    *bufio.Writer
	buf  []byte
	some bool
	err  error
}

// NewChromeTrace starts a timeline for a number of ranks.
func NewChromeTrace(w io.Writer, ranks int) *ChromeTrace {
	c := &ChromeTrace{w: bufio.NewWriterSize(w, 1<<16)}
	_, c.err = c.w.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	for r := range ranks {
		c.event(fmt.Appendf(c.buf[:0], `{"name":"thread_name","ph":"M","pid":0,"tid":%d,"args":{"name":"rank %d"}}`, r, r))
	}
	return c
}

func (c *ChromeTrace) event(b []byte) {
	c.buf = b
	if c.err != nil {
		return
	}
	if c.some {
		c.err = c.w.WriteByte(',')
	}
	c.some = true
	if c.err == nil {
		_, c.err = c.w.Write(append(b, '\n'))
	}
}

// Action writes one bar.
func (c *ChromeTrace) Action(rank int, kind trace.Kind, begin, end float64) {
	if end <= begin {
		return
	}
	b := append(c.buf[:0], `{"name":"`...)
	b = append(b, kind.String()...)
	b = append(b, `","ph":"X","pid":0,"tid":`...)
	b = strconv.AppendInt(b, int64(rank), 10)
	b = append(b, `,"ts":`...)
	b = strconv.AppendFloat(b, begin*1e6, 'f', 3, 64) // microseconds
	b = append(b, `,"dur":`...)
	b = strconv.AppendFloat(b, (end-begin)*1e6, 'f', 3, 64)
	c.event(append(b, '}'))
}

// Close ends the file and returns the first error of all writes.
func (c *ChromeTrace) Close() error {
	if c.err == nil {
		_, c.err = c.w.WriteString("]}\n")
	}
	if c.err == nil {
		c.err = c.w.Flush()
	}
	return c.err
}

// PajeTrace writes a timeline in Paje's form (Schnorr, "Paje trace file
// format", version 1.2.5), which ViTE and PajeNG open.
type PajeTrace struct {
	w   *bufio.Writer
	err error
}

// pajeHeader defines the events used below.
const pajeHeader = `%EventDef PajeDefineContainerType 0
%	Alias string
%	Type string
%	Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%	Alias string
%	Type string
%	Name string
%EndEventDef
%EventDef PajeCreateContainer 2
%	Time date
%	Alias string
%	Type string
%	Container string
%	Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
%	Time date
%	Name string
%	Type string
%EndEventDef
%EventDef PajePushState 4
%	Time date
%	Type string
%	Container string
%	Value string
%EndEventDef
%EventDef PajePopState 5
%	Time date
%	Type string
%	Container string
%EndEventDef
0 P 0 Program
0 R P Rank
1 S R Action
2 0 program P 0 program
`

// NewPajeTrace starts a timeline for a number of ranks.
func NewPajeTrace(w io.Writer, ranks int) *PajeTrace {
	p := &PajeTrace{w: bufio.NewWriterSize(w, 1<<16)}
	p.printf("%s", pajeHeader)
	for r := range ranks {
		p.printf("2 0 r%d R program \"rank %d\"\n", r, r)
	}
	return p
}

func (p *PajeTrace) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Action writes the state of one action.
func (p *PajeTrace) Action(rank int, kind trace.Kind, begin, end float64) {
	if end > begin {
		p.printf("4 %.9f S r%d %s\n5 %.9f S r%d\n", begin, rank, kind, end, rank)
	}
}

// Close ends the file and returns the first error of all writes.
func (p *PajeTrace) Close() error {
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return p.err
}
