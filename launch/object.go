package launch

import (
	"debug/dwarf"
	"debug/elf"
	"sort"
)

// object is an executable or library with what it tells of its addresses.
type object struct {
	functions []symbol // by address
	lines     []lineEntry
}

type symbol struct {
	start, size uint64
	name        string
}

type lineEntry struct {
	address uint64
	file    string
	line    int
	end     bool // of a sequence: no code here
}

// readObject reads what there is; what cannot be read stays unknown.
func readObject(path string) *object {
	o := &object{}
	file, err := elf.Open(path)
	if err != nil {
		return o
	}
	defer file.Close()
	base := loadAddress(file)
	o.readSymbols(file, base)
	if data, err := file.DWARF(); err == nil {
		o.readLines(data, base)
	}
	return o
}

// loadAddress is the lowest address that the file is linked for: offsets are
// counted from it.
func loadAddress(file *elf.File) uint64 {
	base, found := uint64(0), false
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && (!found || p.Vaddr < base) {
			base, found = p.Vaddr&^0xfff, true
		}
	}
	return base
}

func (o *object) readSymbols(file *elf.File, base uint64) {
	list, err := file.Symbols()
	if err != nil {
		list, _ = file.DynamicSymbols()
	}
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value >= base && s.Section != elf.SHN_UNDEF {
			o.functions = append(o.functions, symbol{s.Value - base, s.Size, s.Name})
		}
	}
	sort.Slice(o.functions, func(i, j int) bool { return o.functions[i].start < o.functions[j].start })
}

func (o *object) readLines(data *dwarf.Data, base uint64) {
	units := data.Reader()
	for {
		unit, err := units.Next()
		if err != nil || unit == nil {
			break
		}
		if unit.Tag == dwarf.TagCompileUnit {
			if lines, err := data.LineReader(unit); err == nil && lines != nil {
				o.readUnit(lines, base)
			}
		}
		units.SkipChildren()
	}
	sort.SliceStable(o.lines, func(i, j int) bool { return o.lines[i].address < o.lines[j].address })
}

func (o *object) readUnit(lines *dwarf.LineReader, base uint64) {
	var e dwarf.LineEntry
	for lines.Next(&e) == nil {
		if e.Address < base || e.File == nil {
			continue
		}
		o.lines = append(o.lines, lineEntry{e.Address - base, e.File.Name, e.Line, e.EndSequence})
	}
}

// at tells what stands at an offset. A return address is that of the
// instruction after the call, so the byte before it is looked up.
func (o *object) at(offset uint64) (function, file string, line int) {
	if offset > 0 {
		offset--
	}
	if i := sort.Search(len(o.functions), func(i int) bool { return o.functions[i].start > offset }); i > 0 {
		if f := o.functions[i-1]; offset < f.start+max(f.size, 1) {
			function = f.name
		}
	}
	if i := sort.Search(len(o.lines), func(i int) bool { return o.lines[i].address > offset }); i > 0 && !o.lines[i-1].end {
		file, line = o.lines[i-1].file, o.lines[i-1].line
	}
	return function, file, line
}
