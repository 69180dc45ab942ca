package render

import (
	"fmt"
	"slices"
	"strings"

	"auspex/perfql"
)

// order orders rows: with names, by what the user sees; without, before
// regions and units have been looked up.
func order(q *perfql.Query, names bool) string {
	var keys []string
	direction := func(desc bool) string {
		if desc {
			return " DESC NULLS LAST"
		}
		return " ASC NULLS LAST"
	}
	for i, k := range q.Order {
		switch k.By {
		case "degree":
			keys = append(keys, "degree"+direction(k.Desc))
		case "region":
			keys = append(keys, "region"+direction(k.Desc))
		case "unit":
			keys = append(keys, "process"+direction(k.Desc), "thread"+direction(k.Desc))
		default:
			keys = append(keys, fmt.Sprintf("o%d%s", i, direction(k.Desc)))
		}
	}
	if len(keys) == 0 {
		keys = append(keys, "degree DESC NULLS LAST")
	}
	if names {
		keys = append(keys, "region", "process", "thread", "region_id", "unit_id")
	} else {
		keys = append(keys, "region", "unit")
	}
	return strings.Join(keys, ", ")
}

func limit(q *perfql.Query) string {
	if q.Limit == 0 {
		return ""
	}
	return fmt.Sprintf(" LIMIT %d", q.Limit)
}

// earlyLimit reports whether the best rows can be chosen before the names of
// their regions and units are known.
func earlyLimit(q *perfql.Query) bool {
	return q.Limit > 0 && !slices.ContainsFunc(q.Order, func(k perfql.Key) bool { return k.By == "region" || k.By == "unit" })
}

// bestFirst reports whether the rows are ordered by their degree before all.
func bestFirst(q *perfql.Query) bool {
	return len(q.Order) == 0 || q.Order[0].By == "degree" && q.Order[0].Desc
}
