package analyze

import (
	"maps"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/perfql/complete"
)

// Completing is what a query over the dataset can be completed with.
func (d *Dataset) Completing(words Words) complete.Experiment {
	e := complete.Experiment{
		Known:     d.known,
		Canonical: d.canonical,
		Values:    d.fieldValues,
		Able: func(n expr.Node) bool {
			_, err := d.Expand(words, n)
			return err == nil
		},
	}
	for _, m := range d.Metrics {
		e.Metrics = append(e.Metrics, complete.Metric{Name: m.Name, About: strings.TrimSpace(m.Alias + " " + m.Unit)})
	}
	_, e.BuiltIn, _ = Quantities(d, words)
	return e
}

// fieldValues lists the values of a field of WHERE: of regions the names, then
// the paths.
func (d *Dataset) fieldValues(field string) []string {
	var values []string
	distinct := map[string]bool{}
	switch field {
	case "region":
		for _, r := range d.Regions {
			values = append(values, r.Name)
		}
		return append(values, d.Paths...)
	case "kind":
		for _, r := range d.Regions {
			distinct[string(r.Kind)] = true
		}
	case "node":
		for _, u := range d.Units {
			if u.Node != "" {
				distinct[u.Node] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(distinct))
}
