package analyze

import (
	"fmt"
	"path/filepath"
	"strings"

	"auspex/internal/mistake"
)

// relatedShare is the share of their own work that two programs must have in
// regions of the same names to be set against each other.
const relatedShare = 0.1

// entryNames are regions that every program has.
var entryNames = map[string]bool{"main": true, "main__": true, "_start": true, ".tau application": true, "tau application": true, "<program>": true, "program": true}

// CheckRelated refuses to set programs against each other that have nothing in
// common; where that is forced it is a warning.
func CheckRelated(a, b *Dataset, force bool) (warning string, err error) {
	related, err := Related(a, b)
	if err != nil || related {
		return "", err
	}
	words := fmt.Sprintf("%s and %s are different programs: hardly any region of one is in the other", a.Name, b.Name)
	if force {
		return words, nil
	}
	return "", mistake.Refuse("%s; --force compares them anyway (force=true in the API)", words)
}

// Related tells whether two experiments are of one program: it has the same name,
// or the regions they have in common take some of the work of both.
func Related(a, b *Dataset) (bool, error) {
	if name := programName(a); name != "" && name == programName(b) {
		return true, nil
	}
	ours, err := workByName(a)
	if err != nil {
		return false, err
	}
	theirs, err := workByName(b)
	if err != nil {
		return false, err
	}
	return commonShare(ours, theirs) >= relatedShare && commonShare(theirs, ours) >= relatedShare, nil
}

func programName(d *Dataset) string {
	if d.Program == "" {
		return ""
	}
	return strings.ToLower(filepath.Base(d.Program))
}

// workByName is the time outside communication by function; libraries of
// communication and entry points are in every program.
func workByName(d *Dataset) (map[string]float64, error) {
	shares, err := d.RegionShares()
	if err != nil {
		return nil, err
	}
	work := map[string]float64{}
	names := FlatNames(d.Regions)
	for r, share := range shares {
		if name := strings.ToLower(names[r]); !d.Communication[r] && !entryNames[name] {
			work[name] += share
		}
	}
	return work, nil
}

// commonShare is the share of some work whose names the others have; all of it
// where there is none.
func commonShare(work, others map[string]float64) float64 {
	all, common := 0.0, 0.0
	for name, share := range work {
		all += share
		if _, there := others[name]; there {
			common += share
		}
	}
	if !(all > 0) {
		return 1
	}
	return common / all
}
