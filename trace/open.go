package trace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode"
	"unicode/utf8"

	"auspex/internal/crew"
	"auspex/internal/mistake"
)

// maxRanks bounds what a file may claim.
const maxRanks = 1 << 24

// Open reads the trace at path: auspex's binary form, a text trace that holds
// all ranks, or a list that names one text trace per rank (relative to the
// list's folder). np is the number of ranks, 0 for as many as there are.
func Open(ctx context.Context, path string, np int) (*Trace, error) {
	return open(ctx, path, np, mapAbove)
}

// open is Open with a limit of what is kept in memory.
func open(ctx context.Context, path string, np int, limit int64) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, mistake.InFile(path, "cannot read: %s", reason(err))
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	head, _ := r.Peek(1 << 16)
	if bytes.HasPrefix(head, []byte(magic)) {
		t, err := openBinary(path, f, limit)
		if err == nil && np != 0 && np != t.NP() {
			return nil, mistake.InFile(path, "the trace has %d ranks, not %d", t.NP(), np)
		}
		return t, err
	}
	if looksLikeTrace(head) {
		return openMerged(ctx, path, np)
	}
	if how := mistake.Packed(head); how != "" {
		return nil, mistake.InFile(path, "%s", how)
	}
	if len(head) == 0 {
		return nil, mistake.InFile(path, "the file is empty")
	}
	files, err := readList(path, r)
	if err != nil {
		return nil, err
	}
	switch {
	case len(files) == 1 && np != 1:
		return openMerged(ctx, files[0], np)
	case np > len(files):
		return nil, mistake.InFile(path, "%d ranks need %d traces, but the list names %d", np, np, len(files))
	case np > 0:
		files = files[:np]
	}
	return openFiles(ctx, path, files, limit)
}

func openBinary(path string, f *os.File, limit int64) (*Trace, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, mistake.InFile(path, "cannot read: %s", reason(err))
	}
	data, held, err := contents(f, limit)
	if err != nil {
		return nil, mistake.InFile(path, "cannot read: %s", reason(err))
	}
	return decode(path, data, held)
}

// reason strips the path from an error that will name it anyway.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// looksLikeTrace tells a text trace from a list of file names by its first line.
func looksLikeTrace(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		r := lineReader{line: trim(line)}
		if len(r.line) == 0 || r.line[0] == '#' {
			continue
		}
		_, _, ok := r.rank()
		return ok && len(r.next()) > 0
	}
	return false
}

// readList reads the names of the per-rank files.
func readList(path string, r io.Reader) ([]string, error) {
	var files []string
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		name := strings.TrimSpace(sc.Text())
		if name == "" || name[0] == '#' {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		if len(files) >= maxRanks {
			return nil, mistake.AtLine(path, line, "more traces than ranks can be")
		}
		if st, err := os.Stat(name); err != nil && (!isText(name) || strings.ContainsAny(name, ",;") || errors.Is(err, syscall.ENAMETOOLONG)) {
			return nil, mistake.InFile(path, "neither a trace nor a list of traces")
		} else if err != nil {
			return nil, mistake.AtLine(path, line, "the trace %s cannot be read: %s", name, reason(err))
		} else if st.IsDir() {
			return nil, mistake.AtLine(path, line, "the trace %s is a folder", name)
		}
		files = append(files, name)
	}
	if errors.Is(sc.Err(), bufio.ErrTooLong) {
		return nil, mistake.InFile(path, "neither a trace nor a list of traces")
	}
	if err := sc.Err(); err != nil {
		return nil, mistake.InFile(path, "not a list of traces: %w", err)
	}
	if len(files) == 0 {
		return nil, mistake.InFile(path, "the list names no trace; write one file name a line")
	}
	return files, nil
}

// isText tells whether a line can be shown to a person.
func isText(line string) bool {
	return !strings.ContainsFunc(line, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) })
}

// openFiles reads one text trace per rank, several at a time.
func openFiles(ctx context.Context, name string, files []string, limit int64) (*Trace, error) {
	np := len(files)
	t := &Trace{Name: name, Programs: make([]Program, np), origin: origin{files: files}}
	var next atomic.Int64
	var wg crew.Crew
	errs := make([]error, np)
	var failed, nanoseconds atomic.Bool
	over := overflow{limit: limit}
	for range min(runtime.GOMAXPROCS(0), np) {
		wg.Go(func() {
			r := textReader{np: np}
			defer func() {
				if r.nanoseconds {
					nanoseconds.Store(true)
				}
			}()
			b := NewBuilder(0)
			for {
				i := int(next.Add(1)) - 1
				if i >= np || failed.Load() || ctx.Err() != nil {
					return
				}
				b.next(i)
				if errs[i] = r.readRank(ctx, files[i], b); errs[i] != nil {
					failed.Store(true)
					return
				}
				t.Programs[i] = b.Program()
				if errs[i] = over.keep(&t.Programs[i]); errs[i] != nil {
					failed.Store(true)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs { // the lowest rank's mistake, so that runs agree
		if err != nil {
			return nil, err
		}
	}
	t.Nanoseconds = nanoseconds.Load()
	if err := over.restore(t.Programs); err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return t, nil
}

// openMerged reads one text trace that holds the lines of all ranks.
func openMerged(ctx context.Context, path string, np int) (*Trace, error) {
	if np == 0 {
		top, err := topRank(ctx, path)
		if err != nil {
			return nil, err
		}
		np = top + 1
	}
	r := textReader{np: np}
	builders := make([]*Builder, np)
	for i := range builders {
		builders[i] = NewBuilder(i)
	}
	if err := r.readMerged(ctx, path, builders); err != nil {
		return nil, err
	}
	t := &Trace{Name: path, Programs: make([]Program, np), Nanoseconds: r.nanoseconds, origin: origin{files: []string{path}, merged: true}}
	for i, b := range builders {
		t.Programs[i] = b.Program()
	}
	return t, nil
}
