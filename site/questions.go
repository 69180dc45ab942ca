package site

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/internal/figure"
	"auspex/store"
)

// History is a region's time over the runs of a program.
type History struct {
	Program string  `json:"program"`
	Region  string  `json:"region"`
	Metric  string  `json:"metric"`
	Units   int     `json:"units"` // of the runs that are compared
	Points  []Point `json:"points"`
	Turns   []Turn  `json:"changes"`
	Words   string  `json:"words"`
}

// Point is one run.
type Point struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"value"` // mean over the units
	Commit  string    `json:"commit,omitempty"`
	Module  string    `json:"module,omitempty"`
}

// Turn is a change of the level, and what else changed there.
type Turn struct {
	Change
	Started time.Time `json:"started"` // of the first run of the new level
	What    []string  `json:"what"`    // "commit 3f2a → 91bc"
	Near    []string  `json:"near"`    // the same of the runs just before and after, where What is empty
}

// DefaultMetric is the one that histories are about.
const DefaultMetric = "wtime.exc"

// History tells how a region's time went over the runs of a program with the
// same number of units: the one that most runs have, or units if it is not 0.
func (s *Site) History(ctx context.Context, program, region, metric string, units int) (*History, error) {
	parameters := map[string]string{"program": program, "region": region, "metric": metric, "units": strconv.Itoa(units)}
	out, err := s.do(ctx, `SELECT content, name, started, value, units, commit, module FROM (
		SELECT e.content AS content, e.name AS name, e.started AS started, sum(t.total) / e.units AS value, e.units AS units, e.commit AS commit, e.module AS module
		FROM totals AS t INNER JOIN `+visible+` AS e ON e.push = t.push
		WHERE t.program = {program:String} AND t.metric = {metric:String} AND (t.path = {region:String} OR t.name = {region:String})
		AND ({units:UInt32} = 0 OR e.units = {units:UInt32}) GROUP BY content, name, started, units, commit, module)
		ORDER BY started, content FORMAT RowBinary`, parameters, nil, nil)
	if err != nil {
		return nil, err
	}
	h := &History{Program: program, Region: region, Metric: metric, Points: []Point{}, Turns: []Turn{}}
	byUnits := map[uint32][]Point{}
	r := &reader{data: out}
	for r.more() {
		p := Point{ID: r.text(), Name: r.text(), Started: r.time(), Seconds: r.real()}
		n := r.uint32()
		p.Commit, p.Module = r.text(), r.text()
		byUnits[n] = append(byUnits[n], p)
	}
	if r.err != nil {
		return nil, r.err
	}
	for n, points := range byUnits {
		if len(points) > len(h.Points) || len(points) == len(h.Points) && int(n) < h.Units {
			h.Units, h.Points = int(n), points
		}
	}
	if len(h.Points) == 0 {
		return nil, fmt.Errorf("the site has no runs of %q with a region %q and %s", program, region, metric)
	}
	h.turns()
	h.Words = h.words()
	return h, nil
}

func (h *History) turns() {
	values := make([]float64, len(h.Points))
	for i, p := range h.Points {
		values[i] = p.Seconds
	}
	for _, c := range Changes(values) {
		t := Turn{Change: c, Started: h.Points[c.At].Started, What: h.differs(c.At), Near: []string{}}
		for off := 1; off <= nearRuns && len(t.What) == 0; off++ {
			for _, at := range []int{c.At - off, c.At + off} {
				if at > 0 && at < len(h.Points) {
					t.Near = append(t.Near, h.differs(at)...)
				}
			}
		}
		h.Turns = append(h.Turns, t)
	}
}

// nearRuns is by how many runs the place of a change may be off where they scatter.
const nearRuns = 2

// differs lists what a run has that the one before it had not.
func (h *History) differs(at int) []string {
	before, after := h.Points[at-1], h.Points[at]
	what := []string{}
	if before.Commit != after.Commit {
		what = append(what, fmt.Sprintf("commit %s → %s", orNone(before.Commit), orNone(after.Commit)))
	}
	if before.Module != after.Module {
		what = append(what, fmt.Sprintf("module %s → %s", orNone(before.Module), orNone(after.Module)))
	}
	return what
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func (h *History) words() string {
	runs := fmt.Sprintf("%d runs of %s on %d units", len(h.Points), h.Program, h.Units)
	if len(h.Points) < leastRuns {
		return fmt.Sprintf("There are %s: too few to distinguish changes of %s from chance; %d are needed.", runs, h.Region, leastRuns)
	}
	if len(h.Turns) == 0 {
		return fmt.Sprintf("Over %s, the time of %s has no change that chance would not give.", runs, h.Region)
	}
	said := []string{fmt.Sprintf("Over %s, the time of %s changed:", runs, h.Region)}
	for _, t := range h.Turns {
		what := "commit and module stayed the same"
		switch {
		case len(t.What) > 0:
			what = "with " + strings.Join(t.What, " and ")
		case len(t.Near) > 0:
			what = fmt.Sprintf("within %d runs of %s", nearRuns, strings.Join(t.Near, " and "))
		}
		said = append(said, fmt.Sprintf("on %s from %s to %s (%+.0f %%), %s;", t.Started.Format("2006-01-02"), figure.Seconds(t.Before, 4), figure.Seconds(t.After, 4), 100*(t.After/t.Before-1), what))
	}
	return strings.TrimSuffix(strings.Join(said, " "), ";") + "."
}

// Loss is what a program, or a user, loses.
type Loss struct {
	Who       string  `json:"who"`
	Runs      int     `json:"runs"`
	NodeHours float64 `json:"node_hours"`
	Lost      float64 `json:"lost_node_hours"` // not spent in computation
	Share     float64 `json:"lost_share"`
}

// Losses lists who loses most node-hours, in runs that started from since to
// before until. by is program or user; of is the user whose runs count, "" for
// all.
func (s *Site) Losses(ctx context.Context, by, of string, since, until time.Time) ([]Loss, error) {
	if by != "program" && by != "user" {
		return nil, fmt.Errorf("losses are by program or by user, not by %q", by)
	}
	out, err := s.do(ctx, `SELECT toString(`+by+`) AS who, toUInt64(count()), sum(seconds * nodes) / 3600 AS hours, sum(seconds * nodes * lost) / 3600 AS missing
		FROM `+visible+` WHERE isFinite(seconds) AND isFinite(lost) AND started >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND started < fromUnixTimestamp64Milli({until:Int64}, 'UTC') AND ({of:String} = '' OR user = {of:String})
		GROUP BY who ORDER BY missing DESC, who FORMAT RowBinary`, map[string]string{"since": milliseconds(since), "until": milliseconds(until), "of": of}, nil, nil)
	if err != nil {
		return nil, err
	}
	losses := []Loss{}
	r := &reader{data: out}
	for r.more() {
		l := Loss{Who: r.text(), Runs: int(r.uint64()), NodeHours: r.real(), Lost: r.real()}
		if l.NodeHours > 0 {
			l.Share = l.Lost / l.NodeHours
		}
		losses = append(losses, l)
	}
	return losses, r.err
}

func milliseconds(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// Slower is a program whose last runs took longer than any of the month before.
type Slower struct {
	Program string  `json:"program"`
	Units   int     `json:"units"`
	Runs    int     `json:"runs"`    // of the day
	Earlier int     `json:"earlier"` // of the month before
	Median  float64 `json:"median_seconds"`
	Usual   float64 `json:"usual_seconds"` // median of the month before
}

// Digest is a day at a site.
type Digest struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Runs     int       `json:"runs"`
	Programs int       `json:"programs"`
	Losses   []Loss    `json:"losses"` // by program
	Slower   []Slower  `json:"slower"`
	Words    string    `json:"words"`
}

// A day's runs are told as slower when their median is longer than any of the
// month before, of which there are some, and stands out of their scatter: with
// fewer, or with less, every day would have some by chance.
const (
	earlierRuns  = 8
	slowerShare  = 1.05
	slowerStands = 5 // median deviations, about 3.4 standard deviations
)

// tookLonger judges times, the shortest first.
func tookLonger(now, earlier []float64) bool {
	if len(now) == 0 || len(earlier) < earlierRuns {
		return false
	}
	usual, median := level(earlier), level(now)
	off := make([]float64, len(earlier))
	for i, v := range earlier {
		off[i] = math.Abs(v - usual)
	}
	return median > earlier[len(earlier)-1] && median > usual*slowerShare && median-usual > slowerStands*level(off)
}

// Digest sums a day up that ends at to.
func (s *Site) Digest(ctx context.Context, to time.Time) (*Digest, error) {
	d := &Digest{From: to.Add(-24 * time.Hour), To: to, Slower: []Slower{}}
	var err error
	if d.Losses, err = s.Losses(ctx, "program", "", d.From, to); err != nil {
		return nil, err
	}
	out, err := s.do(ctx, `SELECT toString(program), units, started >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AS today, seconds FROM `+visible+`
		WHERE isFinite(seconds) AND started >= fromUnixTimestamp64Milli({month:Int64}, 'UTC') AND started < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
		ORDER BY program, units, seconds FORMAT RowBinary`,
		map[string]string{"from": milliseconds(d.From), "month": milliseconds(d.From.AddDate(0, -1, 0)), "to": milliseconds(to)}, nil, nil)
	if err != nil {
		return nil, err
	}
	type key struct {
		program string
		units   uint32
	}
	day, month, programs := map[key][]float64{}, map[key][]float64{}, map[string]bool{}
	r := &reader{data: out}
	for r.more() {
		k := key{r.text(), r.uint32()}
		if today := r.take(1)[0] == 1; today {
			day[k] = append(day[k], r.real())
			programs[k.program] = true
			d.Runs++
		} else {
			month[k] = append(month[k], r.real())
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	d.Programs = len(programs)
	for k, now := range day {
		earlier := month[k]
		if tookLonger(now, earlier) {
			d.Slower = append(d.Slower, Slower{k.program, int(k.units), len(now), len(earlier), level(now), level(earlier)})
		}
	}
	slices.SortFunc(d.Slower, func(a, b Slower) int {
		if c := strings.Compare(a.Program, b.Program); c != 0 {
			return c
		}
		return a.Units - b.Units
	})
	d.Words = d.words()
	return d, nil
}

func (d *Digest) words() string {
	if d.Runs == 0 {
		return "No run was pushed that started on this day."
	}
	said := []string{fmt.Sprintf("%d runs of %d programs.", d.Runs, d.Programs)}
	if len(d.Losses) > 0 && d.Losses[0].Lost > 0 {
		l := d.Losses[0]
		said = append(said, fmt.Sprintf("%s loses most: %s of its %s node-hours went to communication, waiting and idle processors.", orNone(l.Who), figure.Number(l.Lost, 3), figure.Number(l.NodeHours, 3)))
	}
	for _, s := range d.Slower {
		said = append(said, fmt.Sprintf("%s on %d units took %s, longer than any of %d runs in the month before (median %s).", s.Program, s.Units, figure.Seconds(s.Median, 4), s.Earlier, figure.Seconds(s.Usual, 4)))
	}
	return strings.Join(said, " ")
}

// Baseline is the run of a program that stands for the month up to a time: the
// one with the median time among those on as many units. The run itself, which
// may have been pushed, is none of them.
func (s *Site) Baseline(ctx context.Context, program string, units int, before time.Time, itself string) (id string, of int, err error) {
	out, err := s.do(ctx, `SELECT content FROM `+visible+` WHERE program = {program:String} AND units = {units:UInt32} AND isFinite(seconds) AND NOT (name = {itself:String} AND started = fromUnixTimestamp64Milli({to:Int64}, 'UTC'))
		AND started >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND started <= fromUnixTimestamp64Milli({to:Int64}, 'UTC') ORDER BY seconds, content FORMAT RowBinary`,
		map[string]string{"program": program, "units": strconv.Itoa(units), "itself": itself, "from": milliseconds(before.AddDate(0, -1, 0)), "to": milliseconds(before)}, nil, nil)
	if err != nil {
		return "", 0, err
	}
	var ids []string
	r := &reader{data: out}
	for r.more() {
		ids = append(ids, r.text())
	}
	if len(ids) == 0 && r.err == nil {
		return "", 0, fmt.Errorf("the site has no run of %q on %d units in the month up to %s: %w", program, units, before.Format("2006-01-02"), store.ErrNotFound)
	}
	if r.err != nil {
		return "", 0, r.err
	}
	return ids[(len(ids)-1)/2], len(ids), nil
}
