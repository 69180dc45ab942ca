package hpctoolkit

import (
	"encoding/binary"
	"strings"

	"auspex/internal/mistake"
)

const (
	hpcMagic     = "HPCTOOLKIT"
	hpcMaxString = 64 << 10
)

// hpcBytes reads the little-endian fields of an HPCToolkit file in memory by
// absolute offset. The first offset that points outside the file is kept as
// err, after which everything reads as zero.
type hpcBytes struct {
	data []byte
	// texts is the same once more: strings cut from it share its memory,
	// however many offsets point to them.
	texts string
	name  string
	err   error
}

func newHPCBytes(data []byte, name string) *hpcBytes {
	return &hpcBytes{data: data, texts: string(data), name: name}
}

var hpcZeros [16]byte

// at returns n bytes, at most 16, at the offset; zeros where there are none.
func (d *hpcBytes) at(offset, n uint64) []byte {
	if !d.check(offset, n) {
		return hpcZeros[:n]
	}
	return d.data[offset : offset+n]
}

// check tells whether n bytes stand at the offset.
func (d *hpcBytes) check(offset, n uint64) bool {
	if size := uint64(len(d.data)); offset > size || n > size-offset {
		d.fail(offset, "%d bytes are said to stand here, but the file ends at %d: it ends early or is damaged", n, size)
	}
	return d.err == nil
}

func (d *hpcBytes) fail(offset uint64, format string, args ...any) {
	if d.err == nil {
		d.err = mistake.AtByte(d.name, int64(min(offset, 1<<62)), format, args...)
	}
}

func (d *hpcBytes) u8(offset uint64) uint8   { return d.at(offset, 1)[0] }
func (d *hpcBytes) u16(offset uint64) uint16 { return binary.LittleEndian.Uint16(d.at(offset, 2)) }
func (d *hpcBytes) u32(offset uint64) uint32 { return binary.LittleEndian.Uint32(d.at(offset, 4)) }
func (d *hpcBytes) u64(offset uint64) uint64 { return binary.LittleEndian.Uint64(d.at(offset, 8)) }

// text returns the string that ends with a zero byte; "" at offset 0.
func (d *hpcBytes) text(offset uint64) string {
	if offset == 0 || !d.check(offset, 1) {
		return ""
	}
	rest := d.texts[offset:]
	end := strings.IndexByte(rest[:min(len(rest), hpcMaxString)], 0)
	if end < 0 {
		d.fail(offset, "a text of more than %d bytes or without end", hpcMaxString)
		return ""
	}
	return rest[:end]
}

// section returns the place of the n-th section that the header lists.
func (d *hpcBytes) section(n int) (offset, size uint64) {
	entry := 16 + 16*uint64(n)
	return d.u64(entry + 8), d.u64(entry)
}

// header checks what every file of a database begins with.
func (d *hpcBytes) header(format string) error {
	head := d.at(0, 16)
	if d.err != nil {
		return mistake.InFile(d.name, "ends early: it has %d bytes", len(d.data))
	}
	if string(head[:10]) != hpcMagic || string(head[10:14]) != format {
		return mistake.AtByte(d.name, 0, "is no HPCToolkit %s database: it does not begin with %q", format, hpcMagic+format)
	}
	if head[14] != 4 {
		return mistake.AtByte(d.name, 14, "is version %d.%d of the format; version 4 can be read", head[14], head[15])
	}
	return nil
}
