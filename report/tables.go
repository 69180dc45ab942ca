package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/model"
)

// Listing writes the experiments of a store.
func (p *Page) Listing(headers []model.Header) {
	var rows [][]string
	telling := tellingFactors(headers)
	for _, h := range headers {
		factors := map[string]any{}
		for _, f := range h.Factors {
			if len(headers) == 1 || telling[f.Name] {
				factors[f.Name] = f.Value()
			}
		}
		note := ""
		if h.Incomplete != "" {
			note = "incomplete"
		}
		rows = append(rows, []string{
			h.Name, grouped(h.UnitCount), grouped(h.RegionCount), fmt.Sprint(len(h.Metrics)), day(h.Created), h.Format, factorsText(factors), note,
		})
	}
	p.table([]column{words("name"), number("units"), number("regions"), number("metrics"), words("created"), words("format"), region("factors"), words("")}, rows)
}

// tellingFactors are those that tell the experiments of a listing apart: they
// differ, most of the experiments have them, and a few words say them. At most
// four are taken, those that most have.
func tellingFactors(headers []model.Header) map[string]bool {
	const most, long = 4, 24
	values := map[string]map[string]int{}
	count := map[string]int{}
	for _, h := range headers {
		for _, f := range h.Factors {
			text := factorText(f.Value())
			if len(text) > long {
				continue
			}
			if values[f.Name] == nil {
				values[f.Name] = map[string]int{}
			}
			values[f.Name][text]++
			count[f.Name]++
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool {
		return len(values[name]) < 2 || 2*count[name] < len(headers)
	})
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	telling := map[string]bool{}
	for _, name := range names[:min(most, len(names))] {
		telling[name] = true
	}
	return telling
}

// Tree writes the region tree with inclusive and exclusive times.
func (p *Page) Tree(nodes []analyze.TreeNode, metric string) {
	var rows [][]string
	var values []analyze.Real
	unit := ""
	for _, n := range nodes {
		values, unit = append(values, n.Inclusive), n.Unit
	}
	write := quantities(unit, values)
	for _, n := range nodes {
		place := n.File
		if n.Line > 0 {
			place = fmt.Sprintf("%s:%d", n.File, n.Line)
		}
		rows = append(rows, []string{
			strings.Repeat("  ", n.Depth) + n.Name, kindText(n.Kind), write(n.Inclusive), write(n.Exclusive), Percent(n.Share), place,
		})
	}
	p.table([]column{region("region"), words("kind"), number(metric + " inc."), number("exc."), number("share"), region("at")}, rows)
}

// Units writes the processing units with their times. There may be millions.
func (p *Page) Units(units []analyze.UnitTime) {
	var most analyze.Real
	for _, u := range units {
		most = max(most, u.Total)
	}
	write := quantities("s", []analyze.Real{most})
	columns := []column{words("unit"), words("node"), number("total"), number("useful"), number("communication"), words("useful share")}
	row := make([]string, len(columns))
	p.stream(columns, func(yield func([]string) bool) {
		for _, u := range units {
			row[0], row[1], row[2], row[3], row[4] = u.Unit, u.Node, write(u.Total), write(u.Useful), write(u.Communication)
			row[5] = bar(float64(u.UsefulShare), 20)
			if !yield(row) {
				return
			}
		}
	})
}

// Metrics writes what was measured.
func (p *Page) Metrics(metrics []analyze.MetricInfo) {
	var rows [][]string
	for _, m := range metrics {
		rows = append(rows, []string{
			m.Column, m.Alias, m.Unit, m.ScopeWords, m.MissingWords, Quantity(m.Least, m.Unit), Quantity(m.Mean, m.Unit), Quantity(m.Most, m.Unit),
		})
	}
	p.table([]column{words("metric"), words("called"), words("unit"), words("scope"), words("never entered"), number("min"), number("mean"), number("max")}, rows)
	p.Paragraph("min, mean and max are over the regions and units that were entered.")
}

// Finding is one line of what `auspex doctor` found on the machine. Detail is
// a version, or what the absence costs; Remedy is the command that mends it.
type Finding struct {
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"`
	Where  string `json:"where,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// Findings writes what was found on the machine.
func (p *Page) Findings(findings []Finding) {
	for _, f := range findings {
		mark := "✗"
		if f.Found {
			mark = "✓"
		}
		p.Line("%s %-18s %s", mark, f.Name, f.Detail)
		if f.Remedy != "" {
			p.Line("  %-18s → %s", "", f.Remedy)
		}
	}
}
