package cube

import (
	"encoding/xml"
	"strconv"
	"strings"

	"auspex/ingest/input"
)

// rows are the values of one metric in a CUBE 3 file, where they stand in
// the XML itself as text, exclusive along the call tree: a <row> of locations
// per <cnode>, one <matrix> per metric.
type rows struct {
	rows map[int][]float64 // by node
}

func (r *rows) at(node, location int) float64 {
	if row := r.rows[node]; location < len(row) {
		return row[location]
	}
	return 0
}

func (p *parser) startValues(t xml.StartElement) error {
	if t.Name.Local == "matrix" {
		metric, err := p.number(t, "metricId")
		if err != nil {
			return err
		}
		p.rows = &rows{rows: map[int][]float64{}}
		p.anchor.severity[metric] = p.rows
		return nil
	}
	id, err := p.number(t, "cnodeId")
	if err != nil {
		return err
	}
	node, ok := p.byID[id]
	if !ok || p.rows == nil {
		return p.in.Errorf("a row of values for call path %d, which is not described", id)
	}
	p.row = node
	return nil
}

func (p *parser) endRow(text string) error {
	fields := strings.Fields(text)
	if len(fields) > len(p.anchor.locations) {
		return p.in.Errorf("a row of %d values for %d locations", len(fields), len(p.anchor.locations))
	}
	row := make([]float64, len(fields))
	for i, field := range fields {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return p.in.Errorf("%q is no number", input.Clip(field, 40))
		}
		row[i] = v
	}
	p.rows.rows[p.row] = row
	return nil
}
