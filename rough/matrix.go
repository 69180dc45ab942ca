package rough

import "fmt"

// MatrixLimit is the largest number of classes a Matrix is made for.
const MatrixLimit = 2000

// Entry is an element of the discernibility matrix: exactly one of the three
// cases of its definition holds.
type Entry struct {
	Same         bool // decisions agree: written 0
	Inexplicable bool // decisions differ, no attribute does: written -1
	Attributes   Set  // the attributes that differ where decisions do
}

// Matrix is the discernibility matrix of distinct rows. It is symmetric; only
// the part above the diagonal is stored.
type Matrix struct {
	Classes []Class
	entries []Entry
}

// NewMatrix compares all pairs of classes.
func NewMatrix(classes []Class) (*Matrix, error) {
	n := len(classes)
	if n > MatrixLimit {
		return nil, fmt.Errorf("rough: %d distinct rows, a matrix is shown for at most %d", n, MatrixLimit)
	}
	m := &Matrix{Classes: classes, entries: make([]Entry, 0, n*(n-1)/2)}
	for i := range classes {
		for j := i + 1; j < n; j++ {
			m.entries = append(m.entries, compare(&classes[i], &classes[j]))
		}
	}
	return m, nil
}

// At returns the entry for classes i and j.
func (m *Matrix) At(i, j int) Entry {
	if i > j {
		i, j = j, i
	}
	if i == j {
		return Entry{Same: true}
	}
	// Row i starts after the n-1, n-2, … entries of the rows above it.
	n := len(m.Classes)
	return m.entries[i*(2*n-i-1)/2+j-i-1]
}

// compare is the definition of c_ij in "Debugging SPMD programs", section 4.1.
func compare(x, y *Class) Entry {
	if x.Decision == y.Decision {
		return Entry{Same: true}
	}
	e := Entry{Attributes: differing(x, y)}
	e.Inexplicable = e.Attributes.empty()
	return e
}

func differing(x, y *Class) Set {
	var s Set
	for a, v := range x.Values {
		if v != y.Values[a] {
			s = s.with(a)
		}
	}
	return s
}
