package diagnose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
	"auspex/training"
)

// Training puts what the traces of a training job tell in the place of what its
// profile does. In a profile the time in which a rank waits for a late one is
// hidden inside the backward pass of those that wait, so that the rank to blame
// looks like the fastest; when each rank arrived tells it.
func (r *Diagnosis) Training(job *training.Result, d *analyze.Dataset, words analyze.Words) {
	name := func(rank int) Name { return Name{Text: strconv.Itoa(rank), Process: rank, number: true} }
	r.Level, r.UnitCount = Processes, len(job.Ranks)
	r.Continuum, r.Scattered, r.Idle = false, false, []Name{}
	r.Kinds, r.CCR, r.CCCR, r.Causes = nil, []CriticalRegion{}, []string{}, []Cause{}
	r.Profiled = r.Runtime // with what lies before and behind the steps
	r.Runtime, r.LostShare, r.Severity = analyze.Real(job.Seconds), 0, 0
	r.Second, r.Joint, r.Reachability, r.Level1 = nil, nil, nil, 0 // those of the profile's units
	r.Headline = account.Headline{Kind: account.Useful, Share: 1}
	if job.Slowdown != nil && *job.Slowdown > 1 {
		r.Headline.Share = 1 / *job.Slowdown
	}
	if len(job.Stragglers) > 0 {
		worst := job.Stragglers[0]
		r.Headline = account.Headline{Kind: account.Imbalance, Region: account.Place(pathOf(d, regionOf(worst))), Share: worst.Share}
	}
	late := map[int]bool{}
	for _, group := range job.Groups() { // ranks that are late for one reason are one kind
		s := group[0]
		var kind []Name
		for _, o := range group {
			late[o.Rank] = true
			kind = append(kind, name(o.Rank))
		}
		slices.SortFunc(kind, func(a, b Name) int { return a.Process - b.Process })
		r.Kinds = append(r.Kinds, kind)
		region := pathOf(d, regionOf(s))
		// The range is meant wherever it is called, not on one path.
		core := model.EscapeName(regionOf(s))
		if region != "" && !slices.Contains(r.CCCR, core) {
			r.CCR = append(r.CCR, CriticalRegion{Region: region, Name: regionOf(s), Level: 1, Core: true, Share: 1})
			r.CCCR = append(r.CCCR, core)
		}
		share := analyze.Real(s.Share)
		r.Causes = append(r.Causes, Cause{
			Region: region, Attributes: []string{s.Cause}, LostShare: share, Lost: share * r.Runtime,
			Slowest: name(s.Rank), Most: analyze.Real(s.Seconds), Mean: analyze.Real(s.Others),
			Evidence: []Contrast{}, Core: []string{}, Reducts: [][]string{}, Excluded: []Excluded{}, Inexplicable: [][2]Name{}, Balance: []UnitWork{},
		})
		r.LostShare, r.Severity = max(r.LostShare, share), max(r.Severity, share)
	}
	var others []Name
	for _, rank := range job.Ranks {
		if !late[rank.Rank] {
			others = append(others, name(rank.Rank))
		}
	}
	if len(others) > 0 {
		r.Kinds = append(r.Kinds, others)
	}
	slices.SortFunc(r.Kinds, func(a, b []Name) int { return a[0].Process - b[0].Process })
	r.Degrees = severityDegrees(words, float64(r.Severity))
	r.Words = job.Words
	r.Warnings = append(r.Warnings, job.Notes...)
}

// step is what the profile of a trace calls the profiler's steps.
const step = "ProfilerStep"

// regionOf is the region that a straggler loses its time in: the range that the
// program named, else the operator, else the step as a whole.
func regionOf(s training.Straggler) string {
	if len(s.Operators) > 0 && (s.Region == "" || s.Side == training.Network) {
		return cmp.Or(s.Operators[0].Operator, step)
	}
	return cmp.Or(s.Region, step)
}

// pathOf is the path of the outermost region of a name; the name itself where
// the profile has none, and nothing for steps that the trace does not mark.
func pathOf(d *analyze.Dataset, name string) string {
	best := name
	if name == step {
		best = ""
	}
	depth := -1
	for r, path := range d.Paths {
		if d.Regions[r].Name != name {
			continue
		}
		if n := strings.Count(path, "/"); depth < 0 || n < depth {
			best, depth = path, n
		}
	}
	return best
}
