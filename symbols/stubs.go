package symbols

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"
)

// stubRange is a section of stubs: the few instructions by which a program reaches a
// function of a library. They stand in no symbol table.
type stubRange struct{ start, end uint64 }

// readStubs notes where a file's stubs are.
func (o *Object) readStubs(file *elf.File, path string) {
	for _, s := range file.Sections {
		if strings.HasPrefix(s.Name, ".plt") && s.Flags&elf.SHF_EXECINSTR != 0 && s.Size > 0 {
			o.stubRanges, o.path = append(o.stubRanges, stubRange{s.Addr, s.Addr + s.Size}), path
		}
	}
}

// stubAt is the function that the stub at an address leads to. Few programs are ever
// seen in one, so the file is read again for it.
func (o *Object) stubAt(address uint64) string {
	if !slices.ContainsFunc(o.stubRanges, func(r stubRange) bool { return address >= r.start && address < r.end }) {
		return ""
	}
	if o.stubs == nil {
		o.stubs = map[uint64]string{}
		if file, err := elf.Open(o.path); err == nil {
			o.nameStubs(file)
			file.Close()
		}
	}
	return o.stubs[address&^(stubSize-1)]
}

// stubSize is that of a stub on x86-64 and aarch64, and what they are aligned to; one
// of 8 bytes shares its place with another, of the same kind at least.
const stubSize = 16

func (o *Object) nameStubs(file *elf.File) {
	slots := slotNames(file)
	for _, s := range file.Sections {
		if !strings.HasPrefix(s.Name, ".plt") || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		code, err := s.Data()
		if err != nil {
			continue
		}
		for at := uint64(0); at+stubSize <= uint64(len(code)); at += stubSize {
			if slot, ok := slotOf(file.Machine, code[at:at+stubSize], s.Addr+at); ok && slots[slot] != "" {
				o.stubs[s.Addr+at] = slots[slot]
			}
		}
	}
}

// slotOf is the address of the word that a stub takes the function's address from.
func slotOf(machine elf.Machine, code []byte, at uint64) (uint64, bool) {
	switch machine {
	case elf.EM_X86_64: // jmp *offset(%rip), after endbr64 or bnd perhaps
		for i := 0; i+6 <= len(code) && i <= 5; i++ {
			if code[i] == 0xff && code[i+1] == 0x25 {
				return at + uint64(i) + 6 + uint64(int64(int32(binary.LittleEndian.Uint32(code[i+2:])))), true
			}
		}
	case elf.EM_AARCH64: // adrp x16, page; ldr x17, [x16, #offset]
		for i := 0; i+8 <= len(code); i += 4 {
			adrp, ldr := binary.LittleEndian.Uint32(code[i:]), binary.LittleEndian.Uint32(code[i+4:])
			if adrp&0x9f00001f == 0x90000010 && ldr&0xffc003ff == 0xf9400211 {
				page := int64(int32((adrp>>5&0x7ffff)<<2|adrp>>29&3) << 11 >> 11)
				return (at+uint64(i))&^0xfff + uint64(page<<12) + uint64(ldr>>10&0xfff)*8, true
			}
		}
	}
	return 0, false
}

// slotNames are the functions whose addresses the loader puts into words of a file.
func slotNames(file *elf.File) map[uint64]string {
	names := map[uint64]string{}
	symbols, err := file.DynamicSymbols()
	if err != nil || file.Class != elf.ELFCLASS64 {
		return names
	}
	for _, s := range file.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		for ; len(data) >= 24; data = data[24:] {
			if i := file.ByteOrder.Uint64(data[8:]) >> 32; i > 0 && i <= uint64(len(symbols)) && elf.ST_TYPE(symbols[i-1].Info) != elf.STT_OBJECT {
				names[file.ByteOrder.Uint64(data)] = symbols[i-1].Name
			}
		}
	}
	return names
}
