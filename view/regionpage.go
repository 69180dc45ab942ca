package view

import (
	"cmp"
	"slices"

	"auspex/analyze"
	"auspex/model"
)

// RegionPage is all that is known of one region: what was measured of it, how the
// units differ in it, who calls it and whom it calls.
type RegionPage struct {
	Name    string         `json:"name"` // of the experiment
	Region  string         `json:"region"`
	By      string         `json:"by"`
	Kind    model.Kind     `json:"kind"`
	File    string         `json:"file,omitempty"`
	Line    int            `json:"line,omitempty"`
	Units   int            `json:"units"`
	Entered int            `json:"entered"` // units that spent time in it
	Share   analyze.Real   `json:"share"`   // of the run, its own
	Whole   analyze.Real   `json:"inclusive_share"`
	Metrics []RegionMetric `json:"metrics"`
	Left    int            `json:"metrics_left"` // metrics that would take too long to read
	Own     *Heatmap       `json:"own"`          // one row: its own time over the units; null without time
	Callers []Related      `json:"callers"`
	Callees []Related      `json:"callees"`
	Paths   []Related      `json:"paths"` // on which it is reached, the heaviest first
	PathsOf int            `json:"paths_of"`
}

// RegionMetric is one metric of a region; over the units that entered it.
type RegionMetric struct {
	Metric    string       `json:"metric"`
	Unit      string       `json:"unit"`
	Own       MetricSpread `json:"own"`
	Inclusive MetricSpread `json:"inclusive"`
	Share     analyze.Real `json:"share"` // of the program, its own, where the metric adds up
}

// MetricSpread is how a value differs over units.
type MetricSpread struct {
	Least analyze.Real `json:"min"`
	Mean  analyze.Real `json:"mean"`
	Most  analyze.Real `json:"max"`
}

// Related is a region that calls or is called, with the time it is about.
type Related struct {
	Region string       `json:"region"`
	Name   string       `json:"name"`
	Mean   analyze.Real `json:"mean"` // inclusive seconds, over all units
	Share  analyze.Real `json:"share"`
}

// mostCells is how many values are read for the metrics of one region.
const mostCells = 40e6

// shownPaths is how many call paths, callers and callees are told.
const shownPaths = 30

// DescribeRegion makes the page of a region of d. The paths are the experiment's
// own; d may be that by name.
func DescribeRegion(d, paths *analyze.Dataset, region string) (*RegionPage, error) {
	at, err := slices.Index(d.Paths, region), error(nil)
	if at < 0 {
		if at, err = d.RegionNamed(region); err != nil {
			return nil, err
		}
	}
	region = d.Paths[at]
	r := d.Regions[at]
	p := &RegionPage{Name: d.Name, Region: region, By: d.ByWord(), Kind: r.Kind, File: r.File, Line: r.Line, Units: len(d.Units),
		Share: analyze.Missing, Whole: analyze.Missing, Metrics: []RegionMetric{}, Callers: []Related{}, Callees: []Related{}, Paths: []Related{}}
	if err := p.measure(d, at); err != nil {
		return nil, err
	}
	metric, whole, err := additive(d, "")
	if err != nil {
		return p, nil // nothing was timed
	}
	if p.Own, err = RegionHeatmap(d, metric.Name, model.Exclusive, []string{region}, 400); err != nil {
		return nil, err
	}
	return p, p.relate(paths, metric, whole, at, d)
}

// measure fills in the metrics.
func (p *RegionPage) measure(d *analyze.Dataset, at int) error {
	time, _ := d.TimeMetric()
	var seen []string
	for _, m := range d.Metrics {
		if slices.Contains(seen, m.Name) {
			continue
		}
		seen = append(seen, m.Name)
		if m.Name != time && len(d.Units)*len(d.Regions)*len(seen) > mostCells {
			p.Left++
			continue
		}
		one := RegionMetric{Metric: m.Name, Unit: m.Unit, Share: analyze.Missing}
		for scope, into := range map[model.Scope]*MetricSpread{model.Exclusive: &one.Own, model.Inclusive: &one.Inclusive} {
			values, err := d.Matrix(m.Name + analyze.ScopeEnding(m, scope))
			if err != nil {
				return err
			}
			s := spreads1(values, at)
			mean, least, most := s.values()
			*into = MetricSpread{analyze.Real(least), analyze.Real(mean), analyze.Real(most)}
			if !m.Additive() {
				continue
			}
			_, whole, err := additive(d, m.Name)
			if err != nil {
				return err
			}
			share := analyze.Ratio(s.sum/float64(len(d.Units)), whole)
			if scope == model.Exclusive {
				one.Share = share
			}
			if m.Name == time && scope == model.Exclusive {
				p.Share, p.Entered = share, s.n
			} else if m.Name == time {
				p.Whole = share
			}
		}
		p.Metrics = append(p.Metrics, one)
	}
	return nil
}

// relate fills in who calls the region and whom it calls.
func (p *RegionPage) relate(paths *analyze.Dataset, metric model.Metric, whole float64, at int, d *analyze.Dataset) error {
	inclusive, err := paths.Matrix(metric.Name + analyze.ScopeEnding(metric, model.Inclusive))
	if err != nil {
		return err
	}
	names := analyze.FlatNames(paths.Regions)
	is := func(r int) bool { return paths.Paths[r] == p.Region }
	if d.ByWord() == analyze.Names {
		is = func(r int) bool { return names[r] == d.Regions[at].Name }
	}
	related := func(of map[string]*Related, r int, mean float64) {
		key, name := paths.Paths[r], paths.Regions[r].Name
		if d.ByWord() == analyze.Names {
			key, name = names[r], names[r]
		}
		if of[key] == nil {
			of[key] = &Related{Region: key, Name: name}
		}
		of[key].Mean += analyze.Real(mean)
		of[key].Share = analyze.Ratio(float64(of[key].Mean), whole)
	}
	callers, callees := map[string]*Related{}, map[string]*Related{}
	for r, region := range paths.Regions {
		parent := region.Parent
		inside := parent != model.NoParent && is(parent)
		if !is(r) && !inside {
			continue
		}
		sum := 0.0
		for u := range inclusive.Units {
			if v := inclusive.Row(u)[r]; v == v {
				sum += v
			}
		}
		mean := sum / float64(max(1, inclusive.Units))
		if is(r) {
			p.Paths = append(p.Paths, Related{paths.Paths[r], region.Name, analyze.Real(mean), analyze.Ratio(mean, whole)})
			if parent != model.NoParent && !(inside && analyze.IsPart(region)) {
				related(callers, parent, mean)
			}
		}
		if inside && !(is(r) && analyze.IsPart(region)) {
			related(callees, r, mean)
		}
	}
	p.PathsOf = len(p.Paths)
	p.Callers, p.Callees, p.Paths = heaviest(callers), heaviest(callees), byWeight(p.Paths)
	return nil
}

func heaviest(of map[string]*Related) []Related {
	all := []Related{}
	for _, r := range of {
		all = append(all, *r)
	}
	return byWeight(all)
}

func byWeight(all []Related) []Related {
	slices.SortFunc(all, func(a, b Related) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Region, b.Region))
	})
	return all[:min(shownPaths, len(all))]
}
