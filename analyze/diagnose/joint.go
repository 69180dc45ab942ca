package diagnose

import (
	"context"

	"auspex/rough"
)

// Joint is one decision table over all causes: what of all that was found tells
// the kinds of units apart.
type Joint struct {
	Attributes []JointAttribute   `json:"attributes"`
	Core       []JointAttribute   `json:"core"`
	Reducts    [][]JointAttribute `json:"reducts"`
	Complete   bool               `json:"complete"` // Reducts are all there are
	Exact      bool               `json:"exact"`    // no smaller set explains as much
	// Rows are there where the tables were asked for.
	Rows []DecisionRow `json:"rows,omitempty"`
}

// JointAttribute is a cause in one region.
type JointAttribute struct {
	Region    string `json:"region"`
	Attribute string `json:"attribute"`
}

// joint puts the causes of several regions into one table; nil where fewer than
// two regions have any.
func (s *study) joint(ctx context.Context, causes []Cause, kept [][]attribute, o Options) (*Joint, error) {
	j := &Joint{Attributes: []JointAttribute{}, Core: []JointAttribute{}, Reducts: [][]JointAttribute{}}
	var all []attribute
	explained := 0
	for c, of := range kept {
		if len(of) > 0 {
			explained++
		}
		for _, a := range of {
			if len(all) < rough.MaxAttributes {
				j.Attributes = append(j.Attributes, JointAttribute{causes[c].Region, a.name})
				all = append(all, a)
			}
		}
	}
	if explained < 2 {
		return nil, nil
	}
	decision := s.link.Labels
	if !s.hasKinds() || len(s.kinds) < 2 {
		work := make([]float64, len(s.active))
		for c := range s.top.columns {
			for i, v := range coordinate(s.points, c) {
				work[i] += v
			}
		}
		decision = tertiles(work)
	}
	table := decisionTable(all, decision)
	result, err := rough.Reduce(ctx, table)
	if err != nil {
		return nil, err
	}
	j.Complete, j.Exact = result.Complete, result.Exact
	j.Core = pick(j.Attributes, result.Core)
	for _, r := range result.Reducts {
		j.Reducts = append(j.Reducts, pick(j.Attributes, r))
	}
	if o.Table || o.Matrix {
		classes, err := rough.Collapse(table)
		if err != nil {
			return nil, err
		}
		for _, class := range classes {
			j.Rows = append(j.Rows, DecisionRow{s.units.pick(pick(s.active, class.IDs)), class.Values, class.Decision})
		}
	}
	return j, nil
}
