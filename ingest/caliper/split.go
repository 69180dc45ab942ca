package caliper

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"auspex/ingest/input"
	"auspex/internal/jsonscan"
	"auspex/internal/mistake"
	"auspex/model"
)

// isSplit recognises Caliper's json-split, which starts with its data
// or, where another program wrote it, with the names of the columns, and
// Caliper's plain json, an object or array of records.
func isSplit(_ string, head []byte) bool {
	s := jsonscan.New(bytes.NewReader(head))
	kind, err := s.Next()
	if err != nil {
		return false
	}
	if kind == jsonscan.ArrayStart {
		kind, err = s.Next()
		return err == nil && kind == jsonscan.ObjectStart && isRecord(s)
	}
	if kind != jsonscan.ObjectStart {
		return false
	}
	for {
		if kind, err = s.Next(); err != nil || kind != jsonscan.Key {
			return false
		}
		switch string(s.Bytes()) {
		case "data":
			return startsWith(s, jsonscan.ArrayStart, jsonscan.ArrayStart)
		case "records":
			return startsWith(s, jsonscan.ArrayStart, jsonscan.ObjectStart)
		case "column_metadata":
			return true
		}
		if s.Skip() != nil {
			return false
		}
	}
}

func startsWith(s *jsonscan.Scanner, kinds ...jsonscan.Kind) bool {
	for _, want := range kinds {
		if kind, err := s.Next(); err != nil || kind != want {
			return false
		}
	}
	return true
}

// isRecord tells whether an object bears an attribute that only
// Caliper writes.
func isRecord(s *jsonscan.Scanner) bool {
	return input.HasKey(s, func(key []byte) bool {
		return bytes.Contains(key, []byte("time.duration")) || bytes.Contains(key, []byte("#")) || string(key) == "mpi.rank"
	})
}

func readSplit(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readJSON(ctx, src.Given, in)
}

// readJSON reads any of Caliper's JSON forms.
func readJSON(ctx context.Context, name string, r io.Reader) (*model.Experiment, error) {
	f := &splitFile{s: jsonscan.New(r), ctx: ctx, textID: map[string]int32{}, profile: newProfile()}
	err := f.read()
	if err == nil {
		err = f.place()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, mistake.AtLine(name, f.s.Line(), "%w", err)
	}
	e, err := f.profile.finish()
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// splitFile is a json-split file. Its rows come first and the columns that
// explain them last, so the rows wait in a plain form.
type splitFile struct {
	s       *jsonscan.Scanner
	ctx     context.Context
	profile *caliperProfile

	cells   []splitCell
	width   int // of a row
	columns []string
	units   []string // of the columns, from their metadata
	isValue []bool
	nodes   []splitNode

	texts  []string
	textID map[string]int32
}

// splitCell is a value of a row: a number, or a text by its index + 1.
type splitCell struct {
	number float64
	text   int32
}

type splitNode struct {
	label, column string
	parent        int
}

// Limits on a file's tables.
const (
	maxSplitColumns = 1 << 12
	maxDepth        = 1 << 12
)

func (f *splitFile) read() error {
	kind, err := f.s.Next()
	if err != nil {
		return err
	}
	switch kind {
	case jsonscan.ArrayStart:
		return f.readRecords()
	case jsonscan.ObjectStart:
		return f.eachKey(f.readSection)
	}
	return fmt.Errorf("not a Caliper profile: neither an object nor an array")
}

// eachKey calls do for every key of the object that was begun.
func (f *splitFile) eachKey(do func(key string) error) error {
	for {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := do(string(f.s.Bytes())); err != nil {
			return err
		}
	}
}

// eachElement calls do with the kind of every element of the array that comes.
func (f *splitFile) eachElement(do func(kind jsonscan.Kind) error) error {
	if kind, err := f.s.Next(); err != nil || kind != jsonscan.ArrayStart {
		return input.ErrorOr(err, "an array belongs here")
	}
	for {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ArrayEnd {
			return nil
		}
		if err := do(kind); err != nil {
			return err
		}
	}
}

func (f *splitFile) readSection(key string) error {
	switch key {
	case "data":
		return f.eachElement(f.readRow)
	case "columns":
		return f.eachElement(func(kind jsonscan.Kind) error {
			if kind != jsonscan.String || len(f.columns) == maxSplitColumns {
				return fmt.Errorf("columns must be at most %d names", maxSplitColumns)
			}
			f.columns = append(f.columns, string(f.s.Bytes()))
			return nil
		})
	case "column_metadata":
		return f.eachElement(f.readColumnMetadata)
	case "nodes":
		return f.eachElement(f.readNode)
	case "records":
		if kind, err := f.s.Next(); err != nil || kind != jsonscan.ArrayStart {
			return input.ErrorOr(err, "records must be an array")
		}
		return f.readRecords()
	case "globals":
		if kind, err := f.s.Next(); err != nil || kind != jsonscan.ObjectStart {
			return input.ErrorOr(err, "globals must be an object")
		}
		return f.eachKey(f.readGlobal)
	}
	return f.readGlobal(key)
}

// readRow reads a row of the data.
func (f *splitFile) readRow(kind jsonscan.Kind) error {
	if kind != jsonscan.ArrayStart {
		return fmt.Errorf("a row of the data must be an array")
	}
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	start := len(f.cells)
	for {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ArrayEnd {
			break
		}
		cell, err := f.cell(kind)
		if err != nil {
			return err
		}
		f.cells = append(f.cells, cell)
	}
	n := len(f.cells) - start
	if f.width == 0 {
		f.width = n
	}
	if n != f.width || n == 0 || n > maxSplitColumns {
		return fmt.Errorf("a row of %d values among rows of %d", n, f.width)
	}
	return nil
}

// cell reads one value: NaN stands for null.
func (f *splitFile) cell(kind jsonscan.Kind) (splitCell, error) {
	switch kind {
	case jsonscan.Number:
		v, err := strconv.ParseFloat(string(f.s.Bytes()), 64)
		if err != nil {
			return splitCell{}, fmt.Errorf("%q is not a number", f.s.Bytes())
		}
		return splitCell{number: v}, nil
	case jsonscan.String:
		return f.text(), nil
	case jsonscan.Null, jsonscan.True, jsonscan.False:
		return splitCell{number: math.NaN()}, nil
	}
	return splitCell{}, fmt.Errorf("a value must be a number, a text or null")
}

func (f *splitFile) text() splitCell {
	id, ok := f.textID[string(f.s.Bytes())]
	if !ok {
		text := string(f.s.Bytes())
		f.texts = append(f.texts, text)
		id = int32(len(f.texts))
		f.textID[text] = id
	}
	number, err := strconv.ParseFloat(f.texts[id-1], 64) // older files quote numbers
	if err != nil {
		number = math.NaN()
	}
	return splitCell{number: number, text: id}
}

func (f *splitFile) readColumnMetadata(kind jsonscan.Kind) error {
	if kind != jsonscan.ObjectStart {
		return fmt.Errorf("column_metadata must be objects")
	}
	isValue, unit := true, ""
	err := f.eachKey(func(key string) error {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		switch {
		case key == "is_value":
			isValue = kind != jsonscan.False
		case kind == jsonscan.String && (key == "attribute.unit" || key == "time.unit"):
			unit = string(f.s.Bytes())
		}
		return f.s.Skip()
	})
	f.isValue, f.units = append(f.isValue, isValue), append(f.units, unit)
	return err
}

func (f *splitFile) readNode(kind jsonscan.Kind) error {
	if kind != jsonscan.ObjectStart {
		return fmt.Errorf("nodes must be objects")
	}
	node := splitNode{parent: model.NoParent}
	err := f.eachKey(func(key string) error {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		switch {
		case key == "label" && kind == jsonscan.String:
			node.label = string(f.s.Bytes())
		case key == "column" && kind == jsonscan.String:
			node.column = string(f.s.Bytes())
		case key == "parent" && kind == jsonscan.Number:
			if node.parent, err = strconv.Atoi(string(f.s.Bytes())); err != nil || node.parent < 0 || node.parent >= len(f.nodes) {
				return fmt.Errorf("node %d has the parent %s, which does not stand before it", len(f.nodes), f.s.Bytes())
			}
		}
		return f.s.Skip()
	})
	f.nodes = append(f.nodes, node)
	return err
}

// readGlobal notes the value of a key that describes the run.
func (f *splitFile) readGlobal(key string) error {
	kind, err := f.s.Next()
	if err != nil {
		return err
	}
	if kind == jsonscan.String || kind == jsonscan.Number {
		f.profile.globals = append(f.profile.globals, model.Factor{Name: key, Word: string(f.s.Bytes())})
	}
	return f.s.Skip()
}
