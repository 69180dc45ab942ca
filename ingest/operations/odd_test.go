package operations

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"auspex/longtable"
	"auspex/training"
)

// realRows are the rows of a job of arXiv 2505.05713.
func realRows(t *testing.T) []row {
	t.Helper()
	path := "../../../shared/data/llm-stragglers/trace-ST.parquet"
	f, err := os.Open(path)
	if err != nil {
		t.Skip("the test needs the real tables that lie beside the project in ../shared/data")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var list []row
	err = longtable.ReadColumns(t.Context(), path, f, info.Size(), columns, func(b *longtable.Batch) error {
		n := b.Numbers
		for i := range b.Rows {
			chunk := int64(0)
			if v := n[chunkColumn][i]; v == v {
				chunk = int64(v)
			}
			list = append(list, row{
				DPRank: int32(n[dpRank][i]), Stage: int32(n[stage][i]), Rank: int64(n[rank][i]), Step: int64(n[step][i]),
				OpType: b.Text(optype, b.IDs[optype][i]), Start: n[startTS][i], Duration: n[duration][i], Seq: int64(n[seqID][i]),
				Chunk: &chunk, Whole: n[wholeChunk][i],
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const chunkColumn = chunk

// csvOf writes rows as CSV with some columns, in that order.
func csvOf(rows []row, names []string, value func(r row, column string) string) []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(names, ",") + "\n")
	for _, r := range rows {
		for i, name := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(value(r, name))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func paperValue(r row, column string) string {
	switch column {
	case "dp_rank":
		return fmt.Sprint(r.DPRank)
	case "stage", "pp_rank":
		return fmt.Sprint(r.Stage)
	case "rank", "global_rank":
		return fmt.Sprint(r.Rank)
	case "step", "iteration":
		return fmt.Sprint(r.Step)
	case "optype":
		return r.OpType
	case "Kind":
		return strings.ReplaceAll(strings.NewReplacer("forward", "Fwd", "backward", "Bwd").Replace(r.OpType), "-", "_")
	case "start_ts", "Start":
		return fmt.Sprintf("%.9f", r.Start)
	case "duration":
		return fmt.Sprintf("%.9f", r.Duration)
	case "ts", "start_us":
		return fmt.Sprintf("%.3f", r.Start*1e6)
	case "dur", "dur_us":
		return fmt.Sprintf("%.3f", r.Duration*1e6)
	case "start_ns":
		return fmt.Sprintf("%.0f", r.Start*1e9)
	case "dur_ms":
		return fmt.Sprintf("%.6f", r.Duration*1e3)
	case "end_ts":
		return fmt.Sprintf("%.9f", r.Start+r.Duration)
	case "seq_id":
		return fmt.Sprint(r.Seq)
	case "mc":
		return fmt.Sprint(*r.Chunk)
	case "gmc":
		return fmt.Sprint(r.Whole)
	}
	return "x"
}

// TestOddTables: whatever a site calls its columns, in whatever order and unit
// it writes them, the answer stays that of the paper's table.
func TestOddTables(t *testing.T) {
	rows := realRows(t)
	want := answer(t, "trace-st.parquet", write(t, rows))
	shuffled := slices.Clone(rows)
	rand.New(rand.NewSource(1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	twice := append(slices.Clone(rows), rows[:len(rows)/3]...)
	apart := slices.Clone(rows) // data-parallel ranks 4 and 9, stages 2, 4, 6, 8
	for i := range apart {
		apart[i].DPRank, apart[i].Stage = 4+5*apart[i].DPRank, 2+2*apart[i].Stage
	}
	paper := []string{"dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc", "gmc"}
	for name, table := range map[string]struct {
		file string
		data []byte
	}{
		"csv":                 {"t.csv", csvOf(rows, paper, paperValue)},
		"csv.gz":              {"t.csv.gz", zipped(t, csvOf(rows, paper, paperValue))},
		"parquet.gz":          {"t.parquet.gz", zipped(t, write(t, rows))},
		"no order":            {"t.parquet", write(t, shuffled)},
		"rows twice":          {"t.parquet", write(t, twice)},
		"gaps":                {"t.parquet", write(t, apart)},
		"other names":         {"t.csv", csvOf(shuffled, []string{"dur", "note", "Kind", "ts", "iteration", "pp_rank", "dp_rank", "seq_id"}, paperValue)},
		"microseconds, named": {"t.csv", csvOf(rows, []string{"rank", "stage", "dp_rank", "step", "optype", "start_us", "dur_us", "seq_id"}, paperValue)},
		"two units":           {"t.csv", csvOf(rows, []string{"dp_rank", "stage", "step", "optype", "start_ns", "dur_ms", "seq_id"}, paperValue)},
		"ends":                {"t.csv", csvOf(rows, []string{"dp_rank", "stage", "step", "optype", "start_ts", "end_ts", "seq_id"}, paperValue)},
		"no sequence":         {"t.csv", csvOf(shuffled, []string{"dp_rank", "stage", "step", "optype", "start_ts", "duration", "mc", "gmc"}, paperValue)},
		"no stage":            {"t.csv", csvOf(shuffled, []string{"dp_rank", "rank", "step", "optype", "start_ts", "duration", "seq_id"}, paperValue)},
		"no dp_rank":          {"t.csv", csvOf(shuffled, []string{"stage", "rank", "step", "optype", "start_ts", "duration", "seq_id"}, paperValue)},
	} {
		t.Run(name, func(t *testing.T) {
			got := answer(t, table.file, table.data)
			same(t, "S", *got.Slowdown, *want.Slowdown)
			same(t, "seconds", got.Seconds, want.Seconds)
			for i := range want.Ranks {
				same(t, "a rank", *got.Ranks[i].Slowdown, *want.Ranks[i].Slowdown)
			}
			for i := range want.Stages {
				same(t, "a stage", got.Stages[i].Slowdown, want.Stages[i].Slowdown)
			}
			if len(got.Kinds) != len(want.Kinds) {
				t.Fatalf("kinds %v, not %v", got.Kinds, want.Kinds)
			}
			for _, k := range want.Kinds {
				i := slices.IndexFunc(got.Kinds, func(g training.KindSlowdown) bool { return g.Kind == k.Kind })
				if i < 0 {
					t.Fatalf("no kind %s in %v", k.Kind, got.Kinds)
				}
				same(t, k.Kind, got.Kinds[i].Slowdown, k.Slowdown)
			}
			if name == "gaps" && (got.Ranks[1].Rank != 9 || got.Stages[3].Stage != 8) {
				t.Errorf("ranks %v and stages %v", got.Ranks, got.Stages)
			}
		})
	}
}

// TestStepsThatDiffer: steps in which a worker is missing, or which have an
// operation more, are left out, and a note says so.
func TestStepsThatDiffer(t *testing.T) {
	rows := realRows(t)
	want := answer(t, "t.parquet", write(t, rows))
	last := rows[0].Step
	for _, r := range rows {
		last = max(last, r.Step)
	}
	var missing []row
	for _, r := range rows {
		missing = append(missing, r)
		copied := r
		copied.Step = last + 1 // a step without data-parallel rank 1
		if r.Step == last && r.DPRank == 0 {
			missing = append(missing, copied)
		}
		copied.Step = last + 2 // and one with an operation more
		if r.Step == last {
			missing = append(missing, copied)
			if copied.OpType == "optimizer" && r.DPRank == 0 && r.Stage == 0 {
				copied.Seq = 1
				missing = append(missing, copied)
			}
		}
	}
	got := answer(t, "t.parquet", write(t, missing))
	same(t, "S", *got.Slowdown, *want.Slowdown)
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "2 of ") {
		t.Errorf("notes: %q", got.Notes)
	}
	strange := append(slices.Clone(rows), row{OpType: "dinner", Step: rows[0].Step, Start: rows[0].Start, Duration: 1e6})
	if got = answer(t, "t.parquet", write(t, strange)); len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "dinner") {
		t.Errorf("notes: %q", got.Notes)
	}
	same(t, "S", *got.Slowdown, *want.Slowdown)
}

func TestRefusedTables(t *testing.T) {
	rows := rows()
	for text, names := range map[string][]string{
		`no column "step"`:    {"dp_rank", "stage", "optype", "start_ts", "duration"},
		`no column "optype"`:  {"dp_rank", "stage", "step", "start_ts", "duration"},
		"neither":             {"stage", "step", "optype", "start_ts", "duration"},
		`a column "end_ts"`:   {"dp_rank", "stage", "step", "optype", "start_ts"},
		"is not a number":     {"dp_rank", "note", "step", "optype", "start_ts", "duration"},
		"share a data-paral":  {"dp_rank", "rank", "step", "optype", "start_ts", "duration"},
		"is not a whole numb": {"dp_rank", "stage", "step", "optype", "start_ts", "duration", "seq_id"},
	} {
		list := slices.Clone(rows)
		value := paperValue
		switch text {
		case "share a data-paral":
			for i := range list {
				list[i].DPRank = 0
			}
		case "is not a number":
			names[1] = "pp_rank"
			value = func(r row, column string) string {
				if column == "pp_rank" {
					return "first"
				}
				return paperValue(r, column)
			}
		case "is not a whole numb":
			value = func(r row, column string) string {
				if column == "seq_id" {
					return "0.5"
				}
				return paperValue(r, column)
			}
		}
		for i := range list {
			list[i].Chunk = new(int64)
		}
		path := file(t, "t.csv", csvOf(list, names, value))
		if _, err := Read(t.Context(), path, "t.csv"); err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "t.csv") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func answer(t *testing.T, name string, data []byte) *training.Result {
	t.Helper()
	table, err := Read(t.Context(), file(t, name, data), name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := training.WhatIf(table)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4*want {
		t.Errorf("%s is %.6f, not %.6f", what, got, want)
	}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRestart: a job that was restarted did its last steps again, the last of them
// only half the first time. What it did last counts.
func TestRestart(t *testing.T) {
	rows := realRows(t)
	want := answer(t, "trace-st.parquet", write(t, rows))
	last := int64(0)
	for _, r := range rows {
		last = max(last, r.Step)
	}
	var before []row // the same steps an hour earlier, each operation twice as long
	for i, r := range rows {
		if r.Step >= last-2 && (r.Step < last || i%2 == 0) {
			r.Start, r.Duration = r.Start-3600, 2*r.Duration
			before = append(before, r)
		}
	}
	for name, all := range map[string][]row{"before": append(slices.Clone(before), rows...), "behind": append(slices.Clone(rows), before...)} {
		table, err := Read(t.Context(), file(t, "trace-st.parquet", write(t, all)), "trace-st.parquet")
		if err != nil {
			t.Fatal(err)
		}
		got, err := training.WhatIf(table)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(*got.Slowdown-*want.Slowdown) > 1e-6 || !strings.Contains(strings.Join(got.Notes, "\n"), "restarted") {
			t.Errorf("%s: S %v, not %v; %q", name, *got.Slowdown, *want.Slowdown, got.Notes)
		}
	}
	if strings.Contains(strings.Join(want.Notes, "\n"), "restarted") {
		t.Errorf("nothing was restarted: %q", want.Notes)
	}
}
