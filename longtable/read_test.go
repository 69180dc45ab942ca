package longtable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"auspex/internal/mistake"
	"auspex/model"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const handmade = `# A table made by hand.
# name: jacobi
# created: 2026-02-03T04:05:06Z
# factor size: 512
# factor network: "10"
# metric ipc: {"unit":"ratio"}
Rank,region,Metric,value,kind,file,line,unit,comment
0,main,wtime,1.5,,main.c,3,,
0,main/solve,wtime,2500,loop,solve.c,12,ms,x
0,main/solve,calls,10,,,,,
1,main/solve,wtime.exc,3000000,,,,us,
1,"main/MPI_Send",wtime,0.25,,,,,
1,main/solve,ipc,,,,,,
1,main/solve,flops.inc,7e9,,,,flop,"two
lines"
`

func TestHandmadeCSV(t *testing.T) {
	kind := func(name string) model.Kind {
		if strings.HasPrefix(name, "MPI_") {
			return model.MPI
		}
		return model.Function
	}
	e, err := ReadCSV(context.Background(), "hand.csv", strings.NewReader(handmade), Options{KindOf: kind})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	want := model.Header{
		Name: "jacobi", Created: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Runs: 1,
		Factors: []model.Factor{model.NumberFactor("size", 512), {Name: "network", Word: "10"}},
		Metrics: []model.Metric{
			{Name: "ipc", Unit: "ratio", Missing: model.Absent},
			model.NewMetric(model.WallTime, "", model.Exclusive),
			model.NewMetric(model.Calls, "", model.Own),
			{Name: "flops", Unit: "flop", Scope: model.Inclusive, Missing: model.Zero},
		},
		Notes:     []string{"columns not read: comment"},
		UnitCount: 2, RegionCount: 3, SummaryCount: 4,
	}
	if diff := cmp.Diff(want, e.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	regions := []model.Region{
		{Name: "main", Kind: model.Function, File: "main.c", Line: 3, Parent: model.NoParent},
		{Name: "solve", Kind: model.Loop, File: "solve.c", Line: 12, Parent: 0},
		{Name: "MPI_Send", Kind: model.MPI, Parent: 0},
	}
	if diff := cmp.Diff(regions, e.Regions); diff != "" {
		t.Errorf("regions (-want +got):\n%s", diff)
	}
	wtime := e.MetricIndex(model.WallTime, model.Exclusive)
	if diff := cmp.Diff([]float64{1.5, 2.5, 3, 0.25}, e.Summaries.Values[wtime]); diff != "" {
		t.Errorf("wtime (-want +got):\n%s", diff)
	}
}

func TestMetricNamed(t *testing.T) {
	for name, want := range map[string]model.Metric{
		"wtime":     {Name: "wtime", Unit: "s", Scope: model.Exclusive, Missing: model.Zero},
		"wtime.inc": {Name: "wtime", Unit: "s", Scope: model.Inclusive, Missing: model.Zero},
		"calls":     {Name: "calls", Unit: "count", Scope: model.Own, Missing: model.Zero},
		"flops.exc": {Name: "flops", Scope: model.Exclusive, Missing: model.Zero},
		"ipc":       {Name: "ipc", Scope: model.Own, Missing: model.Absent},
	} {
		if got := metricNamed(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestHandmadeJSONL(t *testing.T) {
	text := `{"rank":1,"region":"a/b","metric":"wtime","value":2,"unit":"us","extra":{"deep":[1,2]}}
{"region":"a","metric":"wtime","value":null,"node":"n1","process":0,"kind":"user","file":"a.c","line":4}
`
	if !IsJSONL([]byte(text)) || IsJSONL([]byte(`{"traceEvents":[]}`)) || IsJSONL([]byte(`[]`)) {
		t.Error("IsJSONL")
	}
	e, err := ReadJSONL(context.Background(), "t", strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]model.Unit{{Node: "n1"}, {Process: 1}}, e.Units); diff != "" {
		t.Error(diff)
	}
	if got := e.Regions[0]; got != (model.Region{Name: "a", Kind: model.User, File: "a.c", Line: 4, Parent: -1}) {
		t.Errorf("region %+v", got)
	}
	if v := e.Summaries.Values[0]; !math.IsNaN(v[0]) || v[1] != 2e-6 {
		t.Errorf("values %v", v)
	}
	if len(e.Notes) != 2 || !strings.Contains(e.Notes[0], "extra") || !strings.Contains(e.Notes[1], "1 of the values of wtime.exc; they count as 0") {
		t.Errorf("notes %q", e.Notes)
	}
}

// TestUnsoundValues: what cannot have been measured is refused or told of.
func TestUnsoundValues(t *testing.T) {
	read := func(line string) (*model.Experiment, error) {
		return ReadCSV(context.Background(), "t.csv", strings.NewReader("process,region,metric,value\n0,main,wtime,1\n"+line+"\n"), Options{})
	}
	for line, want := range map[string]string{
		"1,main,wtime,-3":         "t.csv:3: wtime.exc is -3 s: a time cannot be below zero",
		"1,main,wtime,1e16":       "t.csv:3: wtime.exc is 1e+16 s, longer than",
		"1,main,wtime,1e308":      "t.csv:3: wtime.exc is 1e+308: values beyond 1e+100 cannot be added up",
		"1,main,flops.exc,-1e200": "t.csv:3: flops.exc is -1e+200: values beyond",
	} {
		if _, err := read(line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	for line, note := range map[string]string{
		"1,main,wtime,":       "1 of the values of wtime.exc; they count as 0",
		"1,main,wtime,NaN":    "1 of the values of wtime.exc; they count as 0",
		"1,main,wtime,inf":    "1 of the values of wtime.exc; they count as 0",
		"1,main,ipc,":         "",
		"1,main,balance,-3":   "",
		"1,main,unit,7":       "",
		"1,main,a\xff\xfeb,7": "",
	} {
		e, err := read(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if e.Name = "t"; e.Check() != nil {
			t.Errorf("%s: %v", line, e.Check())
		}
		if notes := strings.Join(e.Notes, "\n"); (notes == "") != (note == "") || !strings.Contains(notes, note) {
			t.Errorf("%s: notes %q, want %q", line, notes, note)
		}
	}
}

func TestIsCSV(t *testing.T) {
	for text, want := range map[string]bool{
		"region,metric,value\n":                              true,
		"\xef\xbb\xbfProcess,Region,Metric,Value\r\n0,a,b,1": true,
		"# any comment\n\nregion,metric,value":               true,
		"# auspex: 1\n# name: x\n":                           true,
		"a,b,c\n":                                            false,
		"":                                                   false,
		"# only a comment":                                   false,
		"{\"region\":1}\n":                                   false,
		"region,metric,value,value\n":                        false,
	} {
		if IsCSV([]byte(text)) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

// TestBadTables: every error names the file and, where it is about a line,
// the line.
func TestBadTables(t *testing.T) {
	const head = "process,thread,region,metric,value\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "t.csv: there is no header line"},
		{"no columns", "a,b\n1,2\n", `t.csv:1: there is no column "region"`},
		{"no values", head, "t.csv: no values"},
		{"twice the same column", "rank,process,region,metric,value\n", "t.csv:1: columns"},
		{"fields", head + "0,0,a,wtime\n", "t.csv:2: 4 fields; the header names 5"},
		{"value", head + "0,0,a,wtime,x1\n", `t.csv:2: "x1" is not a number`},
		{"process", head + "zero,0,a,wtime,1\n", `t.csv:2: process "zero"`},
		{"negative", head + "-1,0,a,wtime,1\n", `t.csv:2: process "-1"`},
		{"large", head + "99999999999,0,a,wtime,1\n", "t.csv:2: process 99999999999"},
		{"twice", head + "0,0,a,wtime,1\n0,0,b,wtime,1\n0,0,a,wtime.exc,1\n", "t.csv:4: this unit, region and metric"},
		{"twice in a row", head + "0,0,a,wtime,1\n0,0,a,wtime,1\n", "t.csv:3: this unit, region and metric"},
		{"open quote", head + "0,0,\"a,wtime,1\n", "t.csv:2: a quoted field is not closed"},
		{"after quote", head + "0,0,\"a\"b,wtime,1\n", `t.csv:2: 'b' where`},
		{"line after quoted break", head + "0,0,\"a\nb\",wtime,1\n0,0,c,wtime,?\n", "t.csv:4:"},
		{"metric", head + "0,0,a,,1\n", `t.csv:2: "" is no name`},
		{"version", "# auspex: 9\n" + head, "t.csv:1: long table of version 9"},
		{"created", "# created: today\n" + head, "t.csv:1: created"},
		{"runs", "# runs: -1\n" + head, "t.csv:1: runs"},
		{"metric twice", "# metric a: {\"unit\":\"x\"}\n# metric a: {}\n" + head, "t.csv:2: metric a: described twice"},
		{"metric scope", "# metric a.x: {\"name\":\"a\",\"scope\":\"x\"}\n" + head, "scope"},
		{"metric name", "# metric a: {\"name\":\"b\"}\n" + head, "describes"},
		{"unit of time", head[:len(head)-1] + ",unit\n0,0,a,wtime,1,bytes\n", "wtime.exc is in s"},
		{"unit changes", head[:len(head)-1] + ",unit\n0,0,a,x,1,kg\n0,0,b,x,1,g\n", "t.csv:3: x is in kg"},
		{"long line", head + strings.Repeat("x", 3*maxRecord), "t.csv:2: a line longer"},
		{"deep path", head + "0,0," + strings.Repeat("a/", maxPathDepth+1) + ",wtime,1\n", "t.csv:2: a region path"},
		{"metrics", head + manyMetrics(maxMetrics+1, 1), "one too many"},
		{"sparse", head + manyMetrics(2000, 10), "too sparse"},
		{"junk", "\x00\x01\x02\xff", "t.csv:1: there is no column"},
	} {
		_, err := ReadCSV(context.Background(), "t.csv", strings.NewReader(test.text), Options{})
		checkError(t, test.name, err, test.want)
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "t: no values"},
		{"not an object", "[1]", "t:1: every line must be"},
		{"no region", "{\"metric\":\"a\",\"value\":1}", `t:1: there is no key "region"`},
		{"broken", "{\"region\":\"a\",\n\"metric\"", "t:2: ends early"},
		{"twice", `{"region":"a","metric":"b","value":1}` + "\n" + `{"region":"a","metric":"b","value":1}`, "t:2: this unit"},
		{"key twice", `{"region":"a","region":"b"}`, "given twice"},
		{"process", `{"region":"a","metric":"b","value":1,"process":1.5}`, "process 1.5"},
		{"value", `{"region":"a","metric":"b","value":[1]}`, "the value must be a number"},
		{"text", `{"region":{},"metric":"b","value":1}`, "the region must be a string"},
		{"head", `{"auspex":"2"}`, "version 2"},
		{"head value", `{"auspex":"1","name":[1]}`, "name: neither"},
	} {
		_, err := ReadJSONL(context.Background(), "t", strings.NewReader(test.text), Options{})
		checkError(t, test.name, err, test.want)
	}
}

// manyMetrics makes lines each with a region of its own and one of n metrics.
func manyMetrics(n, repeat int) string {
	var b strings.Builder
	for i := range n * repeat {
		fmt.Fprintf(&b, "0,0,r%d,m%d,1\n", i, i%n)
	}
	return b.String()
}

func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
		return
	}
	if place, _ := mistake.Find(err); place.File == "" {
		t.Errorf("%s: %v names no file", name, err)
	}
}

// TestForeignParquet reads tables as other programs write them: columns that
// may be null, 64-bit numbers, no dictionary, other codecs.
func TestForeignParquet(t *testing.T) {
	type plain struct {
		Rank   *int64   `parquet:"rank,optional"`
		Region string   `parquet:"region,optional,snappy"`
		Metric string   `parquet:"metric,dict,gzip"`
		Value  *float64 `parquet:"value,optional,split,lz4"`
		Kind   string   `parquet:"kind,optional,brotli"`
		File   string   `parquet:"file,delta,zstd"`
		Line   int64    `parquet:"line,delta"`
	}
	one, half := int64(1), 0.5
	rows := []plain{
		{&one, "a", "wtime", &half, "user", "", 0},
		{nil, "c", "wtime", nil, "", "src/b.c", 12},
		{&one, "a/b", "wtime", &half, "", "src/bb.c", 1 << 30},
	}
	for range 20 { // several pages, with and without nulls
		rows = append(rows, rows...)[:min(2*len(rows), 1<<14)]
	}
	for i := range rows {
		n := int64(i)
		if rows[i].Rank != nil {
			rows[i].Rank = &n
		} else {
			rows[i].Region = "null" + strings.Repeat("x", i%7)
		}
	}
	for _, version := range []int{1, 2} {
		var out bytes.Buffer
		w := parquet.NewGenericWriter[plain](&out, parquet.DataPageVersion(version), parquet.PageBufferSize(4096))
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		e, err := read(Parquet, out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		e.Name = "foreign"
		if err := e.Check(); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range e.Summaries.Values[0] {
			if v == v {
				sum += v
			}
		}
		want := 0.0
		for _, r := range rows {
			if r.Rank != nil {
				want += half
			}
		}
		if sum != want || e.Regions[0].Kind != model.User {
			t.Errorf("version %d: sum %v, want %v; kind %s", version, sum, want, e.Regions[0].Kind)
		}
		for _, r := range e.Regions[1:] {
			if file := "src/b.c"; r.Name != "b" && (r.File != file || r.Line != 12) {
				t.Errorf("version %d: %s at %s:%d", version, r.Name, r.File, r.Line)
			}
		}
	}
}

func TestBadParquet(t *testing.T) {
	type wrong struct {
		Region string   `parquet:"region"`
		Metric int64    `parquet:"metric"`
		Value  []string `parquet:"value"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[wrong](&out)
	if _, err := w.Write([]wrong{{"a", 1, []string{"x"}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := read(Parquet, out.Bytes())
	checkError(t, "types", err, `column "metric" holds INT64; it must hold strings`)
	_, err = read(Parquet, []byte("PAR1"))
	checkError(t, "short", err, "too short")
	if _, err := read(Parquet, []byte("\x1f\x8b\x08 and more than twelve bytes")); err == nil || !strings.Contains(err.Error(), "compressed by gzip") {
		t.Errorf("a compressed file: %v", err)
	}
	_, err = read(Parquet, []byte("PAR1\xff\xff\xff\xffPAR1"))
	checkError(t, "footer", err, "footer of 4294967295 bytes")
	// A list that claims a billion elements.
	footer := "\x15\x02\x19\xfc\x80\x94\xeb\xdc\x03"
	_, err = read(Parquet, []byte("PAR1"+footer+string([]byte{byte(len(footer)), 0, 0, 0})+"PAR1"))
	checkError(t, "list", err, "a list of 1000000000 elements")
}

// TestTruncated cuts tables of every form at every byte: an error or, where
// only whole lines are lost, a smaller table; never a panic.
func TestTruncated(t *testing.T) {
	for _, format := range allFormats {
		var out bytes.Buffer
		if err := Write(context.Background(), &out, synthetic(2, 3, 2), format); err != nil {
			t.Fatal(err)
		}
		for n := range out.Len() {
			e, err := read(format, out.Bytes()[:n])
			if err == nil {
				err = e.Check()
			}
			if err == nil && format == Parquet {
				t.Errorf("Parquet cut at %d was read", n)
			}
		}
		for n := range out.Len() { // and a flipped bit
			damaged := bytes.Clone(out.Bytes())
			damaged[n] ^= 1 << (n % 8)
			if e, err := read(format, damaged); err == nil && e.Name != "" {
				if err := e.Check(); err != nil {
					t.Errorf("%s, byte %d flipped: %v", format, n, err)
				}
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadCSV(ctx, "t", strings.NewReader(handmade), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if err := Write(ctx, &bytes.Buffer{}, synthetic(1, 1, 1), CSV); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte(handmade))
	f.Add(written(f, CSV))
	f.Add([]byte("region,metric,value\n\"a\"\"b\",x,1\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, CSV, data) })
}

func FuzzReadJSONL(f *testing.F) {
	f.Add([]byte(`{"region":"a/b","metric":"wtime","value":1,"unit":"ms"}`))
	f.Add(written(f, JSONL))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, JSONL, data) })
}

func FuzzReadParquet(f *testing.F) {
	f.Add(written(f, Parquet))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, Parquet, data) })
}

// FuzzParquetPage hands bytes to the decoders of pages, behind the checksum.
func FuzzParquetPage(f *testing.F) {
	f.Add([]byte{2, 6, 1, 0}, byte(0), 4, false, false)
	f.Add([]byte{2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 'a'}, byte(0), 2, true, true)
	f.Add([]byte("\x80\x01\x04\x03\x00\x02\x02\x01\x00\x00\x00abc"), byte(6), 3, true, false)
	f.Fuzz(func(t *testing.T, data []byte, encoding byte, values int, isText, optional bool) {
		if values < 0 || values > 1<<12 {
			return
		}
		c := &parquetColumn{
			isText: isText, optional: optional, kind: parquet.Double, textIndex: newTextIndex(),
			dictIDs: []int32{0, 0, 0}, dictNums: []float64{1, 2, 3},
		}
		if isText {
			c.kind, c.dictNums = parquet.ByteArray, nil
		} else {
			c.dictIDs = nil
			if encoding%2 == 1 {
				c.kind = parquet.Int32
			}
		}
		pg := &page{kind: format.DataPage, values: values, encoding: format.Encoding(encoding % 10), data: data}
		if c.decode(pg) == nil && max(len(c.ids), len(c.numbers)) != values {
			t.Fatalf("%d values became %d", values, max(len(c.ids), len(c.numbers)))
		}
	})
}

func written(f *testing.F, format Format) []byte {
	var out bytes.Buffer
	if err := Write(context.Background(), &out, synthetic(2, 3, 2), format); err != nil {
		f.Fatal(err)
	}
	return out.Bytes()
}

// fuzzOne: what is read keeps the invariants and survives a round trip.
func fuzzOne(t *testing.T, format Format, data []byte) {
	e, err := read(format, data)
	if err != nil {
		return
	}
	if e.Name == "" {
		e.Name = "x"
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(context.Background(), &out, e, format); err != nil {
		t.Fatal(err)
	}
	again, err := read(format, out.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if len(again.Regions) != len(e.Regions) || again.Summaries.Rows() != e.Summaries.Rows() {
		t.Fatalf("%d regions and %d rows became %d and %d", len(e.Regions), e.Summaries.Rows(), len(again.Regions), again.Summaries.Rows())
	}
}
