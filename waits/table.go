package waits

// table sums waits up by pattern and path.
type table struct {
	index  index // of patterns and paths
	rows   []tableRow
	causes index // of rows and suspects
	sums   []causeSum
}

type tableRow struct {
	kind  kind
	path  int32
	ranks []float64 // ns; those beyond it have none
}

// causeSum is what a cause has of a row, in ns.
type causeSum struct {
	row, of    int32
	ns, direct float64
}

// row is the number of that of a pattern at a path.
func (t *table) row(k kind, path int32) int32 {
	n := t.index.of(joint(int32(k), path))
	if int(n) == len(t.rows) {
		t.rows = append(t.rows, tableRow{kind: k, path: path})
	}
	return n
}

func (t *table) add(row, rank int32, ns int64) {
	r := &t.rows[row]
	for len(r.ranks) <= int(rank) {
		r.ranks = append(r.ranks, 0)
	}
	r.ranks[rank] += float64(ns)
}

// book adds a cause to a row. Mostly it is the row to which it was added before.
func (a *Analyzer) book(row int32, c cause, direct bool) {
	t, of := &a.table, &a.suspects.list[c.of]
	if of.row != row {
		of.row, of.sum = row, t.causes.of(joint(row, c.of))
		if int(of.sum) == len(t.sums) {
			t.sums = append(t.sums, causeSum{row: row, of: c.of})
		}
	}
	s := &t.sums[of.sum]
	s.ns += c.ns
	if direct {
		s.direct += c.ns
	}
}
