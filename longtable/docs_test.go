package longtable

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"auspex/model"
)

// TestDocumentedTables reads every table shown in docs/formats.md.
func TestDocumentedTables(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, format := range []Format{CSV, JSONL} {
		rest := string(text)
		for {
			_, after, found := strings.Cut(rest, "\n```"+string(format)+"\n")
			if !found {
				break
			}
			var table string
			table, rest, _ = strings.Cut(after, "```")
			tables++
			recognised := IsCSV([]byte(table))
			if format == JSONL {
				recognised = IsJSONL([]byte(table))
			}
			e, err := read(format, []byte(table))
			if err != nil || !recognised {
				t.Errorf("%v, recognised %v:\n%s", err, recognised, table)
				continue
			}
			if strings.Contains(table, "factor size") {
				if f, _ := e.Factor("size"); f.Number != 512 || e.Name != "jacobi 512" {
					t.Errorf("size %+v, name %q", f, e.Name)
				}
				if ipc := e.Metrics[e.MetricIndex("ipc", model.Own)]; ipc.Missing != model.Absent || ipc.Unit != "ratio" {
					t.Errorf("ipc %+v", ipc)
				}
			}
			if m := e.MetricIndex(model.WallTime, model.Exclusive); m >= 0 && strings.Contains(table, "ms") && e.Summaries.Values[m][0] != 12.25 {
				t.Errorf("%v s, want 12.25", e.Summaries.Values[m][0])
			}
		}
	}
	if tables != 4 {
		t.Errorf("%d tables in docs/formats.md", tables)
	}
	for c, names := range columnNames {
		for _, name := range names {
			if !bytes.Contains(text, []byte("`"+name+"`")) {
				t.Errorf("the name %q of column %s is not documented", name, column(c))
			}
		}
	}
}
