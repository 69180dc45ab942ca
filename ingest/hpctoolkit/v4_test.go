package hpctoolkit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

func TestHPCToolkit4Sample(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "small-format-samples", "hpctoolkit-v4"), "hpctoolkit4")
	if len(e.Units) != 16 || e.Program != "cpi" {
		t.Fatalf("%d units of %q, want 16 of cpi", len(e.Units), e.Program)
	}
	// What profile.db gives each thread for the context around everything.
	want := []float64{
		0.087568, 0, 0, 0.011382,
		0.087736, 0, 0, 0.010246,
		0.016902, 0, 0, 0.01085,
		0.089614, 0, 0, 0.011677,
	}
	time := inputtest.MatrixOf(t, e, "cpu_time.exc")
	for u, unit := range e.Units {
		if unit != (model.Unit{Node: "660a9f21", Process: u / 4, Thread: u % 4}) {
			t.Errorf("unit %d is %+v", u, unit)
		}
		inputtest.WantNear(t, "time of "+unit.String(), inputtest.RowSum(time, u), want[u])
		for r, v := range time.Row(u) {
			if v < 0 || v > 0 && v < 1e-9 {
				t.Errorf("%s has %v s in %s: rounding", unit, v, e.Regions[r].Name)
			}
		}
	}
	time.ToInclusive(e.Regions)
	main := inputtest.RegionAt(t, e, "main thread/main")
	inputtest.WantNear(t, "main of rank 1", time.At(4, main), 0.087736)
	if r := e.Regions[main]; r.Line != 19 || filepath.Base(r.File) != "cpi.c" {
		t.Errorf("main is at %s:%d, want cpi.c:19", r.File, r.Line)
	}
	if k := e.Regions[inputtest.RegionAt(t, e, "main thread/main/MPI_Finalize")].Kind; k != model.MPI {
		t.Errorf("MPI_Finalize is of kind %s", k)
	}
}

// hpcWriter lays out a file of a database.
type hpcWriter struct{ data []byte }

func (w *hpcWriter) align()           { w.data = append(w.data, make([]byte, -len(w.data)&7)...) }
func (w *hpcWriter) u8(v int)         { w.data = append(w.data, byte(v)) }
func (w *hpcWriter) u16(v int)        { w.data = binary.LittleEndian.AppendUint16(w.data, uint16(v)) }
func (w *hpcWriter) u32(v int)        { w.data = binary.LittleEndian.AppendUint32(w.data, uint32(v)) }
func (w *hpcWriter) u64(v int)        { w.data = binary.LittleEndian.AppendUint64(w.data, uint64(v)) }
func (w *hpcWriter) f64(v float64)    { w.u64(int(math.Float64bits(v))) }
func (w *hpcWriter) patch(at, v int)  { binary.LittleEndian.PutUint64(w.data[at:], uint64(v)) }
func (w *hpcWriter) here() int        { w.align(); return len(w.data) }
func (w *hpcWriter) section(n, p int) { w.patch(16+16*n, len(w.data)-p); w.patch(16+16*n+8, p) }

func (w *hpcWriter) text(s string) int {
	at := len(w.data)
	w.data = append(append(w.data, s...), 0)
	return at
}

func newHPCWriter(format string, sections int) *hpcWriter {
	w := &hpcWriter{data: []byte(hpcMagic + format + "\x04\x00")}
	w.data = append(w.data, make([]byte, 16*sections)...)
	return w
}

// hpcNode is a context to be written.
type hpcNode struct {
	id, relation, kind     int
	function, file, module int // offsets of what describes it
	line                   int
	children               []hpcNode
}

// contexts writes an array of contexts and returns its place and size.
func (w *hpcWriter) contexts(nodes []hpcNode) (at, size int) {
	if len(nodes) == 0 {
		return 0, 0
	}
	at = w.here()
	places := make([]int, len(nodes))
	for i, n := range nodes {
		places[i] = len(w.data)
		flags, words := 0, 0
		for bit, field := range []int{n.function, n.file, n.module} {
			if field != 0 {
				flags |= 1 << bit
				words += []int{1, 2, 2}[bit]
			}
		}
		w.u64(0)
		w.u64(0)
		w.u32(n.id)
		w.u8(flags)
		w.u8(n.relation)
		w.u8(n.kind)
		w.u8(words)
		w.u64(0)
		if n.function != 0 {
			w.u64(n.function)
		}
		if n.file != 0 {
			w.u64(n.file)
			w.u32(n.line)
			w.u32(0)
		}
		if n.module != 0 {
			w.u64(n.module)
			w.u64(0x1234)
		}
	}
	size = len(w.data) - at
	for i, n := range nodes {
		child, bytes := w.contexts(n.children)
		w.patch(places[i], bytes)
		w.patch(places[i]+8, child)
	}
	return at, size
}

// hpcSampleMeta writes a meta.db: main with a line that calls MPI_Send, a
// loop, and a call into a library without symbols.
func hpcSampleMeta() []byte {
	w := newHPCWriter("meta", 8)
	title := w.text("sample")
	at := w.here()
	w.u64(title)
	w.u64(0)
	w.section(hpcGeneral, at)

	var kinds []int
	for _, kind := range []string{"SUMMARY", "NODE", "RANK", "THREAD", "GPUSTREAM"} {
		kinds = append(kinds, w.text(kind))
	}
	names := w.here()
	for _, kind := range kinds {
		w.u64(kind)
	}
	at = w.here()
	w.u64(names)
	w.u8(len(kinds))
	w.section(hpcIDNames, at)

	scopes := map[int]int{}
	for _, kind := range []int{0, hpcScopePoint, hpcScopeExecution, 3} {
		name := w.text(fmt.Sprint("scope ", kind))
		scopes[kind] = w.here()
		w.u64(name)
		w.u8(kind)
		w.align()
	}
	type metric struct {
		name string
		ids  map[int]int // scope, number
	}
	var described [][3]int
	metrics := []metric{
		{"CPUTIME (sec)", map[int]int{hpcScopePoint: 0, 3: 1, hpcScopeExecution: 2}},
		{"GKER (msec)", map[int]int{hpcScopePoint: 3}},
		{"strange", map[int]int{0: 4}},
	}
	for _, m := range metrics {
		name, list := w.text(m.name), w.here()
		for _, kind := range []int{0, 1, 2, 3} {
			if id, ok := m.ids[kind]; ok {
				w.u64(scopes[kind])
				w.u64(id)
			}
		}
		described = append(described, [3]int{name, list, len(m.ids)})
	}
	list := w.here()
	for _, d := range described {
		w.u64(d[0])
		w.u64(d[1])
		w.u64(0)
		w.u64(d[2])
	}
	at = w.here()
	w.u64(list)
	w.u32(len(metrics))
	w.u8(32)
	w.u8(16)
	w.u8(24)
	w.align()
	w.section(hpcMetrics, at)

	path := func(text string) int {
		name, at := w.text(text), w.here()
		w.u64(0)
		w.u64(name)
		return at
	}
	function := func(name string, module, file, line int) int {
		text := 0
		if name != "" {
			text = w.text(name)
		}
		at := w.here()
		w.u64(text)
		w.u64(module)
		w.u64(0)
		w.u64(file)
		w.u32(line)
		w.u32(0)
		return at
	}
	source, library := path("src/a.c"), path("/lib/libx.so")
	main, send := function("main", 0, source, 10), function("MPI_Send", library, 0, 0)
	anonymous := function("", library, 0, 0)
	mainThread, appThread := w.text("main thread"), w.text("application thread")
	children, size := w.contexts([]hpcNode{{id: 2, relation: 1, kind: hpcIsFunction, function: main, children: []hpcNode{
		{id: 3, kind: hpcIsLine, file: source, line: 11, children: []hpcNode{
			{id: 5, relation: 1, kind: hpcIsFunction, function: send},
		}},
		{id: 6, kind: hpcIsLoop, file: source, line: 20, children: []hpcNode{{id: 7, kind: hpcIsLine, file: source, line: 21}}},
		{id: 8, relation: 1, kind: hpcIsInstruction, module: library},
		{id: 10, relation: 1, kind: hpcIsFunction, function: anonymous},
		{id: 11, relation: 1, kind: hpcIsFunction},
	}}})
	entries := w.here()
	for _, e := range [][4]int{{size, children, 1, mainThread}, {0, 0, 9, appThread}} {
		w.u64(e[0])
		w.u64(e[1])
		w.u64(e[2])
		w.u64(e[3])
	}
	at = w.here()
	w.u64(entries)
	w.u16(2)
	w.u8(32)
	w.align()
	w.section(hpcContexts, at)
	w.patch(16+16*hpcContexts, len(w.data))
	w.data = append(w.data, "_meta.db"...)
	return w.data
}

// hpcRecord is a value of a context.
type hpcRecord struct {
	context, metric int
	value           float64
}

// hpcSampleProfiles writes a profile.db of a summary, three threads of rank 0
// and 3 and a GPU stream. Context 4 is an instruction that meta.db leaves out.
func hpcSampleProfiles() []byte {
	w := newHPCWriter("prof", 2)
	profiles := []struct {
		ids    [][3]int // kind, logical, physical or 0
		values []hpcRecord
	}{
		{nil, []hpcRecord{{0, 2, 99}, {2, 2, 99}}},
		{[][3]int{{1, 0, 0xabc}, {2, 3, 0}, {3, 0, 0}}, []hpcRecord{
			{0, 2, 10}, {1, 2, 10}, {2, 2, 10}, {3, 1, 1}, {3, 2, 4}, {4, 0, 1}, {4, 2, 1}, {5, 2, 3}, {6, 2, 2}, {7, 2, 2}, {7, 3, 500}, {8, 0, 3}, {8, 2, 3}}},
		{[][3]int{{1, 0, 0xabc}, {2, 0, 0}, {3, 1, 0}}, nil},
		{[][3]int{{1, 0, 0xabc}, {2, 0, 0}, {3, 0, 0}}, []hpcRecord{{0, 2, 1}, {9, 2, 1}}},
		{[][3]int{{1, 0, 0xabc}, {2, 0, 0}, {4, 1, 0}}, []hpcRecord{{5, 3, 2000}}},
	}
	type block struct{ values, pValues, contexts, pIndex, ids int }
	var blocks []block
	for _, p := range profiles {
		b := block{values: len(p.values)}
		if b.values > 0 {
			b.pValues = w.here()
			for _, v := range p.values {
				w.u16(v.metric)
				w.f64(v.value)
			}
			b.pIndex = w.here()
			for i, v := range p.values {
				if i == 0 || v.context != p.values[i-1].context {
					w.u32(v.context)
					w.u64(i)
					b.contexts++
				}
			}
		}
		if p.ids != nil {
			b.ids = w.here()
			w.u64(len(p.ids))
			for _, id := range p.ids {
				w.u16(id[0])
				if id[2] != 0 {
					w.u16(1)
				} else {
					w.u16(0)
				}
				w.u32(id[1])
				w.u64(id[2])
			}
		}
		blocks = append(blocks, b)
	}
	list := w.here()
	for i, b := range blocks {
		w.u64(b.values)
		w.u64(b.pValues)
		w.u64(b.contexts)
		w.u64(b.pIndex)
		w.u64(b.ids)
		if i == 0 {
			w.u64(1)
		} else {
			w.u64(0)
		}
	}
	at := w.here()
	w.u64(list)
	w.u32(len(blocks))
	w.u8(48)
	w.align()
	w.section(0, at)
	w.data = append(w.data, "_prof.db"...)
	return w.data
}

// hpc4FromBytes reads a database from memory.
func hpc4FromBytes(meta, profiles []byte) (*model.Experiment, error) {
	b := model.NewBuilder()
	parsed, err := parseHPCMeta(meta, hpcMeta, b)
	if err != nil {
		return nil, err
	}
	db := &hpcProfileDB{file: bytes.NewReader(profiles), size: uint64(len(profiles)), name: hpcProfile}
	if err := db.readInto(context.Background(), parsed, b); err != nil {
		return nil, err
	}
	return b.Build(model.Header{Program: parsed.title, Notes: append(parsed.notes, db.notes...)})
}

func TestHPCToolkit4Written(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string][]byte{hpcMeta: hpcSampleMeta(), hpcProfile: hpcSampleProfiles()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := inputtest.ReadOne(t, Formats(), dir, "hpctoolkit4")
	want := []model.Unit{{Node: "00000abc"}, {Node: "00000abc", Thread: 1}, {Node: "00000abc", Thread: 2}, {Node: "00000abc", Process: 3}}
	if fmt.Sprint(e.Units) != fmt.Sprint(want) {
		t.Errorf("units %v, want %v", e.Units, want)
	}
	if len(e.Notes) != 2 {
		t.Errorf("notes %q, want one on a metric left out and one on GPU streams", e.Notes)
	}
	time, kernels := inputtest.MatrixOf(t, e, "cpu_time.exc"), inputtest.MatrixOf(t, e, "GKER.exc")
	for _, c := range []struct {
		path string
		kind model.Kind
		time float64 // of rank 3
	}{
		{"main thread", model.Block, 0},
		{"main thread/main", model.Function, 2}, // 1 in line 11, 1 elsewhere
		{"main thread/main/MPI_Send", model.MPI, 3},
		{"main thread/main/loop@a.c:20", model.Loop, 2},
		{"main thread/main/<unknown procedure> [libx.so]", model.Function, 3},
		{"application thread", model.Block, 0},
	} {
		r := inputtest.RegionAt(t, e, c.path)
		if e.Regions[r].Kind != c.kind {
			t.Errorf("%s is of kind %s, want %s", c.path, e.Regions[r].Kind, c.kind)
		}
		inputtest.WantNear(t, "time of "+c.path, time.At(3, r), c.time)
	}
	inputtest.WantNear(t, "time of the first thread", time.At(0, inputtest.RegionAt(t, e, "application thread")), 1)
	inputtest.WantNear(t, "kernels in the loop", kernels.At(3, inputtest.RegionAt(t, e, "main thread/main/loop@a.c:20")), 0.5)
	inputtest.WantNear(t, "kernels of the stream", kernels.At(2, inputtest.RegionAt(t, e, "main thread/main/MPI_Send")), 2)
	if len(e.Regions) != 7 {
		t.Errorf("%d regions, want 7: %v", len(e.Regions), model.Paths(e.Regions))
	}
}

func TestHPCToolkit4BadInput(t *testing.T) {
	meta, profiles := hpcSampleMeta(), hpcSampleProfiles()
	if _, err := hpc4FromBytes(meta, profiles); err != nil {
		t.Fatal(err)
	}
	for n := range meta {
		if _, err := hpc4FromBytes(meta[:n], profiles); err == nil {
			t.Errorf("no error with meta.db cut to %d of %d bytes", n, len(meta))
		}
	}
	for n := range profiles {
		if _, err := hpc4FromBytes(meta, profiles[:n]); err == nil {
			t.Errorf("no error with profile.db cut to %d of %d bytes", n, len(profiles))
		}
	}
	edit := func(data []byte, at int, to ...byte) []byte {
		data = bytes.Clone(data)
		copy(data[at:], to)
		return data
	}
	context := int(binary.LittleEndian.Uint64(meta[16+16*hpcContexts+8:]))
	entries := int(binary.LittleEndian.Uint64(meta[context:]))
	info := int(binary.LittleEndian.Uint64(profiles[24:]))
	second := int(binary.LittleEndian.Uint64(profiles[info:])) + hpcProfileSize
	all := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	for name, c := range map[string]struct {
		meta, profiles []byte
		want           []string
	}{
		"junk":               {[]byte("junk junk junk junk"), profiles, []string{"meta.db at byte 0"}},
		"version 5":          {edit(meta, 14, 5), profiles, []string{"meta.db at byte 14", "5.0"}},
		"tree in a circle":   {edit(meta, entries+8, binary.LittleEndian.AppendUint64(nil, uint64(entries))...), profiles, []string{"meta.db at byte"}},
		"absurd child size":  {edit(meta, entries, all...), profiles, []string{"meta.db at byte"}},
		"absurd pointer":     {edit(meta, 16+16*hpcContexts+8, all...), profiles, []string{"meta.db at byte"}},
		"absurd metrics":     {edit(meta, 16+16*hpcMetrics+8, all...), profiles, []string{"meta.db at byte"}},
		"no profile db":      {meta, []byte(hpcMagic + "meta\x04\x00" + "12345678123456781234567812345678" + hpcProfileFooter), []string{"profile.db at byte 0"}},
		"absurd profiles":    {meta, edit(profiles, info+8, 255, 255, 255, 255), []string{"profile.db at byte", "ends"}},
		"small profiles":     {meta, edit(profiles, info+12, 8), []string{"profile.db at byte", "too small"}},
		"absurd values":      {meta, edit(profiles, second, all...), []string{"profile.db at byte", "do not fit"}},
		"absurd contexts":    {meta, edit(profiles, second+16, all[:4]...), []string{"profile.db at byte"}},
		"values behind":      {meta, edit(profiles, second+8, all...), []string{"profile.db at byte"}},
		"absurd identifiers": {meta, edit(profiles, second+32, all...), []string{"profile.db at byte"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := hpc4FromBytes(c.meta, c.profiles)
			if e != nil {
				t.Error("an experiment came out")
			}
			inputtest.WantError(t, err, c.want...)
		})
	}
}

func TestHPCToolkit4DeepNesting(t *testing.T) {
	node := hpcNode{id: 100000, kind: hpcIsFunction}
	for id := 2; id < 5000; id++ {
		node = hpcNode{id: id, kind: hpcIsFunction, children: []hpcNode{node}}
	}
	w := &hpcWriter{data: hpcSampleMeta()}
	w.align()
	children, size := w.contexts([]hpcNode{node})
	entries := w.here()
	w.u64(size)
	w.u64(children)
	w.u64(1)
	w.u64(0)
	at := w.here()
	w.u64(entries)
	w.u16(1)
	w.u8(32)
	w.section(hpcContexts, at)
	w.patch(16+16*hpcContexts, len(w.data))
	w.data = append(w.data, hpcMetaFooter...)
	_, err := hpc4FromBytes(w.data, hpcSampleProfiles())
	inputtest.WantError(t, err, "meta.db at byte", "1000")
}

func FuzzHPCToolkit4(f *testing.F) {
	f.Add(hpcSampleMeta(), hpcSampleProfiles())
	f.Fuzz(func(t *testing.T, meta, profiles []byte) {
		e, err := hpc4FromBytes(meta, profiles)
		inputtest.CheckFuzzed(t, e, err)
	})
}
