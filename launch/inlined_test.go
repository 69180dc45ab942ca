package launch

import (
	"context"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/instrument"
	"auspex/model"
)

// inlined computes in a function that the compiler puts into main.
const inlined = `static double total;
static inline __attribute__((always_inline)) void add(int n)
{
    for (int i = 0; i < n; i++)
        total += 1.0 / (i + 1.0);
}
int main(void)
{
    for (int k = 0; k < 300; k++)
        add(200000);
    return total < 0;
}
`

// builtAndSampled compiles a source as builds do that say nothing of debug information,
// and runs it.
func builtAndSampled(t *testing.T, source string) *model.Experiment {
	t.Helper()
	exe := strings.TrimSuffix(source, ".c")
	var said strings.Builder
	job := Compiler{Real: []string{"gcc", "-O2", source, "-o", exe}, Options: instrument.Options{MinLines: 10}, Cache: testCache(), Out: &said, Err: &said}
	if status, err := job.Run(t.Context()); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s", status, err, said.String())
	}
	run := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &said, Err: &said}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Experiment
}

// Of a build that asks for no debug information, samples name what was inlined.
func TestInlinedWithoutDebug(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"sum.c": inlined})
	e := builtAndSampled(t, filepath.Join(dir, "sum.c"))
	in, all := 0.0, 0.0
	for row := range e.Summaries.Rows() {
		for column, m := range e.Metrics {
			if m.Name != model.WallTime {
				continue
			}
			region := e.Regions[e.Summaries.Region[row]]
			all += e.Summaries.Values[column][row]
			if region.Name == "add" && region.File == filepath.Join(dir, "sum.c") {
				in += e.Summaries.Values[column][row]
			}
		}
	}
	if in < all/2 {
		t.Errorf("add took %g s of %g s: %v", in, all, e.Regions)
	}
}

// A loop with a probe is in its function, which has none, be that inlined or not: no
// sample shows the function below the loop.
func TestLoopOfAFunctionWithoutProbe(t *testing.T) {
	need(t, "gcc")
	for _, attribute := range []string{"inline __attribute__((always_inline))", "__attribute__((noinline))"} {
		dir := write(t, map[string]string{"steps.c": `static double field[4096];
static ` + attribute + ` void stage(int units)
{
    for (int u = 0; u < units; u++)
        for (int i = 1; i < 4095; i++)
            field[i] += 0.25 * (field[i - 1] - 2 * field[i] + field[i + 1]) + 1e-9;
}
int main(void)
{
    for (int k = 0; k < 200; k++) {
        stage(100);
        if (field[1] > 1e9)
            field[1] = 0;
        if (field[2] > 1e9)
            field[2] = 0;
    }
    return 0;
}
`})
		paths := model.Paths(builtAndSampled(t, filepath.Join(dir, "steps.c")).Regions)
		if !slices.Contains(paths, "steps/main/stage:loop@4") || slices.Contains(paths, "steps/main/stage:loop@4/stage") {
			t.Errorf("%s: %v", attribute, paths)
		}
	}
}

// hasLines tells whether a program has debug information.
func hasLines(t *testing.T, exe string) bool {
	t.Helper()
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Section(".debug_info") != nil
}

// A build that says what it wants of debug information has that; a compiler that knows
// no such option, and one that is to take a precompiled header, are not asked for it.
func TestLinesOnlyWhereWelcome(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{
		"sum.c":  inlined,
		"pre.h":  "#include <stdio.h>\n",
		"with.c": "#include \"pre.h\"\nint main(void)\n{\n    puts(\"it\");\n    return 0;\n}\n",
		"strange": `#!/bin/sh
for a; do case $a in -g1) echo "unknown option: -g1" >&2; exit 1;; esac; done
exec gcc "$@"
`,
	})
	t.Chdir(dir)
	if err := os.Chmod("strange", 0o755); err != nil {
		t.Fatal(err)
	}
	mustCompilePlain(t, "gcc", "-O2", "pre.h", "-o", "pre.h.gch")
	for _, c := range []struct {
		command []string
		lines   bool
	}{
		{[]string{"gcc", "sum.c"}, true},
		{[]string{"gcc", "-g0", "sum.c"}, false},
		{[]string{"./strange", "sum.c"}, false},
		{[]string{"gcc", "-O2", "-H", "with.c"}, false},
	} {
		var out, errs strings.Builder
		exe := filepath.Join(t.TempDir(), "a")
		job := Compiler{Real: append(c.command, "-o", exe), Options: instrument.Options{MinLines: 2}, Cache: testCache(), Out: &out, Err: &errs}
		if status, err := job.Run(context.Background()); err != nil || status != 0 {
			t.Fatalf("%v: status %d, %v: %s%s", c.command, status, err, out.String(), errs.String())
		}
		if got := hasLines(t, exe); got != c.lines {
			t.Errorf("%v: lines %v, want %v", c.command, got, c.lines)
		}
		if said := errs.String(); strings.Contains(said, "auspex:") || strings.Contains(said, "-g1") {
			t.Errorf("%v: %s", c.command, said)
		} else if c.command[len(c.command)-1] == "with.c" && !strings.HasPrefix(said, "! pre.h.gch\n") {
			t.Errorf("the precompiled header was not taken: %s", said)
		}
		if text, err := os.ReadFile(exe); err != nil || !strings.Contains(string(text), "auspex_") {
			t.Errorf("%v: not instrumented", c.command)
		}
	}
}
