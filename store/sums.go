package store

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync/atomic"
)

// sumBlock is how many bytes of a file share a sum: reading one column of a
// large table checks little more than that column.
const sumBlock = 256 << 10

// castagnoli is CRC-32C (RFC 3720, appendix B.4), which processors compute
// faster than memory delivers; it finds every burst of up to 32 bits.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileSum is what a file was when it was stored: its length, and a sum for
// each block.
type fileSum struct {
	size   int64
	blocks []uint32
}

// summedFile is a file being written whose sums are taken on the way.
type summedFile struct {
	file *os.File
	*bufio.Writer
	sum  fileSum
	open uint32 // the sum of the last block so far
	into func(fileSum)
}

func createSummed(path string, into func(fileSum)) (*summedFile, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	f := &summedFile{file: file, into: into}
	f.Writer = bufio.NewWriterSize(writerFunc(f.write), sumBlock)
	return f, nil
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

func (f *summedFile) write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), sumBlock-int(f.sum.size%sumBlock))
		f.open = crc32.Update(f.open, castagnoli, rest[:n])
		f.sum.size += int64(n)
		if f.sum.size%sumBlock == 0 {
			f.sum.blocks, f.open = append(f.sum.blocks, f.open), 0
		}
		rest = rest[n:]
	}
	return f.file.Write(p)
}

// Close makes the file last and hands its sums over.
func (f *summedFile) Close() error {
	err := errors.Join(f.Flush(), f.file.Sync(), f.file.Close())
	if f.sum.size%sumBlock != 0 {
		f.sum.blocks = append(f.sum.blocks, f.open)
	}
	f.into(f.sum)
	return err
}

// damagedError says that a file is not what was stored. It is the only way in
// which the store says so.
func damagedError(path string, why error) error {
	return fmt.Errorf("%s is damaged: %w", path, why)
}

var errSum = errors.New("its checksum differs from the one taken when it was stored; restore it from a copy, or remove it with `auspex rm`")

// checkedFile reads a file and checks every block that it touches, the first
// time it does. Without a sum, as in stores of auspex before 2026-11-16, it
// only reads.
type checkedFile struct {
	*os.File
	sum     *fileSum
	size    int64
	checked []atomic.Bool // by block
}

func openChecked(path string, sum *fileSum) (*checkedFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	f := &checkedFile{File: file, sum: sum, size: info.Size()}
	if sum != nil {
		if f.size != sum.size {
			file.Close()
			return nil, damagedError(path, fmt.Errorf("it has %d bytes, %d were stored", f.size, sum.size))
		}
		f.checked = make([]atomic.Bool, len(sum.blocks))
	}
	return f, nil
}

// ReadAt is that of io.ReaderAt.
func (f *checkedFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.sum != nil && offset >= 0 && offset < f.size {
		end := min(offset+int64(len(p)), f.size)
		if err := f.check(offset/sumBlock, (end+sumBlock-1)/sumBlock); err != nil {
			return 0, err
		}
	}
	return f.File.ReadAt(p, offset)
}

// check reads the blocks from one up to another that were not read before.
func (f *checkedFile) check(from, to int64) error {
	var buffer []byte
	for b := from; b < to; b++ {
		if f.checked[b].Load() {
			continue
		}
		if buffer == nil {
			buffer = make([]byte, min(sumBlock, f.size))
		}
		block := buffer[:min(sumBlock, f.size-b*sumBlock)]
		if _, err := f.File.ReadAt(block, b*sumBlock); err != nil && err != io.EOF {
			return err
		}
		if crc32.Checksum(block, castagnoli) != f.sum.blocks[b] {
			return damagedError(f.Name(), errSum)
		}
		f.checked[b].Store(true)
	}
	return nil
}

// readChecked reads a whole file.
func readChecked(path string, sum *fileSum) ([]byte, error) {
	data, err := readSmall(path)
	if err != nil || sum == nil {
		return data, err
	}
	if int64(len(data)) != sum.size {
		return nil, damagedError(path, fmt.Errorf("it has %d bytes, %d were stored", len(data), sum.size))
	}
	for b, want := range sum.blocks {
		if crc32.Checksum(data[b*sumBlock:min((b+1)*sumBlock, len(data))], castagnoli) != want {
			return nil, damagedError(path, errSum)
		}
	}
	return data, nil
}
