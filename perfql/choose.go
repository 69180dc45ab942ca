package perfql

import "strings"

// Region and Unit are what filters ask about.
type (
	Region struct{ Name, Path, Kind string }
	Unit   struct {
		Node            string
		Process, Thread int
	}
)

// Touches reports which relations it asks about.
func (f *Test) Touches() (regions, units bool) {
	regions = f.Field == "region" || f.Field == "kind"
	return regions, !regions
}

// Touches reports which relations it asks about.
func (f *Inverse) Touches() (regions, units bool) { return f.X.Touches() }

// Touches reports which relations it asks about.
func (f *All) Touches() (regions, units bool) {
	for _, x := range f.Xs {
		r, u := x.Touches()
		regions, units = regions || r, units || u
	}
	return regions, units
}

// UnitFilters are the parts of a filter that choose units whatever the region. A
// mean over units counts the chosen ones, whether they entered a region or not.
func UnitFilters(f Filter) []Filter {
	if f == nil {
		return nil
	}
	parts := []Filter{f}
	if all, ok := f.(*All); ok && !all.Or {
		parts = all.Xs
	}
	var chosen []Filter
	for _, p := range parts {
		if regions, _ := p.Touches(); !regions {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

func (f *Inverse) chooses(r *Region, u *Unit) bool { return !f.X.chooses(r, u) }

func (f *All) chooses(r *Region, u *Unit) bool {
	for _, x := range f.Xs {
		if x.chooses(r, u) == f.Or {
			return f.Or
		}
	}
	return !f.Or
}

func (f *Test) chooses(r *Region, u *Unit) bool {
	for _, v := range f.Values {
		if f.fits(v, r, u) {
			return true
		}
	}
	return false
}

func (f *Test) fits(v Value, r *Region, u *Unit) bool {
	switch f.Field {
	case "process":
		return f.compares(v, int64(u.Process))
	case "thread":
		return f.compares(v, int64(u.Thread))
	case "node":
		return f.matches(v, u.Node)
	case "kind":
		return f.matches(v, r.Kind)
	}
	// A region goes by its whole path or its last name.
	if f.Op == "!=" {
		return f.matches(v, r.Path) && f.matches(v, r.Name)
	}
	return f.matches(v, r.Path) || f.matches(v, r.Name)
}

func (f *Test) compares(v Value, n int64) bool {
	switch f.Op {
	case "!=":
		return n != v.From
	case "<":
		return n < v.From
	case "<=":
		return n <= v.From
	case ">":
		return n > v.From
	case ">=":
		return n >= v.From
	}
	return v.From <= n && n <= v.To // = and IN
}

func (f *Test) matches(v Value, text string) bool {
	switch f.Op {
	case "~":
		return glob(strings.ToLower(v.Text), strings.ToLower(text))
	case "!=":
		return text != v.Text
	}
	return text == v.Text
}

// glob matches character by character: * is anything, ? is one character, [a-f]
// one of a set, [!a-f] one that is not, and a backslash takes the next character as
// it is. Databases get the same as a regular expression, see package render.
func glob(pattern, text string) bool { return globRunes([]rune(pattern), []rune(text)) }

func globRunes(pattern, text []rune) bool {
	for len(pattern) > 0 {
		switch {
		case pattern[0] == '*':
			for len(pattern) > 0 && pattern[0] == '*' {
				pattern = pattern[1:]
			}
			if len(pattern) == 0 {
				return true
			}
			for i := range len(text) + 1 {
				if globRunes(pattern, text[i:]) {
					return true
				}
			}
			return false
		case len(text) == 0:
			return false
		case pattern[0] == '?':
			pattern = pattern[1:]
		case pattern[0] == '[':
			rest, ok := inSet(pattern[1:], text[0])
			if !ok {
				return false
			}
			pattern = rest
		default:
			if pattern[0] == '\\' {
				pattern = pattern[1:]
			}
			if len(pattern) == 0 || pattern[0] != text[0] {
				return false
			}
			pattern = pattern[1:]
		}
		text = text[1:]
	}
	return len(text) == 0
}

// inSet tests a character against a set, which begins after [, and gives what
// follows it in the pattern.
func inSet(pattern []rune, c rune) (rest []rune, ok bool) {
	inverted := len(pattern) > 0 && pattern[0] == '!'
	if inverted {
		pattern = pattern[1:]
	}
	found := false
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == ']' && i > 0:
			return pattern[i+1:], found != inverted
		case i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']':
			found = found || pattern[i] <= c && c <= pattern[i+2]
			i += 2
		default:
			found = found || pattern[i] == c
		}
	}
	return nil, false // no end
}

// Chooses tells whether a filter chooses any of the regions in any of the units.
func Chooses(f Filter, regions []Region, units []Unit) bool {
	ofRegions, ofUnits := f.Touches()
	if !ofRegions {
		regions = make([]Region, 1)
	}
	if !ofUnits {
		units = make([]Unit, 1)
	}
	for r := range regions {
		for u := range units {
			if f.chooses(&regions[r], &units[u]) {
				return true
			}
		}
	}
	return false
}

// Vain lists the tests of a filter that choose nothing, whatever the others do.
func Vain(f Filter, regions []Region, units []Unit) []*Test {
	var vain []*Test
	switch f := f.(type) {
	case *Test:
		if !Chooses(f, regions, units) {
			vain = append(vain, f)
		}
	case *All:
		for _, x := range f.Xs {
			vain = append(vain, Vain(x, regions, units)...)
		}
	}
	return vain
}

// String prints the test as it is written in a query.
func (f *Test) String() string {
	var b strings.Builder
	f.write(&b, false)
	return b.String()
}
