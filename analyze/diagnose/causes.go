package diagnose

import (
	"context"
	"math"
	"slices"

	"auspex/analyze"
	"auspex/cluster"
	"auspex/model"
	"auspex/rough"
)

// Sampled is time that units spend in a function, by samples, and where that is. The
// fields are those of Cause.
type Sampled struct {
	File       string       `json:"file"`
	Line       int          `json:"line"`
	Most       analyze.Real `json:"most"`
	Mean       analyze.Real `json:"mean"`
	SlowMean   analyze.Real `json:"slow_mean"`
	OthersMean analyze.Real `json:"others_mean"`
	// Only: no unit but the slow ones spends any time there worth a word.
	Only bool `json:"only"`
}

// Cause explains the differences in one core region, and says what they cost.
type Cause struct {
	Region string `json:"region"`
	// Within is the region that was only sampled, somewhere below, in which most
	// of the difference is; "" where there is none.
	Within string `json:"within"`
	// Sampled is what samples found the units to spend in Within; nil where there is none.
	Sampled *Sampled `json:"sampled"`
	// Attributes is the smallest set of metrics that tells the kinds apart,
	// chosen by the rule of "Debugging SPMD programs", section 4; of a
	// continuum, the metrics that vary with the time.
	Attributes []string     `json:"attributes"`
	LostShare  analyze.Real `json:"lost_share"` // (slowest − mean) / run time
	Lost       analyze.Real `json:"lost"`
	// With are the regions that units do before they wait, too, so that their
	// differences even out with those here or have to be mended with them, and Alone is
	// what balancing this one alone gains, as a share of the run: less than nothing where
	// the others make up for it.
	With  []string     `json:"with"`
	Alone analyze.Real `json:"alone_share"`
	// Replayed is what balancing the region gains in a replay, as a share of the
	// run; nil where no trace was kept. Association says that it gains nothing:
	// the region differs between units, but nobody waits for it.
	Replayed    *float64     `json:"replayed_gain"`
	Association bool         `json:"association"`
	Slowest     Name         `json:"slowest"` // the unit that takes longest here
	Most        analyze.Real `json:"most"`    // its time
	Mean        analyze.Real `json:"mean"`
	// Slow are the units that take as long as the slowest, where some take less.
	Slow       []Name       `json:"slow"`
	SlowMean   analyze.Real `json:"slow_mean"`
	OthersMean analyze.Real `json:"others_mean"`
	// Only are the units that spend any time here, where that others spend none is most of
	// the difference and no metric says what it is that they do not do.
	Only []Name `json:"only"`
	// InThreads: most of what is lost is lost between threads of one process, which is
	// compared with others as a whole.
	InThreads bool `json:"in_threads"`
	// Blocked is how long the slowest unit is off the processor here, where that is why
	// it takes longer: neither work nor any metric.
	Blocked  analyze.Real `json:"blocked"`
	Evidence []Contrast   `json:"evidence"` // for each attribute
	Core     []string     `json:"core"`
	Reducts  [][]string   `json:"reducts"`
	Complete bool         `json:"complete"` // Reducts are all there are
	Exact    bool         `json:"exact"`    // no smaller set explains as much
	Excluded []Excluded   `json:"excluded"` // the other metrics
	// Inexplicable pairs are of different kinds and alike in all metrics.
	Inexplicable      [][2]Name             `json:"inexplicable"`
	InexplicablePairs int64                 `json:"inexplicable_pairs"`
	BalanceBy         string                `json:"balance_by"`
	Balance           []UnitWork            `json:"balance"`
	Table             *DecisionTable        `json:"table,omitempty"`
	Matrix            *DiscernibilityMatrix `json:"matrix,omitempty"`
}

// Excluded is a metric that is not among the attributes, and why.
type Excluded struct {
	Attribute string `json:"attribute"`
	Why       string `json:"why"`
}

// The reasons to exclude a metric.
const (
	WhyConstant = "the same everywhere"
	WhyWeak     = "does not vary with the time"
	WhyWeaker   = "varies less with the time than others"
	WhyTooQuick = "takes too little time for it"
	WhyMissing  = "missing in some units"
	WhyAbsent   = "only units that enter the region have it"
)

// DecisionTable is the decision table of one region; identical rows are one.
// Attributes that are but noise are shown in it and not used.
type DecisionTable struct {
	Attributes []string      `json:"attributes"`
	Used       []bool        `json:"used"` // by attribute
	Rows       []DecisionRow `json:"rows"`
}

// DecisionRow is a row of it: classes of the attributes, and the kind.
type DecisionRow struct {
	Units    []Name `json:"units"`
	Values   []int  `json:"values"`
	Decision int    `json:"decision"`
}

const (
	// significance is the chance of taking noise for a cause, over all metrics
	// of a region.
	significance = 0.05
	// weakCorrelation is the least with which a metric explains a continuum:
	// close to half of the variance. nearlyBest is how close to the best
	// others have to come to explain it as well.
	weakCorrelation = 0.65
	nearlyBest      = 0.05
)

// explain says what is behind the troubles, and looks for the problems that
// all units share.
func (s *study) explain(ctx context.Context, troubles []trouble, r *Diagnosis, o Options) error {
	places := make([]place, len(troubles))
	for k, t := range troubles {
		places[k] = t.place
	}
	all, err := s.measure(ctx, places, o.WithMPI)
	if err != nil {
		return err
	}
	var kept [][]attribute
	for k, t := range troubles {
		c, of, err := s.cause(ctx, t, all, k, o)
		if err != nil {
			return err
		}
		// Less than is called trouble, and nothing behind it, is no finding; nor
		// is a unit that has no more than those it is compared with.
		if (c.Most > c.Mean || c.InThreads) && (len(c.Attributes) > 0 || s.worthExplaining(t.share/2) || t.apart) {
			r.Causes, kept = append(r.Causes, *c), append(kept, of)
		}
	}
	if r.Joint, err = s.joint(ctx, r.Causes, kept, o); err != nil {
		return err
	}
	r.Internal, err = s.internal(ctx, all)
	return err
}

// hasKinds tells whether units are explained by kinds, not as a continuum.
func (s *study) hasKinds() bool { return !s.continuum() && !s.scattered() }

// cause explains the trouble of which all have the k-th column.
func (s *study) cause(ctx context.Context, t trouble, all []measured, k int, o Options) (*Cause, []attribute, error) {
	times := s.values(t.place)
	c := &Cause{Region: s.name(t.place), Attributes: []string{}, Evidence: []Contrast{}, Core: []string{}, Reducts: [][]string{},
		Excluded: []Excluded{}, Inexplicable: [][2]Name{}, Balance: []UnitWork{}, Slow: []Name{}, Only: []Name{}, With: []string{}, Alone: analyze.Real(t.share)}
	if len(t.with) > 0 {
		c.Alone = analyze.Real(t.alone)
		for _, r := range t.with {
			c.With = append(c.With, s.name(place{region: r, group: s.groups != nil}))
		}
	}
	spent := s.spent(t.place)
	slowest := slowestOf(times, spent)
	peers := peersOf(times, spent, slowest)
	c.Slowest, c.Most, c.Mean = s.units.names[s.active[slowest]], analyze.Real(spent[slowest]), analyze.Real(analyze.Mean(pick(spent, peers)))
	within := s.mostIn(t.place, slowest, float64(c.Most-c.Mean))
	c.Lost, c.LostShare = analyze.Real(t.lost), analyze.Real(t.share)
	decision := s.link.Labels
	if !s.hasKinds() || len(s.kinds) < 2 {
		decision = tertiles(times)
	}
	who := takePart(spent, peers, slowest)
	if t.absence {
		who.apart, who.beside = true, false
	}
	from := attributes(all, k, who.there)
	for i, a := range from {
		from[i].seen, from[i].values = a.values, s.within(a.values, s.active, spent)
		if who.beside {
			from[i].values = who.middling(from[i].values)
		}
	}
	if who.beside {
		times = who.middling(times)
		decision = who.asMiddle(decision, times)
	}
	groups, err := s.groupsByTime(ctx, times)
	if err != nil {
		return nil, nil, err
	}
	those, others := s.slow(c, groups, slowest, peers, spent)
	if within >= 0 {
		at, inside := s.d.Regions[within], s.inside(within)
		c.Within = s.d.Paths[within]
		c.Sampled = &Sampled{File: at.File, Line: at.Line, Most: analyze.Real(inside[slowest]), Mean: analyze.Real(analyze.Mean(pick(inside, peers))),
			SlowMean: analyze.Real(analyze.Mean(pick(inside, those))), OthersMean: analyze.Real(analyze.Mean(pick(inside, others)))}
		anywhere := s.spentIn(func(r int) bool { return r == within || s.units.mixed && s.sameFunction(r, within) })
		c.Sampled.Only = len(those) > 0 && mostBut(anywhere, those) < hardlyAny*analyze.Mean(pick(inside, those))
	}
	kept, err := s.reasons(ctx, c, from, times, groups, who)
	if err != nil {
		return nil, nil, err
	}
	if len(kept) == 0 && who.apart {
		c.Only = s.units.pick(pick(s.active, who.there))
	}
	if threads := s.ledger.Units / max(1, len(s.units.names)); s.units.level == Processes && threads > 1 {
		// What processes differ by a little, and threads by more, is not the processes'.
		if more := float64(c.Most - c.Mean); more < 0.05*float64(c.Mean) && more/float64(threads) < t.lost/2 {
			c.InThreads, kept = true, nil
		}
	}
	if len(kept) == 0 && len(c.Only) == 0 && !c.InThreads {
		if c.Blocked, err = s.blocked(t.place, slowest, spent); err != nil {
			return nil, nil, err
		}
	}
	if len(kept) == 0 && c.Blocked == 0 && len(c.Only) == 0 && !c.InThreads {
		if a, ok := s.placed(times); ok {
			kept = append(kept, a)
			if err := s.classes(ctx, kept); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(kept) == 0 && c.Blocked == 0 && !c.InThreads && who.beside && who.partly {
		t.absence = true // nothing tells why those that are there differ
		return s.cause(ctx, t, all, k, o)
	}
	if len(kept) > rough.MaxAttributes {
		kept = kept[:rough.MaxAttributes]
	}
	result, err := rough.Reduce(ctx, decisionTable(kept, decision))
	if err != nil {
		return nil, nil, err
	}
	s.conclude(c, kept, result)
	if o.Table || o.Matrix {
		varying, err := s.varying(ctx, from)
		if err != nil {
			return nil, nil, err
		}
		if err := s.show(c, varying, kept, decision, o.Matrix); err != nil {
			return nil, nil, err
		}
	}
	s.evidence(c, kept, times, groups, who)
	s.balance(c, kept, spent, peers)
	return c, kept, nil
}

// mostIn follows what was sampled below a measured region down to where four
// fifths of what the slowest unit has more than the mean are; -1 for nowhere.
func (s *study) mostIn(p place, slowest int, more float64) int {
	if !p.group || s.named || more <= 0 {
		return -1
	}
	at := p.region
	for r, region := range s.d.Regions { // parents come first
		if s.groups[r] != p.region || region.OfCaller() || s.caller(r, p.region) != at {
			continue
		}
		if spent := s.inside(r); spent[slowest]-analyze.Mean(spent) >= 0.8*more {
			at = r
		}
	}
	if at == p.region {
		return -1
	}
	return at
}

// caller is the nearest region around one that can be told, top at the furthest.
func (s *study) caller(r, top int) int {
	for r = s.d.Regions[r].Parent; r != top && r != model.NoParent && s.d.Regions[r].OfCaller(); {
		r = s.d.Regions[r].Parent
	}
	return r
}

// hardlyAny is the part of what some spend in a function that another may have there and
// be told not to.
const hardlyAny = 0.01

// mostBut is the greatest of the others' values, whatever their role.
func mostBut(values []float64, those []int) float64 {
	most := 0.0
	for i, v := range values {
		if !slices.Contains(those, i) {
			most = max(most, v)
		}
	}
	return most
}

// inside is what each unit spends in a region and below it. Units of several roles, as a
// main thread and workers, come to it by paths of their own: there it is what they spend
// wherever the same function calls it.
func (s *study) inside(r int) []float64 {
	caller := s.caller(r, s.groups[r])
	return s.spentIn(func(other int) bool {
		return other == r || s.units.mixed && s.sameFunction(other, r) && s.sameFunction(s.caller(other, s.groups[r]), caller)
	})
}

// spentIn is what each unit spends in some regions and below them.
func (s *study) spentIn(counts func(r int) bool) []float64 {
	spent, within := make([]float64, len(s.active)), make([]bool, len(s.d.Regions))
	for r, region := range s.d.Regions { // parents come first
		if within[r] = region.Parent != model.NoParent && within[region.Parent]; within[r] || !counts(r) {
			continue
		}
		within[r] = true
		for i, k := range s.active {
			spent[i] += s.time.useful.At(k, r)
		}
	}
	return spent
}

// sameFunction tells whether two regions are one function on different paths.
func (s *study) sameFunction(a, b int) bool {
	if a == model.NoParent || b == model.NoParent {
		return a == b
	}
	x, y := s.d.Regions[a], s.d.Regions[b]
	return x.Name == y.Name && x.Line == y.Line && x.File == y.File
}

// blocked is the time without CPU time of the slowest unit in a place, where that
// is nearly all that it has more than the mean; else 0.
func (s *study) blocked(p place, slowest int, spent []float64) (analyze.Real, error) {
	if !s.time.beyond {
		return 0, nil
	}
	exclusive, err := s.d.Matrix(model.CPUTime + ".exc")
	if err != nil {
		return 0, err
	}
	parts := []int{p.region}
	switch {
	case p.group:
		parts = s.members(p.region)
	case !p.self:
		parts = s.subtree(p.region, false)
	}
	off := pick(s.units.sum(exclusive, parts, true), s.active)
	for i, cpu := range off {
		off[i] = max(0, spent[i]-cpu)
	}
	if more := spent[slowest] - analyze.Mean(spent); more > 0 && off[slowest]-analyze.Mean(off) >= mostOfIt*more {
		return analyze.Real(off[slowest]), nil
	}
	return 0, nil
}

// conclude names what survived, and keeps what the rough sets say of it.
func (s *study) conclude(c *Cause, kept []attribute, result *rough.Result) {
	names := func(set []int) []string {
		out := []string{}
		for _, a := range set {
			out = append(out, kept[a].name)
		}
		return out
	}
	c.Core, c.Complete, c.Exact = names(result.Core), result.Complete, result.Exact
	for _, r := range result.Reducts {
		c.Reducts = append(c.Reducts, names(r))
	}
	c.InexplicablePairs = result.InexplicablePairs
	for _, p := range result.Inexplicable {
		c.Inexplicable = append(c.Inexplicable, [2]Name{s.units.names[s.active[p.A]], s.units.names[s.active[p.B]]})
	}
	c.Attributes = names(analyze.Counting(len(kept)))
}

// varying puts the metrics into classes and leaves out those with one alone.
func (s *study) varying(ctx context.Context, from []attribute) ([]attribute, error) {
	var out []attribute
	for _, a := range from {
		if !slices.ContainsFunc(a.values, math.IsNaN) {
			out = append(out, a)
		}
	}
	if err := s.classes(ctx, out); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(a attribute) bool { return slices.Min(a.classes) == slices.Max(a.classes) }), nil
}

// classes are the values of the attributes in the decision table: the OPTICS
// class of the metric, or its third in a continuum.
func (s *study) classes(ctx context.Context, of []attribute) error {
	for i := range of {
		classes, err := s.ownKinds(ctx, of[i].values)
		if err != nil {
			return err
		}
		of[i].classes = classes
	}
	return nil
}

// ownKinds groups the units by one quantity alone.
func (s *study) ownKinds(ctx context.Context, values []float64) ([]int, error) {
	if !s.hasKinds() {
		return tertiles(values), nil
	}
	l, _, err := cluster.Auto(ctx, cluster.Points{Data: values, N: len(values), Dim: 1})
	if err != nil {
		return nil, err
	}
	return l.Labels, nil
}
