package site

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"auspex/store"
)

// Sums is a relation with the regions of all experiments of a program, "" for
// all programs, that started since a time: experiment (as name@id), path, name, units,
// seconds, and for each metric s0, most0, n0, ….
func (s *Site) Sums(metrics []string, program string, since time.Time, parameters map[string]string) string {
	parameters["program"], parameters["since"] = program, milliseconds(since)
	var columns, wanted []string
	for i, metric := range metrics {
		name := "metric" + strconv.Itoa(i)
		parameters[name] = metric
		of := "t.metric = {" + name + ":String}"
		for column, value := range map[string]string{"s": "sum(t.total)", "most": "max(t.most)", "n": "sum(t.entered)"} {
			fold, argument, _ := strings.Cut(strings.TrimSuffix(value, ")"), "(")
			columns = append(columns, fmt.Sprintf("%sOrNullIf(%s, %s) AS %s%d", fold, argument, of, column, i))
		}
		wanted = append(wanted, "{"+name+":String}")
	}
	return `(SELECT e.address AS experiment, e.units AS units, e.seconds AS seconds, t.path AS path, t.name AS name, ` + strings.Join(columns, ", ") + `
		FROM (SELECT push, region, path, name, metric, total, most, entered FROM totals WHERE metric IN (` + strings.Join(wanted, ", ") + `)
			AND ({program:String} = '' OR program = {program:String}) AND started >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')) AS t
		INNER JOIN (SELECT push, concat(name, '@', substring(content, 1, 8)) AS address, units, seconds FROM experiments FINAL WHERE ({program:String} = '' OR program = {program:String})) AS e ON e.push = t.push
		GROUP BY t.push, t.region, e.address, e.units, e.seconds, t.path, t.name)`
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
