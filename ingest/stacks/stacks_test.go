package stacks

import (
	"context"
	"strings"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

// perfText is as perf 6.1 prints it, and with -F +pid.
const perfText = `# captured on: Mon Nov 16 12:00:00 2026
p  6723  4927.846579:     500000 cpu-clock: 
	            90c0 do_lookup_x+0x360 (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)

p  6723  4927.851468:     500000 cpu-clock: 
	            116c work+0x33 (/home/p)
	            11b9 solve(int, double)+0x27 (/home/p)
	            1240 main+0x12 (/home/p)

p  6723  4927.851965:     500000 cpu-clock: 
	            1170 work+0x37 (/home/p)
	            11b9 solve(int, double)+0x27 (/home/p)
	            1240 main+0x12 (/home/p)
my prog  6800/6801 [001] 4927.852:     1000 instructions:u:
	    ffffffff [unknown] (/usr/lib/libm.so.6)
	            1240 main+0x12 (/home/p)
my prog  6800/6802 [001] 4927.853:     3000 instructions:u:
`

func TestPerf(t *testing.T) {
	e, err := inputtest.ReadBytes(t, Formats(), "perf.txt", []byte(perfText))
	if err != nil {
		t.Fatal(err)
	}
	if e.Format != "perf" || len(e.Units) != 3 || e.Program != "p" {
		t.Errorf("format %s, units %v, program %s", e.Format, e.Units, e.Program)
	}
	work := inputtest.RegionAt(t, e, "main/solve(int, double)/work")
	time, instructions := inputtest.MatrixOf(t, e, "cpu_time.exc"), inputtest.MatrixOf(t, e, "instructions.exc")
	inputtest.WantNear(t, "time in work", time.At(0, work), 0.001)
	inputtest.WantNear(t, "all time", inputtest.RowSum(time, 0), 0.0015)
	unknown := inputtest.RegionAt(t, e, "main/[unknown in libm.so.6]")
	inputtest.WantNear(t, "instructions", instructions.At(1, unknown), 1000)
	inputtest.WantNear(t, "of a sample without a stack", instructions.At(2, inputtest.RegionAt(t, e, "my prog")), 3000)
}

// TestPerfFields: what perf 6.1 prints with other fields (-F), without -g, and
// with places in the source; the same program each time.
func TestPerfFields(t *testing.T) {
	for _, c := range []struct{ what, text, path, metric string }{
		{"no time", "a 11852 cpu-clock: \n\t           1240 main\n\n", "main", "cpu-clock_samples.exc"},
		{"no stack", "               a 11856 36538.669349:          1 page-faults:  ffffffff8175016a elf_load+0x28a ([kernel.kallsyms])\n", "elf_load", "page_faults.exc"},
		{"no stack, no time", "               a 11856 page-faults:  ffffffff8175016a elf_load\n", "elf_load", "page-faults_samples.exc"},
		{"nothing but the event", "               a 11856/11856 36538.669349: page-faults: \n", "a", "page-faults_samples.exc"},
		{"no event", "a 11852 36537.548478: \n\t           1240 main\n\n", "main", "samples.exc"},
		{"places", "a 11852 36537.548478: cpu-clock: \n\t           11e53 work\n  a.c:9\n\t           1240 main\n  a.c:12\n\n", "main/work", "cpu-clock_samples.exc"},
		{"inlined", "a 11852 36537.548478: cpu-clock: \n\t           11e53 work (inlined)\n\t           1240 main+0x3 (/a)\n\n", "main/work", "cpu-clock_samples.exc"},
	} {
		e, err := inputtest.ReadBytes(t, Formats(), "perf.txt", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		inputtest.WantNear(t, c.what, inputtest.MatrixOf(t, e, c.metric).At(0, inputtest.RegionAt(t, e, c.path)), 1)
	}
}

func TestFolded(t *testing.T) {
	text := "p;main;solve;work 42\np;main;solve 3\np;main;fib;fib 5\np;main;operator new(unsigned long) 2\n"
	e, err := inputtest.ReadBytes(t, Formats(), "out.folded", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	samples := inputtest.MatrixOf(t, e, "samples.exc")
	for path, want := range map[string]float64{"p/main/solve/work": 42, "p/main/solve": 3, "p/main/fib/fib": 5, "p/main": 0, "p/main/operator new(unsigned long)": 2} {
		inputtest.WantNear(t, path, samples.At(0, inputtest.RegionAt(t, e, path)), want)
	}
	if e.Format != "folded" || len(e.Notes) != 1 {
		t.Errorf("format %s, notes %q", e.Format, e.Notes)
	}
}

// TestFoldedCorners: decimal weights, Windows' line ends, empty lines, a name that
// ends in a number, recursion, and the same stack twice, which adds up.
func TestFoldedCorners(t *testing.T) {
	text := "p;main 1.5\r\n\r\np;main 2.25\r\np;f;f;f 4\r\np;operator 2 3\r\n"
	e, err := inputtest.ReadBytes(t, Formats(), "out.folded", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	samples := inputtest.MatrixOf(t, e, "samples.exc")
	for path, want := range map[string]float64{"p/main": 3.75, "p/f/f/f": 4, "p/f": 0, "p/operator 2": 3} {
		inputtest.WantNear(t, path, samples.At(0, inputtest.RegionAt(t, e, path)), want)
	}
}

func TestDetection(t *testing.T) {
	for text, want := range map[string]string{
		perfText: "perf", "a;b 1\n": "folded", "a;b 1": "folded", "a 1\nb 2\n": "", "a;b\n": "", "a;b 1\nc;d\n": "",
		"process,region,metric,value\n0,main,wtime,1\n": "", "0 init\n0 compute 1\n": "", "hello world 3\n": "", "": "",
	} {
		got := ""
		for _, f := range Formats() {
			if f.IsFile("x", []byte(text)) {
				got = f.Name
				break
			}
		}
		if got != want {
			t.Errorf("%.30q is taken for %q, want %q", text, got, want)
		}
	}
}

func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"\tmain+0x1 (p)\n": "x:1: a stack without a sample", "p 1 1.0: 5 cycles:\nnonsense\n": "x:2: \"nonsense\" is no sample",
		"p 1 1.0: 5 cycles:\n\tmain\n": "x:2: \"\\tmain\" is no line of a stack", "": "no values found",
	} {
		_, err := parse(context.Background(), strings.NewReader(text), "x", readPerf)
		inputtest.WantError(t, err, want)
	}
	for text, want := range map[string]string{"a;b\n": "x:1: a line of folded stacks ends", "a;b -3\n": "x:1: \"-3\" is no number", "a;b 1e9\n": "is no number", "a;b .\n": "is no number", "a;b 3 4\nc 5 6\n": "compares two profiles", "": "no values found", "a 1\nb x\n": "x:2: \"x\" is no"} {
		_, err := parse(context.Background(), strings.NewReader(text), "x", readFolded)
		inputtest.WantError(t, err, want)
	}
	_, err := parse(context.Background(), strings.NewReader(strings.Repeat("a", maxLine+10)), "x", readFolded)
	inputtest.WantError(t, err, "x:1: a line of more than")
}

func FuzzPerf(f *testing.F) {
	f.Add(perfText)
	f.Fuzz(func(t *testing.T, text string) {
		isPerf("x", []byte(text))
		e, err := parse(context.Background(), strings.NewReader(text), "x", readPerf)
		inputtest.CheckFuzzed(t, e, err)
	})
}

func FuzzFolded(f *testing.F) {
	f.Add("p;main;solve;work 42\np;main 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		isFolded("x", []byte(text))
		e, err := parse(context.Background(), strings.NewReader(text), "x", readFolded)
		inputtest.CheckFuzzed(t, e, err)
	})
}

func TestDamaged(t *testing.T) {
	inputtest.CheckDamaged(t, []byte(perfText), func(b []byte) (*model.Experiment, error) {
		return parse(context.Background(), strings.NewReader(string(b)), "x", readPerf)
	})
}

// TestPerfLines: lines that are no samples count for nothing, and samples may be
// a command alone, or nothing but their stacks.
func TestPerfLines(t *testing.T) {
	const stack = "\t            1162 inner\n\t            11d9 main\n\n"
	for name, text := range map[string]string{
		"records": "perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:16595/16595\n" +
			"a b 16595 58057.852976: PERF_RECORD_COMM exec: a b:16595/16595\n" +
			"a b 16595 58057.853975:    1001001 cpu-clock: \n" + stack +
			"a b 16595 58057.854976:    1001001 cpu-clock: \n" + stack +
			"a b 16595 58059.135726: PERF_RECORD_EXIT(16595:16595):(16591:16591)\n",
		"misc":    strings.Repeat("a b 16595/16595 U     58057.853975: cpu-clock: \n"+stack, 2),
		"command": strings.Repeat("a b \n"+stack, 2),
		"nothing": "\n" + strings.Repeat(stack, 2),
		"places": strings.Repeat("a b 16595 58058.878395:    1001001 cpu-clock: \n"+
			"\t            1162 inner+0x93 ([kernel.kallsyms])\n  [kernel.kallsyms][ffffffff813a2293]\n\t            11d9 main+0x1 (/a b)\n  a.c:7\n\n", 2),
	} {
		t.Run(name, func(t *testing.T) {
			e, err := inputtest.ReadBytes(t, Formats(), "p.txt", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			metrics := 1
			if strings.Contains(text, " 1001001 cpu-clock") {
				metrics = 2 // how many samples a time is made of is kept beside it
			}
			if len(e.Units) != 1 || len(e.Regions) != 2 || len(e.Metrics) != metrics {
				t.Errorf("%d units, %d regions, %d metrics", len(e.Units), len(e.Regions), len(e.Metrics))
			}
			inner := inputtest.RegionAt(t, e, "main/inner")
			if metrics == 2 {
				inputtest.WantNear(t, "samples", inputtest.MatrixOf(t, e, "samples.exc").At(0, inner), 2)
			}
		})
	}
}

// TestIndentedProse: a line that begins with a tab and a word of the letters a to
// f makes no samples of a text.
func TestIndentedProse(t *testing.T) {
	for _, text := range []string{"Beware\n\tadd salt and pepper\n", "\tbe careful\n\tbe careful\n"} {
		if isPerf("x.txt", []byte(text)) {
			t.Errorf("taken for perf script: %q", text)
		}
	}
}
