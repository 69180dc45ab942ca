package otf2

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	timed "auspex/events"
)

// printed is a measured trace from what otf2-print says.
type printed struct {
	*Timed
	events string
}

func (p printed) Each(ctx context.Context, visit func(*timed.Span) error) error {
	p.header.Paths = nil
	r := &timer{t: p.Timed, visit: visit, paths: timed.NewPaths(&p.header), locs: make([]timedLocation, len(p.header.Locations))}
	return r.read(ctx, newRecords(bufio.NewReader(strings.NewReader(p.events))))
}

// checkPrinted reads a measured trace, whole or damaged: spans end after they
// begin, name what there is, and become a program. It returns how many there were.
func checkPrinted(t *testing.T, definitions, events string) (spans int) {
	t.Helper()
	d := newDefinitions()
	if err := d.read(t.Context(), newRecords(bufio.NewReader(strings.NewReader(definitions)))); err != nil {
		return 0
	}
	if err := d.finish(); err != nil {
		return 0
	}
	a := &Timed{d: d}
	a.locate()
	src := printed{a, events}
	err := src.Each(t.Context(), func(s *timed.Span) error {
		spans++
		if s.Begin < 0 || s.End < s.Begin {
			return fmt.Errorf("a span from %d to %d", s.Begin, s.End)
		}
		if int(s.Loc) >= len(a.header.Locations) || int(s.Path) >= len(a.header.Paths) || int(s.Comm) >= len(a.header.Comms) && s.Kind != timed.ThreadBarrier {
			return fmt.Errorf("a span of nothing: %+v", *s)
		}
		for _, m := range s.Messages {
			if m.Peer < -1 || int(m.Peer) >= a.header.Ranks || m.Bytes < 0 {
				return fmt.Errorf("a message of nothing: %+v", m)
			}
		}
		return nil
	})
	if err != nil {
		if strings.HasPrefix(err.Error(), "a span") || strings.HasPrefix(err.Error(), "a message") {
			t.Errorf("%v\n%s\n%s", err, definitions, events)
		}
		return spans
	}
	aligned, err := timed.Align(t.Context(), src)
	if err != nil {
		return spans
	}
	if _, err := timed.Program(t.Context(), aligned); err != nil {
		t.Logf("no program: %v", err)
	}
	return spans
}

// TestPrinted: the sample has spans, so that what is damaged below is read.
func TestPrinted(t *testing.T) {
	if n := checkPrinted(t, sampleDefinitions, sampleEvents); n < 6 {
		t.Errorf("%d spans", n)
	}
}

// TestPrintedDamaged: thousands of traces damaged in a place or two.
func TestPrintedDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	scraps := []string{"0", "-1", "99999999999", "18446744073709551615", "1e308", "NaN", "", "<1>", "\"", "\n", ", ", "UNDEFINED", "MPI Rank 5000000", "Tag: ", "Root: 7 (\"t\" <9>)"}
	damage := func(s string) string {
		i := r.IntN(len(s))
		j := min(len(s), i+1+r.IntN(30))
		switch r.IntN(4) {
		case 0:
			return s[:i] + s[j:]
		case 1:
			return s[:i] + scraps[r.IntN(len(scraps))] + s[j:]
		case 2:
			return s[:i] + s[i:j] + s[i:]
		}
		return s[:i] + string(rune('0'+r.IntN(10))) + s[i+1:]
	}
	read := 0
	for range 3000 {
		definitions, events := sampleDefinitions, sampleEvents
		for range 1 + r.IntN(2) {
			if r.IntN(2) == 0 {
				definitions = damage(definitions)
			} else {
				events = damage(events)
			}
		}
		if checkPrinted(t, definitions, events) > 0 {
			read++
		}
	}
	if read < 500 {
		t.Errorf("only %d were read at all", read)
	}
}

func FuzzPrinted(f *testing.F) {
	f.Add(sampleDefinitions, sampleEvents)
	f.Add(sampleDefinitions, threadEvents)
	f.Fuzz(func(t *testing.T, definitions, events string) { checkPrinted(t, definitions, events) })
}
