package longtable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"auspex/internal/mistake"
)

// HasColumns tells from a file's first bytes whether it is CSV with all columns
// wanted that are not optional.
func HasColumns(head []byte, wanted []Wanted) bool {
	names, err := csvHeader(newCSVScanner(bytes.NewReader(bytes.TrimPrefix(head, byteOrderMark))))
	if err != nil {
		return false
	}
	if slices.ContainsFunc(names, func(name string) bool { return len(name) > longestName }) {
		return false
	}
	for _, w := range wanted {
		if _, err := w.find(names); err != nil {
			return false
		}
	}
	return true
}

// longestName of a column: what is longer is prose, which may name columns too.
const longestName = 64

// csvHeader reads up to the line that names the columns.
func csvHeader(scanner *csvScanner) ([]string, error) {
	for {
		fields, comment, err := scanner.record()
		if err == io.EOF {
			return nil, errors.New("there is no header line")
		}
		if err != nil {
			return nil, err
		}
		if comment == nil {
			return texts(fields), nil
		}
	}
}

// ReadCSVColumns reads some columns of any table in CSV and hands the rows to
// use, as ReadColumns does for Parquet.
func ReadCSVColumns(ctx context.Context, name string, r io.Reader, wanted []Wanted, use func(*Batch) error) error {
	scanner := newCSVScanner(withoutMark(r))
	if err := readCSVColumns(ctx, scanner, wanted, use); err != nil {
		if _, located := mistake.Find(err); located || ctx.Err() != nil {
			return err
		}
		return mistake.AtLine(name, scanner.line, "%w", err)
	}
	return nil
}

func readCSVColumns(ctx context.Context, scanner *csvScanner, wanted []Wanted, use func(*Batch) error) error {
	names, err := csvHeader(scanner)
	if err != nil {
		return err
	}
	b := newBatch(wanted)
	indexes := make([]textIndex, len(wanted))
	at := make([]int, len(wanted))
	for i, w := range wanted {
		if at[i], err = w.find(names); err != nil {
			return err
		}
		if at[i] < 0 {
			continue
		}
		b.Names[i] = names[at[i]]
		if w.Text {
			indexes[i], b.IDs[i] = newTextIndex(), make([]int32, 1)
		} else {
			b.Numbers[i] = make([]float64, 1)
		}
	}
	b.Rows = 1
	for n := 0; ; n++ {
		fields, comment, err := scanner.record()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case comment != nil:
			continue
		case len(fields) != len(names):
			return fmt.Errorf("%d fields; the header names %d", len(fields), len(names))
		}
		for i, w := range wanted {
			switch {
			case at[i] < 0:
			case w.Text:
				b.IDs[i][0] = indexes[i].id(fields[at[i]])
				b.texts[i] = indexes[i].texts
			default:
				if b.Numbers[i][0], err = csvNumber(fields[at[i]]); err != nil {
					return fmt.Errorf("column %q: %w", b.Names[i], err)
				}
			}
		}
		if err := use(b); err != nil {
			return err
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// csvNumber reads a number, NaN where there is none.
func csvNumber(field []byte) (float64, error) {
	text := strings.TrimSpace(string(field))
	switch strings.ToLower(text) {
	case "", "null", "nan", "na", "none", "<na>":
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", text[:min(len(text), 40)])
	}
	return v, nil
}
