package launch

import (
	"path/filepath"
	"strings"
	"testing"

	"auspex/probe"
)

// TestLibrariesInTurn: what a library did that was closed stays its own when another
// is opened after it, and again when the first comes back.
func TestLibrariesInTurn(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{
		"plug.c": sampleHere + "NOINLINE void WORK(void) { find(); take(SAMPLES); sink++; }\n",
		"turns.c": `#include <dlfcn.h>
#include <stddef.h>
static int run(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW);
    void (*work)(void);
    if (!library || !(*(void **)&work = dlsym(library, name)))
        return 1;
    work();
    return dlclose(library);
}
int main(int argc, char **argv)
{
    return argc < 3 || run(argv[1], "ahead") || run(argv[2], "after") || run(argv[1], "ahead");
}
`})
	exe, ahead, after := filepath.Join(dir, "turns"), filepath.Join(dir, "ahead.so"), filepath.Join(dir, "after.so")
	mustCompilePlain(t, "gcc", "-g", "-O1", filepath.Join(dir, "turns.c"), "-o", exe, "-ldl")
	mustCompilePlain(t, "gcc", "-g", "-O1", "-shared", "-fPIC", "-DWORK=ahead", "-DSAMPLES=3", filepath.Join(dir, "plug.c"), "-o", ahead, "-ldl")
	mustCompilePlain(t, "gcc", "-g", "-O1", "-shared", "-fPIC", "-DWORK=after", "-DSAMPLES=7", filepath.Join(dir, "plug.c"), "-o", after, "-ldl")
	result, out := byHand(t, exe, ahead, after)
	if result.Status != 0 {
		t.Fatalf("status %d: %s", result.Status, out)
	}
	samplesAt(t, result.Experiment, 0, map[string]float64{"main/run/ahead": 6, "main/run/after": 7})
}

// TestAddressOfSeveral: where two libraries lay at one address none of them is named.
func TestAddressOfSeveral(t *testing.T) {
	p := &probe.Process{
		Objects: []probe.Object{{Path: "/lib/b.so", Bias: 100, Start: 100, End: 200}, {Path: "/lib/a.so", Bias: 150, Start: 150, End: 300}, {Path: "/lib/b.so", Bias: 100, Start: 100, End: 200}},
		Regions: []probe.Region{{Name: "x", Kind: probe.Program}},
		Threads: []probe.Thread{{Samples: 100, Nodes: []probe.Node{{Parent: -1}}}},
	}
	for pc, want := range map[uint64]string{120: "/lib/b.so", 170: "a.so or b.so", 250: "/lib/a.so", 400: noFile} {
		if got := addressOf(p, pc).object; got != want {
			t.Errorf("at %d lies %s, want %s", pc, got, want)
		}
	}
	c := collector{processes: []*probe.Process{p}, tree: callTree{names: newResolver(), blind: map[string]uint64{"a.so or b.so": 40}}}
	c.tellSamples()
	if notes := strings.Join(c.notes, "\n"); !strings.Contains(notes, "40 % of the samples are at addresses at which a.so and b.so lay in turn") || strings.Contains(notes, "install") {
		t.Errorf("notes %q", notes)
	}
}
