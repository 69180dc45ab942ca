package hpctoolkit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
)

func TestHPCToolkit2Allgather(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "hpctoolkit-allgather-10x2"), "hpctoolkit")
	if len(e.Units) != 20 || e.Program != "osu_allgather" {
		t.Fatalf("%d units of %q, want 20 of osu_allgather", len(e.Units), e.Program)
	}
	rows := make([]int, len(e.Units))
	for _, u := range e.Summaries.Unit {
		rows[u]++
	}
	time := inputtest.MatrixOf(t, e, "cpu_time.exc")
	total := 0.0
	// What the files themselves give for the root of the tree, all included.
	roots := []float64{2.615761, 2.615895, 2.615739, 2.615667, 2.615742, 2.615416, 2.615908, 2.615967, 2.616218, 2.616055}
	for u, unit := range e.Units {
		if unit != (model.Unit{Node: "a8c00471", Process: u / 2, Thread: u % 2}) {
			t.Errorf("unit %d is %+v", u, unit)
		}
		sum := inputtest.RowSum(time, u)
		total += sum
		if unit.Thread == 1 && (sum != 0 || rows[u] != 1) {
			t.Errorf("idle thread %s has %v s in %d rows, want 0 s in one", unit, sum, rows[u])
		}
		if unit.Thread == 0 {
			inputtest.WantNear(t, "time of rank "+unit.String(), sum, roots[unit.Process])
		}
	}
	// The sums over all threads as hpcprof itself wrote them into the XML.
	if math.Abs(total-26.1584) > 5e-5 {
		t.Errorf("all threads together have %v s, want 26.1584", total)
	}
	time.ToInclusive(e.Regions)
	main := inputtest.RegionAt(t, e, "<program root>/main")
	sum := 0.0
	for u := range e.Units {
		sum += time.At(u, main)
	}
	if math.Abs(sum-26.1406) > 5e-5 {
		t.Errorf("main has %v s with its callees, want 26.1406", sum)
	}
	if r := e.Regions[main]; r.Line != 14 || !strings.HasSuffix(r.File, "collective/osu_allgather.c") {
		t.Errorf("main is at %s:%d, want osu_allgather.c:14", r.File, r.Line)
	}
	if k := e.Regions[inputtest.RegionAt(t, e, "<program root>/main/MPI_Init")].Kind; k != model.MPI {
		t.Errorf("MPI_Init is of kind %s", k)
	}
	if r := e.Regions[inputtest.RegionAt(t, e, "<program root>/main/loop@osu_allgather.c:86")]; r.Kind != model.Loop {
		t.Errorf("the loop is of kind %s", r.Kind)
	}
}

// hpcSampleXML is a small experiment.xml. main calls work and MPI_Send; work
// has a loop with an inlined procedure and is called from two lines.
const hpcSampleXML = `<?xml version="1.0"?>
<!DOCTYPE HPCToolkitExperiment [
<!ELEMENT HPCToolkitExperiment (Header, (SecCallPathProfile|SecFlatProfile)*)>
<!ATTLIST HPCToolkitExperiment version CDATA #REQUIRED>
]>
<HPCToolkitExperiment version="2.1">
<Header n="sample"><Info/></Header>
<SecCallPathProfile i="0" n="sample">
<SecHeader>
  <MetricDBTable>
    <MetricDB i="0" n="REALTIME (usec) (I)" t="inclusive" partner="1" db-glob="*.metric-db" db-id="0" db-num-metrics="3"/>
    <MetricDB i="1" n="REALTIME (usec) (E)" t="exclusive" partner="0" db-glob="*.metric-db" db-id="1" db-num-metrics="3"/>
    <MetricDB i="2" n="PAPI_TOT_INS (I)" t="inclusive" db-glob="*.metric-db" db-id="2" db-num-metrics="3"/>
  </MetricDBTable>
  <LoadModuleTable><LoadModule i="2" n="/bin/sample"/></LoadModuleTable>
  <FileTable><File i="3" n="/src/sample.c"/></FileTable>
  <ProcedureTable>
    <Procedure i="4" n="&lt;program root&gt;"/><Procedure i="5" n="main"/><Procedure i="6" n="work"/>
    <Procedure i="7" n="MPI_Send"/><Procedure i="8" n="inlined"/>
  </ProcedureTable>
</SecHeader>
<SecCallPathProfileData>
<M n="2" v="1"/>
<PF i="2" n="4"><C i="3" l="0">
 <PF i="4" n="5" f="3" l="10">
  <S i="5" l="11"/><S i="6" l="12"/>
  <C i="7" l="13"><PF i="8" n="6" f="3" l="20"><S i="9" l="21"/>
    <L i="10" f="3" l="22"><S i="11" l="23"/><Pr i="12" a="1" n="8" f="3" l="30"><S i="13" l="31"/></Pr></L></PF></C>
  <C i="14" l="14"><PF i="15" n="6" f="3" l="20"><S i="16" l="21"/></PF></C>
  <C i="17" l="15"><PF i="18" n="7"><S i="19" l="0"/></PF></C>
 </PF></C></PF>
</SecCallPathProfileData>
</SecCallPathProfile>
</HPCToolkitExperiment>
`

// hpcSampleCost is the time of the leaves of the sample, in microseconds.
var hpcSampleCost = map[int]float64{5: 1e6, 6: 2e6, 9: 3e6, 11: 4e6, 13: 5e6, 16: 6e6, 19: 7e6}

// metricDBOf writes a metric-db file: the leaves' values in all columns, and
// nonsense in the nodes that are not leaves.
func metricDBOf(order inputtest.ByteOrder, nodes, columns int, cost map[int]float64, scale float64) []byte {
	letter := byte('b')
	if order == binary.LittleEndian {
		letter = 'l'
	}
	out := append([]byte(metricDBMagic+"00.10"), letter)
	out = order.AppendUint32(out, uint32(nodes))
	out = order.AppendUint32(out, uint32(columns))
	for node := 1; node <= nodes; node++ {
		v, leaf := cost[node]
		if !leaf {
			v = 1e12
		}
		if scale == 0 {
			v = 0
		}
		for range columns {
			out = order.AppendUint64(out, math.Float64bits(v*scale))
		}
	}
	return out
}

// hpcDatabase writes a database into a folder.
func hpcDatabase(t testing.TB, xml string, files map[string][]byte) *input.Source {
	t.Helper()
	dir := t.TempDir()
	files[hpcExperiment] = []byte(xml)
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &input.Source{Format: "hpctoolkit", Path: dir, Given: "db", Label: "db"}
}

func TestHPCToolkit2Sample(t *testing.T) {
	src := hpcDatabase(t, hpcSampleXML, map[string][]byte{
		"my-app-000000-000-aa-10-0.metric-db": metricDBOf(binary.BigEndian, 19, 3, hpcSampleCost, 1),
		"my-app-000000-001-aa-10-0.metric-db": metricDBOf(binary.BigEndian, 19, 3, nil, 0),
		"my-app-000010-000-bb-11-0.metric-db": metricDBOf(binary.LittleEndian, 19, 3, hpcSampleCost, 2),
		"my-app-000002-000-bb-12-0.metric-db": metricDBOf(binary.LittleEndian, 19, 3, hpcSampleCost, 3),
	})
	e, err := src.Read(context.Background(), Formats())
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Unit{{Node: "aa"}, {Node: "aa", Thread: 1}, {Node: "bb", Process: 2}, {Node: "bb", Process: 10}}
	if fmt.Sprint(e.Units) != fmt.Sprint(want) {
		t.Errorf("units %v, want %v", e.Units, want)
	}
	time, instructions := inputtest.MatrixOf(t, e, "wtime.exc"), inputtest.MatrixOf(t, e, "instructions.exc")
	root := model.EscapeName("<program root>")
	for _, c := range []struct {
		path    string
		kind    model.Kind
		line    int
		seconds float64
	}{
		{root, model.Function, 0, 0},
		{root + "/main", model.Function, 10, 3},
		{root + "/main/work", model.Function, 20, 9}, // two call sites
		{root + "/main/work/loop@sample.c:22", model.Loop, 22, 4},
		{root + "/main/work/loop@sample.c:22/inlined", model.Function, 30, 5},
		{root + "/main/MPI_Send", model.MPI, 0, 7},
	} {
		r := inputtest.RegionAt(t, e, c.path)
		if e.Regions[r].Kind != c.kind || e.Regions[r].Line != c.line {
			t.Errorf("%s is %+v, want kind %s, line %d", c.path, e.Regions[r], c.kind, c.line)
		}
		for u, factor := range []float64{1, 0, 3, 2} {
			inputtest.WantNear(t, fmt.Sprintf("time of %s at unit %d", c.path, u), time.At(u, r), factor*c.seconds)
			inputtest.WantNear(t, fmt.Sprintf("instructions of %s at unit %d", c.path, u), instructions.At(u, r), 1e6*factor*c.seconds)
		}
	}
	if len(e.Regions) != 6 || e.Summaries.Rows() != 3*6+1 {
		t.Errorf("%d regions and %d rows, want 6 and 19", len(e.Regions), e.Summaries.Rows())
	}
}

func TestHPCToolkit2WithoutMPI(t *testing.T) {
	db := metricDBOf(binary.BigEndian, 19, 3, hpcSampleCost, 1)
	e, err := hpcDatabase(t, hpcSampleXML, map[string][]byte{
		"app-000000-000-aa-10-0.metric-db": db, "app-000000-001-aa-10-0.metric-db": db, "app-000000-000-aa-11-0.metric-db": db,
	}).Read(context.Background(), Formats())
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Unit{{Node: "aa"}, {Node: "aa", Thread: 1}, {Node: "aa", Process: 1}}
	if fmt.Sprint(e.Units) != fmt.Sprint(want) {
		t.Errorf("units %v, want %v", e.Units, want)
	}
}

func TestHPCToolkit2BadInput(t *testing.T) {
	good := metricDBOf(binary.BigEndian, 19, 3, hpcSampleCost, 1)
	const file = "app-000000-000-aa-10-0.metric-db"
	edit := func(at int, to ...byte) []byte {
		db := bytes.Clone(good)
		copy(db[at:], to)
		return db
	}
	for name, c := range map[string]struct {
		xml   string
		files map[string][]byte
		want  []string
	}{
		"no threads":      {hpcSampleXML, map[string][]byte{}, []string{"db:", "metric-db"}},
		"odd file name":   {hpcSampleXML, map[string][]byte{"x.metric-db": good}, []string{"db/x.metric-db:", "rank"}},
		"empty xml":       {"", map[string][]byte{file: good}, []string{"db/experiment.xml:"}},
		"other xml":       {"<html/>", map[string][]byte{file: good}, []string{"db/experiment.xml:1:", "html"}},
		"version 1":       {strings.Replace(hpcSampleXML, `version="2.1"`, `version="1.1"`, 1), map[string][]byte{file: good}, []string{"db/experiment.xml:6:", `"1.1"`}},
		"entities":        {strings.Replace(hpcSampleXML, "<!ELEMENT", `<!ENTITY a "aaaa"><!ELEMENT`, 1), map[string][]byte{file: good}, []string{"experiment.xml:", "entities"}},
		"node unnumbered": {strings.Replace(hpcSampleXML, `<S i="9"`, `<S i="x"`, 1), map[string][]byte{file: good}, []string{"experiment.xml:27:", `"x"`}},
		"wrong end tag":   {strings.Replace(hpcSampleXML, "</FileTable>", "</Table>", 1), map[string][]byte{file: good}, []string{"experiment.xml:16:", "Table"}},
		"no metrics":      {strings.ReplaceAll(hpcSampleXML, "<MetricDB ", "<Other "), map[string][]byte{file: good}, []string{"experiment.xml:", "MetricDB"}},
		"bad column":      {strings.Replace(hpcSampleXML, `db-id="2"`, `db-id="3"`, 1), map[string][]byte{file: good}, []string{"experiment.xml:13:", "db-id"}},
		"deep nesting":    {strings.Replace(hpcSampleXML, `<S i="19" l="0"/>`, strings.Repeat(`<PF i="19" n="7">`, 2000)+strings.Repeat("</PF>", 2000), 1), map[string][]byte{file: good}, []string{"experiment.xml:", "1000"}},
		"deeper nesting":  {strings.Replace(hpcSampleXML, `<S i="19" l="0"/>`, strings.Repeat(`<x>`, 20000), 1), map[string][]byte{file: good}, []string{"experiment.xml:", "8192"}},
		"long attribute":  {strings.Replace(hpcSampleXML, `n="main"`, `n="`+strings.Repeat("x", input.MaxXMLToken)+`"`, 1), map[string][]byte{file: good}, []string{"experiment.xml:", "MiB"}},
		"huge node":       {strings.Replace(hpcSampleXML, `<S i="19"`, `<S i="4294967295"`, 1), map[string][]byte{file: good}, []string{"at byte 24", "4294967295"}},
		"bad magic":       {hpcSampleXML, map[string][]byte{file: edit(3, 'x')}, []string{"at byte 0", "metric-db"}},
		"bad byte order":  {hpcSampleXML, map[string][]byte{file: edit(23, 'x')}, []string{"at byte 23", "byte order"}},
		"other columns":   {hpcSampleXML, map[string][]byte{file: edit(31, 2)}, []string{"at byte 28", "2 metrics"}},
		"absurd nodes":    {hpcSampleXML, map[string][]byte{file: edit(24, 0, 0, 0, 1)}, []string{"at byte 24", "another database"}},
		"cut values":      {hpcSampleXML, map[string][]byte{file: good[:200]}, []string{"at byte 200", "ends early"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := hpcDatabase(t, c.xml, c.files).Read(context.Background(), Formats())
			if e != nil {
				t.Error("an experiment came out")
			}
			inputtest.WantError(t, err, c.want...)
		})
	}
}

func TestHPCToolkit2CutAnywhere(t *testing.T) {
	db := metricDBOf(binary.BigEndian, 19, 3, hpcSampleCost, 1)
	if _, err := hpcFromBytes([]byte(hpcSampleXML), db); err != nil {
		t.Fatal(err)
	}
	for n := range len(strings.TrimSpace(hpcSampleXML)) {
		if _, err := hpcFromBytes([]byte(hpcSampleXML[:n]), db); err == nil {
			t.Errorf("no error with the XML cut to %d bytes", n)
		}
	}
	for n := range db {
		if _, err := hpcFromBytes([]byte(hpcSampleXML), db[:n]); err == nil {
			t.Errorf("no error with the metric-db cut to %d bytes", n)
		}
	}
}

// hpcFromBytes reads a database of one thread from memory.
func hpcFromBytes(xml, db []byte) (*model.Experiment, error) {
	b := model.NewBuilder()
	tree, err := parseHPCTree(context.Background(), bufio.NewReader(bytes.NewReader(xml)), "xml", b)
	if err != nil {
		return nil, err
	}
	sums := &input.RegionSums{Metrics: len(tree.metrics), Idle: tree.root}
	if err := readMetricDB(bufio.NewReaderSize(bytes.NewReader(db), 64<<10), "db", tree, sums); err != nil {
		return nil, err
	}
	columns := make([]int, len(tree.metrics))
	for m, metric := range tree.metrics {
		columns[m] = b.Metric(metric.Metric)
	}
	sums.Flush(b, b.Unit(model.Unit{}), columns)
	return b.Build(model.Header{})
}

func FuzzHPCToolkit2(f *testing.F) {
	f.Add([]byte(hpcSampleXML), metricDBOf(binary.BigEndian, 19, 3, hpcSampleCost, 1))
	f.Add([]byte(hpcSampleXML), metricDBOf(binary.LittleEndian, 19, 3, hpcSampleCost, 1))
	f.Add([]byte(`<HPCToolkitExperiment version="2.0"><MetricDB n="x" db-id="0" db-num-metrics="1"/><PF i="1" n="f"/></HPCToolkitExperiment>`),
		metricDBOf(binary.BigEndian, 1, 1, map[int]float64{1: 5}, 1))
	f.Fuzz(func(t *testing.T, xml, db []byte) {
		e, err := hpcFromBytes(xml, db)
		inputtest.CheckFuzzed(t, e, err)
	})
}

// BenchmarkHPCToolkit2 reads a database of 64 ranks with two threads each,
// made of the ranks of the shared sample.
func BenchmarkHPCToolkit2(b *testing.B) {
	from := inputtest.SampleData(b, "hpctoolkit-allgather-10x2")
	xml, err := os.ReadFile(filepath.Join(from, hpcExperiment))
	if err != nil {
		b.Fatal(err)
	}
	files := map[string][]byte{}
	bytes := int64(len(xml))
	for rank := range 64 {
		for thread := range 2 {
			match, _ := filepath.Glob(filepath.Join(from, fmt.Sprintf("*-%06d-%03d-*%s", rank%10, thread, metricDBEnding)))
			content, err := os.ReadFile(match[0])
			if err != nil {
				b.Fatal(err)
			}
			files[fmt.Sprintf("osu-%06d-%03d-a8c00471-%d-0%s", rank, thread, rank, metricDBEnding)] = content
			bytes += int64(len(content))
		}
	}
	src := hpcDatabase(b, string(xml), files)
	b.SetBytes(bytes)
	b.ReportAllocs()
	for b.Loop() {
		e, err := readHPCToolkit2(context.Background(), src)
		if err != nil {
			b.Fatal(err)
		}
		if len(e.Units) != 128 {
			b.Fatalf("%d units", len(e.Units))
		}
	}
}

// A loop without a source file is named after its function, not after the
// library.
func TestLoopNames(t *testing.T) {
	b := model.NewBuilder()
	solve := b.Region(model.Region{Name: "solve", Kind: model.Function, Parent: model.NoParent})
	outer := b.Region(hpcLoop("[kripke]", 0, functionAround(b, solve), solve))
	inner := hpcLoop("<unknown file> [kripke]", 0, functionAround(b, outer), outer)
	if name := b.RegionAt(outer).Name; name != "loop in solve" || inner.Name != "loop in solve" {
		t.Errorf("%q, %q", name, inner.Name)
	}
	if r := hpcLoop("[libm.so]", 0, "<unknown procedure>", 0); r.Name != "loop@[libm.so]" {
		t.Errorf("%q", r.Name)
	}
	if r := hpcLoop("src/a.c", 12, "solve", 0); r.Name != "loop@a.c:12" {
		t.Errorf("%q", r.Name)
	}
}
