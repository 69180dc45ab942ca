package replay

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"auspex/internal/figure"
)

// TimelineOptions choose a part of a timeline and how finely it is shown.
type TimelineOptions struct {
	From, To float64 // seconds; To of 0: to the end
	FromRank int
	ToRank   int // past the last; 0: all
	Rows     int // at most this many rows
	Cols     int // steps of time that can be told apart
}

// DrawnTimeline is a Gantt chart: bars as parallel lists. Where there are more
// ranks or actions than can be told apart, a bar is of the part that took most
// of its time, and Share says how much.
type DrawnTimeline struct {
	Name  string         `json:"name"`
	From  float64        `json:"from"`
	To    float64        `json:"to"`
	Ranks int            `json:"ranks"`
	Rows  []TimelineRow  `json:"rows"`
	Parts []string       `json:"parts"`
	Row   []int          `json:"row"`
	Part  []int32        `json:"part"`
	Begin []roundedTime  `json:"begin"`
	End   []roundedTime  `json:"end"`
	Share []roundedShare `json:"share"`
}

// TimelineRow is one rank, or some that follow each other.
type TimelineRow struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Numbers with as many digits as a picture needs.
type (
	roundedTime  float64
	roundedShare float64
)

// MarshalJSON keeps nine digits.
func (t roundedTime) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%.9g", float64(t)), nil }

// MarshalJSON keeps three digits.
func (s roundedShare) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%.3g", float64(s)), nil }

// The largest chart that is given, whatever was asked for.
const (
	maxTimelineRows = 1000
	maxTimelineCols = 4000
)

// DrawTimeline sums up a part of what ranks did. end is when the last rank
// ended.
func DrawTimeline(name string, s *Spans, ranks int, end float64, o TimelineOptions) (*DrawnTimeline, error) {
	if o.To == 0 {
		o.To = end
	}
	if o.ToRank == 0 {
		o.ToRank = ranks
	}
	if o.FromRank < 0 || o.FromRank >= o.ToRank || o.ToRank > ranks {
		return nil, fmt.Errorf("there are ranks 0 to %d, not %d to %d", ranks-1, o.FromRank, o.ToRank-1)
	}
	if !(o.From >= 0 && o.From < o.To) {
		return nil, fmt.Errorf("the time shown ends at %s and begins at %s", figure.Seconds(o.To, 6), figure.Seconds(o.From, 6))
	}
	rows, cols := bounded(o.Rows, maxTimelineRows), bounded(o.Cols, maxTimelineCols)
	d := &DrawnTimeline{Name: name, From: o.From, To: o.To, Ranks: ranks, Parts: slices.Clone(timelineParts), Rows: []TimelineRow{},
		Row: []int{}, Part: []int32{}, Begin: []roundedTime{}, End: []roundedTime{}, Share: []roundedShare{}}
	shown := o.ToRank - o.FromRank
	rows = min(rows, shown)
	for g := range rows {
		row := TimelineRow{o.FromRank + g*shown/rows, o.FromRank + (g+1)*shown/rows}
		d.Rows = append(d.Rows, row)
		d.draw(s, g, row, cols)
	}
	return d, nil
}

func bounded(n, limit int) int {
	if n <= 0 || n > limit {
		return limit
	}
	return n
}

// of finds the spans of a rank within the time shown.
func (d *DrawnTimeline) of(s *Spans, rank int) (from, to int) {
	first, _ := slices.BinarySearch(s.Rank, int32(rank))
	last, _ := slices.BinarySearch(s.Rank, int32(rank+1))
	from = first + sort.Search(last-first, func(i int) bool { return s.End[first+i] > d.From })
	to = first + sort.Search(last-first, func(i int) bool { return s.Begin[first+i] >= d.To })
	return from, max(from, to)
}

func (d *DrawnTimeline) draw(s *Spans, row int, ranks TimelineRow, cols int) {
	if ranks.To == ranks.From+1 {
		if from, to := d.of(s, ranks.From); to-from <= cols/2 {
			for i := from; i < to; i++ {
				d.bar(row, s.Part[i], max(s.Begin[i], d.From), min(s.End[i], d.To), 1)
			}
			return
		}
	}
	step := (d.To - d.From) / float64(cols)
	spent := make([]float64, cols*len(d.Parts)) // by step and part
	for rank := ranks.From; rank < ranks.To; rank++ {
		from, to := d.of(s, rank)
		for i := from; i < to; i++ {
			begin, end := max(s.Begin[i], d.From), min(s.End[i], d.To)
			part := int(s.Part[i])
			if part < 0 || part >= len(d.Parts) {
				continue
			}
			for c := max(0, min(cols-1, int((begin-d.From)/step))); c < cols; c++ {
				left, right := d.From+float64(c)*step, d.From+float64(c+1)*step
				if left >= end {
					break
				}
				spent[c*len(d.Parts)+part] += max(0, min(right, end)-max(left, begin))
			}
		}
	}
	d.steps(row, spent, step, ranks.To-ranks.From)
}

// steps makes bars of what the steps of time were spent on; neighbours of one
// part are one bar.
func (d *DrawnTimeline) steps(row int, spent []float64, step float64, ranks int) {
	open, share, n := int32(-1), 0.0, 0
	flush := func(c int) {
		if open >= 0 {
			d.bar(row, open, d.From+float64(c-n)*step, d.From+float64(c)*step, share/float64(n))
		}
	}
	cols := len(spent) / len(d.Parts)
	for c := range cols {
		part, most := int32(-1), 0.0
		for k, v := range spent[c*len(d.Parts) : (c+1)*len(d.Parts)] {
			if v > most {
				part, most = int32(k), v
			}
		}
		if part != open {
			flush(c)
			open, share, n = part, 0, 0
		}
		share += math.Min(1, most/(step*float64(ranks)))
		n++
	}
	flush(cols)
}

func (d *DrawnTimeline) bar(row int, part int32, begin, end, share float64) {
	d.Row, d.Part = append(d.Row, row), append(d.Part, part)
	d.Begin, d.End, d.Share = append(d.Begin, roundedTime(begin)), append(d.End, roundedTime(end)), append(d.Share, roundedShare(share))
}
