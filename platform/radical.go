package platform

import (
	"fmt"
	"strconv"
	"strings"
)

// span is a run of consecutive numbers, both ends included.
type span struct{ first, last int }

// radical is the numbering of a cluster's hosts, "0-7,9,12-15".
type radical struct {
	spans []span
	size  int
}

func parseRadical(s string) (radical, error) {
	var r radical
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(strings.TrimSpace(from))
		b, errB := strconv.Atoi(strings.TrimSpace(to))
		if errA != nil || errB != nil || a < 0 {
			return radical{}, fmt.Errorf("radical %q: %q is neither a number nor a range such as 0-7", s, part)
		}
		if b < a {
			return radical{}, fmt.Errorf("radical %q: the range %q runs backwards", s, part)
		}
		if b-a >= maxHosts-r.size {
			return radical{}, fmt.Errorf("radical %q names more than %d hosts", s, maxHosts)
		}
		r.spans = append(r.spans, span{a, b})
		r.size += b - a + 1
	}
	return r, nil
}

// each calls f with every number in order until f fails.
func (r radical) each(f func(number int) error) error {
	for _, s := range r.spans {
		for i := s.first; i <= s.last; i++ {
			if err := f(i); err != nil {
				return err
			}
		}
	}
	return nil
}
