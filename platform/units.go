package platform

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// unit is a family of units a quantity may be written in.
type unit struct {
	what        string             // what is measured, for messages
	plain       string             // the unit a bare number is taken in
	scales      map[string]float64 // value of one, by spelling
	least, most float64            // what a value but 0 may be: beyond, dates overflow
}

var (
	speedUnit     = unit{"speed", "f", scales(1, "f", "flops"), 1e-6, 1e30}
	bandwidthUnit = unit{"bandwidth", "Bps", bandwidthScales(), 1e-6, 1e30}
	timeUnit      = unit{"time", "s", map[string]float64{
		"w": 7 * 24 * 3600, "d": 24 * 3600, "h": 3600, "m": 60,
		"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12,
	}, 0, 1e9}
)

// scales spells out one unit with the decimal prefixes, short ("Gf") and long
// ("gigaflops").
func scales(one float64, short, long string) map[string]float64 {
	m := map[string]float64{short: one, long: one}
	words := []string{"kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"}
	factor := one
	for i, letter := range []string{"k", "M", "G", "T", "P", "E", "Z", "Y"} {
		factor *= 1000
		m[letter+short] = factor
		m[words[i]+long] = factor
	}
	m["zeta"+long] = m["zetta"+long] // the one spelling SimGrid 3.32 knows
	return m
}

// bandwidthScales has bytes and bits per second, with decimal prefixes (kBps)
// and binary ones (KiBps).
func bandwidthScales() map[string]float64 {
	m := make(map[string]float64)
	for name, one := range map[string]float64{"Bps": 1, "bps": 0.125} {
		m[name] = one
		ten, two := one, one
		for _, letter := range []string{"k", "M", "G", "T", "P", "E", "Z", "Y"} {
			ten *= 1000
			two *= 1024
			m[letter+name] = ten
			m[strings.ToUpper(letter)+"i"+name] = two
		}
	}
	return m
}

// parse reads a number with a unit, "125MBps" or "50 us". A bare number other
// than 0 is taken in the plain unit, and bare tells so.
func (u unit) parse(s string) (v float64, bare bool, err error) {
	s = strings.TrimSpace(s)
	n := numberLength(s)
	if n == 0 {
		return 0, false, fmt.Errorf("%q is not a %s: it must start with a number", s, u.what)
	}
	v, err = strconv.ParseFloat(s[:n], 64)
	if err != nil {
		return 0, false, fmt.Errorf("%q: the number is out of range", s)
	}
	name := strings.TrimLeft(s[n:], " ")
	if name == "" {
		return v, v != 0, u.check(v, s)
	}
	scale, ok := u.scales[name]
	if !ok {
		return 0, false, fmt.Errorf("%q: unknown unit %q for a %s; write for example %s", s, name, u.what, u.example())
	}
	v *= scale
	return v, false, u.check(v, s)
}

// check refuses quantities that no machine has.
func (u unit) check(v float64, s string) error {
	if v != 0 && (math.Abs(v) < u.least || math.Abs(v) > u.most) {
		return fmt.Errorf("%q: the number is out of range", s)
	}
	return nil
}

func (u unit) example() string {
	switch u.plain {
	case "f":
		return `"2.4Gf"`
	case "Bps":
		return `"125MBps" or "1Gbps"`
	}
	return `"50us" or "1.5ms"`
}

// numberLength is the length of the decimal number that s starts with. An e
// counts as an exponent only before a digit, so that "1Ef" is one exaflop/s.
func numberLength(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := 0
	for dot := false; i < len(s); i++ {
		if s[i] == '.' && !dot {
			dot = true
		} else if isDigit(s[i]) {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for i = j; i < len(s) && isDigit(s[i]); i++ {
			}
		}
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
