package tau

import (
	"bufio"
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
)

func buildXML(text string) (*model.Experiment, error) {
	d, err := parseXML(context.Background(), bufio.NewReader(strings.NewReader(text)), "tauprofile.xml")
	if err != nil {
		return nil, err
	}
	return d.build(context.Background(), &input.Source{Given: "tauprofile.xml"})
}

// A merged profile is whole only after the end of a document.
func TestTAUTruncatedXML(t *testing.T) {
	whole := merge(dataExample())
	for n := range whole {
		open := strings.Count(whole[:n], "<profile_xml>") > strings.Count(whole[:n], "</profile_xml>")
		none := !strings.Contains(whole[:n], "<profile thread")
		if _, err := buildXML(whole[:n]); (open || none) && err == nil {
			t.Fatalf("cut at byte %d it is read", n)
		}
	}
}

// Definitions may be given thread by thread, with ids of their own, and a
// thread may have several snapshots.
func TestTAUXMLSnapshots(t *testing.T) {
	e, err := buildXML(`<profile_xml>
<thread id="0.0.0.0" node="0" context="0" thread="0"></thread>
<definitions thread="0.0.0.0"><metric id="3"><name>TIME</name><units>ms</units></metric></definitions>
<definitions thread="0.0.0.0"><event id="5"><name>main</name><group>TAU_DEFAULT</group></event></definitions>
<profile thread="0.0.0.0"><name>first</name><interval_data metrics="3">5 1 0 10 10</interval_data></profile>
<thread id="0.0.1.0" node="0" context="0" thread="1"></thread>
<definitions thread="0.0.1.0"><metric id="0"><name>TIME</name></metric><event id="5"><name>work</name><group></group></event></definitions>
<profile thread="0.0.1.0"><interval_data metrics="0">5 1 0 7 7</interval_data><atomic_data></atomic_data></profile>
<profile thread="0.0.0.0"><name>final</name><interval_data metrics="3">5 2 0 20 20</interval_data></profile>
</profile_xml>`)
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range []map[string]float64{{"main": 20}, {"work": 7}} {
		if got := inputtest.ValuesOf(t, e, unit, model.WallTime, model.Exclusive); !maps.Equal(got, want) {
			t.Errorf("unit %d: %v, should be %v", unit, got, want)
		}
	}
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "snapshots") {
		t.Errorf("notes %q", e.Notes)
	}
}

// Metrics without a name, or with one that is taken, stay apart.
func TestTAUMetricNames(t *testing.T) {
	d := dataExample()
	d.metrics = []string{"wtime", "TIME"}
	e, err := buildXML(merge(d))
	if err != nil {
		t.Fatal(err)
	}
	if got := inputtest.ValuesOf(t, e, 0, model.WallTime, model.Exclusive); got["main/f<T>"] != 300.25 || e.MetricIndex("wtime'", model.Exclusive) < 0 {
		t.Errorf("metrics %v, values %v", e.Metrics, got)
	}
	d.metrics = []string{"", "TIME"}
	if e, err = buildXML(merge(d)); err != nil {
		t.Fatal(err)
	}
	if e.Name = "x"; e.Check() != nil || e.Metrics[0].Name != "(unnamed)" {
		t.Errorf("metrics %v: %v", e.Metrics, e.Check())
	}
	if _, err := buildPacked(pack(d, 2)); err != nil {
		t.Error(err)
	}
}

func TestTAUBadXML(t *testing.T) {
	const begin = "<profile_xml>\n<thread id=\"0\" node=\"0\" context=\"0\" thread=\"0\">\n</thread>\n"
	const definitions = `<definitions thread="*"><metric id="0"><name>TIME</name></metric><event id="0"><name>f</name></event></definitions>`
	for _, test := range []struct{ name, text, err string }{
		{"nothing in it", "<profile_xml></profile_xml>", ":1: the merged profile ends early"},
		{"another document", "<profile_xml/><html><body>hello</body></html>", "ends early"},
		{"a thread of no number", `<profile_xml><thread id="0" node="x" context="0" thread="0">`, "no number for its node"},
		{"a negative thread", `<profile_xml><thread id="0" node="0" context="0" thread="-1">`, "no number for its thread"},
		{"an unknown thread", begin + `<profile thread="1">`, `:4: <profile> of thread "1"`},
		{"an unknown metric", begin + `<profile thread="0"><interval_data metrics="0">`, `metric "0" is not defined`},
		{"an unknown event", begin + definitions + `<profile thread="0"><interval_data metrics="0">1 1 1 1 1 </interval_data>`, "event 1 is not defined"},
		{"half a row", begin + definitions + `<profile thread="0"><interval_data metrics="0">0 1 1</interval_data>`, "3 numbers are left over"},
		{"no number", begin + definitions + `<profile thread="0"><interval_data metrics="0">0 1 1 x 1</interval_data>`, `"x" is no number`},
		{"values outside", begin + `<interval_data metrics="0">`, "<interval_data> outside of <profile>"},
		{"values twice", begin + definitions + `<profile thread="0"><interval_data metrics="0">0 1 1 1 1</interval_data><interval_data metrics="">`, "a second <interval_data>"},
		{"an endless tag", "<profile_xml " + strings.Repeat("x", maxTag+10) + ">", "bytes without a '>'"},
		{"an endless name", "<profile_xml><name>" + strings.Repeat("x", maxText+10), "bytes without a '<'"},
		{"entities", "<!DOCTYPE x [<!ENTITY a \"&b;&b;\">]><profile_xml><name>&a;</name>", "ends early"},
	} {
		if _, err := buildXML(test.text); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, should tell %q", test.name, err, test.err)
		}
	}
}

func FuzzTAUXML(f *testing.F) {
	f.Add(merge(dataExample()))
	f.Add(`<profile_xml><thread id="0" node="0" context="0" thread="0"/><definitions thread="*"><metric id="0"><name>TIME</name></metric><event id="0"><name>f =&gt; g</name></event></definitions><profile thread="0"><interval_data metrics="0">0 1 1 1 1</interval_data></profile></profile_xml>`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := buildXML(text)
		if err != nil {
			return
		}
		e.Name = "fuzz"
		if err := e.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TAU 2.30 and later write names as CDATA.
func TestCDATA(t *testing.T) {
	plain := merge(dataExample())
	wrapped := strings.NewReplacer("<name>", "<name><![CDATA[", "</name>", "]]></name>").Replace(plain)
	for _, c := range []struct{ escaped, raw string }{{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}} {
		parts := strings.Split(wrapped, "<![CDATA[")
		for i := 1; i < len(parts); i++ {
			inside, after, _ := strings.Cut(parts[i], "]]>")
			parts[i] = strings.ReplaceAll(inside, c.escaped, c.raw) + "]]>" + after
		}
		wrapped = strings.Join(parts, "<![CDATA[")
	}
	if wrapped == plain {
		t.Fatal("nothing is wrapped")
	}
	want, err := buildXML(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := buildXML(wrapped)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(model.Header{}, "Created")); diff != "" {
		t.Error(diff)
	}
	if _, err := buildXML(wrapped[:strings.Index(wrapped, "<![CDATA[")+12]); err == nil || !strings.Contains(err.Error(), "CDATA") {
		t.Error(err)
	}
}
