package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// storeVersion is what this program writes. It reads all before it, and
// refuses those after it.
const storeVersion = 1

// receipt is what a name holds: which folder it stands for, and the sums of
// the folder's files. One of stores before 2026-11-16 is the folder's id
// alone, and nothing is checked.
//
//	20261116T112000-1b2c3d4e5f60
//	version 1
//	file experiment.json 512 9f3c2a11
//	file values.parquet 300000 0badcafe 00c0ffee
//	sum 1a2b3c4d
type receipt struct {
	id    string
	files map[string]*fileSum // nil where nothing is known of them
}

func (r *receipt) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nversion %d\n", r.id, storeVersion)
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		fmt.Fprintf(&b, "file %s %d", name, r.files[name].size)
		for _, sum := range r.files[name].blocks {
			fmt.Fprintf(&b, " %08x", sum)
		}
		b.WriteByte('\n')
	}
	return seal(b.Bytes(), "sum ")
}

var errReceipt = errors.New("it is not as auspex writes it; remove the name with `auspex rm`")

func parseReceipt(path string, data []byte) (*receipt, error) {
	id, rest, _ := strings.Cut(string(data), "\n")
	id = strings.TrimSpace(id)
	if id == "" || id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return nil, damagedError(path, errReceipt)
	}
	r := &receipt{id: id}
	if strings.TrimSpace(rest) == "" {
		return r, nil
	}
	version, lines, _ := strings.Cut(rest, "\n")
	if v, err := strconv.Atoi(strings.TrimPrefix(version, "version ")); err == nil && v > storeVersion {
		return nil, newerError(path, v)
	}
	if _, sealed, err := unseal(path, data, "sum "); err != nil {
		return nil, err
	} else if !sealed {
		return nil, damagedError(path, errReceipt)
	}
	r.files = map[string]*fileSum{}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "file" {
			continue // the seal, which was checked
		}
		sum := &fileSum{}
		var err error
		if sum.size, err = strconv.ParseInt(words[2], 10, 64); err != nil || sum.size < 0 || int64(len(words)-3) != (sum.size+sumBlock-1)/sumBlock {
			return nil, damagedError(path, errReceipt)
		}
		for _, word := range words[3:] {
			n, err := strconv.ParseUint(word, 16, 32)
			if err != nil {
				return nil, damagedError(path, errReceipt)
			}
			sum.blocks = append(sum.blocks, uint32(n))
		}
		r.files[words[1]] = sum
	}
	return r, nil
}

// newerError refuses what a later auspex wrote.
func newerError(path string, version int) error {
	return fmt.Errorf("%s was written by a newer auspex (form %d; this one reads up to %d): use that one, or a later", path, version, storeVersion)
}

// seal ends a text with a line that holds its sum.
func seal(text []byte, mark string) []byte {
	return fmt.Appendf(text, "%s%08x\n", mark, crc32.Checksum(text, castagnoli))
}

// unseal gives a text without its seal; sealed is false where it had none. It
// is an error where text or seal are not what was written.
func unseal(path string, text []byte, mark string) (body []byte, sealed bool, err error) {
	at := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	body, last := text[:at], string(text[at:])
	sum := fmt.Sprintf("%08x\n", crc32.Checksum(body, castagnoli))
	switch {
	case last == mark+sum:
		return body, true, nil
	case bytes.Contains(text, []byte(mark)), strings.HasSuffix(last, sum): // one of both was damaged
		return nil, true, damagedError(path, errSum)
	}
	return text, false, nil
}
