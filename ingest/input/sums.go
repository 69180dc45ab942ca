package input

import (
	"math"
	"slices"
	"strings"

	"auspex/model"
)

// MaxRegionDepth is how deep regions may nest. Real call paths stay far
// below; paths of all regions are written out elsewhere, which grows with
// the square of the depth.
const MaxRegionDepth = 1000

// MaxUnitNumber bounds the numbers of ranks and threads.
const MaxUnitNumber = 1 << 28

// Lengths to which names are cut: templates make function names long.
const (
	MaxRegionName = 16 << 10
	MaxFileName   = 255
	// MaxFactorValue is how long a piece of metadata may be to tell one run
	// from another; longer ones are lists and environments.
	MaxFactorValue = 200
)

// Clip cuts a text to at most n bytes.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// RegionSums collects the values of one unit region by region, so that the
// builder gets them in order and once.
type RegionSums struct {
	Metrics int
	values  []float64 // values[region*metrics+metric]
	entered []bool
	regions []int32 // those entered, in the order met
	Idle    int     // where a unit that was nowhere is put
}

// Enter notes that the unit was in the region, and tells whether that is new.
func (s *RegionSums) Enter(region int) (first bool) {
	for region >= len(s.entered) {
		s.entered = append(s.entered, false)
		s.values = append(s.values, make([]float64, s.Metrics)...)
	}
	if s.entered[region] {
		return false
	}
	s.entered[region] = true
	s.regions = append(s.regions, int32(region))
	return true
}

// EnterPath enters a region and all those around it.
func (s *RegionSums) EnterPath(region int, parents []int32) {
	for region >= 0 && (region >= len(s.entered) || !s.entered[region]) {
		s.Enter(region)
		region = int(parents[region])
	}
}

// At is the place of a value of a region that was entered.
func (s *RegionSums) At(region, metric int) *float64 {
	return &s.values[region*s.Metrics+metric]
}

// Flush hands the values to the builder and starts anew. Columns are the
// builder's numbers of the metrics. A unit that was nowhere is put into one
// region all the same, for it is a unit.
func (s *RegionSums) Flush(b *model.Builder, unit int, columns []int) {
	if len(s.regions) == 0 {
		s.Enter(s.Idle)
	}
	slices.Sort(s.regions)
	for _, r := range s.regions {
		region := int(r)
		row := s.values[region*s.Metrics : (region+1)*s.Metrics]
		b.Enter(unit, region)
		for m, v := range row {
			if v == v {
				b.Set(unit, region, columns[m], v)
			}
			row[m] = 0
		}
		s.entered[region] = false
	}
	s.regions = s.regions[:0]
}

// UnitNumbers gives every location a unit of its own. One whose numbers are
// taken already, such as a GPU stream beside the threads of its process, gets
// the next free thread number there.
type UnitNumbers struct {
	taken map[model.Unit]bool
	next  map[model.Unit]int // first free thread of a process, by its thread 0
}

// NewUnitNumbers starts with none taken.
func NewUnitNumbers() *UnitNumbers {
	return &UnitNumbers{taken: map[model.Unit]bool{}, next: map[model.Unit]int{}}
}

func (n *UnitNumbers) Claim(u model.Unit) model.Unit {
	process := u
	process.Thread = 0
	if n.taken[u] {
		u.Thread = n.next[process]
	}
	n.taken[u] = true
	n.next[process] = max(n.next[process], u.Thread+1)
	return u
}

// DropRounding clears what subtracting rounded sums leaves behind.
func (s *RegionSums) DropRounding() {
	total := make([]float64, s.Metrics)
	for _, region := range s.regions {
		for m := range total {
			total[m] += math.Abs(*s.At(int(region), m))
		}
	}
	for _, region := range s.regions {
		for m := range total {
			if v := s.At(int(region), m); *v < 1e-12*total[m] {
				*v = 0
			}
		}
	}
}
