package waits

// Kept is a report as it can be stored and read again: its JSON does not tell how late
// each rank was.
type Kept struct {
	Report *Report       `json:"report"`
	Late   [][][]float64 `json:"late"` // seconds by row, cause and place in its ranks
}

// Keep makes a report one that can be stored.
func (r *Report) Keep() Kept {
	k := Kept{Report: r}
	for _, row := range r.Rows {
		var late [][]float64
		for _, c := range row.Causes {
			late = append(late, c.late)
		}
		k.Late = append(k.Late, late)
	}
	return k
}

// Again is the report that was kept.
func (k Kept) Again() *Report {
	for i := range min(len(k.Late), len(k.Report.Rows)) {
		causes := k.Report.Rows[i].Causes
		for n := range min(len(k.Late[i]), len(causes)) {
			causes[n].late = k.Late[i][n]
		}
	}
	return k.Report
}
