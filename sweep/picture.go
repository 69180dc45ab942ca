package sweep

// Picture is what a study looks like over the two axes that matter most: the
// time at each pair of their values, with the other axes at their best there. A
// study of one axis has one row.
type Picture struct {
	X       string    `json:"x"` // the axis that goes across: of numbers, if one of the two is
	Y       string    `json:"y"` // "" where there is one axis
	Columns []string  `json:"columns"`
	Rows    []string  `json:"rows"`
	Cells   [][]*Cell `json:"cells"` // by row and column; null where no point is done
	// Best is where the shortest point is, and Cliff the two columns or rows that
	// it lies between.
	Best  Place       `json:"best"`
	Cliff *CliffPlace `json:"cliff"`
}

// Cell is the points that share two values.
type Cell struct {
	Seconds float64  `json:"seconds"` // of the shortest
	Worst   float64  `json:"worst"`   // of the longest
	Points  int      `json:"points"`  // that are done
	Values  []string `json:"values"`  // of the shortest, on all axes
}

// Place is a cell.
type Place struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// CliffPlace is a step in a picture.
type CliffPlace struct {
	Across bool `json:"across"` // between columns
	From   int  `json:"from"`
	To     int  `json:"to"`
}

// draw makes the picture.
func (t *Table) draw() {
	x, y := t.pictured()
	if x < 0 {
		return
	}
	p := &Picture{X: t.Axes[x].Name, Columns: t.Axes[x].Values, Rows: []string{""}}
	if y >= 0 {
		p.Y, p.Rows = t.Axes[y].Name, t.Axes[y].Values
	}
	column, row := index(p.Columns), index(p.Rows)
	p.Cells = make([][]*Cell, len(p.Rows))
	for i := range p.Cells {
		p.Cells[i] = make([]*Cell, len(p.Columns))
	}
	for i, r := range t.Rows { // the shortest first
		at := Place{0, column[r.Values[x]]}
		if y >= 0 {
			at.Row = row[r.Values[y]]
		}
		if i == 0 {
			p.Best = at
		}
		c := p.Cells[at.Row][at.Column]
		if c == nil {
			c = &Cell{Seconds: r.Seconds, Values: r.Values}
			p.Cells[at.Row][at.Column] = c
		}
		c.Worst = r.Seconds
		c.Points++
	}
	if c := t.Cliff; c != nil && c.Axis == p.X {
		p.Cliff = &CliffPlace{true, column[c.From], column[c.To]}
	} else if c != nil && c.Axis == p.Y {
		p.Cliff = &CliffPlace{false, row[c.From], row[c.To]}
	}
	t.Picture = p
}

// pictured chooses the axes: of those that matter most, the first of numbers
// goes across.
func (t *Table) pictured() (x, y int) {
	chosen := []int{-1, -1}
	for i := range min(2, len(t.Effects)) {
		for a := range t.Axes {
			if t.Axes[a].Name == t.Effects[i].Axis {
				chosen[i] = a
			}
		}
	}
	if chosen[1] < 0 {
		return chosen[0], -1
	}
	if _, number := t.Axes[chosen[0]].numbers(); !number {
		if _, number = t.Axes[chosen[1]].numbers(); number {
			return chosen[1], chosen[0]
		}
	}
	return chosen[0], chosen[1]
}

func index(values []string) map[string]int {
	at := make(map[string]int, len(values))
	for i, v := range values {
		at[v] = i
	}
	return at
}

// Overview is all that can be told of a study.
type Overview struct {
	Status *Status `json:"status"`
	Table  *Table  `json:"table"`
}

// Overview reads how far a study is and what it answers, with so many proposals
// of what to run next.
func (f *Folder) Overview(next int) (*Overview, error) {
	s, err := f.Study()
	if err != nil {
		return nil, err
	}
	points, err := s.Points()
	if err != nil {
		return nil, err
	}
	status, err := f.Status(s, points)
	if err != nil {
		return nil, err
	}
	ledger := f.Ledger()
	if err := ledger.Refresh(); err != nil {
		return nil, err
	}
	table := Tabulate(s, points, ledger)
	if next > 0 {
		table.Propose(s, points, ledger, next)
	}
	return &Overview{status, table}, nil
}
