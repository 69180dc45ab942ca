// Package diagnose finds out which units of a program differ, where and why, by
// the procedure of "Debugging SPMD programs":
//
//  1. Every unit is a vector of its times in the regions of level 1.
//  2. OPTICS puts alike vectors together: the kinds (section 3).
//  3. A region is critical (CCR) if the kinds change without its time; one with
//     no critical region inside is a core (CCCR).
//  4. In a core, units and metrics make a decision table; its reducts, by rough
//     sets, are the metrics that tell the kinds apart: the causes.
package diagnose

import (
	"context"
	"fmt"
	"math"
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/cluster"
	"auspex/model"
)

// Diagnosis says which units of a program differ, where and why, after
// "Debugging SPMD programs". Region names are paths.
type Diagnosis struct {
	Experiment string          `json:"experiment"`
	Words      string          `json:"words"` // the answer, filled in by package report
	Level      Level           `json:"units"`
	UnitCount  int             `json:"unit_count"`
	Metric     string          `json:"metric"`
	Counts     bool            `json:"-"` // the metric is no time
	WithMPI    bool            `json:"with_mpi"`
	Averaged   bool            `json:"-"`         // the one unit stands for the mean of many
	BeyondCPU  bool            `json:"-"`         // besides CPU time, all time of input and output and time blocked
	Below      string          `json:"region_of"` // the region whose parts are level 1; empty for the whole program
	Level1     int             `json:"level1"`    // how many regions the vectors are made of
	Parameters Choice          `json:"parameters"`
	Severity   analyze.Real    `json:"severity"`
	Degrees    analyze.Degrees `json:"severity_degrees"`
	Kinds      [][]Name        `json:"kinds"`
	// Continuum: the units chain into one kind and yet differ.
	Continuum bool `json:"continuum"`
	// Scattered: so many kinds that they say nothing; searched as a continuum.
	Scattered bool             `json:"scattered"`
	Idle      []Name           `json:"idle"` // units that did nothing at all
	Asleep    bool             `json:"-"`    // some of them had time, off the cores
	Mixed     bool             `json:"-"`    // the others are of several roles, within which they are compared
	CCR       []CriticalRegion `json:"ccr"`
	CCCR      []string         `json:"cccr"`
	Causes    []Cause          `json:"causes"` // the dearest first
	// Slower are units that are slower in everything; nil where there are none.
	Slower *Slower `json:"slower"`
	// Serial is what main threads do alone, where other threads are idle for that.
	Serial *Serial `json:"serial"`
	// Joint is one decision table over the causes of several regions; nil where
	// fewer than two have any.
	Joint     *Joint       `json:"joint"`
	LostShare analyze.Real `json:"lost_share"`
	// Headline is what the first sentence is about: the largest line of the
	// ledger that could be avoided. Second is the next, where it is at least
	// half as large.
	Headline account.Headline  `json:"headline"`
	Second   *account.Headline `json:"second"`
	Ledger   []account.Line    `json:"ledger"`
	Ledgered int               `json:"ledger_units"` // whose account it is
	// Cores is how many the units had between them, 0 where not known;
	// LoadBalance is that of the experiment.
	Cores       int          `json:"cores"`
	OwnCores    float64      `json:"-"`       // see account.Ledger
	Crowded     bool         `json:"crowded"` // units waited for cores
	LoadBalance analyze.Real `json:"load_balance"`
	Runtime     analyze.Real `json:"runtime"`
	Profiled    analyze.Real `json:"-"` // the run that the ledger is of, where that is another one
	Internal    Internal     `json:"internal"`
	// Reachability is only there where it was asked for.
	Reachability *Reachability `json:"reachability,omitempty"`
	// Waits is how long ranks waited for one another, where a kept trace tells.
	Waits *Waits `json:"waits,omitempty"`
	// Untraced: the run could have kept a trace, which would tell cost from waiting, and
	// did not.
	Untraced bool `json:"untraced,omitempty"`
	// CoreWait is the share of the run in which the units could have gone on within
	// MPI and had no core; 0 where that is not known.
	CoreWait float64 `json:"core_wait,omitempty"`
	// Spinning is there where threads that wait for each other keep the cores that others
	// lack.
	Spinning *Spinning `json:"spinning,omitempty"`
	Warnings []string  `json:"warnings"`
}

// Waits is what a trace tells of communication that a profile cannot tell from its
// cost: waiting.
type Waits struct {
	Share  float64 `json:"share"`  // of the run
	Region string  `json:"region"` // that most of it was for; empty where there is no such region
	Ranks  []int   `json:"ranks"`  // those that were late by it, most first
	// NoCore is the share of the run in which ranks could have gone on within MPI and
	// had no core, or waited for such.
	NoCore float64 `json:"no_core,omitempty"`
	// WrongOrder is the share in which ranks waited for a message while one that was
	// sent earlier was there.
	WrongOrder float64 `json:"wrong_order,omitempty"`
}

// Spinning is waiting on a core.
type Spinning struct {
	Share float64 `json:"share"` // of the CPU time
}

// Choice is what the clustering decided by itself.
type Choice struct {
	MinPts int          `json:"min_pts"`
	Radius float64      `json:"radius"`
	Scale  float64      `json:"scale"`  // length of the longest vector
	Within float64      `json:"within"` // longest step inside a kind
	Beyond analyze.Real `json:"beyond"` // shortest step between kinds
	Floor  float64      `json:"floor"`  // the radius is never below this: what costs nothing
}

// Options are what may be asked otherwise than by default.
type Options struct {
	Level    Level  // empty: processes, or threads where only those differ
	Metric   string // empty: the best time metric
	WithMPI  bool   // time in communication counts too
	RegionOf string // start the search below this region
	// Radius, in the metric's unit: units whose vectors are linked by steps up to it
	// are of one kind; zero: found in the data.
	Radius float64
	// MinPts of OPTICS: fewer units than so many are no kind of several; zero:
	// 2, so that pairs can be.
	MinPts int
	Table  bool // keep the decision tables
	Matrix bool // keep the discernibility matrices
	Plot   bool // keep the reachability plot
	// Progress, if set, is told what is being done.
	Progress func(stage string)
}

func (o *Options) tell(stage string) {
	if o.Progress != nil {
		o.Progress(stage)
	}
}

const (
	// continuumSeverity is the severity above which one kind is no balance.
	continuumSeverity = 0.1
	// negligibleShare of the run time is what no diagnosis is worth.
	negligibleShare = 0.01
	// farByChance is how many times as far as where samples fall sets units apart on
	// average they may be by that alone.
	farByChance = 2.5
)

// Run compares the units of a program.
func Run(ctx context.Context, d *analyze.Dataset, words analyze.Words, o Options) (*Diagnosis, error) {
	level := o.Level
	processes, threads, _ := analyze.CountUnits(d.Units)
	if level == "" {
		level = Processes
		if processes == 1 && threads > 1 || threadsDiffer(d) {
			level = Threads
		}
	}
	s, err := newStudy(ctx, d, level, o)
	if err != nil {
		return nil, err
	}
	if o.Level == "" && level == Processes && threads > 1 && (s.alike() || s.byThread()) {
		inside, err := newStudy(ctx, d, Threads, o)
		if err != nil {
			return nil, err
		}
		if !inside.alike() {
			s = inside
		}
	}
	return s.diagnose(ctx, words, o)
}

// study is a diagnosis under way.
type study struct {
	d      *analyze.Dataset
	units  *grouping
	time   *timing
	fair   *timing // less what sets the roles of units apart
	top    *topLevel
	active []int // units that are not idle: the points below
	idle   []int
	asleep []bool // by unit: idle in the ledger; nil where that is of something else
	there  []bool // by unit: it has time, on the cores or off them
	slept  bool   // some idle units have

	points   cluster.Points
	link     *cluster.Linkage
	choice   cluster.Choice
	ledger   *account.Ledger
	named    bool    // regions of one name count as one
	groups   []int   // under which region each is counted; nil for itself
	floor    float64 // time that is not worth a diagnosis
	kinds    [][]int // of points
	severity float64
	lost     float64 // the largest slowest − mean of a level-1 region
	warnings []string
}

func newStudy(ctx context.Context, d *analyze.Dataset, level Level, o Options) (*study, error) {
	s := &study{d: d}
	o.tell("reading times")
	var err error
	if s.units, err = groupUnits(d, level); err != nil {
		return nil, err
	}
	if s.time, err = compareTimes(d, s.units, o); err != nil {
		return nil, err
	}
	if s.top, err = s.time.topLevel(d, o.RegionOf); err != nil {
		return nil, err
	}
	if err := s.account(o); err != nil {
		return nil, err
	}
	if s.named && level == Threads {
		s.byName()
	}
	s.floor = negligibleShare * s.time.runtime
	if s.ledger != nil && s.ledger.Cores > 0 && s.ledger.Units > s.ledger.Cores {
		// The wall time of a run whose units share cores says nothing of work.
		s.floor *= float64(s.ledger.Cores) / float64(s.ledger.Units)
	}
	if s.ledger != nil {
		// A process with several threads has the deviations of all of them.
		parts := float64(max(1, s.ledger.Units)) / float64(max(1, len(s.units.names)))
		s.floor = max(s.floor, farByChance*s.ledger.Chance*math.Sqrt(2*max(1, parts)))
	}
	if o.RegionOf != "" {
		s.floor = negligibleShare * slices.Max(s.time.column(d, place{region: s.top.parent}))
	}
	o.tell("looking for kinds of " + string(level))
	return s, s.classify(ctx, o)
}

// continuum tells whether one kind hides a spread worth looking at.
func (s *study) continuum() bool {
	return len(s.kinds) == 1 && s.severity > continuumSeverity && s.lost >= s.floor
}

// scattered tells whether there are too many kinds to speak of kinds.
func (s *study) scattered() bool { return len(s.kinds) > max(20, len(s.active)/10) }

// alike tells whether the units need no explanation.
func (s *study) alike() bool { return len(s.kinds) <= 1 && len(s.idle) == 0 && !s.continuum() }

func (s *study) diagnose(ctx context.Context, words analyze.Words, o Options) (*Diagnosis, error) {
	_, averaged := s.d.Factor(model.AveragedOver)
	r := &Diagnosis{Averaged: averaged,
		Experiment: s.d.Name, Level: s.units.level, UnitCount: len(s.units.names), Metric: s.time.metric.Name, Counts: s.time.metric.Unit != "s", WithMPI: o.WithMPI,
		Below: s.top.path, Level1: len(s.top.columns), Severity: analyze.Real(s.severity), Degrees: severityDegrees(words, s.severity),
		Continuum: s.continuum(), Scattered: s.scattered(), Idle: s.units.pick(s.idle), Runtime: analyze.Real(s.time.runtime),
		Parameters: Choice{s.choice.MinPts, s.link.Radius, s.choice.Scale, s.choice.Within, analyze.Real(s.choice.Beyond), s.floor},
		CCR:        []CriticalRegion{}, CCCR: []string{}, Causes: []Cause{}, LostShare: 0, BeyondCPU: s.time.beyond, Asleep: s.slept, Mixed: s.mixedRoles(),
	}
	r.Kinds = s.allKinds()
	if s.d.Incomplete != "" {
		s.warn("the experiment is incomplete: %s", s.d.Incomplete)
	}
	var found []critical
	var err error
	o.tell("searching critical regions")
	switch {
	case s.continuum() || s.scattered():
		found = s.searchVariance()
	case len(s.kinds) > 1:
		if found, err = s.searchKinds(ctx); err != nil {
			return nil, err
		}
	}
	troubles := s.troubles(found)
	found = s.criticals(found, troubles)
	for _, c := range found {
		r.CCR = append(r.CCR, s.describe(c, found))
		if c.core {
			r.CCCR = append(r.CCCR, s.name(c.place))
		}
	}
	o.tell("explaining them")
	if err := s.explain(ctx, troubles, r, o); err != nil {
		return nil, err
	}
	if o.Plot {
		o.tell("drawing")
		if r.Reachability, err = s.reachability(ctx, r.Kinds); err != nil {
			return nil, err
		}
	}
	r.Slower = s.slowerEverywhere(r.Causes)
	s.headline(r)
	if s.ledger != nil {
		if r.Serial, err = s.serial(); err != nil {
			return nil, err
		}
	}
	for _, c := range r.Causes {
		r.LostShare = max(r.LostShare, c.LostShare)
	}
	if len(r.Causes) == 0 && len(s.idle) > 0 {
		r.LostShare = s.idleShare()
	}
	r.Warnings = append([]string{}, s.warnings...)
	return r, ctx.Err()
}

func (s *study) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// place is where time is spent: a region, or a region's own time without its
// parts.
type place struct {
	region int
	self   bool
	group  bool // the own time of all regions that count as this one
}

// ownTime names a region's time outside its parts.
const ownTime = "<self>"

// values are the times of the active units in a place, as far as units that do
// the same there differ in them. Regions that count as one are one there, as in the
// ledger: a main thread comes to the same work by other paths than the workers.
func (s *study) values(p place) []float64 {
	if p.group {
		spent := s.spent(p)
		return s.within(spent, s.active, spent)
	}
	return pick(s.fair.column(s.d, p), s.active)
}

// spent are the times of the active units in a place.
func (s *study) spent(p place) []float64 { return pick(s.time.column(s.d, p), s.active) }

// fairly takes off what sets the roles of some units apart, region by region.
func (s *study) fairly(which []int) *timing {
	if !s.units.mixed {
		return s.time
	}
	t := *s.time
	t.useful = s.time.useful.Clone()
	t.useful.ToExclusive(s.d.Regions)
	for r := range s.d.Regions {
		own := make([]float64, len(which))
		for i, k := range which {
			own[i] = t.useful.At(k, r)
		}
		for i, v := range s.within(own, which, own) {
			t.useful.Row(which[i])[r] = v
		}
	}
	t.useful.ToInclusive(s.d.Regions)
	return &t
}

// within takes off what sets the roles of units apart: a main thread does what
// workers do not. Roles that take part are compared as they are, as in the ledger:
// most of their units spend time there, and a fifth at least of what those of the
// busiest role do. The others are moved so that they have the same median.
func (s *study) within(values []float64, which []int, spent []float64) []float64 {
	if !s.units.mixed {
		return values
	}
	type part struct {
		values     []float64
		sum, share float64
		entered    int
		move       float64
	}
	of := map[analyze.Role]*part{}
	for i, k := range which {
		p := of[s.units.roles[k]]
		if p == nil {
			p = &part{}
			of[s.units.roles[k]] = p
		}
		p.values = append(p.values, values[i])
		p.sum += spent[i]
		if spent[i] > 0 {
			p.entered++
		}
	}
	busiest := 0.0
	for _, p := range of {
		if 2*p.entered > len(p.values) {
			p.share = p.sum / float64(len(p.values))
			busiest = max(busiest, p.share)
		}
	}
	if busiest == 0 {
		return values
	}
	var together []float64
	for _, p := range of {
		if p.share >= busiest/account.OtherWork {
			together = append(together, p.values...)
		}
	}
	if len(together) == len(values) {
		return values
	}
	centre := middle(together)
	for _, p := range of {
		if p.share < busiest/account.OtherWork {
			p.move = centre - middle(p.values)
		}
	}
	out := make([]float64, len(values))
	for i, k := range which {
		out[i] = values[i] + of[s.units.roles[k]].move
	}
	return out
}

// middle is the median; zero of nothing.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func pick[T any](from []T, which []int) []T {
	out := make([]T, len(which))
	for i, k := range which {
		out[i] = from[k]
	}
	return out
}
