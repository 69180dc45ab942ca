package torture

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// scraps are put into inputs: numbers at the edge of what types hold, what
// terminals obey, and what ends or begins things in one format or another.
var scraps = [][]byte{
	[]byte("0"), []byte("-1"), []byte("99999999999"), []byte("18446744073709551616"), []byte("1e308"), []byte("-1e308"), []byte("1e-320"),
	[]byte("NaN"), []byte("inf"), []byte("null"), []byte(""), []byte("\x00"), []byte("\x1b[31m"), []byte("\xff\xfe"), []byte("\u202e"),
	[]byte("\""), []byte("'"), []byte("<"), []byte("]]>"), []byte("<![CDATA["), []byte("{"), []byte("}"), []byte("["), []byte("]"), []byte(","),
	[]byte("=> "), []byte("/"), []byte("\\"), []byte("\n"), []byte("\r\n"), []byte("#"), []byte("%s%n"), []byte("unit"), []byte("region"), []byte("runs"),
	{0xff, 0xff, 0xff, 0xff}, {0x7f, 0xff, 0xff, 0xff}, {0, 0, 0, 0}, {0x80, 0, 0, 0, 0, 0, 0, 0},
	{0x7f, 0xf0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0xf8, 0x7f},
}

// damaged changes a seed in one place, seldom in more, so that much of what
// comes out is still read; others lend it parts.
func (s seed) damaged(r *rand.Rand, others []seed) seed {
	s.files = slices.Clone(s.files)
	for more := true; more; more = r.IntN(3) == 0 {
		i := r.IntN(len(s.files))
		other := others[r.IntN(len(others))]
		lender := other.files[r.IntN(len(other.files))].content
		s.files[i].content = change(r, slices.Clone(s.files[i].content), lender)
	}
	return s
}

// maxInput keeps inputs from growing beyond what a small file is.
const maxInput = 1 << 20

func change(r *rand.Rand, b, lender []byte) []byte {
	if len(b) == 0 || len(b) > maxInput {
		return append(b[:0], scraps[r.IntN(len(scraps))]...)
	}
	i := r.IntN(len(b))
	span := func(from []byte) []byte {
		if len(from) == 0 {
			return nil
		}
		j := r.IntN(len(from))
		return from[j:min(len(from), j+1+r.IntN(80))]
	}
	switch r.IntN(16) {
	case 0: // a bit
		b[i] ^= 1 << r.IntN(8)
	case 1: // a byte
		b[i] = byte(r.IntN(256))
	case 2: // a part lost
		b = slices.Delete(b, i, min(len(b), i+1+r.IntN(40)))
	case 3: // the end lost
		b = b[:i]
	case 4: // a part twice
		b = slices.Insert(b, i, slices.Clone(span(b))...)
	case 5: // a part of another
		b = slices.Insert(b, i, span(lender)...)
	case 6: // a scrap put in
		b = slices.Insert(b, i, scraps[r.IntN(len(scraps))]...)
	case 7: // a scrap put over
		b = slices.Replace(b, i, min(len(b), i+1+r.IntN(8)), scraps[r.IntN(len(scraps))]...)
	default: // a number changed
		b = changeNumber(r, b, i)
	}
	return b
}

// changeNumber replaces the first number after a place.
func changeNumber(r *rand.Rand, b []byte, i int) []byte {
	from := bytes.IndexAny(b[i:], "0123456789")
	if from < 0 {
		return b
	}
	from += i
	to := from
	for to < len(b) && (b[to] >= '0' && b[to] <= '9' || b[to] == '.' || b[to] == 'e') {
		to++
	}
	return slices.Replace(b, from, to, scraps[r.IntN(10)]...)
}
