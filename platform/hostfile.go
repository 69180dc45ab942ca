package platform

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Slot is one line of a hostfile: a host and how many ranks it takes in a row.
type Slot struct {
	Host  int // index in Platform.Hosts
	Count int
}

// maxSlots bounds the ranks that one hostfile may ask for.
const maxSlots = 1 << 24

// ReadHostfile reads the hosts that ranks are placed on, one a line as smpirun
// reads them: `host` or `host:n` for n ranks in a row. Empty lines and what
// follows a # are skipped. name is only used in errors.
func ReadHostfile(name string, r io.Reader, p *Platform) ([]Slot, error) {
	var slots []Slot
	total := 0
	sc := bufio.NewScanner(r)
	line := 0
	for sc.Scan() {
		line++
		text, _, _ := strings.Cut(sc.Text(), "#")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		s, err := parseSlot(text, p)
		if err != nil {
			return nil, newError(name, line, "%v", err)
		}
		if total += s.Count; total > maxSlots {
			return nil, newError(name, line, "more than %d ranks", maxSlots)
		}
		slots = append(slots, s)
	}
	if err := sc.Err(); err != nil {
		return nil, newError(name, line+1, "%v", err)
	}
	if len(slots) == 0 {
		return nil, newError(name, 0, "the hostfile names no host; write one host name a line")
	}
	return slots, nil
}

func parseSlot(text string, p *Platform) (Slot, error) {
	host, count := text, 1
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		n, err := strconv.Atoi(strings.TrimSpace(text[i+1:]))
		if err != nil || n < 1 {
			return Slot{}, fmt.Errorf("%q: the count after the colon must be a whole number from 1", text)
		}
		host, count = strings.TrimSpace(text[:i]), n
	}
	h, ok := p.HostByName(host)
	if !ok {
		return Slot{}, fmt.Errorf("the platform has no host %q", host)
	}
	return Slot{Host: h, Count: count}, nil
}

// Map places ranks 0..np-1 on the hosts of slots in order, starting again at
// the first one when the slots are used up. It returns each rank's host.
func Map(slots []Slot, np int) []int {
	if len(slots) == 0 || np <= 0 {
		return nil
	}
	hosts := make([]int, 0, np)
	for {
		for _, s := range slots {
			for range s.Count {
				if len(hosts) == np {
					return hosts
				}
				hosts = append(hosts, s.Host)
			}
		}
	}
}

// AllHosts is the hostfile that names every host once, in the platform's order.
func AllHosts(p *Platform) []Slot {
	slots := make([]Slot, len(p.Hosts))
	for i := range slots {
		slots[i] = Slot{Host: i, Count: 1}
	}
	return slots
}
