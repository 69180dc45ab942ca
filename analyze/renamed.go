package analyze

import (
	"fmt"
	"strings"

	"auspex/model"
)

// renamed says how the regions of b are called in a: where the root of each is the
// program itself, under another name, what is below it is compared. The note tells
// of that, and is empty where nothing is called otherwise.
func renamed(a, b *Dataset) (as func(path string) string, note string) {
	ours, theirs := programRoot(a), programRoot(b)
	if ours == "" || theirs == "" || ours == theirs {
		return func(path string) string { return path }, ""
	}
	as = func(path string) string {
		parts := strings.Split(path, string(model.PathSeparator))
		parts[0] = ours
		for i, p := range parts { // code of it that no symbol names
			if p == "<"+theirs+">" {
				parts[i] = "<" + ours + ">"
			}
		}
		return strings.Join(parts, string(model.PathSeparator))
	}
	return as, fmt.Sprintf("the program is called %s in %s and %s in %s: what is below it is compared", ours, a.Name, theirs, b.Name)
}

// programRoot is the path of the only root of an experiment, where that is its
// program; "" elsewhere.
func programRoot(d *Dataset) string {
	root := -1
	for i, r := range d.Regions {
		if r.Parent != model.NoParent {
			continue
		}
		if root >= 0 {
			return ""
		}
		root = i
	}
	if root < 0 || strings.ToLower(d.Regions[root].Name) != programName(d) {
		return ""
	}
	return d.Paths[root]
}
