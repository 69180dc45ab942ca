package account

import (
	"fmt"
	"slices"

	"auspex/model"
)

// Input is what a ledger is drawn from: units of one type, and their exclusive
// times.
type Input struct {
	Type  string
	Roles []int // by unit: only units of equal roles are compared, those apart with nobody
	// Helper marks units that may do nothing for a while without the program
	// having started late or ended early: workers, streams.
	Helper  []bool
	Process []int    // by unit: whose thread it is; nil where units are no threads
	Classes []Class  // by region
	Paths   []string // by region
	// Groups gives the region under which a region is counted; nil where
	// every one stands for itself.
	Groups []int
	ByName bool         // the groups are regions of one name
	Wall   model.Matrix // exclusive
	CPU    model.Matrix // exclusive; no data where it was not measured
	InOut  model.Matrix // time in input and output inside other regions; no data where not measured
	Calls  model.Matrix // no data where not counted
	Bytes  model.Matrix // that calls of communication sent; no data where not counted
	// Samples shared out the time of regions; no data where it was measured in each.
	// Stretches gives for every region the one with all in it whose time was measured
	// as a whole, so that only its shares are by samples; -1 is all of a unit's time.
	Samples   model.Matrix
	Stretches []int
	Totals    []float64 // by unit: all of its time; the sum over regions at least
	Run       float64   // time of the run; the longest total at least
	Cores     int       // that the units shared; 0 where not known
	// Blocked marks, by region, those of time in which a unit had given its core up,
	// where that was measured apart; nil where it has to be guessed.
	Blocked []bool

	off   []float64    // by region: see usual
	aside map[int]bool // groups of work that nobody waits for: see setAside
}

// Apart is the role of units that are compared with nobody.
const Apart = -1

func (in *Input) check() error {
	n, g := in.Wall.Units, in.Wall.Regions
	if len(in.Roles) != n || len(in.Helper) != n || len(in.Totals) != n || len(in.Classes) != g || len(in.Paths) != g {
		return fmt.Errorf("ledger: %d units and %d regions, but %d roles, %d helpers, %d totals, %d classes, %d paths",
			n, g, len(in.Roles), len(in.Helper), len(in.Totals), len(in.Classes), len(in.Paths))
	}
	return nil
}

func (in *Input) group(r int) int {
	if in.Groups == nil {
		return r
	}
	return in.Groups[r]
}

const (
	// idleShare of the mean time is the most an idle unit has.
	idleShare = 1e-3
	// asleepShare of its own time is the most that a unit is on a core which did
	// nothing but start and wait: a thread takes some time to start.
	asleepShare = 0.05
)

// parts is what one unit's time consists of, before anything is compared.
type parts struct {
	work      []float64 // by group: what others may have to wait for, input and output with it
	comm      []float64 // by region
	useful    float64
	waits     float64
	asleep    float64 // of it
	inOut     float64
	sent      float64   // what others may have to wait for, of communication
	disk      []float64 // by region: of it
	off       []float64 // by region: wall time without CPU time, of shared
	blocked   float64   // of it, what counts as work
	beginning float64
	shared    float64
	rest      float64 // run − all of the above and communication
}

// split takes a unit's time apart.
func (in *Input) split(u int, p *parts) {
	clear(p.work)
	clear(p.comm)
	clear(p.disk)
	clear(p.off)
	*p = parts{work: p.work, comm: p.comm, disk: p.disk, off: p.off}
	known, off := 0.0, false
	for r, wall := range in.Wall.Row(u) {
		if !(wall > 0) {
			continue
		}
		known += wall
		switch in.Classes[r] {
		case Communicating, InOutOfAll:
			p.comm[r] = wall
		case Waits:
			p.waits += wall
		case Asleep:
			p.waits += wall
			p.asleep += wall
		case InOut:
			p.inOut += wall
			p.disk[r] += wall
			p.work[in.group(r)] += wall
		case Sending:
			p.sent += wall
			p.work[in.group(r)] += wall
		case Beginning:
			p.beginning += wall
		default:
			own := wall
			if in.InOut.Data != nil {
				disk := min(own, max(0, in.InOut.At(u, r)))
				p.inOut += disk
				p.disk[r] += disk
				p.work[in.group(r)] += disk
				own -= disk
			}
			if in.CPU.Data != nil {
				busy := min(own, max(0, in.CPU.At(u, r)))
				p.shared += own - busy
				p.off[r] = own - busy
				off = off || own-busy > leastOff*wall
				own = busy
			}
			p.useful += own
			p.work[in.group(r)] += own
		}
	}
	if off {
		in.block(u, p)
	}
	for g := range in.aside {
		p.work[g] = 0
	}
	p.rest = max(0, in.Run-known)
}

const (
	// usuallyOff is how many times the share of a unit's time off the processor
	// that of one region is without that meaning anything, or the share of another
	// unit there, leastOff the least share that does.
	usuallyOff = 2
	leastOff   = 0.1
)

// block adds to the work what a unit was off the processor in one region and
// not in the others: it slept there, or was blocked, and others may have to wait
// for it as for work. Who shares cores is off them everywhere, and so are all that
// are in a region with it. Where it was measured which time that is, no other counts.
func (in *Input) block(u int, p *parts) {
	if in.Blocked != nil {
		for r, off := range p.off {
			if in.Blocked[r] {
				p.work[in.group(r)] += off
				p.blocked += off
			}
		}
		return
	}
	wall := 0.0
	for r, v := range in.Wall.Row(u) {
		if v > 0 && in.Classes[r] == Work {
			wall += v
		}
	}
	for r, off := range p.off {
		if off <= 0 {
			continue
		}
		here := in.Wall.At(u, r)
		elsewhere := leastOff
		if wall > here {
			elsewhere = max(elsewhere, usuallyOff*(p.shared-off)/(wall-here))
		}
		elsewhere = max(elsewhere, usuallyOff*in.usual(r))
		if elsewhere < 1 && off > elsewhere*here {
			p.work[in.group(r)] += off
			p.blocked += off
		}
	}
}

// leastThere is the share of the run from which on a unit's time in a region tells
// how much of it is off the processor, and asleepThere the share that no turns of
// others on the cores make of it: all that are in such a region sleep there.
const (
	leastThere  = 0.01
	asleepThere = 0.9
)

// usual is the least share of its time in a region that a unit is off the processor
// there; 0 where only one is in it, or all sleep.
func (in *Input) usual(r int) float64 {
	if in.off == nil {
		in.off = make([]float64, in.Wall.Regions)
		for r := range in.off {
			least, units := 1.0, 0
			for u := range in.Wall.Units {
				if wall := in.Wall.At(u, r); wall > leastThere*in.Run {
					least = min(least, 1-min(1, max(0, in.CPU.At(u, r))/wall))
					units++
				}
			}
			if units > 1 && least < asleepThere {
				in.off[r] = least
			}
		}
	}
	return in.off[r]
}

// Work is what others may have to wait for, by unit and region: CPU time where
// it was measured, all time of input and output, and time blocked.
func (in *Input) Work() model.Matrix {
	own := *in
	own.Groups = nil
	own.apart()
	out := model.NewMatrix(in.Wall.Units, in.Wall.Regions, model.Zero)
	p := own.newParts()
	for u := range in.Wall.Units {
		own.split(u, p)
		copy(out.Row(u), p.work)
	}
	return out
}

func (in *Input) newParts() *parts {
	g := in.Wall.Regions
	return &parts{work: make([]float64, g), comm: make([]float64, g), disk: make([]float64, g), off: make([]float64, g)}
}

// waitsMore is how many times as long as others units wait that nobody waits for.
const waitsMore = 2

// setAside finds work that nobody waits for: of units that have hardly any of the work
// that most of their role do, something else instead, and yet wait far longer than the
// others: servers for input and output, a master that deals work out. Whoever is waited
// for does not wait.
func (in *Input) setAside() {
	n := in.Wall.Units
	all, entered, members := make([]float64, n), map[int][]int{}, map[int][]int{}
	p := in.newParts()
	each := func(do func(u, role int)) {
		for u, role := range in.Roles {
			if role != Apart && in.Totals[u] > 0 {
				in.split(u, p)
				do(u, role)
			}
		}
	}
	each(func(u, role int) {
		if members[role] = append(members[role], u); entered[role] == nil {
			entered[role] = make([]int, len(p.work))
		}
		of := entered[role]
		for g, v := range p.work {
			if v > 0 {
				all[u] += v
				of[g]++
			}
		}
	})
	others := make([]bool, n)
	if !in.waitFar(members, all, others) {
		return
	}
	common := make([]float64, n)
	each(func(u, role int) {
		for g, v := range p.work {
			if 2*entered[role][g] > len(members[role]) {
				common[u] += v
			}
		}
	})
	for _, units := range members {
		usual := median(pickFloats(common, units))
		for _, u := range units {
			others[u] = others[u] && common[u] < usual/OtherWork
		}
	}
	in.aside = map[int]bool{}
	shared := map[int]bool{}
	each(func(u, _ int) {
		for g, v := range p.work {
			if v > 0 && others[u] {
				in.aside[g] = true
			} else if v > 0 {
				shared[g] = true
			}
		}
	})
	for g := range shared {
		delete(in.aside, g)
	}
}

// waitFar marks the units that wait far longer than those of their role do, and tells
// whether there are any.
func (in *Input) waitFar(members map[int][]int, work []float64, far []bool) bool {
	some := false
	for _, units := range members {
		usually := in.Run - median(pickFloats(work, units))
		for _, u := range units {
			far[u] = in.Run-work[u] > waitsMore*usually
			some = some || far[u]
		}
	}
	return some
}

func pickFloats(from []float64, which []int) []float64 {
	out := make([]float64, len(which))
	for i, k := range which {
		out[i] = from[k]
	}
	return out
}

// apart takes for a unit's own what is not waited in: input and output of all that not
// all are in, and such that who is longer in it waits less elsewhere, rather than
// has less work; and sending that some are so much longer in that the others wait for them.
func (in *Input) apart() {
	var own []Class
	for r, class := range in.Classes {
		to := class
		switch {
		case class == InOutOfAll && !in.waitedIn(r):
			to = InOut
		case class == Communicating && in.waitedFor(r):
			to = Sending
		}
		if to != class {
			if own == nil {
				own = slices.Clone(in.Classes)
			}
			own[r] = to
		}
	}
	if own != nil {
		in.Classes = own
	}
}

func (in *Input) waitedIn(r int) bool {
	here, work, waits := in.besides(r)
	return !slices.ContainsFunc(here, func(v float64) bool { return !(v > 0) }) && covariance(here, work) < covariance(here, waits)
}

// besides is the time of all but helpers in a region, and their work and waiting in others.
func (in *Input) besides(r int) (here, work, waits []float64) {
	for u := range in.Wall.Units {
		if in.Helper[u] {
			continue
		}
		busy, idle := 0.0, 0.0
		for other, t := range in.Wall.Row(u) {
			switch in.Classes[other] {
			case Communicating, Waits, Asleep:
				idle += max(0, t)
			case Work, InOut:
				busy += max(0, t)
			}
		}
		if in.Classes[r] == Communicating {
			idle -= max(0, in.Wall.At(u, r))
		}
		here, work, waits = append(here, max(0, in.Wall.At(u, r))), append(work, busy), append(waits, idle)
	}
	return here, work, waits
}

// sends are calls that hand something over and need not wait for anybody.
var sends = Table{{"mpi_send", Sending}, {"mpi_isend", Sending}, {"mpi_bsend", Sending}, {"mpi_ibsend", Sending}, {"mpi_rsend", Sending}, {"mpi_irsend", Sending},
	{"mpi_irecv", Sending}, {"mpi_start", Sending}, {"mpi_startall", Sending}, {"mpi_put", Sending}, {"mpi_get", Sending}, {"mpi_pack", Sending}, {"mpi_unpack", Sending}}

const (
	// instead is the correlation of time in a call with waiting elsewhere up to which
	// units are in the one instead of the other.
	instead = -0.8
	// hardly is the part of what the others wait that units which are waited for do.
	hardly = 0.2
)

// both send and receive, so that who is long in them may wait as well.
var both = Table{{"mpi_sendrecv*", Sending}, {"mpi_wait*", Sending}}

// waitedFor tells whether others wait for units that are long in sending: those are
// in it instead of waiting, hardly wait themselves, and differ by more in it than
// in all their work.
func (in *Input) waitedFor(r int) bool {
	names := model.SplitPath(in.Paths[r])
	name := names[len(names)-1]
	if !sends.Names(name) && !both.Names(name) || !in.differsIn(r) {
		return false
	}
	here, work, waits := in.besides(r)
	if len(here) < 3 {
		return false
	}
	most, n := slices.Max(here), float64(len(here))
	late, uneven := slices.Index(here, most), slices.Max(work)-sum(work)/n
	if both.Names(name) {
		return most-sum(here)/n >= max(Trouble*in.Run, slower*uneven) && fewInstead(here, work, waits)
	}
	return most-sum(here)/n >= max(Trouble*in.Run, uneven) && waits[late] <= hardly*sum(waits)/n &&
		correlation(here, waits) <= instead
}

// differsIn tells whether a unit is longer in a region than the mean by what is called
// trouble.
func (in *Input) differsIn(r int) bool {
	most, all, units := 0.0, 0.0, 0.0
	for u, helper := range in.Helper {
		if v := max(0, in.Wall.At(u, r)); !helper {
			most, all, units = max(most, v), all+v, units+1
		}
	}
	return units > 0 && most-all/units >= Trouble*in.Run
}

const (
	// slower is how many times what units differ in their work those in a call that
	// also receives are longer there: next to one with more work they would wait for it.
	slower = 2
	// nearly is the part of it that makes two times as long as each other.
	nearly = 0.75
)

// fewInstead tells whether less than half of the units are long in a call, none of the
// others is on the way to it, as ranks of a pipeline are, and these wait as much longer
// elsewhere, although those have no less work.
func fewInstead(here, work, waits []float64) bool {
	usual, most := median(here), slices.Max(here)
	var few, others [3]float64 // time there, work, waiting
	count := 0
	for i, v := range here {
		of := &others
		if off := (v - usual) / (most - usual); off > nearly {
			of = &few
			count++
		} else if off > 1-nearly {
			return false
		}
		of[0], of[1], of[2] = of[0]+v, of[1]+work[i], of[2]+waits[i]
	}
	if 2*count >= len(here) {
		return false
	}
	for k := range few {
		few[k], others[k] = few[k]/float64(count), others[k]/float64(len(here)-count)
	}
	longer := few[0] - others[0]
	return few[1] >= others[1]-(1-nearly)*longer && others[2]-few[2] >= nearly*longer
}

// covariance of two series, times their length.
func covariance(a, b []float64) float64 {
	n := float64(max(1, len(a)))
	meanA, meanB, out := sum(a)/n, sum(b)/n, 0.0
	for i := range a {
		out += (a[i] - meanA) * (b[i] - meanB)
	}
	return out
}
