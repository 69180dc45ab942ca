package longtable

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"auspex/model"
)

// Write puts an experiment out as a long table.
func Write(ctx context.Context, w io.Writer, e *model.Experiment, format Format) error {
	head, err := headOf(e)
	if err != nil {
		return err
	}
	if format == Parquet {
		return writeParquet(ctx, w, e, head)
	}
	out := bufio.NewWriterSize(w, 256<<10)
	var lines lineWriter
	switch format {
	case CSV:
		lines = &csvLines{out: out}
	case JSONL:
		lines = &jsonLines{out: out}
	default:
		return fmt.Errorf("unknown form of a long table: %q; one of csv, jsonl, parquet", format)
	}
	t := newTableOf(e)
	if err := lines.start(head, t); err != nil {
		return err
	}
	if err := t.each(ctx, lines.line); err != nil {
		return err
	}
	return out.Flush()
}

// lineWriter writes a text form of the table. Errors of a buffered writer
// stick, so line may leave them to the final flush.
type lineWriter interface {
	start(head []entry, t *tableOf) error
	line(l *tableLine) error
}

// tableLine is one line of the table.
type tableLine struct {
	unit, region, metric int
	value, deviation     float64
	count                int32
}

// tableOf is an experiment seen as lines.
type tableOf struct {
	e                     *model.Experiment
	paths, columns        []string
	withDeviation, counts bool
}

func newTableOf(e *model.Experiment) *tableOf {
	t := &tableOf{e: e, paths: model.Paths(e.Regions)}
	for _, m := range e.Metrics {
		t.columns = append(t.columns, m.Column())
	}
	t.withDeviation = e.Summaries.Deviation != nil
	t.counts = e.Summaries.Count != nil
	return t
}

// each calls do for every value. A row without any value gives one line with
// the value missing, for the unit did enter the region.
func (t *tableOf) each(ctx context.Context, do func(*tableLine) error) error {
	s := &t.e.Summaries
	var l tableLine
	for row := range s.Unit {
		if row%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.unit, l.region = int(s.Unit[row]), int(s.Region[row])
		if t.counts {
			l.count = s.Count[row]
		}
		written := false
		for m := range t.columns {
			l.metric, l.value = m, s.Values[m][row]
			if t.withDeviation {
				l.deviation = s.Deviation[m][row]
			}
			if l.value != l.value && (!t.withDeviation || l.deviation != l.deviation) && (written || m < len(t.columns)-1) {
				continue
			}
			written = true
			if err := do(&l); err != nil {
				return err
			}
		}
	}
	return nil
}

// csvLines writes CSV.
type csvLines struct {
	out   *bufio.Writer
	t     *tableOf
	units []string // the fields of each unit, with their commas
	paths []string
	names []string
	buf   []byte
}

func (c *csvLines) start(head []entry, t *tableOf) error {
	for _, e := range head {
		fmt.Fprintf(c.out, "# %s\n", e.line())
	}
	c.t = t
	for _, u := range t.e.Units {
		c.units = append(c.units, csvField(u.Node)+","+strconv.Itoa(u.Process)+","+strconv.Itoa(u.Thread)+",")
	}
	for _, p := range t.paths {
		c.paths = append(c.paths, csvField(p)+",")
	}
	for _, m := range t.columns {
		c.names = append(c.names, csvField(m)+",")
	}
	header := "node,process,thread,region,metric,value"
	if t.withDeviation {
		header += ",deviation"
	}
	if t.counts {
		header += ",count"
	}
	_, err := c.out.WriteString(header + "\n")
	return err
}

func (c *csvLines) line(l *tableLine) error {
	b := append(c.buf[:0], c.units[l.unit]...)
	b = append(b, c.paths[l.region]...)
	b = append(b, c.names[l.metric]...)
	b = appendNumber(b, l.value)
	if c.t.withDeviation {
		b = appendNumber(append(b, ','), l.deviation)
	}
	if c.t.counts {
		b = strconv.AppendInt(append(b, ','), int64(l.count), 10)
	}
	c.buf = append(b, '\n')
	_, err := c.out.Write(c.buf)
	return err
}

// appendNumber writes a number so that it reads back the same; missing is
// nothing.
func appendNumber(b []byte, v float64) []byte {
	if v != v {
		return b
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// csvField quotes a field where it must be.
func csvField(text string) string {
	if !strings.ContainsAny(text, ",\"\r\n") && !strings.HasPrefix(text, "#") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
