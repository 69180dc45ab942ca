package symbols

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Object is an executable or library with what it tells of its addresses,
// which are those that it was linked for.
type Object struct {
	// Base is the lowest address of a loaded page.
	Base uint64
	// Symbols and Debug tell whether there are names, and lines.
	Symbols, Debug bool

	functions []function // by address, once one was asked for
	sorted    bool
	tables    [][]byte       // of names
	units     []unitRange    // by address
	all       []*dwarf.Entry // units, in order of offset
	lines     map[dwarf.Offset][]line
	files     map[dwarf.Offset][]*dwarf.LineFile
	data      *dwarf.Data
	info      []byte // what data was made of
	abbrev    []byte
	order     binary.ByteOrder
	heads     map[dwarf.Offset]*head
	shapes    map[int]map[uint64]*shape // by where they stand in abbrev
	trees     map[dwarf.Offset]*tree
	names     map[dwarf.Offset]origin
	begins    map[uint64]Frame // where the code of functions begins, by its address

	path       string // of the file with the stubs
	stubRanges []stubRange
	stubs      map[uint64]string // by address, once one was asked for
}

// Frame is a function at an address; File and Line say where it is defined,
// as far as known.
type Frame struct {
	Name string
	File string
	Line int
}

// function is an entry of a symbol table. There are tens of thousands in a library
// and few are asked for: names stay in their table until they are.
type function struct {
	start, size uint64
	table, name uint32 // which of tables, and where in it
}

// Open reads what there is; what cannot be read stays unknown.
func Open(path string) *Object { return open(path, true, true) }

// OpenNames leaves out debug information that lies in a file of its own, which
// takes a tenth of a second to read for a C library, and so what was inlined, and
// lines. The names of functions are those that Open gives.
func OpenNames(path string) *Object { return open(path, true, false) }

// OpenSymbols leaves out all debug information.
func OpenSymbols(path string) *Object { return open(path, false, false) }

func open(path string, debug, apart bool) *Object {
	o := &Object{files: map[dwarf.Offset][]*dwarf.LineFile{}, lines: map[dwarf.Offset][]line{}, trees: map[dwarf.Offset]*tree{}, heads: map[dwarf.Offset]*head{}, shapes: map[int]map[uint64]*shape{}, names: map[dwarf.Offset]origin{}, begins: map[uint64]Frame{}}
	file, err := openFile(path)
	if err != nil {
		return o
	}
	defer file.Close()
	o.Base = loadAddress(file)
	o.readSymbols(file)
	o.readStubs(file, path)
	if debug {
		o.readDebug(file)
	}
	for _, candidate := range debugFiles(file, path) {
		if o.Debug {
			break
		}
		if other, err := elf.Open(candidate); err == nil {
			if buildID(other) == buildID(file) {
				o.readSymbols(other)
				if apart {
					o.readDebug(other)
				}
			}
			other.Close()
		}
	}
	return o
}

// loadAddress is the lowest address that the file is linked for.
func loadAddress(file *elf.File) uint64 {
	base, found := uint64(0), false
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && (!found || p.Vaddr < base) {
			base, found = p.Vaddr&^0xfff, true
		}
	}
	return base
}

// readSymbols adds the functions of a file's symbol table, or of the one for
// dynamic linking where there is no other.
func (o *Object) readSymbols(file *elf.File) {
	section := file.SectionByType(elf.SHT_SYMTAB)
	if section == nil || section.Size == 0 {
		section = file.SectionByType(elf.SHT_DYNSYM)
	}
	if section == nil || int(section.Link) >= len(file.Sections) {
		return
	}
	data, err := section.Data()
	if err != nil {
		return
	}
	names, err := file.Sections[section.Link].Data()
	if err != nil {
		return
	}
	each, size := eachSymbol64, elf.Sym64Size
	if file.Class == elf.ELFCLASS32 {
		each, size = eachSymbol32, elf.Sym32Size
	}
	o.functions = slices.Grow(o.functions, len(data)/size)
	table := uint32(len(o.tables))
	o.tables = append(o.tables, names)
	each(data, file.ByteOrder, func(name uint32, info uint8, in elf.SectionIndex, value, size uint64) {
		if kind := elf.ST_TYPE(info); (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC) && in != elf.SHN_UNDEF && value > 0 {
			o.functions = append(o.functions, function{start: value, size: size, table: table, name: name})
			o.Symbols = true
		}
	})
}

// The two forms of a symbol table's entries (System V ABI, chapter 4).
func eachSymbol64(data []byte, order binary.ByteOrder, yield func(name uint32, info uint8, in elf.SectionIndex, value, size uint64)) {
	for ; len(data) >= elf.Sym64Size; data = data[elf.Sym64Size:] {
		yield(order.Uint32(data), data[4], elf.SectionIndex(order.Uint16(data[6:])), order.Uint64(data[8:]), order.Uint64(data[16:]))
	}
}

func eachSymbol32(data []byte, order binary.ByteOrder, yield func(name uint32, info uint8, in elf.SectionIndex, value, size uint64)) {
	for ; len(data) >= elf.Sym32Size; data = data[elf.Sym32Size:] {
		yield(order.Uint32(data), data[12], elf.SectionIndex(order.Uint16(data[14:])), uint64(order.Uint32(data[4:])), uint64(order.Uint32(data[8:])))
	}
}

// name is a function's, "" where its table is cut short.
func (o *Object) name(f function) string {
	table := o.tables[f.table]
	if uint64(f.name) >= uint64(len(table)) {
		return ""
	}
	name, _, _ := bytes.Cut(table[f.name:], []byte{0})
	return string(name)
}

// readDebug reads the sections of debug information; they may be compressed, so
// each is read once.
func (o *Object) readDebug(file *elf.File) {
	read := func(name string) []byte {
		section := file.Section(".debug_" + name)
		if section == nil {
			section = file.Section(".zdebug_" + name)
		}
		if section == nil || section.Type == elf.SHT_NOBITS {
			return nil
		}
		data, _ := section.Data()
		return data
	}
	info, abbrev := read("info"), read("abbrev")
	if len(info) == 0 {
		return
	}
	data, err := dwarf.New(abbrev, nil, nil, info, read("line"), nil, read("ranges"), read("str"))
	if err != nil {
		return
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if data.AddSection(".debug_"+name, read(name)) != nil {
			return
		}
	}
	if types := read("types"); len(types) > 0 && data.AddTypes("types-0", types) != nil {
		return
	}
	o.data, o.info, o.abbrev, o.order = data, info, abbrev, file.ByteOrder
	o.readUnits()
	o.Debug = len(o.units) > 0
}

// debugFiles are where the debug information of a stripped file may lie.
func debugFiles(file *elf.File, path string) []string {
	var list []string
	if id := buildID(file); len(id) > 2 {
		list = append(list, filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug"))
	}
	if s := file.Section(".gnu_debuglink"); s != nil {
		if data, err := s.Data(); err == nil {
			name, _, _ := strings.Cut(string(data), "\x00")
			real := path
			if r, err := filepath.EvalSymlinks(path); err == nil {
				real = r
			}
			if name = filepath.Base(name); name != "." && name != filepath.Base(real) {
				dir := filepath.Dir(real)
				list = append(list, filepath.Join(dir, name), filepath.Join(dir, ".debug", name), filepath.Join("/usr/lib/debug", dir, name))
			}
		}
	}
	return slices.DeleteFunc(list, func(p string) bool { _, err := os.Stat(p); return err != nil })
}

func buildID(file *elf.File) string {
	s := file.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil || len(data) < 16 {
		return ""
	}
	return hex.EncodeToString(data[16:])
}

// symbolAt is the function of the symbol table around an address, and where it begins.
func (o *Object) symbolAt(address uint64) (name string, start uint64) {
	if !o.sorted {
		o.sorted = true
		o.functions = byAddress(o.functions)
	}
	i := sort.Search(len(o.functions), func(i int) bool { return o.functions[i].start > address })
	for i--; i >= 0; i-- {
		f := o.functions[i]
		if address < f.start+max(f.size, 1) {
			return o.plainest(address, i), f.start
		}
		if f.size > 0 && i > 0 && o.functions[i-1].start != f.start {
			break
		}
	}
	return "", 0
}

// plainest is the name of a function that those who call it are most likely to know, of
// all that the same code has up to one in the list: tanh, not tanhf32x or __tanh.
func (o *Object) plainest(address uint64, last int) string {
	best := ""
	for i := last; i >= 0 && o.functions[i].start == o.functions[last].start; i-- {
		f := o.functions[i]
		if name := o.name(f); name != "" && address < f.start+max(f.size, 1) && (best == "" || plainer(name, best)) {
			best = name
		}
	}
	return best
}

func plainer(a, b string) bool {
	return cmp.Or(cmp.Compare(underscores(a), underscores(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b)) < 0
}

// underscores counts those that a name begins with.
func underscores(name string) int { return len(name) - len(strings.TrimLeft(name, "_")) }

// begun is a function of the symbol table with the line that its code begins at, where
// debug information tells no other: it lies in files beside the objects
// (-gsplit-dwarf), or does not say (bodies of Ada's tasks).
func (o *Object) begun(address uint64) Frame {
	name, start := o.symbolAt(address)
	if name == "" {
		return Frame{}
	}
	f, known := o.begins[start]
	if !known {
		f.File, f.Line = o.firstLine(start)
		o.begins[start] = f
	}
	f.Name = Name(name)
	return f
}

// byAddress orders functions by address, those at one address as they came. They
// lie about evenly, so each is put near its place at once: comparing a library's
// tens of thousands takes longer than all else that is done for a few samples.
func byAddress(list []function) []function {
	if len(list) < 2 {
		return list
	}
	low, high := list[0].start, list[0].start
	for _, f := range list {
		low, high = min(low, f.start), max(high, f.start)
	}
	width := (high-low)/uint64(len(list)) + 1
	next := make([]int, len(list)+1) // where the next of a bucket goes
	for _, f := range list {
		next[(f.start-low)/width+1]++
	}
	crowded := slices.Max(next) > 64
	for i := range next[1:] {
		next[i+1] += next[i]
	}
	out := make([]function, len(list))
	for _, f := range list {
		at := &next[(f.start-low)/width]
		out[*at] = f
		*at++
	}
	if crowded {
		slices.SortStableFunc(out, func(a, b function) int { return cmp.Compare(a.start, b.start) })
		return out
	}
	for i, f := range out {
		for ; i > 0 && out[i-1].start > f.start; i-- {
			out[i] = out[i-1]
		}
		out[i] = f
	}
	return out
}

// Frames are the functions at an address, outermost first: one, and those that
// were inlined into it there. There are none where nothing is known.
func (o *Object) Frames(address uint64) []Frame {
	if frames := o.debugFrames(address); len(frames) > 0 {
		return frames
	}
	if f := o.begun(address); f.Name != "" {
		return []Frame{f}
	}
	if name := o.stubAt(address); name != "" {
		return []Frame{{Name: Name(name)}}
	}
	return nil
}
