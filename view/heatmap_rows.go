package view

import (
	"cmp"
	"slices"

	"auspex/analyze"
	"auspex/internal/mistake"
	"auspex/model"
)

// line is a row of the map before it has cells: the regions it stands for.
type line struct {
	regions []int
	place   int // of the first in the tree's order
	outer   int // place of the region whose lighter parts it has together
	depth   int
	parts   bool // it holds others
	closed  bool // it has the values with all that it holds
	summed  bool // several regions add up; else the largest stands for them
}

// arrange chooses the rows and fills in their range. weigh tells what every region
// weighs, where that matters.
func arrange(d *analyze.Dataset, h *Heatmap, weigh func() ([]float64, error), q *heatQuantity, o HeatmapOptions) ([]line, error) {
	order, err := d.Order()
	if err != nil {
		return nil, err
	}
	first, end := 0, len(order)
	if o.Region != "" {
		first = slices.IndexFunc(order, func(x analyze.OrderedRegion) bool { return d.Paths[x.Region] == o.Region })
		if first < 0 {
			return nil, d.UnknownRegion(o.Region)
		}
		end = subtreeEnd(order, first)
	}
	most := groups(end-first, o.Rows, maxHeatRows)
	var lines []line
	switch o.Arrange {
	case ArrangeHeaviest:
		if lines, err = heaviestLines(order, first, end, most, weigh, o.Depth); err != nil {
			return nil, err
		}
	case ArrangeTree:
		if lines, err = treeLines(d, order, first, end, most, q.metric != nil, o); err != nil {
			return nil, err
		}
		if len(o.Opened)+len(o.Whole) > 0 { // what was opened by hand is shown
			most = max(most, min(len(lines), maxHeatRows))
		}
	default:
		return nil, mistake.Refuse("rows are arranged by nothing or %q, not by %q", ArrangeTree, o.Arrange)
	}
	h.Regions = len(lines)
	if len(lines) == 0 {
		return nil, nil
	}
	if h.FromRow, h.ToRow, err = part(o.FromRow, o.ToRow, len(lines), "row"); err != nil {
		return nil, err
	}
	tree := o.Arrange == ArrangeTree
	return fold(lines[h.FromRow:h.ToRow], most, tree, q.metric != nil && (!q.inclusive || tree)), nil
}

// fold puts what does not fit into one last row.
func fold(lines []line, most int, closed, summed bool) []line {
	if len(lines) <= most {
		return lines
	}
	rest := line{place: lines[most-1].place, outer: -1, depth: lines[0].depth, closed: closed, summed: summed}
	for _, l := range lines[most-1:] {
		rest.regions = append(rest.regions, l.regions...)
		rest.depth = min(rest.depth, l.depth)
	}
	return append(slices.Clone(lines[:most-1]), rest)
}

// heaviestLines are all regions, in the tree's order where they fit, else the
// heaviest first: by what is shown where that adds up, else by time.
func heaviestLines(order []analyze.OrderedRegion, first, end, most int, weigh func() ([]float64, error), depth int) ([]line, error) {
	var lines []line
	for at := first; at < end; at++ {
		if depth < 0 || order[at].Depth <= depth {
			lines = append(lines, line{regions: []int{order[at].Region}, place: at, depth: order[at].Depth, parts: at+1 < len(order) && order[at+1].Depth > order[at].Depth})
		}
	}
	if len(lines) <= most {
		return lines, nil
	}
	weight, err := weigh()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(weight[b.regions[0]], weight[a.regions[0]]) })
	for i := range lines {
		lines[i].depth = 0
	}
	return lines, nil
}

// weights are what regions weigh: the most that a unit has, which is the cell that is
// seen in a row, be it one of thousands.
func weights(d *analyze.Dataset, m model.Matrix, q *heatQuantity) ([]float64, error) {
	kept, err := d.Keep("\x03"+q.node.String(), func() (model.Matrix, error) {
		weighed := m
		if time, err := d.TimeMetric(); q.metric == nil && err == nil {
			if weighed, err = d.Matrix(time + "." + string(model.Exclusive)); err != nil {
				return model.Matrix{}, err
			}
		}
		most := model.NewMatrix(1, weighed.Regions, model.Zero)
		for u := range weighed.Units {
			for r, v := range weighed.Row(u) {
				if v > most.Data[r] {
					most.Data[r] = v
				}
			}
		}
		return most, nil
	})
	return kept.Data, err
}

// mostParts of the rows may go to the parts of one region; the lighter ones then
// share a row.
const mostParts = 3

// treeLines opens the tree from the heaviest region on, as long as its parts fit;
// then opens and closes what the reader did, which moves no other row.
func treeLines(d *analyze.Dataset, order []analyze.OrderedRegion, first, end, most int, additive bool, o HeatmapOptions) ([]line, error) {
	weight := make([]float64, len(d.Regions))
	if main, err := d.MainMetric(); err == nil {
		if weight, err = d.RegionMeans(main + "." + string(model.Inclusive)); err != nil {
			return nil, err
		}
	}
	t := &openTree{order: order, room: max(2, most/mostParts), whole: o.Whole, parts: map[int][]int{}}
	t.seen = t.siblings(first, end)
	refused := map[int]bool{}
	for rows := len(t.seen); rows < most; {
		best := -1
		for _, at := range t.seen {
			if t.parts[at] != nil || refused[at] || o.Depth >= 0 && order[at].Depth >= o.Depth {
				continue
			}
			if best < 0 || weight[order[at].Region] > weight[order[best].Region] {
				best = at
			}
		}
		if best < 0 {
			break
		}
		n := min(len(t.below(best)), t.room)
		if n == 0 || rows+n > most {
			refused[best] = true
			continue
		}
		t.open(best)
		rows += n
	}
	for i := 0; i < len(t.seen); i++ { // also what is shown only now
		if at := t.seen[i]; slices.Contains(o.Opened, at) && t.parts[at] == nil && len(t.below(at)) > 0 {
			t.open(at)
		}
	}
	for _, at := range o.Closed {
		delete(t.parts, at)
	}
	return t.lines(first, end, additive), nil
}

// openTree is a tree of which some regions are open.
type openTree struct {
	order []analyze.OrderedRegion
	room  int           // rows for the parts of one region
	whole []int         // places of which all parts have a row
	seen  []int         // places that are shown
	parts map[int][]int // all parts of those that are open
}

// below are the places of a region's parts, the heaviest first.
func (t *openTree) below(at int) []int { return t.siblings(at+1, subtreeEnd(t.order, at)) }

// siblings are the outermost places of a range.
func (t *openTree) siblings(from, to int) (places []int) {
	for at := from; at < to; at = subtreeEnd(t.order, at) {
		places = append(places, at)
	}
	return places
}

// open shows a region's parts; where they are many, the heaviest and a row for the
// others.
func (t *openTree) open(at int) {
	below := t.below(at)
	t.parts[at] = below
	t.seen = append(t.seen, below[:t.shown(at, len(below))]...)
}

// shown is how many of a region's n parts have a row of their own.
func (t *openTree) shown(at, n int) int {
	if n <= t.room || slices.Contains(t.whole, at) {
		return n
	}
	return t.room - 1
}

// lines are the rows, depth first.
func (t *openTree) lines(first, end int, additive bool) []line {
	var all []line
	var walk func(places []int, own, of int)
	walk = func(places []int, own, of int) {
		for _, at := range places[:own] {
			parts, opened := t.parts[at]
			holds := len(t.below(at)) > 0
			all = append(all, line{regions: []int{t.order[at].Region}, place: at, depth: t.order[at].Depth, parts: holds, closed: holds && !opened})
			if opened {
				walk(parts, t.shown(at, len(parts)), at)
			}
		}
		if own < len(places) {
			rest := line{place: places[own], outer: of, depth: t.order[places[own]].Depth, closed: true, summed: additive}
			for _, at := range places[own:] {
				rest.regions = append(rest.regions, t.order[at].Region)
			}
			all = append(all, rest)
		}
	}
	roots := t.siblings(first, end)
	walk(roots, len(roots), -1)
	return all
}

// subtreeEnd is the place after a region and all that it holds.
func subtreeEnd(order []analyze.OrderedRegion, at int) int {
	end := at + 1
	for end < len(order) && order[end].Depth > order[at].Depth {
		end++
	}
	return end
}

// nameRows says which regions the rows are.
func (h *Heatmap) nameRows(d *analyze.Dataset, lines []line) {
	h.Rows = []HeatRow{}
	at := h.FromRow
	for i, l := range lines {
		to := at + 1
		if i == len(lines)-1 && h.ToRow > to {
			to = h.ToRow
		}
		region := d.Regions[l.regions[0]]
		h.Rows = append(h.Rows, HeatRow{
			Region: d.Paths[l.regions[0]], Name: region.Name, Depth: l.depth, Kind: region.Kind, From: at, To: to,
			Regions: len(l.regions), Place: l.place, Of: l.outer, Parts: l.parts, Closed: l.closed, Summed: l.summed,
		})
		at = to
	}
}
