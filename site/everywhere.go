package site

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"auspex/store"
)

// Gathered are the experiments of a program, "" for all programs, that started
// since a time.
type Gathered struct {
	*Site
	Program string
	Since   time.Time
}

// those chooses the rows of the experiments in a table that has the columns.
const those = "({program:String} = '' OR program = {program:String}) AND started >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')"

// gathered are the experiments as name@id.
const gathered = "(SELECT push, concat(name, '@', substring(content, 1, 8)) AS address, units, seconds FROM experiments FINAL WHERE " + those + ")"

// fold is the sums of a metric: of how many, what they add up to, the largest.
type fold struct{ sum, most, n string }

func (g Gathered) columns(metrics []string, parameters map[string]string, of fold) (columns, wanted string) {
	parameters["program"], parameters["since"] = g.Program, milliseconds(g.Since)
	var texts, names []string
	for i, metric := range metrics {
		name := "metric" + strconv.Itoa(i)
		parameters[name] = metric
		is := "metric = {" + name + ":String}"
		texts = append(texts, fmt.Sprintf(of.sum+" AS s%d", is, i), fmt.Sprintf(of.most+" AS most%d", is, i), fmt.Sprintf(of.n+" AS n%d", is, i))
		names = append(names, "{"+name+":String}")
	}
	return strings.Join(texts, ", "), strings.Join(names, ", ")
}

func orAll(condition string) string {
	if condition == "" {
		return "1"
	}
	return condition
}

// Regions is a relation with the regions of all experiments for which a condition
// over path and name holds: experiment (as name@id), path, name, units, seconds,
// and for each metric s0, most0, n0, ….
func (g Gathered) Regions(metrics []string, condition string, parameters map[string]string) string {
	columns, wanted := g.columns(metrics, parameters, fold{"sumOrNullIf(t.total, t.%s)", "maxOrNullIf(t.most, t.%s)", "sumOrNullIf(t.entered, t.%s)"})
	return `(SELECT e.address AS experiment, e.units AS units, e.seconds AS seconds, t.path AS path, t.name AS name, ` + columns + `
		FROM (SELECT push, region, path, name, metric, total, most, entered FROM totals WHERE metric IN (` + wanted + `) AND ` + those + ` AND ` + orAll(condition) + `) AS t
		INNER JOIN ` + gathered + ` AS e ON e.push = t.push
		GROUP BY t.push, t.region, e.address, e.units, e.seconds, t.path, t.name)`
}

// Units is the same of units, whose sums are over the regions for which the
// condition holds.
func (g Gathered) Units(metrics []string, condition string, parameters map[string]string) string {
	columns, wanted := g.columns(metrics, parameters, fold{"sumOrNullIf(value, %s)", "maxOrNullIf(value, %s)", "countIf(%s)"})
	regions := ""
	if condition != "" {
		regions = " AND (push, region) IN (SELECT push, region FROM regions WHERE " + those + " AND " + condition + ")"
	}
	return `(SELECT e.address AS experiment, e.units AS units, e.seconds AS seconds, toString(u.node) AS node, u.process AS process, u.thread AS thread, v.*
		FROM (SELECT push, unit, ` + columns + ` FROM values WHERE metric IN (` + wanted + `) AND isFinite(value) AND ` + those + regions + ` GROUP BY push, unit) AS v
		INNER JOIN ` + gathered + ` AS e ON e.push = v.push
		INNER JOIN (SELECT push, unit, node, process, thread FROM units WHERE ` + those + `) AS u ON u.push = v.push AND u.unit = v.unit)`
}

// Newest is the experiment that was pushed last, of a program or of all.
func (s *Site) Newest(ctx context.Context, program string) (id string, err error) {
	out, err := s.do(ctx, "SELECT content FROM experiments WHERE {program:String} = '' OR program = {program:String} ORDER BY pushed DESC LIMIT 1 FORMAT RowBinary", map[string]string{"program": program}, nil, nil)
	if err != nil {
		return "", err
	}
	if len(out) == 0 {
		return "", fmt.Errorf("the site has no runs of %q: %w", program, store.ErrNotFound)
	}
	r := &reader{data: out}
	id = r.text()
	return id, r.err
}
