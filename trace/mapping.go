package trace

import (
	"io"
	"os"
	"runtime"
	"sync"

	"auspex/internal/scratch"
)

// Large traces are not kept in memory: their bytes stay in a file that is
// mapped, so that the system holds as much of it as it has room for.

// mapAbove is the size from which bytes are mapped.
const mapAbove = 256 << 20

// mapping keeps mapped bytes alive for as long as a Program refers to it.
type mapping struct{ data []byte }

// newMapping maps the whole of a file.
func newMapping(f *os.File) (*mapping, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := mapFile(f, st.Size())
	if err != nil {
		return nil, err
	}
	m := &mapping{data}
	runtime.AddCleanup(m, unmap, data)
	return m, nil
}

// contents returns the bytes of a file, mapped if they are more than limit.
func contents(f *os.File, limit int64) ([]byte, *mapping, error) {
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() > limit {
		if m, err := newMapping(f); err == nil {
			return m.data, m, nil
		}
	}
	data, err := io.ReadAll(f)
	return data, nil, err
}

// overflow takes the code of programs that would not fit into memory.
type overflow struct {
	mu    sync.Mutex
	limit int64
	kept  int64 // bytes of code in memory
	file  *os.File
	size  int64
	moved []int   // ranks whose code is in the file
	at    []int64 // where it starts, and then where the last one ends
}

// keep books a finished program, and moves its code out when there is too much.
func (o *overflow) keep(p *Program) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept += int64(p.Size()); o.kept <= o.limit {
		return nil
	}
	if o.file == nil {
		f, err := scratch.File("trace")
		if err != nil {
			return err
		}
		os.Remove(f.Name()) // it lives as long as it is open or mapped
		o.file = f
	}
	if _, err := o.file.Write(p.code); err != nil {
		return err
	}
	o.kept -= int64(len(p.code))
	o.moved, o.at = append(o.moved, int(p.Rank)), append(o.at, o.size)
	o.size += int64(len(p.code))
	p.code = nil
	return nil
}

// restore lets the programs whose code was moved out refer to it there.
func (o *overflow) restore(programs []Program) error {
	if o.file == nil {
		return nil
	}
	defer o.file.Close()
	m, err := newMapping(o.file)
	if err != nil {
		return err
	}
	at := append(o.at, o.size)
	for i, rank := range o.moved {
		p := &programs[rank]
		p.code, p.held = m.data[at[i]:at[i+1]:at[i+1]], m
	}
	return nil
}
