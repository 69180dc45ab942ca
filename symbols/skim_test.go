package symbols

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"
	"testing"
)

// A unit that is skimmed has the entries that reading all of it gives.
func TestSkim(t *testing.T) {
	for _, how := range []string{"-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -gdwarf64", "-g3 -gdwarf-3", "-gdwarf-2"} {
		o := Open(build(t, strings.Fields(how)...))
		entries, bounded := 0, 0
		for _, unit := range o.all {
			if unit.Tag != dwarf.TagCompileUnit {
				continue
			}
			r := o.data.Reader()
			r.Seek(unit.Offset)
			s := o.skim(unit.Offset, unit.Offset)
			for depth := 0; ; entries++ {
				want, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				got, ok := s.next()
				if !ok || (got.shape == nil) != (want.Tag == 0) || got.shape != nil && got.offset != want.Offset {
					t.Fatalf("%s: %+v, not %+v", how, got, want)
				}
				if got.shape == nil {
					if depth--; depth == 0 {
						break
					}
					continue
				}
				if got.tag != want.Tag || got.children != want.Children {
					t.Fatalf("%s: %+v, not %+v", how, got.shape, want)
				}
				ranges, err := o.data.Ranges(want)
				if err == nil && len(ranges) > 0 && !got.code {
					t.Errorf("%s: the addresses of %+v are overlooked", how, want)
				}
				if got.bounds {
					bounded++
					if err != nil || len(ranges) != 1 || ranges[0] != [2]uint64{got.low, got.high} {
						t.Errorf("%s: %x to %x, not %x, %v", how, got.low, got.high, ranges, err)
					}
				}
				if got.children {
					depth++
				}
				if got.tag == dwarf.TagSubprogram && entries%2 == 0 {
					s.over(got)
					r.SkipChildren()
					if got.children {
						depth--
					}
				}
			}
		}
		if entries < 8 || (bounded == 0) != (how == "-g3 -gdwarf-3" || how == "-gdwarf-2") { // those have no sizes
			t.Errorf("%s: %d entries, %d with bounds", how, entries, bounded)
		}
	}
}

// Entries that lie end the unit.
func FuzzSkim(f *testing.F) {
	f.Add([]byte{20, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 2, 'a', 0, 0}, []byte{1, 0x11, 1, 0, 0, 2, 0x2e, 1, 3, 8, 1, 0x13, 0, 0, 0})
	f.Fuzz(func(t *testing.T, info, abbrev []byte) {
		o := &Object{info: info, abbrev: abbrev, order: binary.LittleEndian, heads: map[dwarf.Offset]*head{}, shapes: map[int]map[uint64]*shape{}}
		for _, h := range headsOf(info, binary.LittleEndian) {
			o.heads[h.first] = h
			s := o.skim(h.first, h.first)
			for {
				e, ok := s.next()
				if !ok {
					break
				}
				if int(e.offset) >= h.end || s.at > h.end || s.at <= int(e.offset) {
					t.Fatalf("an entry at %d, the next at %d, of a unit that ends at %d", e.offset, s.at, h.end)
				}
				if e.shape != nil && e.tag == dwarf.TagSubprogram {
					s.over(e)
				}
			}
		}
	})
}
