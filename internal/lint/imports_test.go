// Package lint holds tests of the tree itself.
package lint

import (
	"bufio"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the module's folder, seen from this package.
const root = "../.."

// A room is what one row of docs/ARCHITECTURE.md says of a package, or what
// its files do: the packages of this module it imports, and the modules from
// outside.
type room struct {
	inside, outside map[string]bool
	all             bool // every room may be imported
}

// TestImports holds the table of docs/ARCHITECTURE.md against the source, in
// both directions.
func TestImports(t *testing.T) {
	document, err := os.ReadFile(filepath.Join(root, "docs/ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := parseTable(string(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults(allowed, readTree(t)) {
		t.Error(fault)
	}
}

// TestImportFaults makes sure that each kind of fault is found.
func TestImportFaults(t *testing.T) {
	const table = `
| room | owns | imports of ours | imports of others |
|---|---|---|---|
| ` + "`a` | | `b`, `c` | `example.org/x` |\n| `b` | | | |\n| `gone` | | | |\n| `top` | | all | |\n"
	allowed, err := parseTable(table)
	if err != nil {
		t.Fatal(err)
	}
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, n := range names {
			m[n] = true
		}
		return m
	}
	found := faults(allowed, map[string]room{
		"a":   {inside: set("b"), outside: set("example.org/y")},
		"b":   {inside: set("a")},
		"new": {},
		"top": {inside: set("a", "b", "new")},
	})
	want := []string{
		"a imports example.org/y, which its row in docs/ARCHITECTURE.md does not list",
		"b imports a, which its row in docs/ARCHITECTURE.md does not list",
		"docs/ARCHITECTURE.md has a row for gone, where there is no package",
		"docs/ARCHITECTURE.md lists c among the imports of a, which does not import it",
		"docs/ARCHITECTURE.md lists example.org/x among the imports of a, which does not import it",
		"the package new has no row in docs/ARCHITECTURE.md",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// parseTable reads the rows of the table that begins with "| room |".
func parseTable(document string) (map[string]room, error) {
	_, table, found := strings.Cut(document, "\n| room |")
	if !found {
		return nil, fmt.Errorf("docs/ARCHITECTURE.md has no table that begins with | room |")
	}
	rooms := map[string]room{}
	for i, line := range strings.Split(table, "\n") {
		if i < 2 {
			continue // the heading's rest and its rule
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			return nil, fmt.Errorf("docs/ARCHITECTURE.md: a row has %d cells and not 4: %s", len(cells), line)
		}
		name := slices.Collect(maps.Keys(quoted(cells[0])))
		if len(name) != 1 {
			return nil, fmt.Errorf("docs/ARCHITECTURE.md: a row begins with no `room`: %s", line)
		}
		if _, twice := rooms[name[0]]; twice {
			return nil, fmt.Errorf("docs/ARCHITECTURE.md has two rows for %s", name[0])
		}
		rooms[name[0]] = room{quoted(cells[2]), quoted(cells[3]), strings.TrimSpace(cells[2]) == "all"}
	}
	return rooms, nil
}

// quoted lists what stands between backquotes.
func quoted(cell string) map[string]bool {
	names := map[string]bool{}
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			names[part] = true
		}
	}
	return names
}

// faults lists, sorted, where rows and packages disagree.
func faults(allowed, actual map[string]room) []string {
	var list []string
	compare := func(name string, may, does map[string]bool, all bool) {
		for i := range does {
			if !may[i] && !all {
				list = append(list, name+" imports "+i+", which its row in docs/ARCHITECTURE.md does not list")
			}
		}
		for i := range may {
			if !does[i] {
				list = append(list, "docs/ARCHITECTURE.md lists "+i+" among the imports of "+name+", which does not import it")
			}
		}
	}
	for name, does := range actual {
		may, known := allowed[name]
		if !known {
			list = append(list, "the package "+name+" has no row in docs/ARCHITECTURE.md")
			continue
		}
		compare(name, may.inside, does.inside, may.all)
		compare(name, may.outside, does.outside, false)
	}
	for name := range allowed {
		if _, there := actual[name]; !there {
			list = append(list, "docs/ARCHITECTURE.md has a row for "+name+", where there is no package")
		}
	}
	slices.Sort(list)
	return list
}

// readTree reads the imports of every package of the module. Test files make a
// package, but what they import is free.
func readTree(t *testing.T) map[string]room {
	modules := readModules(t)
	rooms := map[string]room{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "examples") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		place := path.Dir(filepath.ToSlash(relative))
		if _, known := rooms[place]; !known {
			rooms[place] = room{inside: map[string]bool{}, outside: map[string]bool{}}
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if inside, ok := strings.CutPrefix(imported, "auspex/"); ok {
				rooms[place].inside[inside] = true
			} else if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				rooms[place].outside[moduleOf(imported, modules)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

// readModules lists the modules that go.mod requires.
func readModules(t *testing.T) []string {
	file, err := os.Open(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var modules []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(strings.TrimPrefix(lines.Text(), "require "))
		if len(fields) >= 2 && strings.HasPrefix(fields[1], "v") {
			modules = append(modules, fields[0])
		}
	}
	return modules
}

// moduleOf is the module an import path belongs to: the longest that begins it.
func moduleOf(imported string, modules []string) string {
	best := ""
	for _, m := range modules {
		if (imported == m || strings.HasPrefix(imported, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	if best == "" {
		return imported
	}
	return best
}
