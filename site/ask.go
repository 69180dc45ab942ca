package site

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"auspex/store"
)

// Table is one of an experiment's tables as it stands after FROM.
func (s *Site) Table(id, table string, metrics map[string]string, parameters map[string]string) (string, error) {
	f, err := s.find(context.Background(), id)
	if err != nil {
		return "", err
	}
	for name, value := range f.settings {
		parameters[name] = value
	}
	switch table {
	case "units":
		return "(SELECT toInt32(unit) AS id, toString(node) AS node, process, thread FROM units WHERE " + f.where + ")", nil
	case "regions":
		return "(SELECT toInt32(region) AS id, parent, name, path, toString(kind) AS kind FROM regions WHERE " + f.where + ")", nil
	}
	// The metrics stand below each other and are wanted beside each other. NaN is
	// what is missing.
	columns, wanted := []string{"toInt32(unit) AS unit", "toInt32(region) AS region"}, []string{}
	names := make([]string, 0, len(metrics))
	for metric := range metrics {
		names = append(names, metric)
	}
	slices.Sort(names)
	for i, metric := range names {
		parameter := fmt.Sprintf("metric%d", i)
		parameters[parameter] = metric
		of := "{" + parameter + ":String}"
		columns = append(columns, fmt.Sprintf("anyIf(if(isNaN(value), NULL, value), metric = %s) AS %s", of, metrics[metric]))
		wanted = append(wanted, of)
	}
	return "(SELECT " + strings.Join(columns, ", ") + " FROM values WHERE " + f.where + " AND metric IN (" + strings.Join(wanted, ", ") + ") GROUP BY unit, region)", nil
}

// Ask runs a query.
func (s *Site) Ask(ctx context.Context, query string, parameters map[string]string) (store.Rows, error) {
	settings := map[string]string{"output_format_json_quote_64bit_integers": "0", "output_format_json_quote_denormals": "0"}
	for name, value := range nullable {
		settings[name] = value
	}
	out, err := s.do(ctx, query+" FORMAT JSONCompactEachRow", parameters, settings, nil)
	if err != nil {
		return nil, err
	}
	return &rows{decoder: json.NewDecoder(strings.NewReader(string(out)))}, nil
}

// rows are those of an answer, each an array.
type rows struct {
	decoder *json.Decoder
	line    []any
	err     error
}

// Next reads a row.
func (r *rows) Next() bool {
	r.line = nil
	r.decoder.UseNumber()
	if r.err != nil || !r.decoder.More() {
		return false
	}
	r.err = r.decoder.Decode(&r.line)
	return r.err == nil
}

// Scan hands the row out to values that can take NULL, such as
// sql.NullFloat64.
func (r *rows) Scan(into ...any) error {
	if len(into) != len(r.line) {
		return fmt.Errorf("the site answers with %d columns, not %d", len(r.line), len(into))
	}
	for i, v := range r.line {
		if n, ok := v.(json.Number); ok {
			v = n.String()
		}
		target, ok := into[i].(sql.Scanner)
		if !ok {
			return fmt.Errorf("column %d cannot be read into %T", i, into[i])
		}
		if err := target.Scan(v); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// Err is what went wrong while reading.
func (r *rows) Err() error { return r.err }

// Close ends it.
func (r *rows) Close() error { return nil }
