package platform

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Profile is how something of a platform changes over time: at each date it
// takes a new value.
type Profile struct {
	Points []Moment
	// Again is how long after the last date it all starts anew; negative where it
	// does not.
	Again float64
}

// Moment is a value and since when it holds, in seconds.
type Moment struct{ At, Value float64 }

// Event is change number n of a profile, from 0; ok is false after the last.
func (p *Profile) Event(n int) (m Moment, ok bool) {
	k := len(p.Points)
	if n >= k && p.Again < 0 {
		return Moment{}, false
	}
	m = p.Points[n%k]
	m.At += float64(n/k) * (p.Points[k-1].At + p.Again)
	return m, true
}

// Quantity is what a profile changes.
type Quantity uint8

const (
	HostSpeed     Quantity = iota // a share of the host's speed
	HostState                     // 0 is off
	LinkBandwidth                 // bytes/s
	LinkLatency                   // seconds
	LinkState                     // 0 is off
)

// Change is a profile and what it belongs to: a host or a link by its index.
type Change struct {
	Of      Quantity
	Index   int32
	Profile *Profile
}

// What a profile may ask for; a short one that repeats is as good as a long one.
const (
	maxProfile = 64 << 20
	maxMoments = 1 << 20
)

// ReadProfile reads a profile in SimGrid's form: lines of a date and a value, and
// where it repeats LOOPAFTER and the seconds from its last date to its start, or
// PERIODICITY and those from one start to the next. Comments begin with # or %.
func ReadProfile(name string, r io.Reader, of Quantity) (*Profile, error) {
	p, period := &Profile{Again: -1}, 0.0
	lines := bufio.NewScanner(io.LimitReader(r, maxProfile))
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		for i, w := range words {
			if w[0] == '#' || w[0] == '%' {
				words = words[:i]
				break
			}
		}
		if len(words) == 0 {
			continue
		}
		if err := p.line(words, of, &period); err != nil {
			return nil, newError(name, n, "%v", err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, newError(name, 0, "%v", err)
	}
	if err := p.repeat(period); err != nil {
		return nil, newError(name, 0, "%v", err)
	}
	return p, nil
}

// repeat checks a whole profile, and gives it the time from one start to the
// next where that is not 0.
func (p *Profile) repeat(period float64) error {
	if len(p.Points) == 0 {
		return errors.New("the profile holds no date and value")
	}
	last := p.Points[len(p.Points)-1].At
	if period > 0 {
		switch {
		case p.Again > 0:
			return errors.New("the profile has both LOOPAFTER and a period")
		case period < last:
			return fmt.Errorf("the profile starts anew every %g s, before its last date, %g s", period, last)
		}
		p.Again = period - last
	}
	if p.Again >= 0 && last+p.Again <= 0 {
		return errors.New("the profile starts anew after no time at all")
	}
	return nil
}

func (p *Profile) line(words []string, of Quantity, period *float64) error {
	switch words[0] {
	case "LOOPAFTER", "PERIODICITY":
		after, err := strconv.ParseFloat(strings.Join(words[1:], " "), 64)
		if err != nil || !(after >= 0) || math.IsInf(after, 0) {
			return fmt.Errorf("%s: it must be seconds, 0 or more", strings.Join(words, " "))
		}
		if words[0] == "PERIODICITY" {
			*period = after
		} else {
			p.Again = after
		}
		return nil
	case "STOCHASTIC":
		return errors.New("profiles whose values are drawn by chance are not supported")
	}
	if len(words) != 2 {
		return errors.New("a line is a date and a value, or LOOPAFTER or PERIODICITY and seconds")
	}
	at, err := strconv.ParseFloat(words[0], 64)
	if err != nil || !(at >= 0) || math.IsInf(at, 0) {
		return fmt.Errorf("the date %q is no number of seconds from 0 on", words[0])
	}
	value, err := strconv.ParseFloat(words[1], 64)
	if err != nil || !(value >= 0) || math.IsInf(value, 0) {
		return fmt.Errorf("the value %q is no number from 0 on", words[1])
	}
	if of == LinkBandwidth && value == 0 {
		return fmt.Errorf("a bandwidth of 0: a link that is off has a state_file")
	}
	if k := len(p.Points); k > 0 && at < p.Points[k-1].At {
		return fmt.Errorf("the date %s comes before the one of the line above", words[0])
	}
	if len(p.Points) >= maxMoments {
		return fmt.Errorf("more than %d dates", maxMoments)
	}
	p.Points = append(p.Points, Moment{at, value})
	return nil
}

// openProfile reads a profile file named in a platform file, relative to it.
func openProfile(platform, name string, of Quantity) (*Profile, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(platform), name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadProfile(name, file, of)
}
