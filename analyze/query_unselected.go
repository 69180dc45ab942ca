package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/perfql"
)

// unselected says why WHERE selects nothing of an experiment; "" where it selects
// something.
func (s *querySource) unselected(where perfql.Filter) string {
	if where == nil {
		return ""
	}
	regions, units := s.filtered()
	if perfql.Chooses(where, regions, units) {
		return ""
	}
	vain := perfql.Vain(where, regions, units)
	if len(vain) == 0 {
		return "its parts select nothing together"
	}
	test := vain[0]
	what, has := "region", map[string]bool{}
	for _, r := range regions {
		if test.Field == "kind" && r.Kind != "" {
			has[r.Kind] = true
		}
	}
	if _, ofUnits := test.Touches(); ofUnits {
		what = "unit"
	}
	for _, u := range units {
		if test.Field == "node" && u.Node != "" {
			has[u.Node] = true
		}
	}
	why := fmt.Sprintf("no %s has %s", what, test)
	names := slices.Sorted(maps.Keys(has))
	if (test.Field == "node" || test.Field == "kind") && len(names) == 0 {
		why += fmt.Sprintf(", as no %s is known", test.Field)
	}
	const most = 6
	if len(names) > most {
		names = append(names[:most], "…")
	}
	if len(names) > 0 {
		why += fmt.Sprintf("; there are %s", strings.Join(names, ", "))
	}
	return why
}
