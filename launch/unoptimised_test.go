package launch

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnoptimisedCodeIsTold: a program compiled without -O is told so, with the files in
// which its time goes; one of which a small part is so is not.
func TestUnoptimisedCodeIsTold(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{
		"work.c": workingFor + "double spend(double seconds) { return work(seconds); }\n",
		"main.c": "double spend(double);\nint main(void) { return spend(0.3) < 0; }\n",
	})
	for _, c := range []struct {
		work, main string
		want       bool
	}{{"-O0", "-O2", true}, {"-O2", "-O0", false}, {"-O2", "-O2", false}} {
		for _, file := range []struct{ name, flag string }{{"work", c.work}, {"main", c.main}} {
			mustCompile(t, "gcc", "-g", file.flag, "-c", filepath.Join(dir, file.name+".c"), "-o", filepath.Join(dir, file.name+".o"))
		}
		exe := filepath.Join(dir, "prog")
		mustCompile(t, "gcc", filepath.Join(dir, "main.o"), filepath.Join(dir, "work.o"), "-o", exe)
		var out bytes.Buffer
		r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(t.Context())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		notes := strings.Join(result.Experiment.Notes, "\n")
		if told := strings.Contains(notes, "without optimisation (-O0, or no -O at all), of work.c:"); told != c.want || !c.want && strings.Contains(notes, "without optimisation") {
			t.Errorf("work with %s, main with %s: %s", c.work, c.main, notes)
		}
	}
}
