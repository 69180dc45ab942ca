package ingest

import (
	"slices"
	"strings"

	"auspex/model"
)

// maxRegionDepth is how deep regions may nest. Real call paths stay far
// below; paths of all regions are written out elsewhere, which grows with
// the square of the depth.
const maxRegionDepth = 1000

// maxUnitNumber bounds the numbers of ranks and threads.
const maxUnitNumber = 1 << 28

// Lengths to which names are cut: templates make function names long.
const (
	maxRegionName = 16 << 10
	maxFileName   = 255
)

// clip cuts a text to at most n bytes.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// regionSums collects the values of one unit region by region, so that the
// builder gets them in order and once.
type regionSums struct {
	metrics int
	values  []float64 // values[region*metrics+metric]
	entered []bool
	regions []int32 // those entered, in the order met
	idle    int     // where a unit that was nowhere is put
}

// enter notes that the unit was in the region, and tells whether that is new.
func (s *regionSums) enter(region int) (first bool) {
	for region >= len(s.entered) {
		s.entered = append(s.entered, false)
		s.values = append(s.values, make([]float64, s.metrics)...)
	}
	if s.entered[region] {
		return false
	}
	s.entered[region] = true
	s.regions = append(s.regions, int32(region))
	return true
}

// enterPath enters a region and all those around it.
func (s *regionSums) enterPath(region int, parents []int32) {
	for region >= 0 && (region >= len(s.entered) || !s.entered[region]) {
		s.enter(region)
		region = int(parents[region])
	}
}

// at is the place of a value of a region that was entered.
func (s *regionSums) at(region, metric int) *float64 {
	return &s.values[region*s.metrics+metric]
}

// flush hands the values to the builder and starts anew. Columns are the
// builder's numbers of the metrics. A unit that was nowhere is put into one
// region all the same, for it is a unit.
func (s *regionSums) flush(b *model.Builder, unit int, columns []int) {
	if len(s.regions) == 0 {
		s.enter(s.idle)
	}
	slices.Sort(s.regions)
	for _, r := range s.regions {
		region := int(r)
		row := s.values[region*s.metrics : (region+1)*s.metrics]
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

// unitNumbers gives every location a unit of its own. One whose numbers are
// taken already, such as a GPU stream beside the threads of its process, gets
// the next free thread number there.
type unitNumbers struct {
	taken map[model.Unit]bool
	next  map[model.Unit]int // first free thread of a process, by its thread 0
}

func newUnitNumbers() *unitNumbers {
	return &unitNumbers{taken: map[model.Unit]bool{}, next: map[model.Unit]int{}}
}

func (n *unitNumbers) claim(u model.Unit) model.Unit {
	process := u
	process.Thread = 0
	if n.taken[u] {
		u.Thread = n.next[process]
	}
	n.taken[u] = true
	n.next[process] = max(n.next[process], u.Thread+1)
	return u
}
