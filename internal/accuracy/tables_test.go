package accuracy

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tables of docs/accuracy/tables.md stand between these lines.
const (
	pageBegin = "<!-- tables: made by internal/accuracy -->\n"
	pageEnd   = "<!-- end of tables -->\n"
)

// TestPage puts what was measured into docs/accuracy/tables.md.
func TestPage(t *testing.T) {
	b := newBench(t, "page")
	path := filepath.Join(b.root, "docs", "accuracy", "tables.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), pageBegin)
	_, after, ok2 := strings.Cut(rest, pageEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the tables: the lines %q and %q", path, pageBegin, pageEnd)
	}
	text := before + pageBegin + b.labTable() + b.sequentialTable() + b.costTable() + b.sitesTable() + pageEnd + after
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) labTable() string {
	text := ""
	for _, part := range []struct {
		title     string
		processes int
	}{{"Two hosts in the lab, a core each", 2}, {"Four hosts in the lab, half a core each", 4}} {
		all := compare(b, part.processes)
		if len(all) == 0 {
			continue
		}
		var s strings.Builder
		fmt.Fprintf(&s, "\n### %s\n| program | network | level | predicted s, median | from to | took s, median | from to | error |\n|---|---|---|---|---|---|---|---|\n", part.title)
		sum, worst := 0.0, 0.0
		for _, c := range all {
			fmt.Fprintf(&s, "| %s | %s | -O%s | %.2f | %.2f %.2f | %.2f | %.2f %.2f | %+.1f %% |\n", c.program, c.network, c.level, c.predicted,
				slices.Min(c.predictions), slices.Max(c.predictions), c.took, slices.Min(c.runs), slices.Max(c.runs), 100*c.off())
			sum += math.Abs(c.off())
			worst = max(worst, math.Abs(c.off()))
		}
		fmt.Fprintf(&s, "\nMean error %.1f %%, worst %.1f %%.\n", 100*sum/float64(len(all)), 100*worst)
		text += s.String()
	}
	return text
}

func (b *bench) sequentialTable() string {
	done := b.table("sequential.csv", 3, "level,method,run,predicted,took")
	if len(done.rows) == 0 {
		return ""
	}
	var s strings.Builder
	s.WriteString("\n### One process: laplace, medians of so many and the least\n| level | method | runs | predicted s | took s | error | least predicted s | least took s | error |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, level := range b.levels {
		for _, method := range methods {
			if done.has(level, method, "1") {
				predicted, took := alone(b, done, level, method)
				fmt.Fprintf(&s, "| -O%s | %s | %d |", level, method, len(took))
				for _, of := range []func([]float64) float64{median, slices.Min[[]float64]} {
					fmt.Fprintf(&s, " %.3f | %.3f | %+.1f %% |", of(predicted), of(took), 100*(of(predicted)/of(took)-1))
				}
				s.WriteString("\n")
			}
		}
	}
	return s.String()
}

func (b *bench) costTable() string {
	var s strings.Builder
	simple := b.table("cost-simple.csv", 2, "program,run,prediction,second_platform,command")
	if len(simple.rows) > 0 {
		s.WriteString("\n### What a simple prediction costs: 2 processes, -O2, medians\n| program | a run on this machine s | prediction s | by one run | a second platform s | of the first |\n|---|---|---|---|---|---|\n")
		for _, p := range programs {
			if simple.has(p.name, "1") {
				prediction, second, command := simpleCost(b, simple, p.name)
				fmt.Fprintf(&s, "| %s %s | %.2f | %.2f | %.3f | %.4f | %.3f %% |\n", p.name, strings.TrimPrefix(p.run[networks[0].name].at("2"), "./prog "), command, prediction, prediction/command, second, 100*second/prediction)
			}
		}
	}
	long := b.table("cost-threshold.csv", 2, "program,arguments,predicted,took,slowdown,gain,turns,of")
	if len(long.rows) > 0 {
		s.WriteString("\n### What the threshold rule saves: 2 processes, -O2, 1 Gbit/s in the lab, one run each\n| program | turns that ran | predicted s | took s | error | slowdown (5) | gain |\n|---|---|---|---|---|---|---|\n")
		for _, r := range long.rows {
			predicted, took := number(b, r[2]), number(b, r[3])
			fmt.Fprintf(&s, "| %s %s | %s of %s | %.2f | %.2f | %+.1f %% | %s | %s |\n", r[0], strings.TrimPrefix(r[1], "./prog "), r[6], r[7], predicted, took, 100*(predicted/took-1), r[4], r[5])
		}
	}
	return s.String()
}

func (b *bench) sitesTable() string {
	rows := b.table("sites.csv", 3, "site,level,processes,predicted,low,high").rows
	if len(rows) == 0 {
		return ""
	}
	var s strings.Builder
	s.WriteString("\n### The paper's sites: integer sort, class A, ten rankings, averages of ten traces\n| site | level | processes | predicted s | interval |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&s, "| %s | -O%s | %s | %.3f | %.3f to %.3f |\n", strings.TrimSuffix(filepath.Base(r[0]), ".xml"), r[1], r[2], number(b, r[3]), number(b, r[4]), number(b, r[5]))
	}
	return s.String()
}
