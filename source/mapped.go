package source

import "sort"

// mapped is text made up for the parser, with the place in the original that
// every byte came from. A nil from means nothing moved.
type mapped struct {
	text []byte
	from []int32
}

// put appends one byte that stands for the original byte at off.
func (m *mapped) put(b byte, off int) {
	m.text = append(m.text, b)
	m.from = append(m.from, int32(off))
}

// origin maps a span of the made-up text to the original: from its first byte
// to just after its last one.
func (m *mapped) origin(s Span) Span {
	if len(m.from) == 0 {
		return s
	}
	at := func(i int) int { return int(m.from[min(i, len(m.from)-1)]) }
	if s.End <= s.Start {
		p := at(s.Start)
		return Span{p, p}
	}
	start := at(s.Start)
	end := min(at(s.End-1)+1, at(len(m.from)-1)) // a line end may have been added
	return Span{start, max(start, end)}
}

// slice is a copy of a part of the text that still knows where it came from.
func (m *mapped) slice(s Span) *mapped {
	part := &mapped{}
	for k := s.Start; k < s.End; k++ {
		off := k
		if m.from != nil {
			off = int(m.from[k])
		}
		part.put(m.text[k], off)
	}
	last := s.End
	if m.from != nil {
		last = int(m.from[min(s.End, len(m.from)-1)])
	}
	part.from = append(part.from, int32(last))
	return part
}

// relocate rewrites the spans of a whole tree to the original text.
func (m *mapped) relocate(n *Node) {
	if m.from == nil {
		return
	}
	n.Span = m.origin(n.Span)
	for k := range n.Children() {
		m.relocate(k)
	}
}

// lines finds line numbers by offset.
type lines struct {
	starts  []int    // offset of the first byte of each line
	origins []origin // of preprocessed text: where each line came from
}

func newLines(text []byte) lines {
	l := lines{starts: []int{0}}
	for i, c := range text {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// at gives the line, counted from 1, that holds the byte at off.
func (l lines) at(off int) int {
	if l.origins != nil {
		return l.origin(off).line
	}
	return l.physical(off)
}

func (l lines) physical(off int) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > off })
}

func (l lines) origin(off int) origin {
	return l.origins[min(max(l.physical(off)-1, 0), len(l.origins)-1)]
}
