package otf2

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
)

// needPrint skips a test where the program is not installed.
func needPrint(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath(otf2Program); err != nil {
		t.Skipf("%s is not installed (package otf2-tools)", otf2Program)
	}
}

func TestOTF2PingPong(t *testing.T) {
	needPrint(t)
	dir := inputtest.SampleData(t, "small-format-samples", "otf2-pingpong")
	for _, path := range []string{dir, filepath.Join(dir, "traces.otf2")} {
		e := inputtest.ReadOne(t, Formats(), path, "otf2")
		want := []model.Unit{{Node: "quartz10"}, {Node: "quartz10", Process: 1}}
		if fmt.Sprint(e.Units) != fmt.Sprint(want) || e.Program != "ping-pong.otf2" {
			t.Errorf("units %v of %q, want %v of ping-pong.otf2", e.Units, e.Program, want)
		}
		seconds, calls := inputtest.MatrixOf(t, e, "wtime.exc"), inputtest.MatrixOf(t, e, "calls")
		// Time stamps of entering and leaving main, as otf2-print gives them.
		const ticks = 2095197216.0
		inputtest.WantNear(t, "time of rank 0", inputtest.RowSum(seconds, 0), (7397467395127294-7397466977683839)/ticks)
		inputtest.WantNear(t, "time of rank 1", inputtest.RowSum(seconds, 1), (7397467395130552-7397466977040830)/ticks)
		main := "int main(int, char**)"
		init := inputtest.RegionAt(t, e, main+"/MPI_Init")
		inputtest.WantNear(t, "MPI_Init of rank 0", seconds.At(0, init), (7397467382698364-7397466977702853)/ticks)
		send, recv := inputtest.RegionAt(t, e, main+"/MPI_Send"), inputtest.RegionAt(t, e, main+"/MPI_Recv")
		sent, received, messages := inputtest.MatrixOf(t, e, "bytes_sent.exc"), inputtest.MatrixOf(t, e, "bytes_received.exc"), inputtest.MatrixOf(t, e, "messages.exc")
		for u := range e.Units {
			inputtest.WantNear(t, "calls of MPI_Send", calls.At(u, send), 8)
			inputtest.WantNear(t, "messages sent", messages.At(u, send), 8)
			// 16 KiB, 32 KiB … 2 MiB
			inputtest.WantNear(t, "bytes sent", sent.At(u, send), 16384*(1<<8-1))
			inputtest.WantNear(t, "bytes received", received.At(u, recv), 16384*(1<<8-1))
		}
		if r := e.Regions[inputtest.RegionAt(t, e, main)]; r.Line != 5 || filepath.Base(r.File) != "ping-pong.c" {
			t.Errorf("main is at %s:%d, want ping-pong.c:5", r.File, r.Line)
		}
		if k := e.Regions[send].Kind; k != model.MPI {
			t.Errorf("MPI_Send is of kind %s", k)
		}
	}
}

// sampleDefinitions is what otf2-print -G says of a trace of two ranks,
// the first with two threads, an idle one among them, and a GPU stream.
const sampleDefinitions = `
=== OTF2-PRINT ===

=== Global Definitions =========================================================

Definition                            ID  Attributes
--------------------------------------------------------------------------------
CLOCK_PROPERTIES                          Ticks per Seconds: 1000, Global Offset: 0, Length: 99, Date: 2024-03-02 01:04:51.515499776 +0000
STRING                                 0  ""
STRING                                 1  "big"
STRING                                 2  "machine"
STRING                                 3  "n1"
STRING                                 4  "node"
STRING                                 5  "MPI Rank 0"
STRING                                 6  "MPI Rank 12"
STRING                                 7  "CUDA"
STRING                                 8  "main"
STRING                                 9  "/src/a "b".c"
STRING                                10  "MPI_Send"
STRING                                11  "odd "name" <7>, Role: X, File: y
second line" <1>"
STRING                                12  "!$omp barrier"
STRING                                13  "PAPI_TOT_INS"
STRING                                14  "temperature"
STRING                                15  "flushes"
STRING                                16  "C"
SYSTEM_TREE_NODE                       0  Name: "big" <1>, Class: "machine" <2>, Parent: UNDEFINED
SYSTEM_TREE_NODE                       1  Name: "n1" <3>, Class: "node" <4>, Parent: "machine::big" <0>
LOCATION_GROUP                         0  Name: "MPI Rank 0" <5>, Type: PROCESS, Parent: "node::n1" <1>, Creator: UNDEFINED
LOCATION_GROUP                         1  Name: "MPI Rank 12" <6>, Type: PROCESS, Parent: "node::n1" <1>, Creator: UNDEFINED
LOCATION_GROUP                         2  Name: "CUDA" <7>, Type: ACCELERATOR, Parent: "node::n1" <1>, Creator: "MPI Rank 0" <0>
LOCATION                               0  Name: "t" <8>, Type: CPU_THREAD, # Events: 34, Group: "MPI Rank 0" <0>
LOCATION                               1  Name: "t" <8>, Type: CPU_THREAD, # Events: 34, Group: "MPI Rank 12" <1>
LOCATION                               2  Name: "s" <8>, Type: ACCELERATOR_STREAM, # Events: 18, Group: "CUDA" <2>
LOCATION                      4294967296  Name: "t" <8>, Type: CPU_THREAD, # Events: 0, Group: "MPI Rank 0" <0>
LOCATION                               9  Name: "m" <8>, Type: METRIC, # Events: 0, Group: "MPI Rank 0" <0>
REGION                                 0  Name: "main" <8> (Aka. "main" <8>), Descr.: "" <0>, Role: FUNCTION, Paradigm: COMPILER, Flags: NONE, File: "/src/a "b".c" <9>, Begin: 10, End: 20
REGION                                 1  Name: "MPI_Send" <10> (Aka. "MPI_Send" <10>), Descr.: "" <0>, Role: POINT2POINT, Paradigm: "MPI" <4>, Flags: NONE, File: "MPI" <22>, Begin: 0, End: 0
REGION                                 2  Name: "odd "name" <7>, Role: X, File: y
second line" <1>" <11> (Aka. "odd" <8>), Descr.: "" <0>, Role: FUNCTION, Paradigm: USER, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION                                 3  Name: "!$omp barrier" <12> (Aka. "x" <8>), Descr.: "" <0>, Role: BARRIER, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
METRIC_MEMBER                          0  Name: "PAPI_TOT_INS" <13>, Descr.: "" <0>, Type: PAPI, Mode: ACCUMULATED_START, Value Type: UINT64, Base: DECIMAL, Exponent: 3, Unit: "#" <0>
METRIC_MEMBER                          1  Name: "temperature" <14>, Descr.: "" <0>, Type: USER, Mode: ABSOLUTE_POINT, Value Type: DOUBLE, Base: DECIMAL, Exponent: 0, Unit: "C" <16>
METRIC_MEMBER                          2  Name: "flushes" <15>, Descr.: "" <0>, Type: USER, Mode: ACCUMULATED_LAST, Value Type: INT64, Base: BINARY, Exponent: 1, Unit: "C" <16>
METRIC_CLASS                           0  Occurrence: ASYNCHRONOUS, Kind: UNKNOWN, 3 Members: "PAPI_TOT_INS" <0>, "temperature" <1>, "flushes" <2>
`

const sampleEvents = `
=== OTF2-PRINT ===
=== Events =====================================================================
Event                                   Location            Timestamp  Attributes
--------------------------------------------------------------------------------
PROGRAM_BEGIN                                  0                  900  Name: "/bin/solver" <8>, 2 Arguments: "-n" <9>, "7" <10>
                                                                       ADDITIONAL ATTRIBUTES: ("ProcessId" <2>; UINT64; 26602)
METRIC                                         0                 1000  Metric: 0, 3 Values: ("PAPI_TOT_INS" <0>; UINT64; 100), ("temperature" <1>; DOUBLE; 40.5), ("flushes" <2>; INT64; 5)
ENTER                                          0                 1000  Region: "main" <0>
ENTER                                          1                 1000  Region: "main" <0>
ENTER                                          2                 1500  Region: "!$omp barrier" <3>
LEAVE                                          2                 1600  Region: "!$omp barrier" <3>
METRIC                                         0                 2000  Metric: 0, 3 Values: ("PAPI_TOT_INS" <0>; UINT64; 110), ("temperature" <1>; DOUBLE; 41.5), ("flushes" <2>; INT64; 2)
ENTER                                          0                 2000  Region: "MPI_Send" <1>
                                                                       ADDITIONAL ATTRIBUTES: ("x" <2>; UINT64; 26602)
MPI_SEND                                       0                 2001  Receiver: 1 ("t" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 1000
MPI_ISEND                                      0                 2002  Receiver: 1 ("t" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 6, Length: 10, Request: 77
MPI_IRECV                                      0                 2004  Sender: 1 ("t" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 6, Length: 20, Request: 78
MPI_RECV                                       1                 2004  Sender: 0 ("t" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 6, Length: 1000
MPI_COLLECTIVE_END                             0                 2005  Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: 0 ("t" <0>), Sent: 64, Received: 128
METRIC                                         0                 2500  Metric: 0, 3 Values: ("PAPI_TOT_INS" <0>; UINT64; 130), ("temperature" <1>; DOUBLE; 41.5), ("flushes" <2>; INT64; 1)
LEAVE                                          0                 2500  Region: "MPI_Send" <1>
ENTER                                          0                 2500  Region: "odd "name" <7>, Role: X, File: y
second line" <1>" <2>
ENTER                                          0                 2600  Region: "odd "name" <7>, Role: X, File: y
second line" <1>" <2>
LEAVE                                          0                 2700  Region: "odd "name" <7>, Role: X, File: y
second line" <1>" <2>
LEAVE                                          0                 2900  Region: "odd "name" <7>, Role: X, File: y
second line" <1>" <2>
LEAVE                                          0                 3000  Region: "main" <0>
ENTER                                          0                 9000  Region: "MPI_Send" <1>
LEAVE                                          0                 9001  Region: "MPI_Send" <1>
LEAVE                                          1                 3000  Region: "main" <0>
`

// fromText reads a trace from what otf2-print says.
func fromText(definitions, events string) (*model.Experiment, error) {
	d := newDefinitions()
	if err := d.read(context.Background(), newRecords(bufio.NewReaderSize(strings.NewReader(definitions), 4096))); err != nil {
		return nil, err
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	e := newEvents(d)
	if err := e.read(context.Background(), newRecords(bufio.NewReaderSize(strings.NewReader(events), 4096))); err != nil {
		return nil, err
	}
	return e.build()
}

func TestOTF2Text(t *testing.T) {
	e, err := fromText(sampleDefinitions, sampleEvents)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Unit{{Node: "n1"}, {Node: "n1", Thread: 1}, {Node: "n1", Thread: 2}, {Node: "n1", Process: 12}}
	if fmt.Sprint(e.Units) != fmt.Sprint(want) {
		t.Errorf("units %v, want %v", e.Units, want)
	}
	if e.Program != "solver" || e.Command != "/bin/solver" || e.Created.Format(time.DateTime) != "2024-03-02 01:04:51" || e.Incomplete != "" {
		t.Errorf("header %+v", e.Header)
	}
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "1 metrics") {
		t.Errorf("notes %q, want one on the temperature", e.Notes)
	}
	odd := "main/" + model.EscapeName("odd \"name\" <7>, Role: X, File: y\u240asecond line\" <1>")
	columns := map[string][4]float64{ // main, main/MPI_Send, odd, odd in odd of rank 0
		"wtime.exc": {1.1, 0.5, 0.3, 0.1}, "calls": {1, 1, 1, 1},
		"bytes_sent.exc": {0, 1074, 0, 0}, "bytes_received.exc": {0, 148, 0, 0}, "messages.exc": {0, 2, 0, 0},
		"instructions.exc": {10000, 20000, 0, 0}, "flushes.exc": {4, 2, 0, 0},
	}
	for column, values := range columns {
		m := inputtest.MatrixOf(t, e, column)
		for i, path := range []string{"main", "main/MPI_Send", odd, odd + odd[len("main"):]} {
			inputtest.WantNear(t, column+" of "+path, m.At(0, inputtest.RegionAt(t, e, path)), values[i])
		}
	}
	if len(e.Metrics) != len(columns) {
		t.Errorf("%d metrics, want %d: %+v", len(e.Metrics), len(columns), e.Metrics)
	}
	seconds := inputtest.MatrixOf(t, e, "wtime.exc")
	inputtest.WantNear(t, "rank 12 in main", seconds.At(3, inputtest.RegionAt(t, e, "main")), 2)
	inputtest.WantNear(t, "bytes received by rank 12", inputtest.MatrixOf(t, e, "bytes_received.exc").At(3, inputtest.RegionAt(t, e, "main")), 1000)
	inputtest.WantNear(t, "the stream", seconds.At(2, inputtest.RegionAt(t, e, "!$omp barrier")), 0.1)
	inputtest.WantNear(t, "the idle thread", inputtest.RowSum(seconds, 1), 0)
	inputtest.WantNear(t, "a send outside main", seconds.At(0, inputtest.RegionAt(t, e, "MPI_Send")), 0.001)
	for path, kind := range map[string]model.Kind{"main": model.Function, "MPI_Send": model.MPI, odd: model.User, "!$omp barrier": model.Barrier} {
		if r := e.Regions[inputtest.RegionAt(t, e, path)]; r.Kind != kind {
			t.Errorf("%s is of kind %s, want %s", path, r.Kind, kind)
		}
	}
	if r := e.Regions[inputtest.RegionAt(t, e, "main")]; r.File != `/src/a "b".c` || r.Line != 10 {
		t.Errorf("main is at %s:%d", r.File, r.Line)
	}
}

func TestOTF2Unbalanced(t *testing.T) {
	e, err := fromText(sampleDefinitions, `
ENTER                                          0                 1000  Region: "main" <0>
LEAVE                                          0                 1100  Region: "!$omp barrier" <3>
ENTER                                          0                 1200  Region: "MPI_Send" <1>
ENTER                                          0                 1300  Region: "!$omp barrier" <3>
LEAVE                                          0                 1400  Region: "MPI_Send" <1>
ENTER                                          0                 1300  Region: "!$omp barrier" <3>
MPI_SEND                                       1                 1300  Receiver: 1 ("t" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 1000
LEAVE                                          0                 1450  Region: "!$omp barrier" <3>
`)
	if err != nil {
		t.Fatal(err)
	}
	seconds := inputtest.MatrixOf(t, e, "wtime.exc")
	for path, want := range map[string]float64{"main": 0.2, "main/MPI_Send": 0.1, "main/MPI_Send/!$omp barrier": 0.1, "main/!$omp barrier": 0.05} {
		inputtest.WantNear(t, path, seconds.At(0, inputtest.RegionAt(t, e, path)), want)
	}
	if !strings.Contains(e.Incomplete, "main") || len(e.Notes) != 2 {
		t.Errorf("incomplete %q, notes %q; want a word on main and on two leaves", e.Incomplete, e.Notes)
	}
}

func TestOTF2DeepRecursion(t *testing.T) {
	const depth = 3000
	var events strings.Builder
	for i := range depth {
		fmt.Fprintf(&events, "ENTER 0 %d Region: \"main\" <0>\n", 1000*i)
	}
	for i := range depth {
		fmt.Fprintf(&events, "LEAVE 0 %d Region: \"main\" <0>\n", 1000*(depth+i))
	}
	e, err := fromText(sampleDefinitions, events.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Regions) != input.MaxRegionDepth || len(e.Notes) != 2 {
		t.Errorf("%d regions, notes %q; want %d and a note on the cut", len(e.Regions), e.Notes, input.MaxRegionDepth)
	}
	inputtest.WantNear(t, "time", inputtest.RowSum(inputtest.MatrixOf(t, e, "wtime.exc"), 0), 2*depth-1)
}

func TestOTF2BadText(t *testing.T) {
	for name, c := range map[string]struct {
		definitions, events string
		want                []string
	}{
		"empty":           {"", "", []string{"no locations"}},
		"junk":            {"junk\x00\xff", "junk", []string{"no locations"}},
		"no clock":        {strings.Replace(sampleDefinitions, "Ticks per Seconds: 1000", "Ticks", 1), sampleEvents, []string{"clock"}},
		"no events":       {sampleDefinitions, "", []string{"no region"}},
		"unknown place":   {sampleDefinitions, `ENTER 77 1000  Region: "main" <0>`, []string{"location 77"}},
		"unknown region":  {sampleDefinitions, `ENTER 0 1000  Region: "main" <77>`, []string{"region 77"}},
		"enter nothing":   {sampleDefinitions, `ENTER 0 1000  Region: `, []string{"without region"}},
		"leave nothing":   {sampleDefinitions, `LEAVE 0 1000  Region: <`, []string{"without region"}},
		"numbers too big": {sampleDefinitions, `ENTER 0 99999999999999999999999999999  Region: "main" <0>`, []string{"no region"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fromText(c.definitions, c.events)
			inputtest.WantError(t, err, c.want...)
		})
	}
}

// TestOTF2LongRecords lets a group of many members go by.
func TestOTF2LongRecords(t *testing.T) {
	members := strings.Repeat(`"Master thread" <0>, `, 100000)
	definitions := strings.Replace(sampleDefinitions, "METRIC_CLASS", "GROUP 0 Name: "+members+"\nMETRIC_CLASS", 1)
	if _, err := fromText(definitions, sampleEvents); err != nil {
		t.Fatal(err)
	}
}

func TestOTF2Truncated(t *testing.T) {
	needPrint(t)
	from := inputtest.SampleData(t, "small-format-samples", "otf2-pingpong")
	// By content, so that what is cut is the copy, also where the data are links.
	copied := func(t *testing.T) string {
		dir := t.TempDir()
		err := fs.WalkDir(os.DirFS(from), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return errors.Join(err, os.MkdirAll(filepath.Join(dir, name), 0o755))
			}
			content, err := os.ReadFile(filepath.Join(from, name))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, name), content, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for name, c := range map[string]struct {
		file string
		size int64
		want string
	}{
		"anchor":      {"traces.otf2", 100, "could not read"},
		"definitions": {"traces.def", 5000, "Invalid"},
		"events":      {filepath.Join("traces", "1.evt"), 400, "Invalid"},
		"no events":   {filepath.Join("traces", "0.evt"), -1, "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			path := filepath.Join(dir, c.file)
			var err error
			if c.size < 0 {
				err = os.Remove(path)
			} else {
				err = os.Truncate(path, c.size)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = (&input.Source{Format: "otf2", Path: dir, Given: "trace"}).Read(context.Background(), Formats())
			inputtest.WantError(t, err, "trace/traces.otf2:", otf2Program, c.want)
		})
	}
}

// fakePrint puts a script of that name in front of the path.
func fakePrint(t *testing.T, script string) *input.Source {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, otf2Program), []byte("#!"+shell+"\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"definitions": sampleDefinitions, "events": sampleEvents, "traces.otf2": "\x03BOTF2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("OTF2_SAMPLE", dir)
	return &input.Source{Format: "otf2", Path: dir, Given: "trace", Label: "trace"}
}

func TestOTF2Program(t *testing.T) {
	const answer = `case "$1" in -G) cat "$OTF2_SAMPLE/definitions";; *) cat "$OTF2_SAMPLE/events";; esac
`
	t.Run("works", func(t *testing.T) {
		e, err := fakePrint(t, answer).Read(context.Background(), Formats())
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Units) != 4 {
			t.Errorf("%d units, want 4", len(e.Units))
		}
	})
	t.Run("fails", func(t *testing.T) {
		_, err := fakePrint(t, answer+"echo '[OTF2] src/x.c:1: error: the disk is on fire' >&2\nexit 1\n").Read(context.Background(), Formats())
		inputtest.WantError(t, err, "trace/traces.otf2:", "the disk is on fire")
	})
	t.Run("chatters", func(t *testing.T) {
		_, err := fakePrint(t, "yes complaint | head -c 10000000 >&2\necho '==ERROR== no good'\n").Read(context.Background(), Formats())
		inputtest.WantError(t, err, "trace/traces.otf2:", "no good")
	})
	t.Run("says nonsense", func(t *testing.T) {
		_, err := fakePrint(t, answer+"test \"$1\" = -G || { echo 'ENTER 77 1 Region: <1>'; exec yes; }\n").Read(context.Background(), Formats())
		inputtest.WantError(t, err, "trace/traces.otf2:", "line", "location 77")
	})
	t.Run("is stopped", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := fakePrint(t, answer+"exec sleep 60\n").Read(ctx, Formats())
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
			t.Errorf("error %v after %v, want the deadline's", err, time.Since(start))
		}
	})
	t.Run("is missing", func(t *testing.T) {
		src := fakePrint(t, answer)
		t.Setenv("PATH", t.TempDir())
		_, err := src.Read(context.Background(), Formats())
		inputtest.WantError(t, err, "trace:", "otf2-tools")
	})
}

func FuzzOTF2(f *testing.F) {
	f.Add(sampleDefinitions, sampleEvents)
	f.Add(sampleDefinitions, "ENTER 0 1 Region: \"main\" <0>\nMETRIC 0 2 Metric: 0, 1 Values: (\"x\" <2>; INT64; 1e999)\n")
	f.Fuzz(func(t *testing.T, definitions, events string) {
		e, err := fromText(definitions, events)
		inputtest.CheckFuzzed(t, e, err)
	})
}

// BenchmarkOTF2Text takes in the text of a million events.
func BenchmarkOTF2Text(b *testing.B) {
	var events strings.Builder
	for i := range 250000 {
		at := 1000 + 10*i
		fmt.Fprintf(&events, "ENTER                                          0     %16d  Region: \"main\" <0>\n", at)
		fmt.Fprintf(&events, "ENTER                                          0     %16d  Region: \"MPI_Send\" <1>\n", at+1)
		fmt.Fprintf(&events, "LEAVE                                          0     %16d  Region: \"MPI_Send\" <1>\n", at+5)
		fmt.Fprintf(&events, "LEAVE                                          0     %16d  Region: \"main\" <0>\n", at+9)
	}
	text := events.String()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromText(sampleDefinitions, text); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMetricLocations: counters of a location that only measures belong to what
// the process's first thread is in; streams keep their names.
func TestMetricLocations(t *testing.T) {
	events := strings.Replace(sampleEvents, "LEAVE                                          0                 3000  Region: \"main\" <0>", `METRIC                                         9                 2950  Metric: 0, 1 Values: ("PAPI_TOT_INS" <0>; UINT64; 7)
METRIC                                         9                 2960  Metric: 0, 1 Values: ("PAPI_TOT_INS" <0>; UINT64; 12)
LEAVE                                          0                 3000  Region: "main" <0>`, 1)
	e, err := fromText(sampleDefinitions, events)
	if err != nil {
		t.Fatal(err)
	}
	inputtest.WantNear(t, "instructions", inputtest.MatrixOf(t, e, "instructions.exc").At(0, inputtest.RegionAt(t, e, "main")), 15000)
	if len(e.Units) != 4 {
		t.Errorf("units %v", e.Units)
	}
	if name, _ := e.Factor("stream 0.2"); name.Word != "main" { // what string 8 says
		t.Errorf("the stream is called %q", name.Word)
	}
	if threads, ok := e.Factor(model.ProcessorThreads); ok {
		t.Errorf("one process has two threads, one has one, and yet %v", threads)
	}
}
