package waits

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/events"
)

// Report is where ranks waited and for what. Times are seconds, shares are of
// the time of all ranks and their threads together.
type Report struct {
	Ranks   int     `json:"ranks"`
	Seconds float64 `json:"run_seconds"`
	Waited  float64 `json:"waited_seconds"`
	Share   float64 `json:"waited_share"`
	// NoCore is how long ranks stood within MPI that could have gone on and had no
	// core; not while they had to wait anyway.
	NoCore float64 `json:"no_core_seconds,omitempty"`
	Rows   []Row   `json:"rows"`
	// CriticalPath is what the run time consists of, by region.
	CriticalPath []OnPath `json:"critical_path"`
	// Untold are calls that wait for other ranks and of which the trace does not
	// tell for whom; see Report.Leaves.
	Untold []Untold `json:"untold,omitempty"`
	// Longer is how much longer the run took than the replay that was looked at; 0
	// where the replay explains it.
	Longer    float64  `json:"run_longer_seconds,omitempty"`
	Events    int64    `json:"events"`
	Notes     []string `json:"notes"`
	Words     string   `json:"words"`
	whole     float64  // seconds of all ranks' threads together
	locations int

	partial, incomplete bool // see events.Header
	inDoubt             float64
}

// Row is a way to wait at a place.
type Row struct {
	Pattern Pattern   `json:"pattern"`
	Region  string    `json:"region"` // the call path
	Seconds float64   `json:"seconds"`
	Share   float64   `json:"share"`
	Ranks   []float64 `json:"by_rank"`
	Causes  []Cause   `json:"causes"`
}

// Cause is a region whose delay others waited for.
type Cause struct {
	Region  string  `json:"region"`
	Ranks   []int   `json:"ranks"` // those in which it was late, most first
	Seconds float64 `json:"seconds"`
	Direct  float64 `json:"direct_seconds"` // the rest was passed on by others that waited
	// Mostly is the function within the region that took most of the delay, where
	// samples tell; see Report.Within.
	Mostly string    `json:"mostly,omitempty"`
	late   []float64 // by place in Ranks: the seconds of each
}

// Late are the ranks that are worth a name: every one is later than another by some
// microseconds, and those left out have a twentieth of the delay together.
func (c *Cause) Late() []int {
	const worth = 0.05
	if len(c.late) < len(c.Ranks) {
		return c.Ranks // of each it is not known
	}
	n, left := len(c.late), 0.0
	for n > 1 && left+c.late[n-1] <= worth*c.Seconds {
		n--
		left += c.late[n]
	}
	return c.Ranks[:n]
}

// Within asks for the function of each cause that took most of its delay, and
// says so.
func (r *Report) Within(function func(*Cause) string) {
	for i := range r.Rows {
		for k := range r.Rows[i].Causes {
			c := &r.Rows[i].Causes[k]
			c.Mostly = function(c)
		}
	}
	r.Words = words(r)
}

// Rename gives all regions other names.
func (r *Report) Rename(name func(string) string) {
	for i := range r.Rows {
		r.Rows[i].Region = name(r.Rows[i].Region)
		for k := range r.Rows[i].Causes {
			r.Rows[i].Causes[k].Region = name(r.Rows[i].Causes[k].Region)
		}
	}
	for i := range r.CriticalPath {
		r.CriticalPath[i].Region = name(r.CriticalPath[i].Region)
	}
	r.Words = words(r)
}

// OnPath is a region on the critical path.
type OnPath struct {
	Region    string  `json:"region"`
	Seconds   float64 `json:"seconds"`
	Share     float64 `json:"share"`     // of the path
	Imbalance float64 `json:"imbalance"` // seconds beyond the mean over ranks
}

// leastTold is the shortest wait that is told, in seconds: clocks tell nanoseconds.
const leastTold = 1e-9

// Finish judges what is left when all spans were taken.
func (a *Analyzer) Finish() { a.judge(1<<63 - 1) }

// Report finishes, and sums up what was found.
func (a *Analyzer) Report() *Report {
	a.Finish()
	a.unmet()
	r := &Report{Ranks: a.header.Ranks, partial: a.header.Partial, incomplete: a.header.Incomplete != "", Rows: []Row{}, CriticalPath: []OnPath{}, Events: a.spans, Notes: append([]string{}, a.header.Remarks()...)}
	if r.inDoubt = float64(a.inDoubt) / 1e9; a.inDoubt > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("clocks contradict one another by %s: shorter waits of ranks for one another, %s in all, are not told", seconds(float64(a.header.Doubt)/1e9), seconds(r.inDoubt)))
	}
	if a.end > a.begin {
		r.Seconds = float64(a.end-a.begin) / 1e9
	}
	r.locations = len(a.locs)
	r.whole = r.Seconds * float64(r.locations)
	share := func(s float64) float64 {
		if r.whole <= 0 {
			return 0
		}
		return s / r.whole
	}
	causes := a.causesByRow()
	for i := range a.table.rows {
		t := &a.table.rows[i]
		row := Row{Pattern: t.kind.pattern(), Region: a.header.Paths[t.path].Name, Ranks: make([]float64, a.header.Ranks)}
		for rank, ns := range t.ranks { // in order, so that runs agree to the bit
			row.Ranks[rank] = ns / 1e9
			row.Seconds += row.Ranks[rank]
		}
		if row.Seconds < leastTold {
			continue
		}
		row.Share = share(row.Seconds)
		row.Causes = a.causes(causes[i])
		r.Waited += row.Seconds
		r.Rows = append(r.Rows, row)
	}
	slices.SortFunc(r.Rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.Seconds, x.Seconds), cmp.Compare(x.Region, y.Region), cmp.Compare(x.Pattern, y.Pattern))
	})
	r.Share = share(r.Waited)
	for path, ns := range a.spent {
		if _, ok := events.WithoutCore(a.header.Paths[path].Name); ok {
			r.NoCore += ns / 1e9
		}
	}
	r.CriticalPath = a.onPath()
	if left := a.unmatched(); left > 0 {
		r.Notes = append(r.Notes, plural(left, "message has", "messages have")+" only one side in the trace and could not be judged")
	}
	r.Leaves(a.untold(), 0)
	return r
}

// causeOf is what a region of a rank has of a row, in seconds.
type causeOf struct {
	path, rank      int32
	seconds, direct float64
}

// causesByRow are those of every row, by path and rank.
func (a *Analyzer) causesByRow() [][]causeOf {
	rows := make([][]causeOf, len(a.table.rows))
	for i := range a.table.sums {
		s := &a.table.sums[i]
		w := &a.suspects.list[s.of]
		rows[s.row] = append(rows[s.row], causeOf{w.path, a.locs[w.loc].rank, s.ns / 1e9, s.direct / 1e9})
	}
	for _, list := range rows {
		slices.SortStableFunc(list, func(x, y causeOf) int { return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.rank, y.rank)) })
	}
	return rows
}

// causes joins a row's causes by region.
func (a *Analyzer) causes(list []causeOf) []Cause {
	type late struct {
		rank    int
		seconds float64
	}
	regions := map[string]*Cause{}
	ranks := map[string][]late{}
	for i, s := range list {
		name := a.header.Paths[s.path].Name
		c := regions[name]
		if c == nil {
			c = &Cause{Region: name}
			regions[name] = c
		}
		c.Seconds += s.seconds
		c.Direct += s.direct
		if i > 0 && list[i-1].path == s.path && list[i-1].rank == s.rank { // another thread
			of := ranks[name]
			of[len(of)-1].seconds += s.seconds
			continue
		}
		ranks[name] = append(ranks[name], late{int(s.rank), s.seconds})
	}
	out := []Cause{}
	for name, c := range regions {
		list := ranks[name]
		slices.SortFunc(list, func(x, y late) int { return cmp.Or(cmp.Compare(y.seconds, x.seconds), cmp.Compare(x.rank, y.rank)) })
		for _, l := range list {
			c.Ranks, c.late = append(c.Ranks, a.header.Number(l.rank)), append(c.late, l.seconds)
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, func(x, y Cause) int {
		return cmp.Or(cmp.Compare(y.Seconds, x.Seconds), cmp.Compare(x.Region, y.Region))
	})
	return out
}

// unmatched counts messages of which one side never came.
func (a *Analyzer) unmatched() int {
	n := 0
	for i := range a.mail.boxes {
		n += int(a.mail.boxes[i].open + a.mail.boxes[i].lost)
	}
	return n
}

// onPath sums the critical path up by region.
func (a *Analyzer) onPath() []OnPath {
	total := map[int32]float64{}
	whole := 0.0
	for s, ns := range a.criticalPath() {
		total[s.path] += float64(ns)
		whole += float64(ns)
	}
	out := []OnPath{}
	for path, ns := range total {
		if ns <= 0 {
			continue
		}
		seconds, mean := ns/1e9, a.spent[path]/1e9/float64(max(len(a.locs), 1))
		out = append(out, OnPath{Region: a.header.Paths[path].Name, Seconds: seconds, Share: ns / whole, Imbalance: max(seconds-mean, 0)})
	}
	slices.SortFunc(out, func(x, y OnPath) int {
		return cmp.Or(cmp.Compare(y.Seconds, x.Seconds), cmp.Compare(x.Region, y.Region))
	})
	return out
}
