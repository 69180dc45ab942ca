package launch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/instrument"
)

// A precompiled header that a source begins with is taken, also where it is all there is
// of the header; lines stay what they are.
func TestPrecompiledHeader(t *testing.T) {
	need(t, "g++")
	dir := write(t, map[string]string{
		"inc/pre.h": "#include <vector>\n",
		"src/a.cpp": "// The first.\n\n#include \"pre.h\"\nint sum(const std::vector<int> &v)\n{\n    int s = 0;\n    for (int i : v) {\n        s += i;\n    }\n    return s;\n}\nint here = __LINE__; const char *file = __FILE__;\nint main()\n{\n    return here - 12 + (file[0] != 's');\n}\n",
	})
	t.Chdir(dir)
	mustCompilePlain(t, "g++", "-g", "-O2", "-x", "c++-header", "inc/pre.h", "-o", "inc/pre.h.gch")
	if err := os.Remove("inc/pre.h"); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	c := Compiler{Real: []string{"g++", "-g", "-O2", "-H", "-Iinc", "src/a.cpp", "-o", "a"}, Options: instrument.Options{MinLines: 2}, Cache: testCache(), Out: &out, Err: &errs}
	if status, err := c.Run(context.Background()); err != nil || status != 0 || !strings.HasPrefix(errs.String(), "! inc/pre.h.gch\n") {
		t.Fatalf("status %d, %v: %s%s", status, err, out.String(), errs.String())
	}
	if text, err := os.ReadFile("a"); err != nil || !strings.Contains(string(text), "auspex_") {
		t.Error("not instrumented")
	}
	if out, err := command(filepath.Join(dir, "a")); err != nil {
		t.Error(err, out)
	}
}
