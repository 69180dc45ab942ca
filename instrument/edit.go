package instrument

import (
	"bytes"
	"fmt"
	"sort"
)

// Edit is one insertion: Text was put before byte Offset of the original.
type Edit struct {
	Offset int    `json:"offset"`
	Text   string `json:"text"`
}

// edits collects insertions. Where several have the same offset, a lower rank
// comes first; those of equal rank keep the order in which they were made.
type edits struct {
	list  []Edit
	ranks []int
}

func (e *edits) insert(offset, rank int, text string) {
	e.list = append(e.list, Edit{offset, text})
	e.ranks = append(e.ranks, rank)
}

// apply puts all insertions into text and gives them in order of place.
func (e *edits) apply(text []byte) ([]byte, []Edit) {
	order := make([]int, len(e.list))
	size := len(text)
	for i := range order {
		order[i] = i
		size += len(e.list[i].Text)
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := order[a], order[b]
		if e.list[x].Offset != e.list[y].Offset {
			return e.list[x].Offset < e.list[y].Offset
		}
		return e.ranks[x] < e.ranks[y]
	})
	out := make([]byte, 0, size)
	done := make([]Edit, 0, len(order))
	at := 0
	for _, i := range order {
		d := e.list[i]
		out = append(out, text[at:d.Offset]...)
		out = append(out, d.Text...)
		at = d.Offset
		done = append(done, d)
	}
	return append(out, text[at:]...), done
}

// Apply makes the insertions of a list, ordered by place, in a text of the same
// length as the one they were made for.
func Apply(text []byte, list []Edit) []byte {
	var e edits
	for _, d := range list {
		e.insert(d.Offset, 0, d.Text)
	}
	out, _ := e.apply(text)
	return out
}

// Restore takes insertions out again. It fails if text is not the result of
// making exactly these.
func Restore(text []byte, list []Edit) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for _, d := range list {
		n := d.Offset - len(out)
		if n < 0 || n > len(text) || !bytes.HasPrefix(text[n:], []byte(d.Text)) {
			return nil, fmt.Errorf("the insertion %q is not at byte %d of the original", d.Text, d.Offset)
		}
		out = append(out, text[:n]...)
		text = text[n+len(d.Text):]
	}
	return append(out, text...), nil
}
