package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"auspex/internal/mistake"
)

const (
	chunkSize   = 1 << 17 // bytes read at once
	historySize = 1 << 16 // bytes kept behind, to compare iterations as text
	maxLine     = 1 << 26 // bytes of one line (v-collectives on many ranks are long)
	ringSize    = 1 << 12 // lines whose start is remembered, a power of two
)

// textReader reads text traces line by line. It is reused from file to file.
type textReader struct {
	nanoseconds bool // a line of dPerf's form was met
	np          int
	buf         []byte
	pos         int   // next byte of buf
	base        int64 // offset of buf[0] in the file
	line        int
	eof         bool
	src         io.Reader
	act         Action

	starts [ringSize]int64 // offsets of the latest action lines
	seen   int64           // action lines so far
	body   []byte          // text of one iteration
	known  known
}

func (r *textReader) open(src io.Reader) {
	if r.buf == nil {
		r.buf = make([]byte, 0, historySize+2*chunkSize)
	}
	r.buf, r.pos, r.base, r.line, r.eof, r.src, r.seen = r.buf[:0], 0, 0, 0, false, src, 0
}

// more reads ahead, dropping what lies too far behind.
func (r *textReader) more() error {
	if drop := r.pos - historySize; drop > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[drop:])]
		r.pos -= drop
		r.base += int64(drop)
	}
	if len(r.buf)-r.pos > maxLine {
		return fmt.Errorf("a line is longer than %d bytes", maxLine)
	}
	n := len(r.buf)
	if cap(r.buf)-n < chunkSize {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)), r.buf...)
	}
	m, err := r.src.Read(r.buf[n : n+chunkSize])
	r.buf = r.buf[:n+m]
	if err == io.EOF {
		r.eof = true
		return nil
	}
	return err
}

// next returns the next line that is neither empty nor a comment, without its
// end; the last line counts whether it is ended or not. io.EOF ends the file.
func (r *textReader) next() ([]byte, error) {
	for {
		line, at := r.buf[r.pos:], r.pos
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
			r.pos += i + 1
		} else if !r.eof {
			if err := r.more(); err != nil {
				return nil, err
			}
			continue
		} else if len(line) == 0 {
			return nil, io.EOF
		} else {
			r.pos = len(r.buf)
		}
		r.line++
		if len(line) == 0 || line[0] <= ' ' || line[len(line)-1] <= ' ' {
			line = trim(line)
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		r.starts[r.seen&(ringSize-1)] = r.base + int64(at)
		r.seen++
		return line, nil
	}
}

// trim cuts blanks and the carriage return of foreign line ends.
func trim(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] <= ' ' {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && line[0] <= ' ' {
		line = line[1:]
	}
	return line
}

// rank reads who a line belongs to: a number, or p and a number in dPerf's form.
func (r *lineReader) rank() (rank int64, dperf, ok bool) {
	w := r.next()
	if len(w) > 1 && w[0] == 'p' {
		dperf, w = true, w[1:]
	}
	v, ok := whole(w)
	return v, dperf, ok && v >= 0 && v < maxRanks
}

// action reads the next action and its rank; io.EOF ends the file.
func (r *textReader) action(file string) (int, error) {
	line, err := r.next()
	return r.understand(file, line, err)
}

// understand reads an action and its rank from a line, if there is one.
func (r *textReader) understand(file string, line []byte, err error) (int, error) {
	if err == io.EOF {
		return 0, io.EOF
	}
	if err == nil {
		l := lineReader{line: line}
		rank, dperf, ok := l.rank()
		switch {
		case !ok:
			err = fmt.Errorf("a line starts with its rank, not with %q", clip(line))
		case dperf:
			r.nanoseconds = true
			err = l.parseDPerf(&r.act, int32(rank), r.np)
		default:
			err = l.parse(&r.act, r.np)
		}
		if err == nil {
			return int(rank), nil
		}
	}
	return 0, mistake.AtLine(file, max(r.line, 1), "%w", err)
}

// add reads the next line and appends its action, if it is of the builder's
// rank. Most lines have come before, and need not be understood again.
func (r *textReader) add(file string, b *Builder) (mine bool, err error) {
	line, err := r.next()
	if err == nil {
		if id, ok := r.known.find(line); ok {
			b.same(id)
			return true, nil
		}
	}
	rank, err := r.understand(file, line, err)
	if err != nil || rank != int(b.rank) {
		return false, err
	}
	id := b.add(&r.act)
	if r.act.Kind != Compute {
		r.known.add(line, id)
	}
	return true, nil
}

// readRank reads the trace of the builder's rank; lines of others are skipped.
func (r *textReader) readRank(ctx context.Context, path string, b *Builder) error {
	f, err := os.Open(path)
	if err != nil {
		return mistake.InFile(path, "cannot read: %s", reason(err))
	}
	defer f.Close()
	return r.readLines(ctx, path, f, b)
}

// readLines is readRank for a file that is open.
func (r *textReader) readLines(ctx context.Context, path string, src io.Reader, b *Builder) error {
	r.open(src)
	r.known.forget() // peers are relative to the rank, and so are ids
	for n := 0; ; n++ {
		if n&0xffff == 0xffff && ctx.Err() != nil {
			return ctx.Err()
		}
		mine, err := r.add(path, b)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !mine {
			r.seen = 0 // iterations are compared as text only where all lines count
			continue
		}
		if ops := b.tail(); ops > 0 && ops <= min(r.seen, ringSize) {
			times, err := r.sameText(ops)
			if err != nil {
				return mistake.AtLine(path, r.line, "%w", err)
			}
			if times > 0 {
				b.again(times)
			}
		}
	}
}

// sameText skips over iterations whose text equals that of the last ops lines,
// and returns how many there were: comparing is much faster than parsing.
func (r *textReader) sameText(ops int64) (times uint64, err error) {
	start := r.starts[(r.seen-ops)%ringSize]
	if start < r.base || r.pos == 0 || r.buf[r.pos-1] != '\n' {
		return 0, nil
	}
	r.body = append(r.body[:0], r.buf[start-r.base:r.pos]...)
	for {
		if len(r.buf)-r.pos < len(r.body) {
			if r.eof {
				break
			}
			if err := r.more(); err != nil {
				return times, err
			}
			continue
		}
		if !bytes.Equal(r.buf[r.pos:r.pos+len(r.body)], r.body) {
			break
		}
		r.pos += len(r.body)
		times++
	}
	if times > 0 {
		r.line += int(times) * bytes.Count(r.body, []byte("\n"))
		r.noteSkipped(ops, int64(times))
	}
	return times, nil
}

// noteSkipped notes where the lines of skipped iterations start, so that a loop
// around them is compared as text in its turn. Of very many iterations only as
// many are noted as fill the ring.
func (r *textReader) noteSkipped(ops, times int64) {
	length := int64(len(r.body))
	noted := min(times, ringSize/ops+1)
	for i := r.seen - ops; i < r.seen; i++ {
		r.starts[i%ringSize] += (times - noted) * length
	}
	for range noted * ops {
		r.starts[r.seen%ringSize] = r.starts[(r.seen-ops)%ringSize] + length
		r.seen++
	}
}

// readMerged reads one file that holds the lines of all ranks.
func (r *textReader) readMerged(ctx context.Context, path string, builders []*Builder) error {
	f, err := os.Open(path)
	if err != nil {
		return mistake.InFile(path, "cannot read: %s", reason(err))
	}
	defer f.Close()
	r.open(f)
	for n := 0; ; n++ {
		if n&0xffff == 0xffff && ctx.Err() != nil {
			return ctx.Err()
		}
		rank, err := r.action(path)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if rank < len(builders) {
			builders[rank].Add(&r.act)
		}
	}
}

// sparseFrom is from which rank on a merged trace must have lines of at least
// half of all ranks below: room is made for all of them, and a mistyped number
// would take all memory.
const sparseFrom = 4096

// topRank finds the highest rank that a merged trace speaks of.
func topRank(ctx context.Context, path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, mistake.InFile(path, "cannot read: %s", reason(err))
	}
	defer f.Close()
	var r textReader
	r.open(f)
	top, topLine := -1, 0
	last := -1
	named := map[int]struct{}{} // ranks with a line; no more than there are lines
	for ctx.Err() == nil {
		line, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, mistake.AtLine(path, max(r.line, 1), "%w", err)
		}
		l := lineReader{line: line}
		if rank, _, ok := l.rank(); ok {
			if int(rank) > top {
				top, topLine = int(rank), r.line
			}
			if int(rank) != last {
				last = int(rank)
				named[last] = struct{}{}
			}
		}
	}
	if top >= sparseFrom && len(named) < top/2 {
		return 0, mistake.AtLine(path, topLine, "rank %d, but only %d ranks do anything; if there are so many, give their number with --np", top, len(named))
	}
	if top < 0 {
		return 0, mistake.InFile(path, "the trace holds no action")
	}
	return top, ctx.Err()
}

// origin remembers where a text trace came from, to name lines in messages.
type origin struct {
	files  []string
	merged bool
}

// Position returns the file and line of a rank's n-th action, counted from 0.
// The line is 0 where it is not known, as in binary traces. It reads the text
// again, so it is meant for messages only.
func (t *Trace) Position(rank int, n int64) (file string, line int) {
	if len(t.origin.files) == 0 {
		return t.Name, 0
	}
	i := 0
	if !t.origin.merged {
		i = rank
	}
	file = t.origin.files[i]
	f, err := os.Open(file)
	if err != nil {
		return file, 0
	}
	defer f.Close()
	var r textReader
	r.open(f)
	for seen := int64(0); seen < math.MaxInt64; {
		text, err := r.next()
		if err != nil {
			break
		}
		l := lineReader{line: text}
		if v, _, ok := l.rank(); !ok || int(v) != rank {
			continue
		}
		if seen == n {
			return file, r.line
		}
		seen++
	}
	return file, 0
}
