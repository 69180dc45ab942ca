package cube

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/ingest/inputtest"
	"auspex/model"
)

func TestCubeScoreP(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "small-format-samples", "scorep-cubex"), "cube")
	if len(e.Units) != 4 || e.Program != "cpi" || e.Command != "/p/lustre1/cankur1/test/scorep/cpi" {
		t.Fatalf("%d units of %q (%q), want 4 of cpi", len(e.Units), e.Program, e.Command)
	}
	if e.Units[3] != (model.Unit{Node: "quartz1", Process: 3}) {
		t.Errorf("the last unit is %+v", e.Units[3])
	}
	time, calls := inputtest.MatrixOf(t, e, "wtime.inc"), inputtest.MatrixOf(t, e, "calls")
	for u, want := range []float64{5.055625617385637, 5.055637080469832, 5.055616575148446, 5.055628709258258} {
		inputtest.WantNear(t, "time of the program", time.At(u, inputtest.RegionAt(t, e, "cpi")), want)
	}
	for path, want := range map[string]float64{
		"cpi/main/MPI_Init": 0.5065039521570334, "cpi/main/iteration": 4.539142315657635,
		"cpi/main/iteration/MPI_Bcast": 2.045318423534962, "cpi/main/iteration/MPI_Reduce": 2.114011346227246,
		"cpi/main/iteration.cold.1": 0.0020281095124839916, "cpi/main/MPI_Finalize": 0.004361493084857271,
	} {
		inputtest.WantNear(t, "time of "+path, time.At(0, inputtest.RegionAt(t, e, path)), want)
	}
	// A region's time holds that of those called from it: the rows of an
	// inclusive metric were put in their places.
	children, _ := model.Children(e.Regions)
	for u := range e.Units {
		for r := range e.Regions {
			inner := 0.0
			for _, c := range children[r] {
				inner += time.At(u, c)
			}
			if inner > time.At(u, r)*(1+1e-9) {
				t.Errorf("unit %d: %v s in %s, but %v s in those it calls", u, time.At(u, r), e.Regions[r].Name, inner)
			}
		}
	}
	bcast := inputtest.RegionAt(t, e, "cpi/main/iteration/MPI_Bcast")
	inputtest.WantNear(t, "calls of MPI_Bcast, two call paths as one", calls.At(1, bcast), 50001)
	inputtest.WantNear(t, "shortest MPI_Bcast", inputtest.MatrixOf(t, e, "min_time").At(1, bcast), 3.8516569414778995e-05)
	inputtest.WantNear(t, "longest MPI_Bcast", inputtest.MatrixOf(t, e, "max_time").At(1, bcast), 0.002746604451278186)
	inputtest.WantNear(t, "bytes sent by rank 0", inputtest.RowSum(inputtest.MatrixOf(t, e, "bytes_sent.exc"), 0), 1200000)
	inputtest.WantNear(t, "bytes received by rank 0", inputtest.RowSum(inputtest.MatrixOf(t, e, "bytes_received.exc"), 0), 1800000)
	if r := e.Regions[bcast]; r.Kind != model.MPI {
		t.Errorf("MPI_Bcast is of kind %s", r.Kind)
	}
	if r := e.Regions[inputtest.RegionAt(t, e, "cpi/main")]; r.Line != 50 || filepath.Base(r.File) != "cpi.c" {
		t.Errorf("main is at %s:%d, want cpi.c:50", r.File, r.Line)
	}
}

func TestCubeThreads(t *testing.T) {
	dir := inputtest.SampleData(t, "small-format-samples", "cubex-threaded-5pts")
	for n := 1; n <= 5; n++ {
		e := inputtest.ReadOne(t, Formats(), filepath.Join(dir, fmt.Sprintf("example.f%d", n)), "cube")
		if len(e.Units) != 4 || len(e.Regions) != 5 {
			t.Fatalf("%d: %d units and %d regions, want 4 and 5", n, len(e.Units), len(e.Regions))
		}
		want := []model.Unit{{Node: "Node"}, {Node: "Node", Thread: 1}, {Node: "Node", Process: 1}, {Node: "Node", Process: 1, Thread: 1}}
		if fmt.Sprint(e.Units) != fmt.Sprint(want) {
			t.Errorf("%d: units %v, want %v", n, e.Units, want)
		}
		if n == 1 {
			time := inputtest.MatrixOf(t, e, "wtime.inc")
			for u, seconds := range []float64{3.5, 3.2, 3.4, 3.1} {
				inputtest.WantNear(t, "parallel region", time.At(u, inputtest.RegionAt(t, e, "main/omp parallel")), seconds)
			}
			calls := inputtest.MatrixOf(t, e, "calls")
			inputtest.WantNear(t, "calls of zero", calls.At(0, inputtest.RegionAt(t, e, "main/zero")), 1)
		}
	}
}

// sampleAnchor describes a call tree whose depth-first and breadth order
// differ, metrics of all sorts, and four locations of which one is a sensor.
const sampleAnchor = `<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4">
<attr key="Creator" value="hand"/>
<attr key="size" value="64"/>
<attr key="Cube Version" value="4.6"/>
<metrics>
 <metric id="0" type="EXCLUSIVE"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom>
  <metric id="7" type="EXCLUSIVE"><uniq_name>nested</uniq_name><dtype>INT16</dtype><uom>W</uom></metric>
 </metric>
 <metric id="1" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>msec</uom></metric>
 <metric id="2" type="EXCLUSIVE"><uniq_name>min_time</uniq_name><dtype>MINDOUBLE</dtype><uom>sec</uom></metric>
 <metric id="3" type="POSTDERIVED"><uniq_name>rate</uniq_name><dtype>DOUBLE</dtype><uom></uom><cubepl rowwise=false>metric::time()</cubepl></metric>
 <metric id="4" type="EXCLUSIVE"><uniq_name>atoms</uniq_name><dtype>TAU_ATOMIC</dtype><uom></uom></metric>
 <metric id="5" type="EXCLUSIVE" viztype="GHOST"><uniq_name>ghost</uniq_name><dtype>DOUBLE</dtype><uom></uom></metric>
 <metric id="6" type="EXCLUSIVE"><uniq_name>absent</uniq_name><dtype>DOUBLE</dtype><uom></uom></metric>
</metrics>
<program>
<region id="0" mod="a.c" begin="1" end="9"><name>main</name><paradigm>compiler</paradigm><role>function</role></region>
<region id="1" mod="a.c" begin="10" end="19"><name>f</name><paradigm>user</paradigm><role>function</role></region>
<region id="2" mod="MPI" begin="-1" end="-1"><name>MPI_Send</name><paradigm>mpi</paradigm><role>point2point</role></region>
<region id="3" mod="a.c" begin="30" end="31"><name>!$omp ibarrier</name><paradigm>openmp</paradigm><role>implicit barrier</role></region>
<region id="4" mod="a.c" begin="40" end="41"><name>g</name><paradigm>compiler</paradigm><role>loop</role></region>
<cnode id="0" calleeId="0">
 <cnode id="1" calleeId="1"><parameter partype="numeric" parkey="i" parvalue="3"/>
  <cnode id="2" calleeId="2"></cnode>
 </cnode>
 <cnode id="3" calleeId="3"></cnode>
 <cnode id="4" calleeId="4"></cnode>
</cnode>
</program>
<system>
<systemtreenode Id="0"><name>big</name><class>machine</class>
 <systemtreenode Id="1"><name>node n1</name><class>node</class>
  <locationgroup Id="0"><name>MPI Rank 0</name><rank>0</rank><type>process</type>
   <location Id="0"><name>Master</name><rank>0</rank><type>thread</type></location>
   <location Id="2"><name>stream</name><rank>0</rank><type>gpu</type></location>
  </locationgroup>
  <locationgroup Id="1"><name>MPI Rank 1</name><rank>1</rank><type>process</type>
   <location Id="1"><name>Master</name><rank>0</rank><type>thread</type></location>
   <location Id="3"><name>sensor</name><rank>1</rank><type>metric</type></location>
  </locationgroup>
 </systemtreenode>
</systemtreenode>
</system>
</cube>
`

// indexOf writes an index file.
func indexOf(order inputtest.ByteOrder, format byte, ids ...uint32) []byte {
	out := order.AppendUint32([]byte(indexMarker), 1)
	out = append(order.AppendUint16(out, 0), format)
	if format == sparse {
		out = order.AppendUint32(out, uint32(len(ids)))
		for _, id := range ids {
			out = order.AppendUint32(out, id)
		}
	}
	return out
}

// rowsOf writes rows of values, each row a node, as the bytes of a type.
func rowsOf(order inputtest.ByteOrder, dtype string, rows ...[]float64) [][]byte {
	var out [][]byte
	for _, row := range rows {
		var p []byte
		for _, v := range row {
			switch dtype {
			case "UINT64":
				p = order.AppendUint64(p, uint64(v))
			case "INT16":
				p = order.AppendUint16(p, uint16(int16(v)))
			default:
				p = order.AppendUint64(p, math.Float64bits(v))
			}
		}
		out = append(out, p)
	}
	return out
}

// dataOf writes a data file, plain or compressed.
func dataOf(order inputtest.ByteOrder, compressed bool, rows [][]byte) []byte {
	if !compressed {
		return append([]byte(dataMarker), bytes.Join(rows, nil)...)
	}
	out := order.AppendUint64([]byte(zipMarker), uint64(len(rows)))
	var packed []byte
	to := 0
	for _, row := range rows {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(row)
		w.Close()
		out = order.AppendUint64(out, uint64(to))
		out = order.AppendUint64(out, uint64(len(packed)))
		out = order.AppendUint64(out, uint64(z.Len()))
		packed = append(packed, z.Bytes()...)
		to += len(row)
	}
	return append(out, packed...)
}

// cubeArchive packs files into a .cubex, the anchor last as Score-P does.
func cubeArchive(anchor string, files map[string][]byte) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	add := func(name string, content []byte) {
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Format: tar.FormatUSTAR})
		w.Write(content)
	}
	add("remapping.spec", []byte("<metrics/>"))
	for n := range 10 {
		for _, ending := range []string{dataEnding, indexEnding} {
			if content, ok := files[fmt.Sprint(n, ending)]; ok {
				add(fmt.Sprint(n, ending), content)
			}
		}
	}
	add(anchorName, []byte(anchor))
	w.Close()
	return out.Bytes()
}

// sampleFiles are the values of the sample: visits for all nodes, times
// for all but g, of which nothing is known at all.
func sampleFiles(order inputtest.ByteOrder, compressed bool) map[string][]byte {
	visits := rowsOf(order, "UINT64", []float64{1, 1, 0, 0}, []float64{2, 2, 0, 0}, []float64{5, 6, 7, 0}, []float64{1, 1, 0, 0}, []float64{0, 0, 0, 0})
	// Inclusive rows stand in the order main, f, barrier, g, MPI_Send.
	times := rowsOf(order, "DOUBLE", []float64{10000, 9000, 1000, 0}, []float64{6000, 5000, 1000, 0}, []float64{3000, 2000, 0, 0}, []float64{4000, 4000, 1000, 0})
	least := rowsOf(order, "DOUBLE", []float64{math.MaxFloat64, 0.5, math.MaxFloat64, 0})
	watts := rowsOf(order, "INT16", []float64{-5, 300, 0, 77}, []float64{1, 1, 1, 1}, []float64{2, 2, 2, 2}, []float64{3, 3, 3, 3}, []float64{0, 0, 0, 0})
	return map[string][]byte{
		"0.index": indexOf(order, dense), "0.data": dataOf(order, compressed, visits),
		"1.index": indexOf(order, sparse, 0, 1, 2, 4), "1.data": dataOf(order, compressed, times),
		"2.index": indexOf(order, sparse, 2), "2.data": dataOf(order, compressed, least),
		"4.index": indexOf(order, dense), "4.data": []byte("no matter"),
		"5.index": indexOf(order, dense), "5.data": []byte("no matter"),
		"7.index": indexOf(order, dense), "7.data": dataOf(order, compressed, watts),
	}
}

func checkSample(t *testing.T, e *model.Experiment) {
	t.Helper()
	want := []model.Unit{{Node: "n1"}, {Node: "n1", Thread: 1}, {Node: "n1", Process: 1}}
	if fmt.Sprint(e.Units) != fmt.Sprint(want) {
		t.Errorf("units %v, want %v", e.Units, want)
	}
	var columns []string
	for _, m := range e.Metrics {
		columns = append(columns, m.Column()+" "+m.Unit)
	}
	if got := strings.Join(columns, ", "); got != "calls count, nested.exc W, wtime.inc s, min_time s" {
		t.Errorf("metrics are %s", got)
	}
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "atoms (TAU_ATOMIC)") {
		t.Errorf("notes %q, want one on the metric left out", e.Notes)
	}
	if size, _ := e.Factor("size"); size.Number != 64 {
		t.Errorf("factors %v, want size 64", e.Factors)
	}
	calls, time, least, watts := inputtest.MatrixOf(t, e, "calls"), inputtest.MatrixOf(t, e, "wtime.inc"), inputtest.MatrixOf(t, e, "min_time"), inputtest.MatrixOf(t, e, "nested.exc")
	for _, c := range []struct {
		path  string
		kind  model.Kind
		line  int
		calls [3]float64 // of rank 0, its stream, rank 1
		time  [3]float64
	}{
		{"main", model.Function, 1, [3]float64{1, 0, 1}, [3]float64{10, 1, 9}},
		{"main/f (i=3)", model.User, 10, [3]float64{2, 0, 2}, [3]float64{6, 1, 5}},
		{"main/f (i=3)/MPI_Send", model.MPI, 0, [3]float64{5, 7, 6}, [3]float64{4, 1, 4}},
		{"main/!$omp ibarrier", model.Barrier, 30, [3]float64{1, 0, 1}, [3]float64{3, 0, 2}},
		{"main/g", model.Loop, 40, [3]float64{}, [3]float64{}},
	} {
		r := inputtest.RegionAt(t, e, c.path)
		if e.Regions[r].Kind != c.kind || e.Regions[r].Line != c.line {
			t.Errorf("%s is %+v, want kind %s, line %d", c.path, e.Regions[r], c.kind, c.line)
		}
		for u := range e.Units {
			inputtest.WantNear(t, fmt.Sprintf("calls of %s at unit %d", c.path, u), calls.At(u, r), c.calls[u])
			inputtest.WantNear(t, fmt.Sprintf("time of %s at unit %d", c.path, u), time.At(u, r), c.time[u])
		}
	}
	send := inputtest.RegionAt(t, e, "main/f (i=3)/MPI_Send")
	if v := least.At(0, send); v == v {
		t.Errorf("rank 0 has a shortest time of %v, want none", v)
	}
	inputtest.WantNear(t, "shortest send of rank 1", least.At(2, send), 0.5)
	inputtest.WantNear(t, "watts of rank 0", watts.At(0, inputtest.RegionAt(t, e, "main")), -5)
	inputtest.WantNear(t, "watts of rank 1", watts.At(2, inputtest.RegionAt(t, e, "main")), 300)
	// g has no values: nobody entered it.
	if e.Summaries.Rows() != 4*3 {
		t.Errorf("%d rows, want 12", e.Summaries.Rows())
	}
}

func TestCubeWritten(t *testing.T) {
	var zippedAnchor bytes.Buffer
	z := gzip.NewWriter(&zippedAnchor)
	z.Write([]byte(sampleAnchor))
	z.Close()
	plain := cubeArchive(sampleAnchor, sampleFiles(binary.LittleEndian, false))
	badChecksums := bytes.Clone(plain)
	copy(badChecksums[148:], "0000001")
	for name, content := range map[string][]byte{
		"plain":              plain,
		"bad tar checksums":  badChecksums,
		"compressed":         cubeArchive(sampleAnchor, sampleFiles(binary.LittleEndian, true)),
		"big-endian":         cubeArchive(sampleAnchor, sampleFiles(binary.BigEndian, false)),
		"big-endian, zipped": cubeArchive(sampleAnchor, sampleFiles(binary.BigEndian, true)),
		"zipped anchor":      cubeArchive(zippedAnchor.String(), sampleFiles(binary.LittleEndian, false)),
		"gzip around it":     inputtest.Gzipped(t, plain),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "profile")
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			checkSample(t, inputtest.ReadOne(t, Formats(), path, "cube"))
		})
	}
}

func TestCubeOldSystemTree(t *testing.T) {
	anchor := sampleAnchor[:strings.Index(sampleAnchor, "<system>")] + `<system>
<machine Id="0"><name>big</name><node Id="0"><name>n7</name>
 <process Id="0"><name>P0</name><rank>0</rank><thread Id="0"><name>T</name><rank>0</rank></thread><thread Id="1"><name>T</name><rank>1</rank></thread></process>
 <process Id="1"><name>P1</name><rank>1</rank><thread Id="2"><name>T</name><rank>0</rank></thread><thread Id="3"><name>T</name><rank>1</rank></thread></process>
</node></machine></system></cube>`
	e, err := readFrom(context.Background(), bufio.NewReader(bytes.NewReader(cubeArchive(anchor, sampleFiles(binary.LittleEndian, false)))), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Unit{{Node: "n7"}, {Node: "n7", Thread: 1}, {Node: "n7", Process: 1}, {Node: "n7", Process: 1, Thread: 1}}
	if fmt.Sprint(e.Units) != fmt.Sprint(want) {
		t.Errorf("units %v, want %v", e.Units, want)
	}
	inputtest.WantNear(t, "time of the last but one", inputtest.MatrixOf(t, e, "wtime.inc").At(2, 0), 1)
}

// cube3Sample is a CUBE 3 file: values in the XML, exclusive.
const cube3Sample = `<?xml version="1.0" encoding="UTF-8"?>
<cube version="3.0">
<metrics>
<metric id="0"><disp_name>Time</disp_name><uniq_name>time</uniq_name><dtype>FLOAT</dtype><uom>sec</uom></metric>
<metric id="1"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name><dtype>INTEGER</dtype><uom>occ</uom></metric>
</metrics>
<program>
<region id="0" mod="a.c" begin="1" end="9"><name>main</name></region>
<region id="1" mod="a.c" begin="10" end="19"><name>MPI_Send</name></region>
<cnode id="5" line="1" mod="a.c" calleeId="0"><cnode id="9" line="3" mod="a.c" calleeId="1"></cnode></cnode>
</program>
<system><machine Id="0"><name>m</name><node Id="0"><name>n</name>
<process Id="0"><name>p</name><rank>0</rank><thread Id="0"><name>t</name><rank>0</rank></thread></process>
<process Id="1"><name>p</name><rank>1</rank><thread Id="1"><name>t</name><rank>0</rank></thread></process>
</node></machine></system>
<severity>
<matrix metricId="0"><row cnodeId="5">
1.5
2
</row><row cnodeId="9">
3
4e0
</row></matrix>
<matrix metricId="1"><row cnodeId="9">
7
8
</row></matrix>
</severity>
</cube>
`

func TestCube3(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.cube")
	if err := os.WriteFile(path, []byte(cube3Sample), 0o644); err != nil {
		t.Fatal(err)
	}
	e := inputtest.ReadOne(t, Formats(), path, "cube")
	time, calls := inputtest.MatrixOf(t, e, "wtime.exc"), inputtest.MatrixOf(t, e, "calls")
	main, send := inputtest.RegionAt(t, e, "main"), inputtest.RegionAt(t, e, "main/MPI_Send")
	for u, want := range [][3]float64{{1.5, 3, 7}, {2, 4, 8}} {
		inputtest.WantNear(t, "time of main", time.At(u, main), want[0])
		inputtest.WantNear(t, "time of MPI_Send", time.At(u, send), want[1])
		inputtest.WantNear(t, "calls of MPI_Send", calls.At(u, send), want[2])
	}
	for n := range len(strings.TrimSpace(cube3Sample)) {
		if _, err := readFrom(context.Background(), bufio.NewReader(strings.NewReader(cube3Sample[:n])), "x"); err == nil {
			t.Errorf("no error when cut to %d bytes", n)
		}
	}
}

// BenchmarkCube reads a profile of 500 processes and 2,000 call paths with
// three metrics.
func BenchmarkCube(b *testing.B) {
	const processes, paths = 500, 2000
	var anchor strings.Builder
	anchor.WriteString(`<cube version="4.4"><metrics>
<metric id="0" type="EXCLUSIVE"><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom></metric>
<metric id="1" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>
<metric id="2" type="EXCLUSIVE"><uniq_name>bytes_sent</uniq_name><dtype>UINT64</dtype><uom>bytes</uom></metric>
</metrics><program>`)
	for r := range paths {
		fmt.Fprintf(&anchor, `<region id="%d" mod="a.c" begin="%d" end="9"><name>function_%d</name></region>`, r, r+1, r)
	}
	anchor.WriteString(`<cnode id="0" calleeId="0">`)
	for r := 1; r < paths; r++ {
		fmt.Fprintf(&anchor, `<cnode id="%d" calleeId="%d"></cnode>`, r, r)
	}
	anchor.WriteString("</cnode></program><system>" + locationsOf(processes) + "</system></cube>")
	row := make([]float64, processes)
	for i := range row {
		row[i] = float64(i + 1)
	}
	files := map[string][]byte{}
	for n, dtype := range []string{"UINT64", "DOUBLE", "UINT64"} {
		rows := make([][]byte, paths)
		for i := range rows {
			rows[i] = rowsOf(binary.LittleEndian, dtype, row)[0]
		}
		files[fmt.Sprint(n, ".index")] = indexOf(binary.LittleEndian, dense)
		files[fmt.Sprint(n, ".data")] = dataOf(binary.LittleEndian, false, rows)
	}
	content := cubeArchive(anchor.String(), files)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readFrom(context.Background(), bufio.NewReader(bytes.NewReader(content)), "x"); err != nil {
			b.Fatal(err)
		}
	}
}

// cubeTree is a call tree for tests: the children of each node.
type cubeTree struct {
	children [][]int
	xml      strings.Builder
}

func (c *cubeTree) write(node int) {
	fmt.Fprintf(&c.xml, `<cnode id="%d" calleeId="%d">`, node, node)
	for _, child := range c.children[node] {
		c.write(child)
	}
	c.xml.WriteString("</cnode>")
}

// wide lists the nodes below one as inclusive metrics store them.
func (c *cubeTree) wide(node int) []int {
	below := slices.Clone(c.children[node])
	for _, child := range c.children[node] {
		below = append(below, c.wide(child)...)
	}
	return below
}

func (c *cubeTree) deep(node int) []int {
	nodes := []int{node}
	for _, child := range c.children[node] {
		nodes = append(nodes, c.deep(child)...)
	}
	return nodes
}

// TestCubeAnyTree stores one value per node, its own number, in the order of
// either kind of metric, and wants each back at its node.
func TestCubeAnyTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "nodes")
		tree := &cubeTree{children: make([][]int, n)}
		for node := 1; node < n; node++ {
			parent := rapid.IntRange(0, node-1).Draw(t, "parent")
			tree.children[parent] = append(tree.children[parent], node)
		}
		tree.write(0)
		var anchor strings.Builder
		anchor.WriteString(`<cube version="4.4"><metrics>
<metric id="0" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>
<metric id="1" type="EXCLUSIVE"><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom></metric>
</metrics><program>`)
		for r := range n {
			fmt.Fprintf(&anchor, `<region id="%d" mod="" begin="-1" end="-1"><name>%d</name></region>`, r, r)
		}
		anchor.WriteString(tree.xml.String() + "</program><system>" + locationsOf(1) + "</system></cube>")
		files := map[string][]byte{}
		var stored [2]int
		for metric, order := range [][]int{append([]int{0}, tree.wide(0)...), tree.deep(0)} {
			var ids []uint32
			var rows [][]byte
			for number, node := range order {
				if rapid.Bool().Draw(t, "stored") {
					stored[metric]++
					ids = append(ids, uint32(number))
					rows = append(rows, rowsOf(binary.LittleEndian, []string{"DOUBLE", "UINT64"}[metric], []float64{float64(node + 1)})...)
				}
			}
			files[fmt.Sprint(metric, ".index")] = indexOf(binary.LittleEndian, sparse, ids...)
			files[fmt.Sprint(metric, ".data")] = dataOf(binary.LittleEndian, rapid.Bool().Draw(t, "compressed"), rows)
		}
		e, err := readFrom(context.Background(), bufio.NewReader(strings.NewReader(string(cubeArchive(anchor.String(), files)))), "x")
		if err != nil {
			t.Fatal(err)
		}
		for m := range e.Metrics {
			found := 0
			for r, v := range e.Matrix(m).Row(0) {
				if v == 0 {
					continue
				}
				found++
				if fmt.Sprint(v-1) != e.Regions[r].Name {
					t.Errorf("%s of node %s is %v", e.Metrics[m].Column(), e.Regions[r].Name, v)
				}
			}
			if found != stored[m] {
				t.Errorf("%s has %d values, want %d", e.Metrics[m].Column(), found, stored[m])
			}
		}
	})
}
