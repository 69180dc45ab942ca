package depend

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestShapes holds the verdicts written behind the loops of the test files.
func TestShapes(t *testing.T) {
	comment := regexp.MustCompile(`(?:/\*|!) (independent|reduction|carried|unknown)(?:: (.*?))?(?: \*/)?$`)
	for _, name := range []string{"testdata/shapes.c", "testdata/shapes.f90"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		wanted := map[int][]string{}
		for i, line := range lines {
			if m := comment.FindStringSubmatch(line); m != nil {
				wanted[i+1] = m[1:]
			}
		}
		seen := map[Verdict]int{}
		for _, l := range New(parse(t, name, string(text))).Loops() {
			want := wanted[l.Line]
			delete(wanted, l.Line)
			seen[l.Verdict]++
			if want == nil || l.Verdict.String() != want[0] || !strings.Contains(l.Reason, want[1]) {
				t.Errorf("%s:%d: %s: %s\nwant %q", name, l.Line, l.Verdict, l.Reason, want)
			}
		}
		if len(wanted) > 0 {
			t.Errorf("%s: no loop found on lines of %v", name, wanted)
		}
		t.Logf("%s: %v", name, seen)
	}
}
