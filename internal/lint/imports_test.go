// Package lint holds tests of the tree itself.
package lint

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists what each package of the module may import of it, and which
// packages from outside. It is the table of docs/ARCHITECTURE.md as a test.
var rooms = map[string]struct{ inside, outside []string }{
	"cmd/auspex":        {inside: []string{"internal/cli"}},
	"model":             {},
	"source":            {outside: []string{"github.com/tree-sitter/", "github.com/alexaandru/go-sitter-forest/"}},
	"depend":            {inside: []string{"source"}},
	"instrument":        {inside: []string{"source", "depend"}},
	"probe":             {},
	"launch":            {inside: []string{"model", "source", "instrument", "probe", "trace"}},
	"trace":             {inside: []string{"model", "internal/mistake"}},
	"longtable":         {inside: []string{"model", "internal/jsonscan", "internal/mistake"}, outside: []string{"github.com/parquet-go/", "github.com/andybalholm/brotli", "github.com/klauspost/compress/", "github.com/pierrec/lz4/"}},
	"ingest":            {inside: []string{"model", "longtable", "ingest/input", "ingest/tau", "ingest/caliper", "ingest/cube", "ingest/hpctoolkit", "ingest/chrome", "ingest/pprof", "ingest/otf2", "internal/mistake"}},
	"ingest/input":      {inside: []string{"model", "internal/jsonscan", "internal/mistake"}},
	"ingest/inputtest":  {inside: []string{"model", "ingest/input"}},
	"ingest/tau":        {inside: []string{"model", "ingest/input", "internal/mistake"}},
	"ingest/caliper":    {inside: []string{"model", "ingest/input", "internal/jsonscan", "internal/mistake"}},
	"ingest/cube":       {inside: []string{"model", "ingest/input", "internal/mistake"}},
	"ingest/hpctoolkit": {inside: []string{"model", "ingest/input", "internal/mistake"}},
	"ingest/chrome":     {inside: []string{"model", "ingest/input", "internal/jsonscan", "internal/mistake"}},
	"ingest/pprof":      {inside: []string{"model", "ingest/input", "internal/mistake"}, outside: []string{"github.com/google/pprof/"}},
	"ingest/otf2":       {inside: []string{"model", "ingest/input", "internal/mistake"}},
	"store":             {inside: []string{"model"}, outside: []string{"github.com/parquet-go/", "github.com/duckdb/"}},
	"expr":              {inside: []string{"internal/mistake"}},
	"fuzzy":             {inside: []string{"expr", "internal/mistake"}, outside: []string{"github.com/pelletier/go-toml/"}},
	"perfql":            {inside: []string{"expr", "fuzzy"}},
	"perfql/syntax":     {},
	"cluster":           {outside: []string{"gonum.org/"}},
	"rough":             {},
	"analyze":           {inside: []string{"model", "store", "expr", "fuzzy", "perfql", "cluster", "rough"}, outside: []string{"gonum.org/"}},
	"platform":          {inside: []string{"internal/mistake"}, outside: []string{"github.com/pelletier/go-toml/"}},
	"simulate":          {inside: []string{"trace", "platform", "internal/mistake"}},
	"calibrate":         {inside: []string{"platform", "simulate", "trace"}},
	"predict":           {inside: []string{"launch", "instrument", "depend", "source", "simulate", "platform", "trace", "model"}},
	"report":            {inside: []string{"analyze", "model", "simulate", "platform", "trace", "source", "depend", "instrument", "predict"}, outside: []string{"github.com/jedib0t/go-pretty/"}},
	"web":               {inside: []string{"analyze", "predict", "report", "store", "model", "expr", "fuzzy", "perfql", "simulate", "platform", "trace", "internal/mistake"}},
	"internal/cli":      {inside: []string{"*"}, outside: []string{"github.com/spf13/cobra", "github.com/jedib0t/go-pretty/", "golang.org/x/"}},
	"internal/jsonscan": {},
	"internal/lint":     {},
	"internal/mistake":  {},
	"internal/accuracy": {},
	"internal/pick":     {inside: []string{"instrument"}, outside: []string{"golang.org/x/term"}},
	"internal/vcluster": {inside: []string{"platform"}},
}

func TestImportDirection(t *testing.T) {
	root := "../.."
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "examples") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		checkFile(t, root, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, root, file string) {
	relative, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	room := path.Dir(filepath.ToSlash(relative))
	rules, known := rooms[room]
	if !known {
		t.Errorf("%s: the package %s has no place in the table of rooms", relative, room)
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range parsed.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if inside, ok := strings.CutPrefix(imported, "auspex/"); ok {
			if !slices.Contains(rules.inside, inside) && !slices.Contains(rules.inside, "*") {
				t.Errorf("%s imports %s, which %s may not", relative, imported, room)
			}
			continue
		}
		first, _, _ := strings.Cut(imported, "/")
		if !strings.Contains(first, ".") {
			continue // standard library
		}
		if !slices.ContainsFunc(rules.outside, func(prefix string) bool { return strings.HasPrefix(imported, prefix) }) {
			t.Errorf("%s imports %s, which %s may not", relative, imported, room)
		}
	}
}
