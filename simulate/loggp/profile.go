package loggp

import (
	"context"
	"slices"

	"auspex/trace"
)

// Profile is the computation of a trace by region and rank, in seconds on a
// host of 10⁹ flop/s.
type Profile struct {
	Regions []string
	Seconds [][]float64 // by region and rank
	Counts  [][]int64   // stretches, likewise
	Pauses  []float64   // seconds of each rank, blocked or asleep
	Actions int64
	// Elements is how many all messages and collectives have together: 0 where the
	// trace tells no sizes.
	Elements int64
	Table    *trace.Regions // numbers the regions; complete, so that replays may share it
}

// NewProfile sums up a trace.
func NewProfile(ctx context.Context, t *trace.Trace) (*Profile, error) {
	p := &Profile{Pauses: make([]float64, t.NP())}
	table := trace.NewRegions(t)
	var a trace.Action
	for rank := range t.NP() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		place := table.Walk(t, rank)
		for {
			region, ok := place.Next(&a)
			if !ok {
				break
			}
			p.Actions++
			if a.Kind == trace.Sleep {
				p.Pauses[rank] += a.Value
			}
			if a.Kind != trace.Compute {
				p.Elements += a.Elements()
				continue
			}
			for len(p.Seconds) <= int(region) {
				p.Seconds = append(p.Seconds, make([]float64, t.NP()))
				p.Counts = append(p.Counts, make([]int64, t.NP()))
			}
			p.Seconds[region][rank] += a.Value / 1e9
			p.Counts[region][rank]++
		}
	}
	for len(p.Seconds) < len(table.Names) { // places of calls only
		p.Seconds = append(p.Seconds, make([]float64, t.NP()))
		p.Counts = append(p.Counts, make([]int64, t.NP()))
	}
	p.Regions, p.Table = table.Names, table
	return p, nil
}

// Clone is a profile whose computation can be changed.
func (p *Profile) Clone() *Profile {
	own := *p
	own.Seconds = make([][]float64, len(p.Seconds))
	for r, row := range p.Seconds {
		own.Seconds[r] = slices.Clone(row)
	}
	return &own
}

// Ranks is the computation of each rank.
func (p *Profile) Ranks() []float64 {
	var out []float64
	for _, row := range p.Seconds {
		if out == nil {
			out = make([]float64, len(row))
		}
		for r, s := range row {
			out[r] += s
		}
	}
	return out
}

// Region finds a region by its name.
func (p *Profile) Region(name string) (int, bool) {
	for i, n := range p.Regions {
		if n == name {
			return i, true
		}
	}
	return -1, false
}

// Stretch makes each rank's computation so many times as long.
func (p *Profile) Stretch(by []float64) {
	for _, row := range p.Seconds {
		for rank := range row {
			row[rank] *= by[rank]
		}
	}
}
