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

// book adds causes to a row, of which the first so many are direct ones. Mostly it is the
// row to which they were added before.
func (a *Analyzer) book(row int32, causes []cause, direct int) {
	t, suspects := &a.table, a.suspects.list
	for i := range causes {
		c := &causes[i]
		of := &suspects[c.of]
		if of.row != row {
			of.row, of.sum = row, t.sum(row, c.of)
		}
		s := &t.sums[of.sum]
		s.ns += c.ns
		if i < direct {
			s.direct += c.ns
		}
	}
}

// sum is the number of that of a cause of a row.
func (t *table) sum(row, of int32) int32 {
	n := t.causes.of(joint(row, of))
	if int(n) == len(t.sums) {
		t.sums = append(t.sums, causeSum{row: row, of: of})
	}
	return n
}
