package longtable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"auspex/internal/mistake"
	"auspex/model"
)

// checkEvery is the number of lines between two looks at the context.
const checkEvery = 1 << 14

// IsCSV tells from a file's first bytes whether it is a long table in CSV.
func IsCSV(head []byte) bool {
	scanner := newCSVScanner(bytes.NewReader(bytes.TrimPrefix(head, byteOrderMark)))
	for {
		fields, comment, err := scanner.record()
		if err != nil {
			return false
		}
		if comment != nil {
			if e, ok := parseEntry(string(comment)); ok && e.key == "auspex" {
				return true
			}
			continue
		}
		_, err = newLayout(texts(fields))
		return err == nil
	}
}

// ReadCSV reads a long table in CSV. The name is used in errors.
func ReadCSV(ctx context.Context, name string, r io.Reader, options Options) (*model.Experiment, error) {
	t := &csvTable{assembler: newAssembler(options), scanner: newCSVScanner(withoutMark(r))}
	if err := t.read(ctx); err != nil {
		if _, located := mistake.Find(err); located || ctx.Err() != nil {
			return nil, err
		}
		return nil, mistake.AtLine(name, t.scanner.line, "%w", err)
	}
	e, err := t.finish(ctx, t.layout.at[colDeviation] >= 0, t.layout.at[colCount] >= 0)
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// csvTable is a table being read.
type csvTable struct {
	*assembler
	scanner *csvScanner
	layout  layout

	// The names of the last line and what they stood for: most lines repeat
	// those of the line before.
	last        [colMetric][]byte
	lastUnit    int
	regionPath  []byte
	lastRegion  int
	regionKnown bool
}

func (t *csvTable) read(ctx context.Context) error {
	header, err := t.readHead()
	if err != nil {
		return err
	}
	if t.layout, err = newLayout(header); err != nil {
		return err
	}
	if note := t.layout.note(); note != "" {
		t.header.Notes = append(t.header.Notes, note)
	}
	t.lastUnit = -1
	for n := 0; ; n++ {
		fields, comment, err := t.scanner.record()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if comment != nil {
			continue
		}
		if len(fields) != len(header) {
			return fmt.Errorf("%d fields; the header names %d", len(fields), len(header))
		}
		if err := t.readLine(fields); err != nil {
			return err
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// readHead reads the comments and the header line.
func (t *csvTable) readHead() ([]string, error) {
	for {
		fields, comment, err := t.scanner.record()
		if err == io.EOF {
			return nil, errors.New("there is no header line")
		}
		if err != nil {
			return nil, err
		}
		if comment == nil {
			return texts(fields), nil
		}
		if e, ok := parseEntry(string(comment)); ok {
			if err := t.readEntry(e); err != nil {
				return nil, err
			}
		}
	}
}

func (t *csvTable) readLine(fields [][]byte) error {
	field := func(c column) []byte {
		if at := t.layout.at[c]; at >= 0 {
			return fields[at]
		}
		return nil
	}
	unit, err := t.unitOf(field(colNode), field(colProcess), field(colThread))
	if err != nil {
		return err
	}
	region, err := t.regionOf(field(colRegion))
	if err != nil {
		return err
	}
	if err := t.describeFields(region, field(colKind), field(colFile), field(colLine)); err != nil {
		return err
	}
	metric, err := t.metric(field(colMetric))
	if err != nil {
		return err
	}
	if err := t.setUnit(metric, field(colUnit)); err != nil {
		return err
	}
	value, err := number(field(colValue))
	if err != nil {
		return err
	}
	if err := t.set(unit, region, metric, value); err != nil {
		return err
	}
	if text := field(colDeviation); len(text) > 0 {
		deviation, err := number(text)
		if err != nil {
			return fmt.Errorf("deviation: %w", err)
		}
		if err := t.setDeviation(unit, region, metric, deviation); err != nil {
			return err
		}
	}
	if text := field(colCount); len(text) > 0 {
		count, err := number(text)
		if err != nil {
			return fmt.Errorf("count: %w", err)
		}
		return t.setCount(unit, region, count)
	}
	return nil
}

// unitOf returns the unit that three fields name.
func (t *csvTable) unitOf(node, process, thread []byte) (int, error) {
	if t.lastUnit >= 0 && bytes.Equal(process, t.last[colProcess]) &&
		bytes.Equal(thread, t.last[colThread]) && bytes.Equal(node, t.last[colNode]) {
		return t.lastUnit, nil
	}
	p, err := index(process)
	if err != nil {
		return 0, fmt.Errorf("process %w", err)
	}
	th, err := index(thread)
	if err != nil {
		return 0, fmt.Errorf("thread %w", err)
	}
	unit, err := t.unit(model.Unit{Node: string(node), Process: p, Thread: th})
	if err != nil {
		return 0, err
	}
	t.lastUnit = unit
	t.last[colNode] = append(t.last[colNode][:0], node...)
	t.last[colProcess] = append(t.last[colProcess][:0], process...)
	t.last[colThread] = append(t.last[colThread][:0], thread...)
	return unit, nil
}

func (t *csvTable) regionOf(path []byte) (int, error) {
	if t.regionKnown && bytes.Equal(path, t.regionPath) {
		return t.lastRegion, nil
	}
	region, err := t.region(path)
	if err != nil {
		return 0, err
	}
	t.lastRegion, t.regionKnown = region, true
	t.regionPath = append(t.regionPath[:0], path...)
	return region, nil
}

func (t *csvTable) describeFields(region int, kind, file, line []byte) error {
	if len(kind) == 0 && len(file) == 0 && len(line) == 0 {
		return nil
	}
	known := &t.regions[region]
	if (known.Kind != "" || len(kind) == 0) && (known.File != "" || len(file) == 0) {
		return nil // nothing to add; the usual case from the second line on
	}
	number, err := index(line)
	if err != nil {
		return fmt.Errorf("line %w", err)
	}
	t.describeRegion(region, model.Kind(kind), string(file), number)
	return nil
}

// number reads a value; an empty field and the words for missing give NaN.
func number(text []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err == nil {
		return v, nil
	}
	trimmed := strings.TrimSpace(string(text))
	switch strings.ToLower(trimmed) {
	case "", "na", "null", "none":
		return math.NaN(), nil
	}
	if v, err := strconv.ParseFloat(trimmed, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return v, nil
	}
	return 0, fmt.Errorf("%q is not a number", short(trimmed))
}

// index reads a number that counts from 0; an empty field is 0.
func index(text []byte) (int, error) {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return 0, nil
	}
	whole := trimmed
	if point := bytes.IndexByte(trimmed, '.'); point > 0 && len(bytes.Trim(trimmed[point+1:], "0")) == 0 {
		whole = trimmed[:point] // 1.0, as pandas writes whole numbers of a column with gaps
	}
	n, err := strconv.Atoi(string(whole))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number from 0", short(string(trimmed)))
	}
	return n, nil
}

// short keeps error messages short.
func short(text string) string { return text[:min(len(text), 60)] }

func texts(fields [][]byte) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = string(f)
	}
	return list
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// withoutMark drops the mark that some programs put in front of UTF-8.
func withoutMark(r io.Reader) io.Reader {
	var start [3]byte
	n, err := io.ReadFull(r, start[:])
	if err != nil || !bytes.Equal(start[:], byteOrderMark) {
		return io.MultiReader(bytes.NewReader(start[:n]), r)
	}
	return r
}
