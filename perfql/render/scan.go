package render

import (
	"database/sql"
	"math"

	"auspex/perfql"
)

// Rows are the rows of a database's answer, such as *sql.Rows.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
}

// Scan reads what the SQL of a bound query answers.
func Scan(rows Rows, b *perfql.Bound) ([]perfql.Row, error) {
	var found []perfql.Row
	for rows.Next() {
		var region, node sql.NullString
		var process, thread, regionID, unitID sql.NullInt64
		var degree sql.NullFloat64
		targets := []any{&region, &node, &process, &thread, &degree, &regionID, &unitID}
		values, keys := make([]sql.NullFloat64, len(b.Shown)), make([]sql.NullFloat64, len(b.Order))
		for i := range values {
			targets = append(targets, &values[i])
		}
		for i, at := range b.Order {
			if at >= 0 {
				targets = append(targets, &keys[i])
			}
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		row := perfql.Row{Experiment: b.Name, Shown: b.Shown, Degree: orMissing(degree), RegionID: -1, UnitID: -1}
		if region.Valid {
			row.Region, row.RegionID = &perfql.Region{Path: region.String}, int32(regionID.Int64)
		}
		if process.Valid {
			row.Unit = &perfql.Unit{Node: node.String, Process: int(process.Int64), Thread: int(thread.Int64)}
			row.UnitID = int32(unitID.Int64)
		}
		for _, v := range values {
			row.Values = append(row.Values, orMissing(v))
		}
		for _, v := range keys {
			row.Keys = append(row.Keys, orMissing(v))
		}
		found = append(found, row)
	}
	return found, rows.Err()
}

func orMissing(v sql.NullFloat64) float64 {
	if !v.Valid {
		return math.NaN()
	}
	return v.Float64
}
