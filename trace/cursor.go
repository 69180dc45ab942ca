package trace

import (
	"encoding/binary"
	"math"
	"slices"
)

// Program is the folded actions of one rank.
type Program struct {
	Rank int32
	*folded
}

// folded is what the programs of ranks that do alike share.
type folded struct {
	Actions int64    // how many actions a Cursor gives
	code    []byte   // operations, see encode.go
	tables  *tables  // what the code refers to, nil where that is nothing
	held    *mapping // where code lies, if not in memory
	noted
}

// tables are what the code of a program refers to.
type tables struct {
	series [][]byte // exact values of computes that differ between iterations
	files  []string // names that location actions refer to
}

// refers is what the code refers to, for reading only.
func (p *folded) refers() *tables {
	if p.tables == nil {
		return &tables{}
	}
	return p.tables
}

// own is what the code refers to, for adding to it.
func (p *folded) own() *tables {
	if p.tables == nil {
		p.tables = &tables{}
	}
	return p.tables
}

// Size returns the bytes the program takes in memory.
func (p *folded) Size() int {
	n := len(p.code)
	for _, s := range p.refers().series {
		n += len(s)
	}
	return n
}

// Trace is the programs of all ranks.
type Trace struct {
	Name     string // where it came from
	Programs []Program
	// Nanoseconds says that computation is in ns of the machine it was measured
	// on, not in flops.
	Nanoseconds bool
	// Joins says of each rank's collectives and receives, in order, when it was ready
	// for them and how long they took. Nil where ranks wait in all of them at once and
	// the network tells how long they take. No file holds it.
	Joins [][]Join
	// Launches says of each rank's stretches of computation, in order, how they are
	// launched. Nil where no devices are known.
	Launches    [][]Launch
	HostRegions []string // that hosts work in
	origin      origin
}

// noted is what was seen of a program's actions when it was made.
type noted struct {
	anyone  bool  // one of them depends on who comes first
	longest int64 // bytes of the longest message that is sent, at most
}

func (n *noted) note(a *Action) {
	switch a.Kind {
	case Recv, Irecv:
		n.anyone = n.anyone || a.Peer == AnySource
	case SendRecv:
		n.anyone = n.anyone || a.Peer2 == AnySource
	case Lock:
		n.anyone = n.anyone || a.Tag == LockAlone
	}
	switch a.Kind {
	case Send, Isend, SendRecv:
		size := a.Type.Size()
		if a.Type == DefaultType {
			size = Double.Size() // or less
		}
		n.longest = max(n.longest, min(a.Count, maxLongest)*size)
	}
}

// maxLongest is more elements than any message has.
const maxLongest = 1 << 59

// Longest is how many bytes the longest message that a rank sends to another may have,
// at most.
func (t *Trace) Longest() int64 {
	longest := int64(0)
	for i := range t.Programs {
		longest = max(longest, t.Programs[i].longest)
	}
	return longest
}

// FromAnyone tells whether it depends on who comes first what ranks do: one receives a
// message from whoever sends first, or locks a window for itself.
func (t *Trace) FromAnyone() bool {
	return slices.ContainsFunc(t.Programs, func(p Program) bool { return p.anyone })
}

// NP returns the number of ranks.
func (t *Trace) NP() int { return len(t.Programs) }

// Actions returns the number of actions of all ranks.
func (t *Trace) Actions() int64 {
	var n int64
	for i := range t.Programs {
		n += t.Programs[i].Actions
	}
	return n
}

// Cursor returns the start of one rank's actions.
func (t *Trace) Cursor(rank int) Cursor { return t.Programs[rank].cursor() }

func (p *Program) cursor() Cursor {
	c := Cursor{program: p}
	if n := len(p.refers().series); n > 0 {
		c.series = &seriesPlaces{next: make([]int, n)}
	}
	return c
}

// Cursor walks the actions of one rank. It keeps a few words for each loop it
// is inside of, however often the loop repeats.
type Cursor struct {
	program *Program
	pos     int // in the program's code
	loops   []loop
	series  *seriesPlaces // nil where the program has no series
	done    int64         // actions given so far
	cores   float32       // of the computation that follows, 0 for one; so many are exact
	turned  int8          // see Turned
}

// seriesPlaces is how far a cursor is in the program's series.
type seriesPlaces struct {
	next  []int // position in each
	taken int64 // values of all
}

// loop is a repeat the cursor is inside of.
type loop struct {
	start int    // first byte of the body
	left  uint64 // iterations after this one
}

// Done returns how many actions Next has given.
func (c *Cursor) Done() int64 { return c.done }

// Turned returns the depth, from 0 for the outermost, of the loop that began
// another iteration with the last Next, and -1 if none did.
func (c *Cursor) Turned() int { return int(c.turned) }

// Depth returns how many loops the cursor is inside of.
func (c *Cursor) Depth() int { return len(c.loops) }

// Left returns how many iterations of a loop come after the current one.
func (c *Cursor) Left(depth int) uint64 { return c.loops[depth].left }

// Taken returns how many of the actions given had a value of their own that
// other iterations do not share.
func (c *Cursor) Taken() int64 {
	if c.series == nil {
		return 0
	}
	return c.series.taken
}

// AppendPlace appends where the cursor is, apart from how often its loops have
// run and from values taken.
func (c *Cursor) AppendPlace(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(c.pos))
	for i := range c.loops {
		b = binary.AppendUvarint(b, uint64(c.loops[i].start))
	}
	return b
}

// Skip moves on by whole iterations of a loop, as if they had been read; they
// hold the given number of actions and no values that differ.
func (c *Cursor) Skip(depth int, iterations uint64, actions int64) {
	c.loops[depth].left -= iterations
	c.done += actions
}

// Next moves to the next action and stores it in a; it returns false at the
// end. Fields that the action's kind does not carry keep what they held.
func (c *Cursor) Next(a *Action) bool {
	c.turned = -1
	if rest := c.program.code[c.pos:]; len(rest) >= plainRoom {
		if n := c.plain(a, (*[plainRoom]byte)(rest)); n > 0 {
			c.pos += n
			c.done++
			return true
		}
	}
	d := decoder{code: c.program.code, pos: c.pos}
	for d.pos < len(d.code) {
		op := d.code[d.pos]
		d.pos++
		if op < byte(numKinds) {
			series, file := d.fieldsOf(Kind(op), a, c.program.Rank)
			if series >= 0 {
				a.Value = c.value(series)
			}
			switch Kind(op) {
			case team:
				c.cores = float32(a.Value / teamUnits)
				continue
			case Compute:
				a.Cores = float64(c.cores)
			case Location:
				a.File = c.program.tables.files[file]
			default:
				c.cores = 0
			}
			c.done++
			c.pos = d.pos
			return true
		}
		if op == opRepeat {
			count := d.uvarint()
			c.loops = append(c.loops, loop{start: d.pos, left: count - 1})
			continue
		}
		l := &c.loops[len(c.loops)-1] // opEnd; programs are checked when made
		if l.left > 0 {
			l.left--
			d.pos = l.start
			c.turned = int8(len(c.loops) - 1)
		} else {
			c.loops = c.loops[:len(c.loops)-1]
		}
	}
	c.pos = d.pos
	return false
}

// plain reads the next action where it is of the kinds that traces mostly hold, and
// has nothing but their usual fields. It returns how many bytes that took, 0 where it
// is anything else.
func (c *Cursor) plain(a *Action, b *[plainRoom]byte) (n int) {
	rank := c.program.Rank
	switch Kind(b[0]) {
	case Send, Isend, Recv, Irecv:
		n = a.message(b, rank)
	case Wait:
		n = a.wait(b, rank)
	case Compute:
		if n = a.compute(b); n > 0 {
			a.Cores = float64(c.cores)
		}
		return n
	case Location:
		var file uint64
		if n, file = a.location(b); n > 0 {
			a.File = c.program.tables.files[file]
		}
		return n
	}
	if n > 0 {
		c.cores = 0
	}
	return n
}

// value takes the next value of a series; 0 past its end.
func (c *Cursor) value(series int) float64 {
	s := c.program.tables.series[series]
	pos := &c.series.next[series]
	c.series.taken++
	if *pos == 0 {
		*pos = 1 // the first byte says how values are written
	}
	if s[0] == seriesInteger {
		v, n := binary.Uvarint(s[min(*pos, len(s)):])
		*pos += max(n, 1)
		return float64(v)
	}
	if *pos+8 > len(s) {
		return 0
	}
	*pos += 8
	return math.Float64frombits(binary.LittleEndian.Uint64(s[*pos-8:]))
}

const (
	seriesInteger = 0
	seriesFloat   = 1
)

// check walks the code once without following repeats, so that cursors need
// not doubt it. It returns the number of actions.
func (p *Program) check(np int) (int64, error) {
	const maxDepth = 64
	d := decoder{code: p.code}
	p.noted = noted{} // that of another rank with the same code
	var a Action
	type frame struct{ count, sum uint64 }
	stack := make([]frame, 1, 8)
	refers := p.refers()
	used := make([]uint64, len(refers.series))
	for d.pos < len(d.code) {
		op := d.byte()
		top := &stack[len(stack)-1]
		switch {
		case op < byte(numKinds):
			series, file := d.fieldsOf(Kind(op), &a, p.Rank)
			if d.bad {
				return 0, errCode
			}
			if err := validate(&a, np); err != nil {
				return 0, err
			}
			if Kind(op) == Location && file >= uint64(len(refers.files)) {
				return 0, errCode
			}
			if series >= 0 {
				if series >= len(refers.series) {
					return 0, errCode
				}
				times := uint64(1)
				for _, f := range stack[1:] {
					times = mulSat(times, f.count)
				}
				used[series] = addSat(used[series], times)
			}
			p.note(&a)
			if Kind(op) != team {
				top.sum = addSat(top.sum, 1)
			}
		case op == opRepeat && len(stack) < maxDepth:
			n := d.uvarint()
			if n == 0 {
				return 0, errCode
			}
			stack = append(stack, frame{count: n})
		case op == opEnd && len(stack) > 1:
			if top.sum == 0 {
				return 0, errCode
			}
			n := mulSat(top.count, top.sum)
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].sum = addSat(stack[len(stack)-1].sum, n)
		default:
			return 0, errCode
		}
	}
	if d.bad || len(stack) != 1 || stack[0].sum > math.MaxInt64 {
		return 0, errCode
	}
	for i, s := range refers.series {
		if n, ok := seriesLen(s); !ok || n != used[i] {
			return 0, errCode
		}
	}
	return int64(stack[0].sum), nil
}

// seriesLen counts the values of a series and checks that they can be replayed.
func seriesLen(s []byte) (uint64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	d := decoder{code: s, pos: 1}
	var n uint64
	for d.pos < len(s) && !d.bad {
		if s[0] == seriesInteger {
			d.uvarint()
		} else if v := d.float(); !(v >= 0) || math.IsInf(v, 0) {
			return 0, false
		}
		n++
	}
	return n, !d.bad && s[0] <= seriesFloat
}

func addSat(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

func mulSat(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
