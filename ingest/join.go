package ingest

import (
	"fmt"
	"slices"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// Join makes one experiment of several that are parts of one run: a file per
// rank, per thread or per node. Files that each hold a single unit and do not
// say which are numbered in the order given; files that each hold the same
// several units are different runs, and joining them is refused.
func Join(parts []*model.Experiment) (*model.Experiment, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	renumber, err := unitsClash(parts)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder()
	header := commonHeader(parts)
	for i, part := range parts {
		units := make([]int, len(part.Units))
		for u, unit := range part.Units {
			if renumber {
				unit.Process = i
			}
			units[u] = b.Unit(unit)
		}
		place(b, part, units)
	}
	joined, err := b.Build(header)
	if err != nil {
		return nil, err
	}
	input.SetSizeFactors(joined)
	return joined, nil
}

// place copies a part's regions, metrics and values into the builder.
func place(b *model.Builder, part *model.Experiment, units []int) {
	regions := copyRegions(b, part.Regions)
	for m, metric := range part.Metrics {
		column := b.Metric(metric)
		for row, v := range part.Summaries.Values[m] {
			unit, region := units[part.Summaries.Unit[row]], regions[part.Summaries.Region[row]]
			if v == v {
				b.Set(unit, region, column, v)
			} else {
				b.Enter(unit, region)
			}
		}
	}
}

// copyRegions adds a tree to the builder's and tells where each region went.
func copyRegions(b *model.Builder, regions []model.Region) []int {
	index := make([]int, len(regions))
	for r, region := range regions {
		if region.Parent != model.NoParent {
			region.Parent = index[region.Parent]
		}
		index[r] = b.Region(region)
	}
	return index
}

// unitsClash tells whether the parts claim the same units and must be
// numbered anew.
func unitsClash(parts []*model.Experiment) (renumber bool, err error) {
	owner := map[model.Unit]int{}
	for i, part := range parts {
		for _, unit := range part.Units {
			unit.Node = ""
			first, taken := owner[unit]
			if !taken {
				owner[unit] = i
				continue
			}
			if len(parts[first].Units) > 1 && input.Processes(parts[first]) > 1 || input.Processes(part) > 1 {
				return false, fmt.Errorf(
					"%s and %s both hold process %s, so they are different runs: import them with --each, or with --repeats if they repeat one configuration",
					origin(parts, first), origin(parts, i), unit)
			}
			renumber = true
		}
	}
	return renumber, nil
}

// origin names a part for people: a measured run comes from no file.
func origin(parts []*model.Experiment, i int) string {
	if len(parts[i].Sources) > 0 {
		return parts[i].Sources[0]
	}
	return fmt.Sprintf("run %d", i+1)
}

// commonHeader keeps what all parts agree on.
func commonHeader(parts []*model.Experiment) model.Header {
	first := parts[0]
	header := model.Header{
		Name: first.Name, Program: first.Program, Command: first.Command, Created: first.Created, Format: first.Format,
	}
	header.BlockedApart = !slices.ContainsFunc(parts, func(part *model.Experiment) bool { return !part.BlockedApart })
	var incomplete []string
	for i, part := range parts {
		header.Sources = append(header.Sources, part.Sources...)
		if part.Incomplete != "" {
			incomplete = append(incomplete, origin(parts, i)+": "+part.Incomplete)
		}
		for _, note := range part.Notes {
			if !slices.Contains(header.Notes, note) {
				header.Notes = append(header.Notes, note)
			}
		}
		if part.Created.Before(header.Created) {
			header.Created = part.Created
		}
	}
	header.Incomplete = strings.Join(incomplete, "; ")
	for _, factor := range first.Factors {
		shared := true
		for _, part := range parts[1:] {
			other, ok := part.Factor(factor.Name)
			shared = shared && ok && other == factor
		}
		if shared {
			header.SetFactor(factor)
		}
	}
	return header
}
