package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/model"
	"auspex/probe"
)

// withoutTables is gcc's option for code that cannot be walked through.
const withoutTables = "-fno-asynchronous-unwind-tables"

// Of a stack that cannot be walked to the end the innermost function is known: it has
// its samples, below the region that a probe is in.
func TestInnermostWithoutTables(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{
		"part.c": sampleHere + `
NOINLINE static void leaf(void) { take(5); sink++; }
NOINLINE void part(void) { find(); take(3); leaf(); sink++; }
`,
		"main.c": `
void part(void);
int main(void)
{
    for (int i = 0; i < 2; i++)
        part();
    return 0;
}
`})
	exe, object := filepath.Join(dir, "lost"), filepath.Join(dir, "part.o")
	mustCompilePlain(t, "gcc", "-O2", "-fPIC", withoutTables, "-c", filepath.Join(dir, "part.c"), "-o", object)
	mustCompile(t, "gcc", "-O2", filepath.Join(dir, "main.c"), object, "-o", exe, "-ldl")
	r, _ := byHand(t, exe)
	samplesAt(t, r.Experiment, 0, map[string]float64{"lost/main/leaf": 10, "lost/main/part": 6})
	const note = "16 of 16 samples could not be unwound to the end: the innermost functions are kept, but not all of their callers"
	if !slices.Contains(r.Experiment.Notes, note) {
		t.Errorf("notes %q", r.Experiment.Notes)
	}
}

// What auspex cc compiles has tables, whatever the build says: they change no code.
func TestTablesAreCompiled(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"whole.c": sampleHere + `
NOINLINE static void leaf(void) { take(5); sink++; }
NOINLINE static void part(void) { leaf(); sink++; }
int main(void)
{
    find();
    part();
    return 0;
}
`})
	exe := filepath.Join(dir, "whole")
	mustCompile(t, "gcc", "-O2", withoutTables, "-fno-unwind-tables", filepath.Join(dir, "whole.c"), "-o", exe, "-ldl")
	r, _ := byHand(t, exe)
	samplesAt(t, r.Experiment, 0, map[string]float64{"whole/main/part/leaf": 5})
}

// Functions of a stripped program that call one another are one region.
func TestStrippedIsOneRegion(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"bare.c": sampleHere + `
NOINLINE static void leaf(void) { take(5); sink++; }
NOINLINE static void part(void) { take(3); leaf(); sink++; }
NOINLINE static void all(void) { part(); sink++; }
int main(void) { find(); all(); return 0; }
`})
	exe := filepath.Join(dir, "bare")
	mustCompilePlain(t, "gcc", "-O2", "-s", filepath.Join(dir, "bare.c"), "-o", exe, "-ldl")
	r, _ := byHand(t, exe)
	samplesAt(t, r.Experiment, 0, map[string]float64{"bare/main/<bare>": 8})
	if paths := model.Paths(r.Experiment.Regions); slices.ContainsFunc(paths, func(p string) bool { return strings.Contains(p, "<bare>/") }) {
		t.Errorf("regions %q", paths)
	}
	const note = "bare has no symbols for 100 % of the samples: build it without strip and -s to see which functions they are in"
	if !slices.Contains(r.Experiment.Notes, note) {
		t.Errorf("notes %q", r.Experiment.Notes)
	}
}

// What to do about missing symbols depends on whose the object is; of a few samples
// nothing is said.
func TestRemedyForMissingSymbols(t *testing.T) {
	for _, c := range []struct {
		object     string
		blind, all uint64
		want       string
	}{
		{"/usr/lib/libx.so", 11, 12, "libx.so has no symbols for 92 % of the samples: install its debug symbols"},
		{"/home/me/x", 50, 1000, "x has no symbols for 5 % of the samples: build it without strip and -s"},
		{"/home/me/x", 49, 1000, ""},
		{"/home/me/x", 4, 4, ""},
	} {
		p := &probe.Process{Threads: []probe.Thread{{Samples: c.all}}}
		got := collector{processes: []*probe.Process{p}, tree: callTree{blind: map[string]uint64{c.object: c.blind}}}
		got.tellSamples()
		if notes := fmt.Sprint(got.notes); len(got.notes) > 1 || !strings.Contains(notes, c.want) || c.want == "" && len(got.notes) > 0 {
			t.Errorf("%s: %q", c.object, got.notes)
		}
	}
}
