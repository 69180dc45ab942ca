package tau

import (
	"fmt"
	"strconv"
	"strings"

	"auspex/model"
)

// maxMissing is how many ranks that are not here are named.
const maxMissing = 8

// missing notes ranks that no profile is of, below the highest there is. A profile
// that is read alone is a part of a run, of which nothing is known here.
func (d *data) missing(units []model.Unit) {
	here := map[int]bool{}
	most := 0
	for _, u := range units {
		here[u.Process] = true
		most = max(most, u.Process)
	}
	lost := most + 1 - len(here)
	if lost == 0 || len(here) == 1 {
		return
	}
	var names []string
	for rank := 0; rank < most && len(names) < maxMissing; rank++ {
		if !here[rank] {
			names = append(names, strconv.Itoa(rank))
		}
	}
	if lost > len(names) {
		names = append(names, "…")
	}
	d.notes = append(d.notes, fmt.Sprintf("%d of %d ranks are here; there is no profile of %s", len(here), most+1, strings.Join(names, ", ")))
}
