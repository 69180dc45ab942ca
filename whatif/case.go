package whatif

import (
	"context"
	"slices"

	"auspex/events"
	"auspex/platform"
	"auspex/simulate"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// Case is a run that changes are tried on.
type Case struct {
	trace     *trace.Trace // nil where only a profile is known
	ranks     int
	profile   *loggp.Profile
	network   loggp.Network
	platform  *Machine
	measured  float64   // seconds; 0 where the run was not measured
	outside   float64   // of those, before and after all that the trace holds
	spread    float64   // of repeated runs, as a share
	stretch   []float64 // by rank; nil where computation took its CPU time
	late      []float64 // by rank; nil where starting and ending took their CPU time
	stops     trace.Stops
	stood     []stood         // by rank; nil where nothing is known of stops
	delays    [][]float64     // that those within calls made of the run as it was
	waits     map[string]bool // regions in which threads wait
	partial   bool            // the trace does not hold all that computed
	phased    bool            // collectives of all ranks part the run; see inPhases
	dealer    *dealer         // the rank that hands out work; nil where none does
	programs  [][]int         // ranks of each program; nil where there is one
	base      *outcome
	timed     bool
	untold    float64 // see Setup
	hidden    hidden  // where only a profile is known
	notes     []string
	turns     turns
	tries     tries
	functions []part     // that samples found within regions
	levelled  []levelled // by rank; nil where the trace is too large
	// unexplained is how much longer the run took than its replay, where no network
	// explains it.
	unexplained float64
	wanting     bool // that is taken to be due to a want of cores
	// tooLong is by how much a replay in which every rank has a core takes longer than
	// such a run can.
	tooLong float64
}

// Machine is a platform with ranks on it.
type Machine struct {
	Name     string // of the platform, for sentences
	Platform *platform.Platform
	Hosts    []int
	Options  simulate.Options
}

// Setup is what a Case is made of.
type Setup struct {
	Trace   *trace.Trace
	Profile *loggp.Profile // of the trace; nil where it is not summed up yet
	Network loggp.Network  // used where Machine is nil
	Machine *Machine
	// Measured is how long the run took, 0 where only the trace is known, and
	// Spread the standard deviation of repeated runs as a share of it.
	Measured, Spread float64
	// Outside is what the run spent before and after all that the trace holds, and
	// what else of it is no network's.
	Outside float64
	// Timed: the times of calls were measured, and are all that the run spent in them.
	Timed bool
	// Untold is what the mean rank spent, in seconds, in calls that wait for other
	// ranks and of which the trace does not tell for whom.
	Untold float64
	// Partial is that the trace does not hold all that computed: a replay judges no
	// cause.
	Partial bool
	// Waits are the regions in which threads of a rank wait for one another: nothing
	// there can be made faster or balanced.
	Waits map[string]bool
	// Stops is when each rank had no core; nil where that is not known.
	Stops trace.Stops
	// Stretch is how much longer than its CPU time each rank's computation
	// took, since it had to share its core, where no stops are known; nil for not
	// at all.
	Stretch []float64
	// Late is how much later each rank was done with starting and ending, in
	// seconds, since it had to share its core; nil for not at all.
	Late []float64
	// Functions lists what samples found within regions of the trace; nil where there
	// are no samples.
	Functions func(regions map[string]bool) ([]Function, error)
	Notes     []string // what is to be said of the run
}

// SharedMemory is a network like that between ranks of one machine: about a
// microsecond and some gigabytes a second, as MPICH and Open MPI reach through
// shared memory.
func SharedMemory() loggp.Network {
	return loggp.Network{Latency: 0.5e-6, Overhead: 0.3e-6, Bandwidth: 5e9, EagerBelow: 65536}
}

// New sums up a trace and replays it once as it is.
func New(ctx context.Context, s Setup) (*Case, error) {
	profile, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	c := &Case{trace: s.Trace, ranks: s.Trace.NP(), profile: profile, network: s.Network, platform: s.Machine, measured: s.Measured, outside: s.Outside, spread: s.Spread, waits: s.Waits, partial: s.Partial, timed: s.Timed, untold: s.Untold, notes: slices.Clone(s.Notes)}
	c.notes = append(c.notes, c.withoutRegion()...)
	c.phased, c.dealer = inPhases(s.Trace), dealerOf(s.Trace)
	if err := c.sampled(s.Functions); err != nil {
		return nil, err
	}
	if profile.Actions <= keptLevels {
		c.levelled = make([]levelled, c.ranks)
	}
	if s.Timed {
		c.programs = programsOf(s.Trace)
	}
	if s.Machine == nil && len(s.Stretch) == c.ranks {
		c.stretch = s.Stretch
		profile.Stretch(s.Stretch)
	}
	if s.Machine == nil && len(s.Stops) == c.ranks {
		c.stops, c.stood = s.Stops, sumStops(s.Stops)
	}
	if s.Machine == nil && len(s.Late) == c.ranks {
		c.late = s.Late
	}
	if c.base, err = c.replay(ctx, nil); err != nil {
		return nil, err
	}
	c.delays = c.base.delays
	if err := c.fit(ctx); err != nil {
		return nil, err
	}
	return c, c.withCores(ctx)
}

// profile sums the trace up. Stretches of computation are made longer in it.
func (s *Setup) profile(ctx context.Context) (*loggp.Profile, error) {
	if s.Profile != nil {
		return s.Profile.Clone(), nil
	}
	return loggp.NewProfile(ctx, s.Trace)
}

// Profile is the trace's computation by region and rank.
func (c *Case) Profile() *loggp.Profile { return c.profile }

// Base is how long the run took, or its replay where it was not measured.
func (c *Case) Base() float64 {
	if c.measured > 0 || c.base == nil {
		return c.measured
	}
	return c.base.seconds
}

// outcome is a replay's answer.
type outcome struct {
	seconds float64
	compute []float64 // of each rank
	stopped []float64 // of that, without a core; nil where nothing is known of it
	paused  []float64 // blocked or asleep
	delays  [][]float64
	sooner  float64 // that all are done with starting and ending
	tooLong float64 // by how much that is, at least
	freed   float64 // what no network explains and goes with a core for every rank
}

// replay runs the trace with changes.
func (c *Case) replay(ctx context.Context, changes []Change) (*outcome, error) {
	s, err := c.setting(changes)
	if err != nil {
		return nil, err
	}
	return c.replaySetting(ctx, s, changes)
}

func (c *Case) replaySetting(ctx context.Context, s setting, changes []Change) (*outcome, error) {
	if c.platform != nil {
		return c.onPlatform(ctx, s)
	}
	t, o, err := c.options(ctx, s)
	if err != nil {
		return nil, err
	}
	r, err := loggp.Run(ctx, t, o)
	if err != nil {
		return nil, err
	}
	out := &outcome{seconds: r.Seconds, compute: r.Compute, stopped: r.Stopped, paused: r.Paused, delays: r.Delays, sooner: s.sooner}
	if slices.ContainsFunc(changes, func(ch Change) bool { return ch.Kind == Cores }) {
		out.tooLong = c.tooLong
		if c.wanting {
			out.freed = c.unexplained
		}
	}
	return out, nil
}

// Source is the run with changes as spans of time, as a replay without a platform
// has it.
func (c *Case) Source(ctx context.Context, changes []Change) (events.Source, error) {
	s, err := c.setting(changes)
	if err != nil {
		return nil, err
	}
	t, o, err := c.options(ctx, s)
	if err != nil {
		return nil, err
	}
	return loggp.NewSource(t, o), nil
}

// options are what a replay without a platform is to be like, and what it is of.
func (c *Case) options(ctx context.Context, s setting) (*trace.Trace, loggp.Options, error) {
	o := loggp.Options{Network: s.network, Measured: c.network, Work: s.work, Regions: c.profile.Table, Stops: c.stops, Delays: c.delays}
	if s.given == nil && !s.even && s.steps == nil {
		return c.trace, o, nil
	}
	t, stops, err := c.rewrite(ctx, s)
	o.Work, o.Regions, o.Stops = loggp.Work{Speed: s.work.Speed, Cores: s.work.Cores, Calls: s.work.Calls}, nil, stops
	return t, o, err
}

// predicted is the new time of a replay: what replays do not know stays.
func (c *Case) predicted(o *outcome) float64 {
	seconds := max(c.Base()-(c.base.seconds-o.seconds)-o.sooner-o.freed, c.least(o))
	if o.tooLong > 0 {
		return max(seconds-o.tooLong, c.busiest(o))
	}
	return seconds
}

// least is what the replay takes, and starting and ending, which no change makes
// shorter: where the replay of the run as it is takes longer than that was, all of
// it is that much shorter.
func (c *Case) least(o *outcome) float64 {
	ends := c.outside
	if c.measured == 0 || c.stretch != nil || slices.ContainsFunc(c.stood, func(s stood) bool { return s.all() >= told*c.measured }) {
		ends = 0 // who has no core starts and ends as slowly as it computes
	}
	share := 1.0
	if inside := c.measured - ends; c.measured > 0 && c.base.seconds > 0 && inside < c.base.seconds {
		share = max(inside, 0) / c.base.seconds
	}
	return max(max(ends-o.sooner, 0)+o.seconds*share, c.busiest(o))
}

// busiest is what the rank that works longest does so: no run of a program takes less
// than that. Where clocks tell that the run as it was did, all of it is that much
// shorter.
func (c *Case) busiest(o *outcome) float64 {
	if c.measured == 0 {
		return 0
	}
	most, before := c.longestWork(o), c.longestWork(c.base)
	if before > c.measured {
		most *= c.measured / before
	}
	return most
}

// longestWork is the greatest computation of a rank, without stops.
func (c *Case) longestWork(o *outcome) float64 {
	most := 0.0
	for rank, t := range o.compute {
		if o.stopped != nil {
			t -= o.stopped[rank]
		}
		most = max(most, t/c.stretched(rank))
	}
	return most
}
