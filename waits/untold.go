package waits

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"auspex/events"
	"auspex/trace"
)

// Untold is a call that waits for other ranks, in which the trace does not tell
// who waits for whom.
type Untold struct {
	Call    string  `json:"call"`
	Seconds float64 `json:"seconds"` // of the mean rank
	Share   float64 `json:"share"`   // of the run time of this report
}

// UntoldOf lists calls by the time that all ranks spent in them, most first.
func UntoldOf(seconds map[string]float64, ranks int) []Untold {
	var list []Untold
	for call, s := range seconds {
		list = append(list, Untold{Call: call, Seconds: s / float64(max(ranks, 1))})
	}
	slices.SortFunc(list, func(a, b Untold) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Call, b.Call))
	})
	return list
}

// untold lists the calls of the trace itself that wait and do not tell for whom.
func (a *Analyzer) untold() []Untold {
	seconds := map[string]float64{}
	for path := range a.regions {
		r, name := &a.regions[path], a.header.Paths[path].Name
		if call := trace.CallWithin(name); call != "" && r.has&hasPause != 0 {
			seconds[call] += r.pause / 1e9
		}
		if r.has&hasAlone != 0 {
			seconds[events.LastName(name)] += r.alone / 1e9
		}
	}
	known := maps.Clone(seconds) // of others nothing is counted twice
	for path := range a.regions {
		r, call := &a.regions[path], events.LastName(a.header.Paths[path].Name)
		if _, is := known[call]; !is && r.has&hasOther != 0 && events.WaitsUntold(call) {
			seconds[call] += r.other / 1e9
		}
	}
	return UntoldOf(seconds, len(a.locs))
}

// Leaves says what the trace does not tell of the run: calls, those with the most
// time first, and how much longer the run took than the replay of which this is.
func (r *Report) Leaves(untold []Untold, longer float64) {
	r.Longer, r.Untold = longer, nil
	for _, u := range untold {
		if r.Seconds > 0 {
			u.Share = u.Seconds / r.Seconds
		}
		r.Untold = append(r.Untold, u)
	}
	r.Words = words(r)
}

// untoldWords says in how much of the time no waits were to be found; nothing where
// that is not worth a word.
func (r *Report) untoldWords() string {
	share := 0.0
	for _, u := range r.Untold {
		share += u.Share
	}
	var out []string
	if share >= mentioned {
		out = append(out, fmt.Sprintf("%.0f %% of their time is in %s, of which the trace does not tell who waits for whom.", 100*share, UntoldCalls(r.Untold)))
	}
	if r.Longer > 0 {
		out = append(out, fmt.Sprintf("The run took %s longer than the trace explains: ranks may have been blocked outside of MPI, or the network was slow.", seconds(r.Longer)))
	}
	return strings.Join(out, " ")
}

// UntoldCalls names those of some calls that have a tenth of their time or more.
func UntoldCalls(list []Untold) string {
	all := 0.0
	for _, u := range list {
		all += u.Seconds
	}
	var names []string
	for _, u := range list {
		if u.Seconds >= all/10 {
			names = append(names, "`"+u.Call+"`")
		}
	}
	text := strings.Join(names, ", ")
	if len(names) < len(list) {
		return text + " and the like"
	}
	if i := strings.LastIndex(text, ", "); i >= 0 {
		text = text[:i] + " and " + text[i+2:]
	}
	return text
}
