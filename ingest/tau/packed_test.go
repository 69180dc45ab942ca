package tau

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"html"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
	"pgregory.net/rapid"
)

// pack writes data as a packed profile, not compressed.
func pack(d *data, version int) []byte {
	var b bytes.Buffer
	number := func(n int) { binary.Write(&b, binary.BigEndian, int32(n)) }
	text := func(s string) {
		binary.Write(&b, binary.BigEndian, uint16(len(s)))
		b.WriteString(s)
	}
	id := func(id tauID) { number(id.node); number(id.context); number(id.thread) }
	attributes := func(list []attribute) {
		number(len(list))
		for _, a := range list {
			text(a.name)
			text(a.value)
		}
	}
	b.WriteString(packedMagic)
	number(version)
	number(1)
	number(2)
	if version == 1 {
		b.WriteString("??")
	} else {
		number(3)
		b.WriteString("???")
		attributes(d.metadata)
		number(len(d.threads))
		for _, t := range d.threads {
			id(t.tauID)
			attributes(t.metadata)
		}
	}
	number(len(d.metrics))
	for _, m := range d.metrics {
		text(m)
	}
	number(2)
	text("MPI")
	text("TAU_DEFAULT")
	number(len(d.functions))
	for _, f := range d.functions {
		text(f.name)
		number(1)
		if f.groups == "MPI" {
			number(0)
		} else {
			number(1)
		}
	}
	number(len(d.events))
	for _, e := range d.events {
		text(e)
	}
	number(len(d.threads))
	for _, t := range d.threads {
		id(t.tauID)
		number(len(t.function))
		for i, f := range t.function {
			number(int(f))
			binary.Write(&b, binary.BigEndian, []float64{t.calls[i], 0})
			binary.Write(&b, binary.BigEndian, t.row(i))
		}
		number(len(t.events))
		for _, e := range t.events {
			number(int(e.event))
			number(int(e.count))
			binary.Write(&b, binary.BigEndian, []float64{1, 2, e.mean, 4})
		}
	}
	return b.Bytes()
}

// merge writes data as a merged profile.
func merge(d *data) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<profile_xml>\n<!-- all threads -->\n<definitions thread=\"*\">\n")
	for i, m := range d.metrics {
		fmt.Fprintf(&b, "<metric id=\"%d\"><name>%s</name>\n<units>unknown</units>\n</metric>\n", i, html.EscapeString(m))
	}
	for i, f := range d.functions {
		fmt.Fprintf(&b, "<event id=\"%d\"><name>%s</name><group>%s</group></event>\n", i+7, html.EscapeString(f.name), f.groups)
	}
	for i, e := range d.events {
		fmt.Fprintf(&b, "<userevent id='%d'><name>%s</name></userevent>\n", i, html.EscapeString(e))
	}
	b.WriteString("</definitions>\n</profile_xml>\n")
	for _, t := range d.threads {
		name := fmt.Sprintf("%d.%d.%d.4711", t.node, t.context, t.thread)
		fmt.Fprintf(&b, "\x00<profile_xml>\n<thread id=\"%s\" node=\"%d\" context=\"%d\" thread=\"%d\">\n<metadata>\n", name, t.node, t.context, t.thread)
		for _, a := range append(d.metadata[:len(d.metadata):len(d.metadata)], t.metadata...) {
			fmt.Fprintf(&b, "<attribute>\n<name>%s</name>\n<value>%s</value>\n</attribute>\n", html.EscapeString(a.name), html.EscapeString(a.value))
		}
		fmt.Fprintf(&b, "</metadata>\n</thread>\n<profile thread=\"%s\">\n<timestamp>0</timestamp>\n<interval_data metrics=\"", name)
		for m := range d.metrics {
			fmt.Fprintf(&b, "%d ", m)
		}
		b.WriteString("\">\n")
		for i, f := range t.function {
			fmt.Fprintf(&b, "%d %.16G 0", f+7, t.calls[i])
			for _, v := range t.row(i) {
				fmt.Fprintf(&b, " %.17g", v)
			}
			b.WriteString("\n")
		}
		b.WriteString("</interval_data>\n<atomic_data>\n")
		for _, e := range t.events {
			fmt.Fprintf(&b, "%d %.16G 2 1 %.17g 4\n", e.event, e.count, e.mean)
		}
		b.WriteString("</atomic_data>\n</profile>\n</profile_xml>\n")
	}
	b.WriteString("<profile_xml>\n<derivedentity id=\"mean\">\n</derivedentity>\n<derivedprofile derivedentity=\"mean\">\n<derivedinterval_data metrics=\"0\">\n7 1 2 3 4\n</derivedinterval_data>\n</derivedprofile>\n</profile_xml>\n")
	return b.String()
}

// textTAU writes data as profile files.
func textTAU(d *data) map[string]string {
	files := map[string]string{}
	for m, metric := range d.metrics {
		for _, t := range d.threads {
			var b strings.Builder
			fmt.Fprintf(&b, "%d templated_functions_MULTI_%s\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata>", len(t.function), metric)
			for _, a := range append(d.metadata[:len(d.metadata):len(d.metadata)], t.metadata...) {
				fmt.Fprintf(&b, "<attribute><name>%s</name><value>%s</value></attribute>", html.EscapeString(a.name), html.EscapeString(a.value))
			}
			b.WriteString("</metadata>\n")
			for i, f := range t.function {
				fmt.Fprintf(&b, "\"%s\" %.17g 0 %.17g %.17g 0 GROUP=\"%s\" \n", d.functions[f].name, t.calls[i], t.row(i)[2*m], t.row(i)[2*m+1], d.functions[f].groups)
			}
			fmt.Fprintf(&b, "0 aggregates\n%d userevents\n# eventname numevents max min mean sumsqr\n", len(t.events))
			for _, e := range t.events {
				fmt.Fprintf(&b, "\"%s\" %.17g 2 1 %.17g 4\n", d.events[e.event], e.count, e.mean)
			}
			name := fmt.Sprintf("profile.%d.%d.%d", t.node, t.context, t.thread)
			if len(d.metrics) > 1 {
				name = filepath.Join(multi+metric, name)
			}
			files[name] = b.String()
		}
	}
	return files
}

// dataExample is a small run that shows most of what there is.
func dataExample() *data {
	d := newData()
	d.metadata = []attribute{{"Executable", "/bin/x"}, {"size", "64 <cells> & \"more\""}}
	metrics := []int32{d.metric("PAPI_TOT_INS"), d.metric("TIME")}
	names := []tauFunction{{"main", "TAU_DEFAULT"}, {"MPI_Send()", "MPI"}, {"main => MPI_Send()", "MPI"}, {"main => f<T> [{a.cpp} {3,1}-{9,1}]", "TAU_DEFAULT"}}
	event := "Message size sent to node 0 : main => MPI_Send()"
	for rank := range 3 {
		t := d.thread(tauID{node: rank})
		t.metadata = []attribute{{"Hostname", fmt.Sprint("node", rank)}, {"Starting Timestamp", fmt.Sprint(1421185462259868 + rank)}}
		t.metrics = metrics
		for i, f := range names {
			t.function = append(t.function, d.function(f))
			t.calls = append(t.calls, float64(i+1))
			t.values = append(t.values, float64(1000*i+rank), 1e6, float64(100*i)+.25, 12345)
		}
		t.events = []tauEvent{{d.event(event), 3, 8.5}}
	}
	return d
}

// All three forms of one run read the same.
func TestTAUFormsAgree(t *testing.T) {
	d := dataExample()
	text, err := experiment(t, textTAU(d))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := inputtest.ReadBytes(t, Formats(), "run.ppk", inputtest.Gzipped(t, pack(d, 2)))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := inputtest.ReadBytes(t, Formats(), "tauprofile.xml", []byte(merge(d)))
	if err != nil {
		t.Fatal(err)
	}
	if text.Units[2].Node != "node2" || text.Program != "x" || len(text.Regions) != 3 || sumOf(t, text, model.BytesSent, 2) != 25.5 {
		t.Errorf("profile files: %v %v %v", text.Header, text.Units, text.Regions)
	}
	for _, e := range []*model.Experiment{packed, merged} {
		e.Name, e.Format, e.Sources = text.Name, text.Format, text.Sources
		if got, want := fmt.Sprintf("%+v", e), fmt.Sprintf("%+v", text); got != want {
			t.Errorf("experiment is\n%s, should be\n%s", got, want)
		}
	}
}

// Whatever the values, the three forms agree.
func TestTAUFormsAgreeOnAnything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := newData()
		metrics := []int32{d.metric("TIME")}
		for node := range rapid.IntRange(1, 4).Draw(rt, "ranks") {
			th := d.thread(tauID{node: node})
			th.metrics = metrics
			for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c]( => [a-c]){0,3}`), 1, 6, rapid.ID[string]).Draw(rt, "functions") {
				th.function = append(th.function, d.function(tauFunction{name, "TAU_DEFAULT"}))
				th.calls = append(th.calls, float64(rapid.IntRange(1, 9).Draw(rt, "calls")))
				th.values = append(th.values, rapid.Float64Range(-1, 1e12).Draw(rt, "exclusive"), rapid.Float64Range(0, 1e12).Draw(rt, "inclusive"))
			}
		}
		ctx, src := context.Background(), &input.Source{Given: "drawn"}
		var all []*model.Experiment
		build := func(read *data, err error) {
			if err != nil {
				rt.Fatal(err)
			}
			e, err := read.build(ctx, src)
			if err != nil {
				rt.Fatal(err)
			}
			e.Name = "drawn"
			if err := e.Check(); err != nil {
				rt.Fatal(err)
			}
			all = append(all, e)
		}
		build(parsePacked(ctx, bufio.NewReader(bytes.NewReader(pack(d, 1))), "drawn"))
		build(parseXML(ctx, bufio.NewReader(strings.NewReader(merge(d))), "drawn"))
		if !reflect.DeepEqual(all[0].Summaries, all[1].Summaries) || !reflect.DeepEqual(all[0].Regions, all[1].Regions) {
			rt.Errorf("packed %+v, merged %+v", all[0], all[1])
		}
	})
}

func buildPacked(content []byte) (*model.Experiment, error) {
	d, err := parsePacked(context.Background(), bufio.NewReader(bytes.NewReader(content)), "run.ppk")
	if err != nil {
		return nil, err
	}
	return d.build(context.Background(), &input.Source{Given: "run.ppk"})
}

func TestTAUTruncatedPacked(t *testing.T) {
	whole := pack(dataExample(), 2)
	for n := range whole {
		if _, err := buildPacked(whole[:n]); err == nil || !strings.Contains(err.Error(), "ends early") {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
	}
	zipped := inputtest.Gzipped(t, whole)
	for n := 1; n < len(zipped); n += 7 {
		if _, err := inputtest.ReadBytes(t, Formats(), "run.ppk", zipped[:n]); err == nil {
			t.Fatalf("gzip cut at byte %d is read", n)
		}
	}
}

// A count or length that was made up is an error, and costs no memory.
func TestTAUPackedWithAbsurdCounts(t *testing.T) {
	whole := pack(dataExample(), 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tries := 0
	for at := len(packedMagic); at+4 <= len(whole); at++ {
		for _, absurd := range []uint32{math.MaxInt32, math.MaxUint32, 1 << 31} {
			bad := bytes.Clone(whole)
			binary.BigEndian.PutUint32(bad[at:], absurd)
			tries++
			if e, err := buildPacked(bad); err == nil {
				e.Name = "absurd"
				if err := e.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	runtime.ReadMemStats(&after)
	if perTry := (after.TotalAlloc - before.TotalAlloc) / uint64(tries); perTry > 1<<20 {
		t.Errorf("%d bytes for a file of %d", perTry, len(whole))
	}
}

func TestTAUBadPacked(t *testing.T) {
	version := func(version, compatible uint32) []byte {
		b := []byte(packedMagic)
		b = binary.BigEndian.AppendUint32(b, version)
		return binary.BigEndian.AppendUint32(b, compatible)
	}
	for _, test := range []struct {
		name    string
		content []byte
		err     string
	}{
		{"a newer version", version(9, 3), "at byte 14: packed profile of version 9"},
		{"no version", version(0, 0), "packed profile of version 0"},
		{"negative count", append(version(2, 1), 0xff, 0xff, 0xff, 0xff), "-1 bytes of metadata cannot be"},
		{"nothing in it", pack(newData(), 2), "no function was ever called"},
		{"too many metrics", append(append(version(1, 1), 0, 0, 0, 0), 0x7f, 0, 0, 0), "metrics, at most 1024"},
	} {
		if _, err := inputtest.ReadBytes(t, Formats(), "run.ppk", inputtest.Gzipped(t, test.content)); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, should tell %q", test.name, err, test.err)
		}
	}
}

func FuzzTAUPacked(f *testing.F) {
	f.Add(pack(dataExample(), 2))
	f.Add(pack(dataExample(), 1))
	f.Add(pack(newData(), 2))
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := buildPacked(content)
		if err != nil {
			return
		}
		e.Name = "fuzz"
		if err := e.Check(); err != nil {
			t.Error(err)
		}
	})
}
