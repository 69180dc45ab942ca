package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shortC has a function that by its text does something and in a run next to
// nothing: its loop turns once.
const shortC = `static volatile int sink, turns = 1;
static void visit(int n)
{
    int k;
    for (k = 0; k < n; k++) {
        sink += k * k;
        sink ^= k + n;
        sink -= k * n;
        sink += n - k;
    }
}
static void sweep(void)
{
    int i;
    for (i = 0; i < 5000; i++) {
        visit(turns);
    }
    sink++;
    sink += sink;
    sink--;
}
int main(void)
{
    sweep();
    sweep();
    return 0;
}
`

// What a run switches off, the next compile leaves out and the plan says why;
// what it measured stays, and a user who says what is to be measured has it
// measured.
func TestTooShort(t *testing.T) {
	skipWithout(t, "gcc")
	t.Setenv("AUSPEX_CACHE", testCache())
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "many.c"), []byte(shortC), 0o666); err != nil {
		t.Fatal(err)
	}
	var m measured
	auspex := func(words ...string) string { return m.execute(t, dir, append([]string{"auspex"}, words...)) }
	guard := "static void visit(int n)\n{AUSPEX_"
	if text := auspex("cc", "--show", "src/many.c"); !strings.Contains(text, guard) {
		t.Fatalf("visit is not measured in the first place:\n%s", text)
	}
	auspex("cc", "gcc", "-O1", "src/many.c", "-o", "many")
	told := auspex("run", "--json", "--overhead", "0.0000001%", "--sample-stacks", "0", "--", "./many")
	if !strings.Contains(told, "visit (src/many.c:2) after") || !strings.Contains(told, "the next auspex cc leaves out what was switched off") {
		t.Errorf("run says:\n%s", told)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "store", "filters", "many.filter"))
	if err != nil || !strings.Contains(string(kept), "\nexclude src/many.c:visit\n") || strings.Contains(string(kept), "sweep") {
		t.Errorf("kept is, %v:\n%s", err, kept)
	}
	text := auspex("cc", "--show", "src/many.c")
	if strings.Contains(text, guard) || !strings.Contains(text, "static void sweep(void)\n{AUSPEX_") {
		t.Errorf("the second time:\n%s", text)
	}
	if text := auspex("cc", "--min-lines", "1", "--show", "src/many.c"); !strings.Contains(text, guard) {
		t.Errorf("asked for:\n%s", text)
	}
	if plan := auspex("instrument", "plan", "src"); strings.Count(plan, "too short in a run of many") != 2 { // the function and its loop
		t.Errorf("the plan:\n%s", plan)
	}
	auspex("cc", "gcc", "-O1", "src/many.c", "-o", "many")
	if told := auspex("run", "--json", "--overhead", "0.0000001%", "--sample-stacks", "0", "--", "./many"); strings.Contains(told, "switched off") {
		t.Errorf("the second run says:\n%s", told)
	}
	// A file that somebody spoilt keeps no build from its work.
	if err := os.WriteFile(filepath.Join(dir, "store", "filters", "many.filter"), []byte("leave out visit\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text := auspex("cc", "--show", "src/many.c"); !strings.Contains(text, guard) {
		t.Errorf("with a spoilt file:\n%s", text)
	}
}
