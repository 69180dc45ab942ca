package caliper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/internal/jsonscan"
	"auspex/model"
)

// place gives the waiting rows their meaning.
func (f *splitFile) place() error {
	if f.width == 0 {
		return nil // records, placed as they came
	}
	if len(f.columns) != f.width {
		return fmt.Errorf("rows of %d values and %d columns", f.width, len(f.columns))
	}
	regions, err := f.regions()
	if err != nil {
		return err
	}
	path, roles := f.columnRoles()
	for start := 0; start < len(f.cells); start += f.width {
		row := f.cells[start : start+f.width]
		region, err := f.regionOf(row, path, regions)
		if err != nil {
			return err
		}
		unit := caliperUnit{rank: -1}
		for i, cell := range row {
			if roles[i] == unitKey && (cell.text > 0 || cell.number == cell.number) {
				unit.set(f.columns[i], f.textOf(cell, f.isHierarchy(i)))
			}
		}
		for i, cell := range row {
			if roles[i] == frame {
				region = f.below(region, i, cell)
			}
		}
		at := f.profile.row(unit, region)
		for i, cell := range row {
			if roles[i] == measure && cell.number == cell.number {
				f.profile.add(at, f.profile.column(f.columns[i], f.unitOf(i)), cell.number)
			}
		}
	}
	return nil
}

// splitRole is what a column of json-split is for.
type splitRole int

const (
	ignored splitRole = iota
	caliperPath
	unitKey
	frame // names a function or kernel inside the region
	measure
)

// columnRoles finds the column of the region path and what the others are.
func (f *splitFile) columnRoles() (path int, roles []splitRole) {
	path = slices.Index(f.columns, "path")
	for i := 0; path < 0 && i < len(f.columns); i++ {
		if f.isHierarchy(i) {
			path = i // an older file, or a query for one attribute
		}
	}
	roles = make([]splitRole, len(f.columns))
	for i, name := range f.columns {
		var unit caliperUnit
		switch {
		case i == path:
			roles[i] = caliperPath
		case unit.set(name, "0"):
			roles[i] = unitKey
		case isFrame(name):
			roles[i] = frame
		case !f.isHierarchy(i) && f.isNumeric(i):
			roles[i] = measure
		default:
			f.profile.summed = append(f.profile.summed, name)
		}
	}
	return path, roles
}

func (f *splitFile) isHierarchy(i int) bool { return i < len(f.isValue) && !f.isValue[i] }

func (f *splitFile) unitOf(i int) string {
	if i < len(f.units) {
		return f.units[i]
	}
	return ""
}

// isNumeric tells whether a column holds measures: numbers, and not the
// counter of a loop's iterations.
func (f *splitFile) isNumeric(i int) bool {
	if isIteration(f.columns[i]) {
		return false
	}
	for at := i; at < len(f.cells); at += f.width {
		if cell := f.cells[at]; cell.number == cell.number {
			return true
		}
	}
	return false
}

// regions adds the tree of nodes.
func (f *splitFile) regions() ([]int, error) {
	list := make([]int, len(f.nodes))
	depth := make([]int, len(f.nodes))
	for i, n := range f.nodes {
		parent := model.NoParent
		if n.parent != model.NoParent {
			parent = list[n.parent]
			depth[i] = depth[n.parent] + 1
		}
		if depth[i] > maxDepth {
			return nil, fmt.Errorf("regions nested deeper than %d", maxDepth)
		}
		if n.column == "path" || f.isPathLike(n.column) {
			list[i] = f.profile.region(n.label, kind(n.column, n.label), parent)
		} else {
			list[i] = parent
		}
	}
	return list, nil
}

// isPathLike tells whether the nodes of a column make the tree: with no
// column "path", those of the first hierarchy do.
func (f *splitFile) isPathLike(column string) bool {
	if slices.Contains(f.columns, "path") {
		return false
	}
	for i, name := range f.columns {
		if f.isHierarchy(i) {
			return name == column
		}
	}
	return column == ""
}

func (f *splitFile) regionOf(row []splitCell, path int, regions []int) (int, error) {
	if path < 0 {
		return f.profile.outside(), nil
	}
	cell := row[path]
	if cell.number != cell.number {
		return f.profile.outside(), nil
	}
	i := int(cell.number)
	if cell.number != math.Trunc(cell.number) || i < 0 || i >= len(regions) {
		return 0, fmt.Errorf("a row names node %v of %d", cell.number, len(regions))
	}
	if regions[i] == model.NoParent {
		return f.profile.outside(), nil
	}
	return regions[i], nil
}

// below is the region of the frames that a cell names, inside a region: one, or
// in a hierarchy the nodes from the outermost in.
func (f *splitFile) below(region, column int, cell splitCell) int {
	var names []string
	if !f.isHierarchy(column) {
		if cell.text > 0 {
			names = append(names, f.texts[cell.text-1])
		}
	} else if cell.number >= 0 && cell.number < float64(len(f.nodes)) {
		for n := int(cell.number); n != model.NoParent && len(names) < maxDepth; n = f.nodes[n].parent {
			if f.nodes[n].column == f.columns[column] {
				names = append(names, f.nodes[n].label)
			}
		}
	}
	for _, name := range slices.Backward(names) {
		region = f.profile.region(name, kind(f.columns[column], name), region)
	}
	return region
}

// textOf writes a cell as text; in a hierarchy it is the number of a node.
func (f *splitFile) textOf(cell splitCell, hierarchy bool) string {
	if hierarchy && cell.number >= 0 && cell.number < float64(len(f.nodes)) {
		return f.nodes[int(cell.number)].label
	}
	if cell.text > 0 {
		return f.texts[cell.text-1]
	}
	return fmt.Sprint(cell.number)
}

// readRecords reads records, each an object of attributes and values, to the
// end of their array.
func (f *splitFile) readRecords() error {
	for {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.ArrayEnd:
			return nil
		case jsonscan.ObjectStart:
		default:
			return fmt.Errorf("a record must be an object")
		}
		if err := f.readRecord(); err != nil {
			return err
		}
		if f.ctx.Err() != nil {
			return f.ctx.Err()
		}
	}
}

// pathKeys are the attributes that a record's path may stand under: the whole of it
// under the first; else each has its own part, outermost first as far as that can be
// known.
var pathKeys = []string{"path", "phase", "function", "region", "annotation", "loop", "mpi.function"}

// partsNote is said where a record has several of them.
const partsNote = "records name functions, loops and the like apart, not how they lie in one another: loops are taken to lie in functions, calls of MPI in both"

func (f *splitFile) readRecord() error {
	unit := caliperUnit{rank: -1}
	parts := make([][]string, len(pathKeys))
	type value struct {
		column int
		v      float64
	}
	var values []value
	err := f.eachKey(func(key string) error {
		kind, err := f.s.Next()
		if err != nil {
			return err
		}
		if k := slices.Index(pathKeys, key); k >= 0 {
			parts[k], err = f.pathNames(kind)
			return err
		}
		cell, err := f.cell(kind)
		if err != nil {
			return err
		}
		if isIteration(key) {
			f.profile.sumOver(key)
			return nil
		}
		if unit.set(key, f.textOf(cell, false)) || cell.number != cell.number {
			return nil
		}
		values = append(values, value{f.profile.column(key, ""), cell.number})
		return nil
	})
	if err != nil {
		return err
	}
	region := f.regionOfPath(parts)
	at := f.profile.row(unit, region)
	for _, v := range values {
		f.profile.add(at, v.column, v.v)
	}
	return nil
}

// pathNames reads a path: a text with slashes between the names, or an array.
func (f *splitFile) pathNames(kind jsonscan.Kind) ([]string, error) {
	switch kind {
	case jsonscan.String:
		names := strings.Split(string(f.s.Bytes()), "/")
		if len(names) > maxDepth {
			return nil, fmt.Errorf("regions nested deeper than %d", maxDepth)
		}
		return names, nil
	case jsonscan.Null:
		return nil, nil
	case jsonscan.ArrayStart:
	default:
		return nil, fmt.Errorf("a path must be a text or an array of names")
	}
	var names []string
	for {
		kind, err := f.s.Next()
		if err != nil {
			return nil, err
		}
		if kind == jsonscan.ArrayEnd {
			return names, nil
		}
		if kind != jsonscan.String || len(names) == maxDepth {
			return nil, fmt.Errorf("a path must be at most %d names", maxDepth)
		}
		names = append(names, string(f.s.Bytes()))
	}
}

// regionOfPath is the region of the parts of a path, one for each of pathKeys.
func (f *splitFile) regionOfPath(parts [][]string) int {
	if len(parts[0]) > 0 {
		parts = parts[:1]
	}
	region, used := model.NoParent, 0
	for key, names := range parts {
		for _, name := range names {
			region = f.profile.region(name, kind(pathKeys[key], name), region)
		}
		if len(names) > 0 {
			used++
		}
	}
	f.profile.parts = f.profile.parts || used > 1
	if region == model.NoParent {
		return f.profile.outside()
	}
	return region
}
