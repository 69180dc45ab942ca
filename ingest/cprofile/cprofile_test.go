package cprofile

import (
	"bytes"
	"context"
	"encoding/base64"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

// sample is what Python 3.11 wrote of a small program; its own pstats module
// says of it:
//
//	outer (q.py:4)  1 call   2.5913e-05 s, with callees 0.006147801 s
//	inner (q.py:2)  5 calls  2.0867e-05 s, with callees 0.006093513 s
//	fib (q.py:7)   67 calls  2.8375e-05 s
//	sum             5 calls  0.006072646 s
func sample(t testing.TB) []byte {
	data, err := base64.StdEncoding.DecodeString("+ykD+hovd29yay90bXAvaW5nZXN0L3JlYWwvcS5weekEAAAA2gVvdXRlcikF6QEAAAByBAAAAGc6DfjM9yv7Pmf3C8zDby55P3sp" +
		"A/oIPHN0cmluZz5yBAAAAPoIPG1vZHVsZT4pBHIEAAAAcgQAAABnOg34zPcr+z5n9wvMw28ueT8wKQNyAQAAAOkHAAAA2gNmaWIp" +
		"BXIEAAAA6UMAAABnSaMCJ9vA/T5nSaMCJ9vA/T57qQNyAQAAAHICAAAAcgMAAAApBHIEAAAAcgQAAABnoFwl6McQxD5nSaMCJ9vA" +
		"/T4pA3IBAAAAcgcAAAByCAAAACkE6UIAAADpAgAAAGe19/0pwj77Pme19/0pwj77PjApA3IFAAAAcgQAAAByBgAAACkFcgQAAABy" +
		"BAAAAGcAO8UX3sbFPmeeBI+fKDF5P3spA/oBfukAAAAA+h88YnVpbHQtaW4gbWV0aG9kIGJ1aWx0aW5zLmV4ZWM+KQRyBAAAAHIE" +
		"AAAAZwA7xRfexsU+Z54Ej58oMXk/MCkDcgEAAAByDAAAANoFaW5uZXIpBekFAAAAchEAAABnFFcwUnHh9T5nRhHY8IL1eD97cgoA" +
		"AAApBHIRAAAAchEAAABnFFcwUnHh9T5nRhHY8IL1eD8wKQNyDQAAAHIOAAAA+jA8bWV0aG9kICdkaXNhYmxlJyBvZiAnX2xzcHJv" +
		"Zi5Qcm9maWxlcicgb2JqZWN0cz4pBXIEAAAAcgQAAABnyTU93Jn/sz5nyTU93Jn/sz57MCkDcg0AAAByDgAAAHIPAAAAKQVyBAAA" +
		"AHIEAAAAZwVeF5JUJRg/ZxZi1/G9kXk/ezApA3INAAAAcg4AAAD6HjxidWlsdC1pbiBtZXRob2QgYnVpbHRpbnMuc3VtPikFchEA" +
		"AAByEQAAAGfv4IV/od94P2fv4IV/od94P3spA3IBAAAAcgwAAAByEAAAACkEchEAAAByEQAAAGfv4IV/od94P2fv4IV/od94PzAw")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSample(t *testing.T) {
	e, err := inputtest.ReadBytes(t, Formats(), "py.prof", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Regions) != 7 || len(e.Units) != 1 || e.Format != "cprofile" {
		t.Errorf("%d regions, %d units, format %s", len(e.Regions), len(e.Units), e.Format)
	}
	for _, want := range []struct {
		path              string
		calls, own, whole float64
	}{
		{"outer", 1, 2.5913e-05, 0.006147801}, {"inner", 5, 2.0867e-05, 0.006093513}, {"fib", 67, 2.8375e-05, 2.8375e-05},
		{model.EscapeName("<built-in method builtins.sum>"), 5, 0.006072646, 0.006072646},
	} {
		r := inputtest.RegionAt(t, e, want.path)
		inputtest.WantNear(t, want.path+" calls", inputtest.MatrixOf(t, e, "calls").At(0, r), want.calls)
		inputtest.WantNear(t, want.path+" own", inputtest.MatrixOf(t, e, "wtime.exc").At(0, r), want.own)
		inputtest.WantNear(t, want.path+" whole", inputtest.MatrixOf(t, e, "wtime.inc").At(0, r), want.whole)
	}
	if r := e.Regions[inputtest.RegionAt(t, e, "fib")]; r.Line != 7 {
		t.Errorf("%+v", r)
	}
}

// TestTwins: functions of one name are told apart by their place; a profile of
// nothing is refused.
func TestTwins(t *testing.T) {
	entry := func(file string, line byte, calls byte) string {
		text := "z" + string(rune(len(file))) + file
		return ")\x03" + text + "i" + string([]byte{line, 0, 0, 0}) + "z\x03run" +
			")\x05i" + string([]byte{calls, 0, 0, 0}) + "i" + string([]byte{calls, 0, 0, 0}) + "f\x030.5f\x031.0{0"
	}
	e, err := inputtest.ReadBytes(t, Formats(), "p.prof", []byte("{"+entry("a/x.py", 3, 2)+entry("b/x.py", 9, 4)+"0"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]float64{"run [x.py:3]": 2, "run [x.py:9]": 4} {
		inputtest.WantNear(t, path, inputtest.MatrixOf(t, e, "calls").At(0, inputtest.RegionAt(t, e, path)), want)
	}
}

func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "ends early",
		"{":                          "ends early",
		"i\x01\x00\x00\x00":          "holds no dictionary",
		"{0":                         "no values found",
		"{i\x01\x00\x00\x00N0":       "entry 1 is not for a function",
		"{)\xffN":                    "a tuple of 255 values in 1 bytes",
		"{r\x09\x00\x00\x00":         "refers to value 9 of 0",
		"{c":                         "python -m cProfile",
		"{{{{{{{{{{{{{{{{{{{{{{{{{{": "nested too deep",
	} {
		_, err := parse(context.Background(), bytes.NewReader([]byte(text)), "p.prof")
		inputtest.WantError(t, err, "p.prof", want)
	}
	whole := sample(t)
	for n := range len(whole) - 1 {
		if _, err := parse(context.Background(), bytes.NewReader(whole[:n]), "p.prof"); err == nil {
			t.Fatalf("cut at byte %d it is read", n)
		}
	}
}

func TestDamaged(t *testing.T) {
	inputtest.CheckDamaged(t, sample(t), func(b []byte) (*model.Experiment, error) {
		return parse(context.Background(), bytes.NewReader(b), "x")
	})
}

func FuzzProfile(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte("{)\x03z\x01~i\x00\x00\x00\x00z\x01f)\x05i\x01\x00\x00\x00r\x00\x00\x00\x00NN{00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		isProfile("x", data)
		e, err := parse(context.Background(), bytes.NewReader(data), "x")
		inputtest.CheckFuzzed(t, e, err)
	})
}

// TestPython2: names that were interned are referred to by number.
func TestPython2(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString("" +
		"eygDAAAAcwUAAABwMi5weWkDAAAAdAUAAABvdXRlcigFAAAAaQEAAABpAQAAAGeN7bWg98awPme3Xz5ZMVzdPnswKAMAAAB0AQAA" +
		"AH5pAAAAAHMwAAAAPG1ldGhvZCAnZGlzYWJsZScgb2YgJ19sc3Byb2YuUHJvZmlsZXInIG9iamVjdHM+KAUAAABpAQAAAGkBAAAA" +
		"ZwAAAAAAAAAAZwAAAAAAAAAAezAoAwAAAHMFAAAAcDIucHlpAgAAAHQDAAAAZmliKAUAAABpAQAAAGkZAAAAZ1TkEHFzKtk+Z1Tk" +
		"EHFzKtk+eygDAAAAcwUAAABwMi5weWkDAAAAUgAAAAAoBAAAAGkBAAAAaQEAAABnAAAAAAAAAABnVOQQcXMq2T4oAwAAAHMFAAAA" +
		"cDIucHlpAgAAAFICAAAAKAQAAABpGAAAAGkCAAAAZ1TkEHFzKtk+Z1TkEHFzKtk+MDA=")
	if err != nil {
		t.Fatal(err)
	}
	e, err := inputtest.ReadBytes(t, Formats(), "py2.prof", data)
	if err != nil {
		t.Fatal(err)
	}
	inputtest.WantNear(t, "calls of fib", inputtest.MatrixOf(t, e, "calls").At(0, inputtest.RegionAt(t, e, "fib")), 25)
	inputtest.WantNear(t, "calls of outer", inputtest.MatrixOf(t, e, "calls").At(0, inputtest.RegionAt(t, e, "outer")), 1)
}
