package tau

import (
	"bufio"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
)

const profileSample = `3 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>n1</value></attribute><attribute><name>Command Line</name><value>./a.out &lt;in &amp; out</value></attribute><attribute><name>Executable</name><value>/home/x/a.out</value></attribute><attribute><name>Starting Timestamp</name><value>1421185462259868</value></attribute><attribute><name>pid</name><value>7</value></attribute><attribute><name>size</name><value>64</value></attribute></metadata>
"main" 1 3 419 55329 0 GROUP="TAU_DEFAULT"
"MPI_Send()  " 3 0 1000 1000 0 GROUP="MPI"
"main => MPI_Send()  " 3 0 1000 1000 0 GROUP="TAU_CALLPATH|MPI"
0 aggregates
3 userevents
# eventname numevents max min mean sumsqr
"Message size sent to node 1 : main => MPI_Send()  " 3 8 8 8 192
"Message size sent to all nodes" 3 8 8 8 192
"Message size for "broadcast"" 1 4 4 4 16
`

func TestTAUProfileFile(t *testing.T) {
	e, err := experiment(t, map[string]string{
		"profile.0.0.0": profileSample,
		"profile.1.0.0": strings.NewReplacer("n1", "n2", "<value>7", "<value>8", "62259868", "62259867").Replace(profileSample),
		"other.txt":     "not a profile",
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []model.Unit{{Node: "n1"}, {Node: "n2", Process: 1}}; !slices.Equal(e.Units, want) {
		t.Errorf("units %v, should be %v", e.Units, want)
	}
	if e.Command != "./a.out <in & out" || e.Program != "a.out" || e.Created.UnixMicro()/1e6 != 1421185462 {
		t.Errorf("command %q, program %q, created %v", e.Command, e.Program, e.Created)
	}
	if f, ok := e.Factor("size"); !ok || f.Number != 64 {
		t.Errorf("factors %v", e.Factors)
	}
	for _, name := range []string{"pid", "Hostname"} {
		if _, ok := e.Factor(name); ok {
			t.Errorf("%s differs between ranks and is no factor", name)
		}
	}
	if got, want := inputtest.ValuesOf(t, e, 1, model.Calls, model.Own), map[string]float64{"main": 1, "main/MPI_Send": 3}; !maps.Equal(got, want) {
		t.Errorf("calls %v, should be %v", got, want)
	}
	if got, want := inputtest.ValuesOf(t, e, 1, model.BytesSent, model.Exclusive), map[string]float64{"main/MPI_Send": 24}; !maps.Equal(got, want) {
		t.Errorf("bytes sent %v, should be %v", got, want)
	}
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "user events not read: 1") {
		t.Errorf("notes %q", e.Notes)
	}
}

func TestTAUManyMetrics(t *testing.T) {
	e, err := experiment(t, map[string]string{
		"MULTI__P_WALL_CLOCK_TIME/profile.0.0.0": profileText("_MULTI_P_WALL_CLOCK_TIME", "main;1;10;30", "f;2;20;20"),
		"MULTI__P_WALL_CLOCK_TIME/profile.1.0.0": profileText("_MULTI_P_WALL_CLOCK_TIME", "main;1;12;32", "f;2;20;20"),
		"MULTI__P_VIRTUAL_TIME/profile.0.0.0":    profileText("_MULTI_P_VIRTUAL_TIME", "main;1;9;27", "f;2;18;18"),
		"MULTI__P_VIRTUAL_TIME/profile.1.0.0":    profileText("_MULTI_P_VIRTUAL_TIME", "f;2;18;18", "main;1;9;27"),
		"MULTI__LINUX_TIMERS/profile.0.0.0":      profileText("_MULTI_LINUX_TIMERS", "main;1;11;31", "f;2;20;20"),
		"MULTI__PAPI_TOT_INS/profile.0.0.0":      profileText("_MULTI_PAPI_TOT_INS", "main;1;1000;5000", "f;2;4000;4000", "g;1;1;1"),
		"MULTI__PAPI_L1_TCM/profile.0.0.0":       profileText("_MULTI_PAPI_L1_TCM", "main;1;7;8"),
		"MULTI__PAPI_L1_DCM/profile.0.0.0":       profileText("_MULTI_PAPI_L1_DCM", "main;1;5;6"),
		"MULTI__PAPI_FP_INS/profile.0.0.0":       profileText("_MULTI_PAPI_FP_INS", "main;1;70;80"),
		"MULTI__Z_COPY/profile.0.0.0":            profileText("_MULTI_PAPI_FP_INS", "main;1;71;81"),
		"MULTI__EMPTY/README":                    "nothing here",
	})
	if err != nil {
		t.Fatal(err)
	}
	type column struct{ name, alias, unit string }
	want := map[column]map[string]float64{
		{"wtime", "LINUX_TIMERS", "s"}:            {"main": 11, "f": 20},
		{"P_WALL_CLOCK_TIME", "", "s"}:            {"main": 10, "f": 20},
		{"cpu_time", "P_VIRTUAL_TIME", "s"}:       {"main": 9, "f": 18},
		{"instructions", "PAPI_TOT_INS", "count"}: {"main": 1000, "f": 4000, "g": 1},
		{"l1_misses", "PAPI_L1_DCM", "count"}:     {"main": 5},
		{"PAPI_L1_TCM", "", "count"}:              {"main": 7},
		{"PAPI_FP_INS", "", "count"}:              {"main": 70},
		{"Z_COPY", "", "count"}:                   {"main": 71},
	}
	for c, values := range want {
		m := e.MetricIndex(c.name, model.Exclusive)
		if m < 0 || e.Metrics[m].Alias != c.alias || e.Metrics[m].Unit != c.unit {
			t.Errorf("no metric %v: %v", c, e.Metrics)
			continue
		}
		if got := inputtest.ValuesOf(t, e, 0, c.name, model.Exclusive); !maps.Equal(got, values) {
			t.Errorf("%s is %v, should be %v", c.name, got, values)
		}
	}
	if got, want := inputtest.ValuesOf(t, e, 1, model.CPUTime, model.Inclusive), map[string]float64{"main": 27, "f": 18}; !maps.Equal(got, want) {
		t.Errorf("inclusive CPU time %v, should be %v", got, want)
	}
	if got, want := inputtest.ValuesOf(t, e, 0, model.Calls, model.Own), map[string]float64{"main": 1, "f": 2, "g": 1}; !maps.Equal(got, want) {
		t.Errorf("calls %v, should be %v", got, want)
	}
}

func TestTAUContexts(t *testing.T) {
	text := profileText("", "main;1;10;10")
	e, err := experiment(t, map[string]string{
		"profile.0.0.0": text, "profile.0.1.0": text, "profile.0.1.1": text, "profile.2.0.0": text, "profile.10.0.0": text,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Unit{{}, {Process: 1}, {Process: 1, Thread: 1}, {Process: 2}, {Process: 3}}
	if !slices.Equal(e.Units, want) || len(e.Notes) != 1 {
		t.Errorf("units %v, should be %v; notes %q", e.Units, want, e.Notes)
	}
}

// One file of a run can be read alone; its name says which unit it is of.
func TestTAUSingleFile(t *testing.T) {
	for name, want := range map[string]model.Unit{"profile.3.0.2": {Process: 3, Thread: 2}, "rank7.txt": {}} {
		e, err := inputtest.ReadBytes(t, Formats(), name, []byte(profileText("", "main;1;10;10")))
		if err != nil {
			t.Fatal(err)
		}
		if e.Format != "tau" || e.Units[0] != want {
			t.Errorf("%s: units %v, should be %v", name, e.Units, want)
		}
	}
	e, err := experiment(t, map[string]string{
		"profile.0.0.0":    profileText("", "main;1;10;10"),
		"profile.0.0.0.gz": string(inputtest.Gzipped(t, []byte(profileText("", "main;1;10;10")))),
		"profile.1.0.0.gz": string(inputtest.Gzipped(t, []byte(profileText("", "main;1;20;20")))),
	})
	if err != nil {
		t.Fatal(err)
	}
	inputtest.Near(t, "mean of main", meanOf(t, e, "main", model.WallTime, model.Exclusive), 15e-6, 1e-12)
}

func TestTAUHeaderLine(t *testing.T) {
	for line, want := range map[string]string{
		"23 templated_functions":                        "TIME",
		"23 templated_functions_MULTI_TIME":             "TIME",
		"23 templated_functions_TIME":                   "TIME",
		"0 templated_functions_MULTI_PAPI_TOT_INS\r":    "PAPI_TOT_INS",
		"3 templated_functions_MULTI_(A / B)":           "(A / B)",
		"7 hw_counters":                                 "Hardware Counter",
		"23 templated_functions_":                       "",
		"23 templated_functionsTIME":                    "",
		"-1 templated_functions":                        "",
		"many templated_functions":                      "",
		"23":                                            "",
		"":                                              "",
		"99999999999999999999 templated_functions_TIME": "",
	} {
		_, metric, ok := parseHeader([]byte(line))
		if ok != (want != "") || ok && metric != want {
			t.Errorf("%q is metric %q, %v; should be %q", line, metric, ok, want)
		}
		if isFile("x", []byte(line+"\nmore")) != ok {
			t.Errorf("%q is not recognised as it is read", line)
		}
	}
}

// The number of functions in the first line is not to be relied on.
func TestTAUHeaderThatLies(t *testing.T) {
	for _, count := range []string{"1", "2", "5"} {
		text := strings.Replace(profileText("", "main;1;10;30", "f;1;20;20", "main;1;1;1"), "3", count, 1)
		e, err := experiment(t, map[string]string{"profile.0.0.0": text})
		if err != nil {
			t.Fatal(err)
		}
		// A function that is there twice adds up.
		if got, want := inputtest.ValuesOf(t, e, 0, model.WallTime, model.Exclusive), map[string]float64{"main": 11, "f": 20}; !maps.Equal(got, want) {
			t.Errorf("%v, should be %v", got, want)
		}
		if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "another number of functions") {
			t.Errorf("notes %q", e.Notes)
		}
	}
}

func TestTAUBadProfiles(t *testing.T) {
	for _, test := range []struct{ name, text, err string }{
		{"empty", "", "the file is empty"},
		{"junk", "\x00\x01\x02\xff", ":1: expected a line such as"},
		{"other text", "hello world\n", ":1: expected a line such as"},
		{"no functions", "2 templated_functions\n", "ends early: 0 of 2 functions"},
		{"a line of no function", "1 templated_functions\n# x\nmain 1 2 3 4\n", ":3: expected a function in quotes"},
		{"open quotes", "1 templated_functions\n\"main 1 2 3 4 0\n", ":2: the quotes"},
		{"few numbers", "1 templated_functions\n\"main\" 1 2 3\n", ":2: 3 numbers after the name, expected 5"},
		{"no number", "1 templated_functions\n\"main\" 1 x 3 4 0\n", `:2: "x" is no number`},
		{"ends in a function", "1 templated_functions\n\"main\" 1 2 3 4 0", "ends early, within function 1 of 1"},
		{"ends in the events", "0 templated_functions\n0 aggregates\n2 userevents\n# x\n\"a\" 1 2 3 4 5\n", "ends early: 1 of 2 user events"},
		{"nothing was called", "1 templated_functions\n\"main\" 0 0 0 0 0\n0 aggregates\n", "no function was ever called"},
		{"an endless line", "1 templated_functions\n\"" + strings.Repeat("x", maxLine+300_000), "longer than"},
		{"endless nesting", profileText("", strings.Repeat("a => ", maxDepth)+"b;1;2;3"), "1025 levels deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := experiment(t, map[string]string{"profile.0.0.0": test.text, "profile.1.0.0": test.text})
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, should tell %q", err, test.err)
			}
		})
	}
}

// buildText reads one profile file as a whole experiment.
func buildText(text string) (*model.Experiment, error) {
	file, err := parseProfile(bufio.NewReader(strings.NewReader(text)), "profile", newPool())
	if err != nil {
		return nil, err
	}
	data := joinFiles([]job{{}}, []string{""}, []*tauFile{file})
	return data.build(context.Background(), &input.Source{Given: "profile"})
}

// A profile that ends anywhere before its last function is an error.
func TestTAUTruncatedProfile(t *testing.T) {
	complete := strings.Index(profileSample, "0 aggregates")
	for n := range profileSample {
		e, err := buildText(profileSample[:n])
		if n < complete && err == nil {
			t.Errorf("cut at byte %d it is read: %v", n, e.Regions)
		}
	}
	if _, err := buildText(profileSample); err != nil {
		t.Error(err)
	}
}

func FuzzTAUProfile(f *testing.F) {
	f.Add(profileSample)
	f.Add(profileText("", "main;1;10;30", "f;1;20;20", "f => main;1;20;20", "f => g;1;3;3"))
	f.Add(profileText("_MULTI_PAPI_TOT_INS", "main;1;10;30", "main => [CONTEXT] main => [UNWIND] a [@] b => [SAMPLE] g [{a.c} {7}];3;30;30", "[CALLSITE] x [@] y;1;1;1"))
	f.Add("1 templated_functions\n\"a\" 1 1 nan inf 3\n1 2\n0 aggregates\n")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := buildText(text)
		if err != nil {
			return
		}
		e.Name = "fuzz"
		if err := e.Check(); err != nil {
			t.Error(err)
		}
	})
}

// User events without a canonical name keep theirs: they may be the cause.
func TestTAUUserEventsAreKept(t *testing.T) {
	events := func(cells string) string {
		return "3 userevents\n# eventname numevents max min mean sumsqr\n\"Cells\" 2 9 9 " + cells + " 0\n\"Bytes kept : main => f\" 3 8 8 10 0\n\"Message size sent to node 4\" 1 1 1 1 1\n"
	}
	profile := "3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n\"main\" 1 1 10 30 0 GROUP=\"TAU_DEFAULT\"\n\"f\" 2 0 20 20 0 GROUP=\"TAU_DEFAULT\"\n\"main => f\" 2 0 20 20 0 GROUP=\"TAU_CALLPATH\"\n0 aggregates\n"
	e, err := experiment(t, map[string]string{"profile.0.0.0": profile + events("100"), "profile.1.0.0": profile + events("300")})
	if err != nil {
		t.Fatal(err)
	}
	cells, kept := inputtest.MatrixOf(t, e, "Cells"), inputtest.MatrixOf(t, e, "Bytes kept")
	main, f := inputtest.RegionAt(t, e, "main"), inputtest.RegionAt(t, e, "main/f")
	inputtest.WantNear(t, "cells of rank 0", cells.At(0, main), 100)
	inputtest.WantNear(t, "cells of rank 1", cells.At(1, main), 300)
	inputtest.WantNear(t, "bytes kept in f", kept.At(1, f), 30)
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "user events not read: 1") {
		t.Errorf("notes %q", e.Notes)
	}
}

// TestMissingRanks: of ranks without a profile it is said that they are not here.
func TestMissingRanks(t *testing.T) {
	text := profileText("", "main;1;10;10")
	for _, c := range []struct {
		files []string
		note  string
	}{
		{[]string{"profile.0.0.0", "profile.1.0.0", "profile.3.0.0"}, "3 of 4 ranks are here; there is no profile of 2"},
		{[]string{"profile.0.0.0", "profile.20.0.0"}, "2 of 21 ranks are here; there is no profile of 1, 2, 3, 4, 5, 6, 7, 8, …"},
		{[]string{"profile.0.0.0", "profile.1.0.0"}, ""},
	} {
		files := map[string]string{}
		for _, name := range c.files {
			files[name] = text
		}
		e, err := experiment(t, files)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(e.Notes, "; "); got != c.note {
			t.Errorf("%v: noted %q, want %q", c.files, got, c.note)
		}
	}
}
