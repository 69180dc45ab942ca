package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Point is one cell of the grid.
type Point struct {
	// Key stands for what the point does, whatever study it is in.
	Key string
	// Values are those of the axes, in their order.
	Values   []string
	Settings map[string][]string
}

// One gives a setting that has one value; "" where it is not set.
func (p *Point) One(name string) string { return strings.Join(p.Settings[name], " ") }

// Label names a point by its axes.
func (s *Study) Label(p *Point) string {
	var parts []string
	for i, a := range s.Axes {
		parts = append(parts, a.Name+"="+p.Values[i])
	}
	if len(parts) == 0 {
		return "the only point"
	}
	return strings.Join(parts, " ")
}

// Points lays the grid out, the last axis running fastest. Two points that
// would do the same are an error: one of them would be lost.
func (s *Study) Points() ([]Point, error) {
	size := s.Size()
	points := make([]Point, size)
	seen := make(map[string]int, size)
	for i := range points {
		p := &points[i]
		p.Values = make([]string, len(s.Axes))
		for rest, a := i, len(s.Axes)-1; a >= 0; a-- {
			n := len(s.Axes[a].Values)
			p.Values[a], rest = s.Axes[a].Values[rest%n], rest/n
		}
		p.Settings = s.fill(p.Values)
		p.Key = s.key(p.Settings)
		if other, twice := seen[p.Key]; twice {
			return nil, fmt.Errorf("the points %s and %s do the same; write {axis} where an axis matters", s.Label(&points[other]), s.Label(p))
		}
		seen[p.Key] = i
	}
	return points, nil
}

// fill puts the values of the axes into the settings.
func (s *Study) fill(values []string) map[string][]string {
	put := func(setting, text string) string {
		return braces.ReplaceAllStringFunc(text, func(m string) string {
			name := m[1 : len(m)-1]
			if a := s.axis(name); a >= 0 && !s.leaves(setting, name) {
				return values[a]
			}
			return m
		})
	}
	out := map[string][]string{}
	for _, name := range s.settingNames() {
		if a := s.axis(name); a >= 0 {
			out[name] = []string{values[a]}
			continue
		}
		for _, text := range s.Settings[name] {
			out[name] = append(out[name], put(name, text))
		}
	}
	return out
}

// First gives a setting of the first point; "" where it is not set.
func (s *Study) First(setting string) string {
	values := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		values[i] = a.Values[0]
	}
	return strings.Join(s.fill(values)[setting], " ")
}

func (s *Study) key(filled map[string][]string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", s.Kind)
	scaled := (s.Kind == Predict || s.Kind == Simulate) && len(filled["reference-speed"]) == 0
	if first := s.First("platform"); scaled && first != strings.Join(filled["platform"], " ") {
		fmt.Fprintf(sum, "%q", first) // computation is scaled by what it says
	}
	for _, name := range s.settingNames() {
		fmt.Fprintf(sum, "%q%q", name, filled[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
