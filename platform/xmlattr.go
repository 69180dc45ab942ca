package platform

import (
	"strconv"
	"strings"
)

// speed reads a list of speeds and picks the one of the pstate.
func (x *xmlReader) speed(t tag) (float64, error) {
	list := strings.Split(t.attr["speed"], ",")
	state, err := x.whole(t, "pstate", 0)
	if err != nil {
		return 0, err
	}
	if state < 0 || state >= len(list) {
		return 0, x.fail(t.line, "%s %q: pstate %d, but there are %d speeds", t.name, t.attr["id"], state, len(list))
	}
	speeds := make([]float64, len(list))
	for i, s := range list {
		if speeds[i], err = x.quantity(t, "speed", s, speedUnit); err != nil {
			return 0, err
		}
		if !(speeds[i] > 0) {
			return 0, x.fail(t.line, "%s %q: the speed must be above 0", t.name, t.attr["id"])
		}
	}
	return speeds[state], nil
}

// quantity reads a value with a unit, noting it where the unit is missing.
func (x *xmlReader) quantity(t tag, attr, text string, u unit) (float64, error) {
	v, bare, err := u.parse(text)
	if err != nil {
		return 0, x.fail(t.line, "%s %q: %s: %v", t.name, t.attr["id"], attr, err)
	}
	if bare {
		x.warn(t.line, "%s %q: %s=%q has no unit and is taken in %s", t.name, t.attr["id"], attr, text, u.plain)
	}
	return v, nil
}

// optional reads an attribute with a unit that may be absent or empty.
func (x *xmlReader) optional(t tag, attr string, u unit) (float64, error) {
	if t.attr[attr] == "" {
		return 0, nil
	}
	v, err := x.quantity(t, attr, t.attr[attr], u)
	if err == nil && v < 0 {
		err = x.fail(t.line, "%s %q: %s must not be negative", t.name, t.attr["id"], attr)
	}
	return v, err
}

func (x *xmlReader) cores(t tag) (int, error) {
	n, err := x.whole(t, "core", 1)
	if err == nil && n < 1 {
		err = x.fail(t.line, "%s %q: core must be 1 or more", t.name, t.attr["id"])
	}
	return n, err
}

func (x *xmlReader) whole(t tag, attr string, otherwise int) (int, error) {
	s, ok := t.attr[attr]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return 0, x.fail(t.line, "%s %q: %s=%q is not a whole number", t.name, t.attr["id"], attr, s)
	}
	return n, nil
}
