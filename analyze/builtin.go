package analyze

import (
	"maps"
	"math"
	"slices"

	"auspex/account"
	"auspex/internal/mistake"
	"auspex/model"
)

// The built-in metrics: computed from time and the region tree, there for
// every experiment that has a time metric. Shares are of the run time, that
// is the time of the slowest unit.
const (
	TimeShare               = "time_share"    // time / run time, mean over units
	Imbalance               = "imbalance"     // max / mean over units − 1
	MPIShare                = "mpi_share"     // time in communication / time, nested regions included
	Lost                    = "lost"          // max − mean over units, in seconds
	LostShare               = "lost_share"    // lost / run time
	Participation           = "participation" // of a region: the part of the units that have a share of its time
	MessageShare            = "message_share" // of the program: time in calls to other processes / time
	LoadBalance             = "load_balance"  // of the program, as the two below
	CommunicationEfficiency = "communication_efficiency"
	ParallelEfficiency      = "parallel_efficiency"
	RunSeconds              = "run_seconds" // elapsed time of the program: that of its slowest unit

	// Lines of the ledger, as shares of units × run time.
	ImbalanceShare   = "imbalance_share" // of a region, or of the program
	SharedCoresShare = "shared_cores_share"
	IdleShare        = "idle_share"
	WaitingShare     = "waiting_share"
)

// builtIn computes them. A scope may be asked for, as in time_share.inc; the
// exclusive values are meant without.
var builtIn = map[string]func(r *Rows, scope model.Scope) ([]float64, error){
	TimeShare:               timeShare,
	Imbalance:               imbalance,
	MPIShare:                mpiShare,
	Lost:                    lost,
	LostShare:               lostShare,
	Participation:           participation,
	MessageShare:            messageShare,
	LoadBalance:             programOnly(func(t *Times) Real { return t.Efficiency().LoadBalance }),
	CommunicationEfficiency: programOnly(func(t *Times) Real { return t.Efficiency().Communication }),
	ParallelEfficiency:      programOnly(func(t *Times) Real { return t.Efficiency().Parallel }),
	RunSeconds:              programOnly(func(t *Times) Real { return Real(t.Runtime) }),
	ImbalanceShare:          imbalanceShare,
	SharedCoresShare:        ledgerShare(account.SharedCores),
	IdleShare:               ledgerShare(account.Idle),
	WaitingShare:            ledgerShare(account.Waiting),
}

// comparesUnits tells whether a metric is one value over all units.
func comparesUnits(name string) bool {
	if base, _, scoped := model.SplitScope(name); scoped {
		name = base
	}
	return slices.Contains([]string{Imbalance, Lost, LostShare, ImbalanceShare}, name)
}

// BuiltIns lists the names of the built-in metrics.
func BuiltIns() []string { return slices.Sorted(maps.Keys(builtIn)) }

// findBuiltIn parts a name such as time_share.inc into computation and scope.
func findBuiltIn(name string) (compute func(*Rows, model.Scope) ([]float64, error), scope model.Scope, ok bool) {
	if compute, ok = builtIn[name]; ok {
		return compute, model.Exclusive, true
	}
	base, scope, scoped := model.SplitScope(name)
	if !scoped {
		return nil, "", false
	}
	compute, ok = builtIn[base]
	return compute, scope, ok
}

// time is the matrix all built-in metrics are made of.
func (r *Rows) time(scope model.Scope) (model.Matrix, *Times, error) {
	t, err := r.d.Times()
	if err != nil {
		return model.Matrix{}, nil, err
	}
	m, err := r.d.Matrix(t.Metric + "." + string(scope))
	return m, t, err
}

func timeShare(r *Rows, scope model.Scope) ([]float64, error) {
	if r.By == ByUnit || r.By == ByProgram {
		scope = model.Exclusive // a unit's regions add up to its whole time
	}
	m, t, err := r.time(scope)
	if err != nil {
		return nil, err
	}
	scale := t.Runtime
	if r.By == ByRegion || r.By == ByProgram {
		scale *= float64(len(r.d.Units))
	}
	out := r.fold(m, nil, summed)
	for i := range out {
		out[i] = float64(Ratio(out[i], scale))
	}
	return out, nil
}

// spread gives the largest and the mean time over units behind each row, and
// the row's own. A region is compared by its own time; a unit or the whole
// program by useful time, since waiting mirrors what the others did.
func (r *Rows) spread(scope model.Scope) (most, average, own []float64, err error) {
	m, t, err := r.time(scope)
	if err != nil {
		return nil, nil, nil, err
	}
	most, average, own = make([]float64, r.size), make([]float64, r.size), make([]float64, r.size)
	switch r.By {
	case ByUnit, ByProgram:
		_, largestUseful := Extremes(t.Useful)
		for i := range own {
			most[i], average[i] = largestUseful, Mean(t.Judged())
			own[i] = largestUseful
			if r.By == ByUnit {
				own[i] = t.Useful[i]
			}
		}
	default:
		regions := r
		if r.By == BySummary {
			regions = &Rows{By: ByRegion, d: r.d, size: len(r.d.Regions)}
		}
		tops, sums := regions.fold(m, nil, greatest), regions.fold(m, nil, summed)
		for i := range own {
			g := r.Region[i]
			most[i], average[i], own[i] = tops[g], sums[g]/float64(len(r.d.Units)-t.Sleepers()), tops[g]
			if r.By == BySummary {
				own[i] = m.At(r.Unit[i], g)
			}
		}
	}
	return most, average, own, nil
}

func imbalance(r *Rows, scope model.Scope) ([]float64, error) {
	_, average, own, err := r.spread(scope)
	if err != nil {
		return nil, err
	}
	out := make([]float64, r.size)
	for i := range out {
		out[i] = float64(Ratio(own[i], average[i])) - 1
	}
	return out, nil
}

// lost is how long the units wait for the slowest, in the mean; of one unit,
// how much less than the slowest it has.
func lost(r *Rows, scope model.Scope) ([]float64, error) {
	most, average, own, err := r.spread(scope)
	if err != nil {
		return nil, err
	}
	out := make([]float64, r.size)
	for i := range out {
		out[i] = most[i] - average[i]
		if r.By == ByUnit || r.By == BySummary {
			out[i] = most[i] - own[i]
		}
	}
	return out, nil
}

func lostShare(r *Rows, scope model.Scope) ([]float64, error) {
	t, err := r.d.Times()
	if err != nil {
		return nil, err
	}
	seconds, err := lost(r, scope)
	if err != nil {
		return nil, err
	}
	out := make([]float64, r.size)
	for i := range out {
		out[i] = float64(Ratio(seconds[i], t.Runtime))
	}
	return out, nil
}

func mpiShare(r *Rows, _ model.Scope) ([]float64, error) {
	switch r.By {
	case BySummary:
		communication, whole, err := r.d.communicationTimes()
		if err != nil {
			return nil, err
		}
		return Quotients(r.fold(communication, nil, summed), r.fold(whole, nil, summed)), nil
	case ByRegion:
		communication, whole := make([]float64, r.size), make([]float64, r.size)
		err := r.d.eachNested(func(_ int, inside, all []float64) {
			for g, v := range all {
				communication[g] += inside[g]
				whole[g] += v
			}
		})
		return Quotients(communication, whole), err
	}
	// Over all regions it is the same by path and by name.
	paths := r
	if flat := r.d.flat; flat != nil {
		paths = &Rows{By: r.By, d: flat.parent, size: r.size}
	}
	whole, _, err := paths.time(model.Exclusive)
	if err != nil {
		return nil, err
	}
	outside := make([]bool, len(paths.d.Communication))
	for g, inside := range paths.d.Communication {
		outside[g] = !inside
	}
	return Quotients(paths.fold(whole, outside, summed), paths.fold(whole, nil, summed)), nil
}

// messageShare is time in calls to other processes, of MPI or of a library like it,
// but for starting and ending and for files. Unlike mpi_share it leaves out what threads
// wait for one another.
func messageShare(r *Rows, _ model.Scope) ([]float64, error) {
	if r.By != ByProgram {
		return nil, mistake.Refuse("%s is of the whole program, not by %s", MessageShare, r.By)
	}
	d := r.d
	if d.flat != nil { // over all regions it is the same by path and by name
		d = d.flat.parent
	}
	rows := &Rows{By: ByProgram, d: d, size: 1}
	m, _, err := rows.time(model.Exclusive)
	if err != nil {
		return nil, err
	}
	inside, other := make([]bool, len(d.Regions)), make([]bool, len(d.Regions))
	for g, region := range d.Regions {
		inside[g] = region.Kind == model.MPI || region.Kind == model.Comm || region.Parent != model.NoParent && inside[region.Parent]
		class := d.Classes[g]
		other[g] = !(class == account.Communicating || class == account.Waits && inside[g])
	}
	return Quotients(rows.fold(m, other, summed), rows.fold(m, nil, summed)), nil
}

// participation counts the units that have a share of a region's work: a fifth at
// least of the mean.
func participation(r *Rows, scope model.Scope) ([]float64, error) {
	if r.By != ByRegion {
		return nil, mistake.Refuse("%s is of regions, not by %s", Participation, r.By)
	}
	m, t, err := r.time(scope)
	if err != nil {
		return nil, err
	}
	n := float64(m.Units - t.Sleepers())
	least, out := r.fold(m, nil, summed), make([]float64, r.size)
	for u := range m.Units {
		for g, v := range m.Row(u) {
			if v > 0 && v*n*account.OtherWork >= least[g] {
				out[g] += 1 / n
			}
		}
	}
	return out, nil
}

// programOnly is a metric of the whole program; rows of another kind have no
// answer.
func programOnly(value func(*Times) Real) func(*Rows, model.Scope) ([]float64, error) {
	return func(r *Rows, _ model.Scope) ([]float64, error) {
		if r.By != ByProgram {
			return nil, mistake.Refuse("efficiencies and the elapsed time are of the whole program, not by %s", r.By)
		}
		t, err := r.d.Times()
		if err != nil {
			return nil, err
		}
		v := float64(value(t))
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		return []float64{v}, nil
	}
}
