package callgrind

import (
	"context"
	"strings"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

// sample is the example of callgrind's own format, with a recursive function
// as callgrind writes cycles: main takes 820 in all, of which 400 in func1 and
// 400 in func2 from func1.
const sample = `# callgrind format
version: 1
creator: callgrind-3.19.0
cmd: ./clreq -n 3
thread: 2
positions: line
events: Ir Dr

fl=(1) file1.c
fn=(1) main
16 20 2
cfn=(2) func1
calls=1 50
16 400 5
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
* 400 7

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
+1 300

fl=(2)
fn=(3)
20 50 9
cfn=(4) func2'2
calls=5 *
* 650

fn=(4)
21 650
cfn=(4)
calls=3 *
* 400
totals: 820 11
`

func TestSample(t *testing.T) {
	e, err := inputtest.ReadBytes(t, Formats(), "callgrind.out.1", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if e.Format != "callgrind" || e.Program != "clreq" || e.Units[0].Thread != 1 || len(e.Regions) != 3 {
		t.Errorf("format %s, program %s, units %v, %d regions", e.Format, e.Program, e.Units, len(e.Regions))
	}
	own, whole := inputtest.MatrixOf(t, e, "instructions.exc"), inputtest.MatrixOf(t, e, "instructions.inc")
	reads, calls := inputtest.MatrixOf(t, e, "Dr.exc"), inputtest.MatrixOf(t, e, "calls")
	for _, want := range []struct {
		name                     string
		own, whole, reads, calls float64
	}{{"main", 20, 820, 2, 0}, {"func1", 100, 400, 0, 1}, {"func2", 700, 700, 9, 13}} {
		r := inputtest.RegionAt(t, e, want.name)
		inputtest.WantNear(t, want.name+" own", own.At(0, r), want.own)
		inputtest.WantNear(t, want.name+" whole", whole.At(0, r), want.whole)
		inputtest.WantNear(t, want.name+" reads", reads.At(0, r), want.reads)
		inputtest.WantNear(t, want.name+" calls", calls.At(0, r), want.calls)
	}
}

// circle is shortened from what valgrind 3.19 wrote with --separate-threads=yes
// --combine-dumps=yes --dump-instr=yes --collect-jumps=yes: two parts, two
// threads, and functions that call each other; callgrind_annotate says of it
// even 2886, odd 2717 with callees.
const circle = `# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  ./a
part: 1
thread: 1
positions: instr line
events: Ir
ob=(1) /home/a
fl=(1) a.c
fn=(1) main
0x1240 12 5
cfn=(2) even
calls=1 0x1200 7
+5 12 2886
fn=(2)
0x1200 7 169
jump=3 +8 *
+4 *
cfn=(3) odd
calls=1 0x1180 6
* * 2717

fn=(3)
0x1180 6 409
jcnd=2/5 +8 *
* *
cfn=(4) even'2
calls=1 0x1200 7
* * 2308
part: 2
thread: 1
events: Ir
fn=(4) even'2
0x1200 7 676
cfn=(5) odd'2
calls=4 0x1180 6
* * 1900
fn=(5)
0x1180 6 1632
cfn=(4)
calls=4 0x1200 7
* * 1500
part: 2
thread: 2
events: Ir
fn=(6) th
0x1300 11 4
totals: 2895
`

func TestRecursionPartsAndThreads(t *testing.T) {
	e, err := inputtest.ReadBytes(t, Formats(), "callgrind.out.2", []byte(circle))
	if err != nil {
		t.Fatal(err)
	}
	own, whole, calls := inputtest.MatrixOf(t, e, "instructions.exc"), inputtest.MatrixOf(t, e, "instructions.inc"), inputtest.MatrixOf(t, e, "calls")
	if len(e.Units) != 2 || e.Units[1].Thread != 1 || len(e.Notes) != 1 {
		t.Fatalf("units %v, notes %q", e.Units, e.Notes)
	}
	for _, want := range []struct {
		name              string
		unit              int
		own, whole, calls float64
	}{{"main", 0, 5, 2891, 0}, {"even", 0, 845, 2886, 6}, {"odd", 0, 2041, 2717, 5}, {"th", 1, 4, 4, 0}} {
		r := inputtest.RegionAt(t, e, want.name)
		inputtest.WantNear(t, want.name+" own", own.At(want.unit, r), want.own)
		inputtest.WantNear(t, want.name+" whole", whole.At(want.unit, r), want.whole)
		inputtest.WantNear(t, want.name+" calls", calls.At(want.unit, r), want.calls)
	}
}

func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"version: 2\n":                                   "x:1: version \"2\"",
		"1 2\n":                                          "x:1: costs before the line of events",
		"events: Ir\nevents: Dr\n":                       "x:2: a part with the events \"Dr\" after one with \"Ir\"",
		"events: Ir\n1 2\n":                              "x:2: costs before the first function",
		"events: Ir\nfn=f\n1 2 3\n":                      "x:3: 2 costs of 1 events",
		"events: Ir\nfn=f\n1 -5\n":                       "x:3: \"-5\" is no cost",
		"events: Ir\nfn=f\ncalls=many 1\n":               "x:3: \"many\" is no number of calls",
		"events: Ir\nfn=f\nnonsense\n":                   "x:3: \"nonsense\" is neither",
		"events: Ir\n":                                   "no values found",
		strings.Repeat("a", maxLine+1):                   "x:1:",
		"positions: instr line\nevents: Ir\nfn=f\n0x1\n": "x:4: 1 numbers; a line has 2 positions",
	} {
		_, err := parse(context.Background(), strings.NewReader(text), "x")
		inputtest.WantError(t, err, want)
	}
}

func TestDamaged(t *testing.T) {
	inputtest.CheckDamaged(t, []byte(sample), func(b []byte) (*model.Experiment, error) {
		return parse(context.Background(), strings.NewReader(string(b)), "x")
	})
}

func FuzzCallgrind(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		isCallgrind("x", []byte(text))
		e, err := parse(context.Background(), strings.NewReader(text), "x")
		inputtest.CheckFuzzed(t, e, err)
	})
}

// TestOtherWriters: names that are written out, among them one in parentheses,
// and the file of another tool (pprof), which begins with its events.
func TestOtherWriters(t *testing.T) {
	e, err := inputtest.ReadBytes(t, Formats(), "callgrind.out.2", []byte("# callgrind format\nevents: Ir\n\nfl=???\nfn=(below main)\n0 36\ncfn=main\ncalls=1 0\n0 64\n\nfn=main\n0 64\n"))
	if err != nil {
		t.Fatal(err)
	}
	own := inputtest.MatrixOf(t, e, "instructions.exc")
	inputtest.WantNear(t, "below main", own.At(0, inputtest.RegionAt(t, e, "(below main)")), 36)
	e, err = inputtest.ReadBytes(t, Formats(), "cpu.callgrind", []byte("events: Hits\n\nfl=(1) a.c\nfn=(1) main\n12 3\ncfl=(2) b.c\ncfn=(2) burn\ncalls=121 10\n58 121\n\nfl=(2)\nfn=(2)\n9 121\n"))
	if err != nil {
		t.Fatal(err)
	}
	inputtest.WantNear(t, "main and what it calls", inputtest.MatrixOf(t, e, "Hits.inc").At(0, inputtest.RegionAt(t, e, "main")), 124)
}
