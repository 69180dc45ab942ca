package analyze

import (
	"fmt"
	"slices"
	"strings"

	"auspex/model"
)

// noteMissing tells of regions that only one of the experiments has: of what was
// renamed or is called by others it is no slowdown, and nothing gained. The shares
// are of the experiments' runs, by path.
func (c *Comparison) noteMissing(a, b *Dataset, shares map[string]func(path string) Real) {
	if c.Metric != c.TimeMetric {
		return
	}
	var parts, moved []string
	for _, d := range []*Dataset{a, b} {
		other := a
		if d == a {
			other = b
		}
		var names []string
		for _, r := range c.Regions {
			if r.Only != d.Name || !(shares[d.Name](r.Region) >= worthTelling) {
				continue
			}
			names = append(names, r.Region)
			path := model.SplitPath(r.Region)
			if name := path[len(path)-1]; c.By == Paths && other.calls(name) && !slices.Contains(moved, name) {
				moved = append(moved, name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("only %s has %s", d.Name, few(names)))
		}
	}
	if len(parts) == 0 {
		return
	}
	note := strings.Join(parts, "; ") + ". What was renamed or is called by others is not compared with what it was"
	if len(moved) > 0 {
		note += fmt.Sprintf("; --by name compares %s, whoever calls %s", few(moved), map[bool]string{true: "it", false: "them"}[len(moved) == 1])
	}
	c.Warnings = append(c.Warnings, note)
}

// worthTelling is the share of the run from which a missing region is told of.
const worthTelling = 0.01

// calls tells whether a region has a name.
func (d *Dataset) calls(name string) bool {
	return slices.ContainsFunc(d.Regions, func(r model.Region) bool { return r.Name == name })
}

// few lists some names.
func few(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
