package longtable

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"auspex/model"
)

// NearlyCSV says from a file's first bytes what keeps a table from being a long one
// in CSV; "" where it does not look like one at all.
func NearlyCSV(head []byte) string {
	head = bytes.TrimPrefix(head, byteOrderMark)
	for line := range bytes.Lines(head) {
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		for _, separator := range []string{",", ";", "\t"} {
			if why := nearly(strings.Split(text, separator), separator); why != "" {
				return why
			}
		}
		return ""
	}
	return ""
}

// NearlyJSONL says the same of a table in JSON.
func NearlyJSONL(head []byte) string {
	rows, list := bytes.CutPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, byteOrderMark)), []byte("["))
	if !list || !IsJSONL(rows) {
		return ""
	}
	return "the rows stand in one list; JSON lines are objects on lines of their own (of pandas, to_json(orient=\"records\", lines=True))"
}

// nearly tells of a header that names a unit or a region, and is none of a long
// table.
func nearly(names []string, separator string) string {
	if len(names) < 2 || slices.ContainsFunc(names, func(name string) bool { return len(name) > longestName }) {
		return ""
	}
	for i, name := range names {
		names[i] = strings.Trim(strings.TrimSpace(name), `"`)
	}
	l, err := newLayout(names)
	if l.at[colRegion] < 0 && (l.at[colMetric] < 0 || l.at[colValue] < 0) {
		return ""
	}
	if separator != "," {
		named := map[string]string{";": "semicolons", "\t": "tabs"}[separator]
		return fmt.Sprintf("the columns are separated by %s; a long table in CSV has commas between them, and points in its numbers", named)
	}
	if err == nil {
		return ""
	}
	if l.at[colMetric] < 0 && l.at[colValue] < 0 && len(l.ignored) > 0 {
		return fmt.Sprintf("the table is wide, with a column for each of %s; a long table has a line for each value, with the columns region, metric and value", short(strings.Join(l.ignored, ", ")))
	}
	return err.Error()
}

// likeTime are names that others give to what is wtime here.
var likeTime = []string{"time", "walltime", "wall_time", "wall time", "wallclock", "runtime", "seconds", "duration", "elapsed"}

// noteTimes tells of metrics that are times by their names but are not known as
// such, where there are no others.
func (a *assembler) noteTimes() {
	found := ""
	for _, m := range a.metrics {
		if m.metric.Scope != model.Own && m.metric.Unit == "s" {
			return
		}
		if found == "" && slices.Contains(likeTime, strings.ToLower(m.metric.Name)) {
			found = m.metric.Name
		}
	}
	if found != "" {
		a.header.Notes = append(a.header.Notes, fmt.Sprintf("metric %s is not known to be a time; the wall time is called %s, in seconds unless the column unit says otherwise", found, model.WallTime))
	}
}

// noteScopes tells where the inclusive value of a metric is below the exclusive
// one, which it holds.
func noteScopes(e *model.Experiment) {
	for x, exclusive := range e.Metrics {
		i := e.MetricIndex(exclusive.Name, model.Inclusive)
		if exclusive.Scope != model.Exclusive || i < 0 {
			continue
		}
		n, first := 0, -1
		for row, v := range e.Summaries.Values[x] {
			if v > e.Summaries.Values[i][row]*(1+rounded) {
				if n++; first < 0 {
					first = row
				}
			}
		}
		if n > 0 {
			where := fmt.Sprintf("%s of %s", model.Paths(e.Regions)[e.Summaries.Region[first]], e.Units[e.Summaries.Unit[first]])
			e.Notes = append(e.Notes, fmt.Sprintf("%s: the exclusive value is above the inclusive one in %d of %d rows, first in %s", exclusive.Name, n, e.Summaries.Rows(), where))
		}
	}
}

// rounded is what numbers in a table may be off by.
const rounded = 1e-3
