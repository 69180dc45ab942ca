package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
)

// RegionTable is every region that has a part in a metric, the heaviest first.
type RegionTable struct {
	Name     string       `json:"name"`
	By       string       `json:"by"` // whether regions are call paths or names
	Note     string       `json:"note,omitempty"`
	Metric   string       `json:"metric"`
	Unit     string       `json:"unit"`
	Timed    bool         `json:"timed"` // the experiment has times; else all are of what was counted
	Units    int          `json:"units"`
	Regions  int          `json:"regions"` // of the experiment
	Total    int          `json:"total"`   // that fit what was asked for
	Covered  analyze.Real `json:"covered"` // share of the run that the rows take
	Rows     []RegionRow  `json:"rows"`
	Warnings []string     `json:"warnings"`
}

// RegionRow is one region; means are over all units.
type RegionRow struct {
	analyze.RegionTime
	Inclusive      analyze.Real `json:"inclusive"`
	InclusiveShare analyze.Real `json:"inclusive_share"`
}

// RegionTableOptions choose rows.
type RegionTableOptions struct {
	Metric string // empty: time
	Find   string // words that must all be in the path, in any case
	Top    int    // at most so many rows
}

// ListRegions makes the table of a metric that adds up over regions.
func ListRegions(d *analyze.Dataset, o RegionTableOptions) (*RegionTable, error) {
	metric, whole, err := additive(d, o.Metric)
	if err != nil {
		return nil, err
	}
	own, err := d.RegionSpread(metric.Name + analyze.ScopeEnding(metric, model.Exclusive))
	if err != nil {
		return nil, err
	}
	with, err := d.RegionSpread(metric.Name + analyze.ScopeEnding(metric, model.Inclusive))
	if err != nil {
		return nil, err
	}
	t := &RegionTable{Name: d.Name, By: d.ByWord(), Metric: metric.Name, Unit: metric.Unit, Timed: timed(d), Units: len(d.Units), Regions: len(d.Regions), Rows: []RegionRow{}, Warnings: []string{}}
	units := float64(len(d.Units))
	for r, region := range d.Regions {
		if own.Sums[r] <= 0 && with.Sums[r] <= 0 || !holdsWords(d.Paths[r], o.Find) {
			continue
		}
		mean := own.Sums[r] / units
		t.Rows = append(t.Rows, RegionRow{
			RegionTime: analyze.RegionTime{
				Region: d.Paths[r], Kind: region.Kind, File: region.File, Line: region.Line, Units: int(own.Units[r]),
				Mean: analyze.Real(mean), Max: analyze.Real(max(0, own.Most[r])), Imbalance: analyze.Ratio(own.Most[r], mean), Share: analyze.Ratio(mean, whole),
			},
			Inclusive: analyze.Real(with.Sums[r] / units), InclusiveShare: analyze.Ratio(with.Sums[r]/units, whole),
		})
	}
	slices.SortStableFunc(t.Rows, func(a, b RegionRow) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(b.Inclusive, a.Inclusive))
	})
	t.Total = len(t.Rows)
	if o.Top > 0 {
		t.Rows = t.Rows[:min(o.Top, len(t.Rows))]
	}
	for _, row := range t.Rows {
		t.Covered += row.Share
	}
	return t, nil
}

// additive resolves a metric of which regions have parts, and what the slowest
// or largest unit has of it.
func additive(d *analyze.Dataset, name string) (model.Metric, float64, error) {
	if name == "" {
		var err error
		if name, err = d.MainMetric(); err != nil {
			return model.Metric{}, 0, err
		}
	}
	metric, err := d.Resolve(name)
	if err != nil {
		return metric, 0, err
	}
	totals, err := d.UnitTotals(metric)
	if err != nil {
		return metric, 0, err
	}
	_, whole := analyze.Extremes(totals)
	return metric, whole, nil
}

func timed(d *analyze.Dataset) bool {
	_, err := d.TimeMetric()
	return err == nil
}

// spreads1 sums up one region over the units.
func spreads1(m model.Matrix, region int) cell {
	c := cell{least: math.Inf(1), most: math.Inf(-1)}
	for u := range m.Units {
		if v := m.Row(u)[region]; v != 0 {
			c.add(v)
		}
	}
	return c
}

// holdsWords tells whether a text has every word, in any case.
func holdsWords(text, words string) bool {
	if words == "" {
		return true
	}
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
