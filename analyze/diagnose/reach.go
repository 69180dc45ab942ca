package diagnose

import (
	"context"
	"math"

	"auspex/analyze"
	"auspex/cluster"
)

// Reachability is the plot OPTICS is known for: units in an order in which
// kinds are valleys. Idle units are not in it.
type Reachability struct {
	Units    []Name         `json:"units"`    // in OPTICS' order
	Distance []analyze.Real `json:"distance"` // at which each joins those before it; missing where a new start was made
	Kind     []int          `json:"kind"`     // its position in Kinds
	Radius   float64        `json:"radius"`   // where the plot is cut
}

// plotLimit is how many units a plot can show to anybody.
const plotLimit = 20_000

func (s *study) reachability(ctx context.Context, kinds [][]Name) (*Reachability, error) {
	if s.points.N > plotLimit {
		s.warn("%d units are too many for a reachability plot", s.points.N)
		return nil, nil
	}
	o, err := cluster.Optics(ctx, s.points, cluster.Options{MinPts: s.choice.MinPts, Eps: math.Inf(1)})
	if err != nil {
		return nil, err
	}
	kindOf := map[string]int{}
	for k, members := range kinds {
		for _, n := range members {
			kindOf[n.Text] = k
		}
	}
	r := &Reachability{Units: []Name{}, Distance: []analyze.Real{}, Kind: []int{}, Radius: s.link.Radius}
	for _, i := range o.Order {
		name := s.units.names[s.active[i]]
		r.Units = append(r.Units, name)
		r.Distance = append(r.Distance, analyze.Real(o.Reachability[i])) // infinite is null
		r.Kind = append(r.Kind, kindOf[name.Text])
	}
	return r, nil
}
