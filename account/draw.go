package account

import (
	"maps"
	"math"
	"slices"
)

// Draw makes the ledger of units of one type.
func Draw(in Input) (*Ledger, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	for u := range in.Wall.Units {
		in.Run = max(in.Run, sum(in.Wall.Row(u)))
	}
	l := &Ledger{Type: in.Type, Units: in.Wall.Units, RunSeconds: in.Run, Cores: in.Cores, ByName: in.ByName, Groups: in.Groups, Lines: []Line{}}
	if l.whole() <= 0 {
		return l, nil
	}
	in.apart()
	in.setAside()
	for r, class := range in.Classes {
		switch class {
		case InOutOfAll:
			l.WaitedIn = append(l.WaitedIn, r)
		case Sending:
			l.WaitedFor = append(l.WaitedFor, r)
		}
	}
	d := &drawing{Input: in, l: l}
	d.survey()
	d.join()
	d.judge()
	d.findCommon()
	d.settle()
	d.allot()
	d.shareCores()
	d.findOthers()
	d.write()
	return l, nil
}

// crowded is the part of the time off the cores that turns of others on them
// have to explain for it to be put down to them.
const crowded = 0.8

// drawing is a ledger under way.
type drawing struct {
	Input
	l      *Ledger
	idle   []bool
	roles  map[int]*role
	asks   []bool    // by region: see asks
	cost   []float64 // by region: the own cost of one call, or of all of a unit's
	each   []float64 // by region: that of a byte, 0 where some who make the call send none
	common []float64 // by region: what most units spend in a call alike
	scale  float64   // of the cost
	// ending is the least time that units have in each region of starting and
	// ending, and outside the time besides them that all have: nobody waits in it.
	ending  []float64
	outside float64
	pace    float64 // by how much units differ in all regions alike, meaning nothing
	// tail and width are how far one unit, and all of them, are off in regions
	// that differ least: what noise with a heavy tail makes.
	tail, width float64
	// stretch is the wall time of a second's work, worked that of all work.
	stretch, worked float64
	meanUseful      float64 // of all units
	// What was found, summed over units.
	useful, waiting, ends, inOut, shared, communication, unused, unnamed float64
	slept, outsideAll                                                    float64   // of what is unused: by those asleep, and outside of any region
	joining                                                              float64   // by main threads that are asleep while others work, beside what is unused
	helping                                                              bool      // that is by other threads, too
	blocked                                                              float64   // of what is shared
	waitedIn, costIn, diskIn                                             []float64 // by region
	doubted                                                              float64   // of communication
	unplaced                                                             bool      // chance alone keeps a region from being named that may be trouble
	lost                                                                 map[*stats]float64
}

// role is what is known of the units of a role.
type role struct {
	units    int
	groups   []*stats // of work
	busiest  int      // the unit with most work
	mostWork float64  // its work
	restMost float64  // the most that a unit has in all groups that only scatter
	joints   []*joint
	in       []*joint  // by group: the joint it is in; nil for none
	looks    stretches // of its time, where it was shared out by samples
}

// alone tells whether a group is waited for by itself.
func (x *role) alone(g int) bool { return x.groups[g].real && x.in[g] == nil }

// scattered tells whether a group is taken together with all that mean nothing.
func (x *role) scattered(g int) bool {
	return !x.groups[g].real || x.in[g] != nil && !x.in[g].real
}

// stats are the times of units in one group.
type stats struct {
	units, entered     int
	sum, squares, most float64
	slowest            int
	real               bool    // the spread is more than noise
	chance, one        float64 // by which units differ as samples fall, and what one stands for
}

func (s *stats) add(u int, v float64) {
	s.sum += v
	s.squares += v * v
	if v > 0 {
		s.entered++
	}
	if v > s.most {
		s.most, s.slowest = v, u
	}
}

func (s *stats) mean() float64 { return s.sum / float64(max(1, s.units)) }

// survey finds who is idle, and by role the sum and the most of every group.
func (d *drawing) survey() {
	n, g := d.Wall.Units, d.Wall.Regions
	mean := 0.0
	for _, t := range d.Totals {
		mean += t / float64(n)
	}
	d.idle = make([]bool, n)
	d.roles = map[int]*role{}
	d.asks = make([]bool, g)
	for r, path := range d.Paths {
		d.asks[r] = asks(path)
	}
	d.cost, d.each, d.ending, d.outside = make([]float64, g), make([]float64, g), make([]float64, g), math.Inf(1)
	for r := range d.cost {
		d.cost[r], d.each[r], d.ending[r] = math.Inf(1), math.Inf(1), math.Inf(1)
	}
	busy, taken := 0.0, 0.0
	p := d.newParts()
	for u := range n {
		d.split(u, p)
		d.meanUseful += p.useful / float64(n)
	}
	for u := range n {
		d.split(u, p)
		if d.idle[u] = d.Totals[u] <= idleShare*mean || d.asleep(u, p); d.idle[u] {
			d.l.Idle = append(d.l.Idle, u)
			continue
		}
		d.l.BeyondCPU = d.l.BeyondCPU || d.CPU.Data != nil && (p.inOut > 0 || p.blocked > 0 || p.sent > 0)
		busy += p.useful + p.inOut + p.sent + p.blocked
		taken += p.useful + p.inOut + p.sent + p.shared
		if d.Roles[u] != Apart {
			d.compare(u, p)
		}
		for r, v := range p.comm {
			if v > 0 {
				d.cost[r] = min(d.cost[r], v/d.calls(u, r))
				d.each[r] = min(d.each[r], d.ofByte(u, r, v))
			}
			if v := d.Wall.At(u, r); v > 0 && d.Classes[r] == Beginning {
				d.ending[r] = min(d.ending[r], v)
			}
		}
		d.outside = min(d.outside, p.rest)
	}
	if d.stretch, d.worked = 1, taken; busy > 0 {
		d.stretch = taken / busy
	}
	// What they took from each other is over when those with less work have done it:
	// who has more goes on with a core of its own.
	if active := n - len(d.l.Idle); d.Cores > 0 && active > d.Cores {
		d.stretch = max(1, d.stretch*float64(d.Cores)/float64(active))
	}
}

// compare adds a unit to those of its role.
func (d *drawing) compare(u int, p *parts) {
	x := d.roles[d.Roles[u]]
	if x == nil {
		x = &role{groups: make([]*stats, d.Wall.Regions), in: make([]*joint, d.Wall.Regions)}
		for r := range x.groups {
			x.groups[r] = &stats{}
		}
		d.roles[d.Roles[u]] = x
	}
	x.units++
	work := 0.0
	for r, v := range p.work {
		x.groups[r].add(u, v)
		work += v
	}
	if work > x.mostWork {
		x.busiest, x.mostWork = u, work
	}
}

// asleep tells threads that are off the cores nearly all of the time. Where it was
// measured which of it they were blocked, those are not that have work to do and wait
// for a core with it.
func (d *drawing) asleep(u int, p *parts) bool {
	off := p.shared + p.asleep
	if d.Blocked != nil && p.shared > p.asleep && p.useful > asleepShare*d.meanUseful {
		return false
	}
	const nothing = 1e-3 // of it: a call for a file or so
	return (d.Helper[u] || p.asleep > 0) && off > 0 && p.useful <= asleepShare*off && p.waits-p.asleep+p.inOut+p.sent+p.beginning+sum(p.comm) <= nothing*off
}

// coresTaken tells whether those that are not idle are as many as the cores: there was
// none for the others.
func (d *drawing) coresTaken() bool { return d.Cores > 0 && d.Wall.Units-len(d.l.Idle) >= d.Cores }

// join compares units across roles where they do the same: in the groups in which
// most of a role take part, with a fifth at least of what those of the busiest role
// have there. A main thread and its workers share a loop so, and whatever the main
// thread does alone is its own.
func (d *drawing) join() {
	numbers := slices.Sorted(maps.Keys(d.roles))
	for _, x := range d.roles {
		for _, s := range x.groups {
			s.units = x.units
		}
	}
	for g := range d.Wall.Regions {
		busiest := 0.0
		for _, x := range d.roles {
			if s := x.groups[g]; s.takePart() {
				busiest = max(busiest, s.mean())
			}
		}
		var all *stats
		for _, number := range numbers {
			x := d.roles[number]
			switch s := x.groups[g]; {
			case !s.takePart() || s.mean() < busiest/OtherWork:
			case all == nil:
				all = s
			default:
				all.join(s)
				x.groups[g] = all
			}
		}
	}
}

// OtherWork is how many times as much a unit has as another that does something
// else in the same region: it has no share of the one's work.
const OtherWork = 5

// takePart tells whether most units do.
func (s *stats) takePart() bool { return s.sum > 0 && 2*s.entered > s.units }

func (s *stats) join(o *stats) {
	s.units, s.entered = s.units+o.units, s.entered+o.entered
	s.sum, s.squares = s.sum+o.sum, s.squares+o.squares
	if o.most > s.most {
		s.most, s.slowest = o.most, o.slowest
	}
}

// calls counts them; 1 where it is not known, and where how many there are is decided
// by how long a unit waits.
func (d *drawing) calls(u, r int) float64 {
	if d.Calls.Data == nil || d.asks[r] {
		return 1
	}
	if c := d.Calls.At(u, r); c >= 1 {
		return c
	}
	return 1
}

// ofByte is the time of a call for each byte; 0 where none are known of.
func (d *drawing) ofByte(u, r int, seconds float64) float64 {
	if d.Bytes.Data != nil {
		if b := d.Bytes.At(u, r); b > 0 {
			return seconds / b
		}
	}
	return 0
}

// own is what a unit's calls cost at least: as many as it makes, and as many bytes
// as it sends, at what that costs the unit that is done soonest, or what most spend.
func (d *drawing) own(u, r int, spent float64) float64 {
	cost := d.cost[r] * d.calls(u, r)
	if d.each[r] > 0 {
		cost = max(cost, d.each[r]*d.Bytes.At(u, r))
	}
	return min(spent, max(cost, d.common[r]))
}

// judge tells the groups whose spread is real from those that scatter, whose
// differences are taken together, so that they may cancel out, and takes together
// those that even out.
func (d *drawing) judge() {
	for number, x := range d.roles {
		x.looks = d.lookedAt(number)
		d.l.Chance = max(d.l.Chance, x.looks.all())
		for g, s := range x.groups {
			chance, one := x.looks.chance(g)
			s.chance, s.one = max(s.chance, chance), max(s.one, one)
		}
	}
	d.noise()
	for _, x := range d.roles {
		for _, s := range x.groups {
			s.real = d.isReal(s, 1)
		}
	}
	d.restsMost()
	for _, number := range slices.Sorted(maps.Keys(d.roles)) {
		d.evenOut(number, d.roles[number])
	}
	d.restsMost()
	d.l.Scatter = true
	for _, x := range d.roles {
		for _, s := range x.groups {
			d.unplaced = d.unplaced || d.isUnplaced(s)
		}
		d.l.Scatter = d.l.Scatter && d.scatters(x)
	}
}

// restsMost finds the most that a unit has in all groups that only scatter.
func (d *drawing) restsMost() {
	p := d.newParts()
	for number, x := range d.roles {
		x.restMost = 0
		d.eachOf(number, p, func(int) {
			rest := 0.0
			for g, v := range p.work {
				if x.scattered(g) {
					rest += v
				}
			}
			x.restMost = max(x.restMost, rest)
		})
	}
}

// less is how much less work a unit has than others of its role, in the groups
// that really differ and in the rest: what it waits for them, if it does.
// Where cores are shared a second of CPU time takes longer than that.
func (d *drawing) less(u int, p *parts) (real, rest float64) {
	if d.Roles[u] == Apart {
		return 0, 0
	}
	x := d.roles[d.Roles[u]]
	rest = x.restMost
	for g, v := range p.work {
		switch {
		case x.alone(g):
			real += x.groups[g].most - v
		case x.scattered(g):
			rest -= v
		}
	}
	for _, j := range x.joints {
		if j.real {
			more, _ := j.parts(p)
			real += more
		}
	}
	return d.stretch * real, d.stretch * rest
}

// leastSettled of the run is what even the busiest unit waits where units do so after
// each region.
const leastSettled = 0.01

// settle corrects the own cost of communication where units wait after each
// region: then even the one that waits least in all waits for somebody. That
// is so where everybody's waiting holds all that others have more; what is
// left of it where that is least is the cost. So little that noise may as well have
// made it says nothing: then the cost is what it is called.
func (d *drawing) settle() {
	d.scale = 1
	left, cost, least := math.Inf(1), math.Inf(1), math.Inf(1)
	p := d.newParts()
	for u := range d.Wall.Units {
		if d.idle[u] {
			continue
		}
		d.split(u, p)
		spent, own := p.waits, 0.0
		for r, v := range p.comm {
			if v > 0 {
				spent += v
				own += d.own(u, r, v)
			}
		}
		real, rest := d.less(u, p)
		left, cost, least = min(left, spent-real-rest), min(cost, own), min(least, real+rest)
	}
	if left >= 0 && cost > 0 && least >= leastSettled*d.Run {
		d.scale = min(1, left/cost)
	}
}

// allot gives every second of every unit its line.
func (d *drawing) allot() {
	g := d.Wall.Regions
	d.lost = map[*stats]float64{}
	d.waitedIn, d.costIn, d.diskIn = make([]float64, g), make([]float64, g), make([]float64, g)
	own := make([]float64, g)
	p := d.newParts()
	led := d.ledThreads()
	mains := map[int]waited{} // by process: what its main thread waited for
	for _, u := range d.mainsFirst() {
		d.split(u, p)
		if d.idle[u] {
			switch asleep := d.asleep(u, p); {
			case asleep && (!d.Helper[u] && len(d.l.Idle) < d.Wall.Units || d.coresTaken()):
				d.joining += d.Run
				d.helping = d.helping || d.Helper[u]
				continue
			case asleep:
				d.slept += d.Run
			}
			d.unused += d.Run
			continue
		}
		d.useful += p.useful
		d.inOut += p.inOut
		d.shared += p.shared
		d.blocked += p.blocked
		beyond := p.waits          // what is waited beyond the calls' own cost
		inAll := 0.0               // in input and output of all, what a unit may wait there
		doubtful := 0.0            // what may be own cost, or waiting
		late := p.rest - d.outside // what the unit has more of starting and ending
		clear(own)
		for r, v := range p.comm {
			if v == 0 {
				continue
			}
			own[r] = d.scale * d.own(u, r, v)
			if d.Classes[r] == InOutOfAll {
				inAll += v - own[r]
				continue
			}
			beyond += v - own[r]
			d.waitedIn[r] += v - own[r]
			if d.doubts(u, r) {
				doubtful += own[r]
			}
		}
		for r, c := range d.Classes {
			switch v := max(0, d.Wall.At(u, r)); {
			case c == Waits, c == Asleep:
				d.waitedIn[r] += v
			case c == Sending:
				d.communication += v
				d.costIn[r] += v
			case c == Beginning && v > 0:
				late += v - d.ending[r]
			}
			d.diskIn[r] += p.disk[r]
		}
		taken, blamed := d.blame(u, p, beyond+inAll+doubtful+late)
		if led[u] {
			mains[d.Process[u]] = waited{d.roles[d.Roles[u]], blamed}
		}
		within := min(taken, beyond)
		d.waiting += beyond - within
		taken -= within
		held := min(taken, inAll)
		taken -= held
		doubted := min(taken, doubtful)
		taken -= doubted
		for r, v := range own {
			if d.Classes[r] == InOutOfAll && p.comm[r] > 0 {
				if inAll > 0 {
					v += (p.comm[r] - v) * (1 - held/inAll)
				}
				d.inOut += v
				d.diskIn[r] += v
				continue
			}
			if v > 0 && d.doubts(u, r) {
				v *= 1 - doubted/doubtful
				d.doubted += v
			}
			d.communication += v
			d.costIn[r] += v
		}
		ends := max(0, p.rest+p.beginning-taken)
		if d.Helper[u] {
			idle := min(ends, p.rest)
			ends -= idle
			if d.Process != nil {
				idle -= d.idleWith(mains[d.Process[u]], blamed, idle)
			}
			d.unused += idle
			d.outsideAll += idle
		}
		d.ends += ends
	}
}

// doubts tells of a call of a unit's that the busiest of its role does not make
// it. What those who make it have in common may then all be waiting for the one.
func (d *drawing) doubts(u, r int) bool {
	return d.Roles[u] != Apart && !(d.Wall.At(d.roles[d.Roles[u]].busiest, r) > 0)
}

// blame charges the regions in which others of the unit's role had more work
// with what the unit waited, up to what there is, and returns how much, in all and by
// group; what is of no group in particular comes after them.
func (d *drawing) blame(u int, p *parts, available float64) (float64, []float64) {
	real, rest := d.less(u, p)
	all := real + rest
	if all <= 0 || available <= 0 {
		return 0, nil
	}
	x := d.roles[d.Roles[u]]
	scale := min(1, available/all)
	by := make([]float64, len(p.work)+1)
	for g, v := range p.work {
		if s := x.groups[g]; x.alone(g) {
			by[g] = scale * d.stretch * (s.most - v)
			d.lost[s] += by[g]
		} else if s.real {
			d.lost[s] += 0 // far apart, whatever it costs
		}
	}
	for _, j := range x.joints {
		if j.real {
			_, of := j.parts(p)
			for k, g := range j.groups {
				by[g] = scale * d.stretch * of[k]
				d.lost[x.groups[g]] += by[g]
			}
		}
	}
	by[len(p.work)] = scale * rest
	d.unnamed += scale * rest
	return scale * all, by
}

// mainsFirst are all units, those that others of their process are led by first.
func (d *drawing) mainsFirst() []int {
	var mains, helpers []int
	for u, helper := range d.Helper {
		if helper {
			helpers = append(helpers, u)
		} else {
			mains = append(mains, u)
		}
	}
	return append(mains, helpers...)
}

// ledThreads marks the main threads of processes with others.
func (d *drawing) ledThreads() []bool {
	led := make([]bool, d.Wall.Units)
	if d.Process == nil {
		return led
	}
	helped := map[int]bool{}
	for u, helper := range d.Helper {
		helped[d.Process[u]] = helped[d.Process[u]] || helper
	}
	for u, helper := range d.Helper {
		led[u] = !helper && helped[d.Process[u]]
	}
	return led
}

// waited is what a unit of a role waited for, by group.
type waited struct {
	of *role
	by []float64
}

// idleWith charges what a thread is idle while the main thread of its process waits to
// what that waits for, as far as the thread itself is not said to wait for it, and
// returns how much that is: nobody could have given it work meanwhile.
func (d *drawing) idleWith(main waited, own []float64, idle float64) float64 {
	more := slices.Clone(main.by)
	for g, v := range own {
		if main.by != nil {
			more[g] = max(0, more[g]-v)
		}
	}
	all := sum(more)
	if all <= 0 || idle <= 0 {
		return 0
	}
	scale := min(1, idle/all)
	last := len(more) - 1
	for g, v := range more[:last] {
		if v > 0 {
			d.lost[main.of.groups[g]] += scale * v
		}
	}
	d.unnamed += scale * more[last]
	return scale * all
}

// shareCores moves to the shared cores what only looked like something else:
// n units on c cores can be on a processor for c × run time at most, so that
// where the cores were busy the rest is due to sharing. Those who want a core
// take turns: nobody waits for one longer than the others' turns take.
func (d *drawing) shareCores() {
	active := 0
	for _, idle := range d.idle {
		if !idle {
			active++
		}
	}
	if d.Cores <= 0 || active <= d.Cores || d.CPU.Data == nil {
		return
	}
	busy, turns := 0.0, 0.0
	others := float64(active)/float64(d.Cores) - 1 // that want each core
	for u := range d.Wall.Units {
		own := sum(d.CPU.Row(u))
		busy += own
		turns += min(max(0, d.Run-own), others*own)
	}
	// Below 70 % busy nobody had to wait for a core, above 90 % everybody had.
	pressed := (busy/(float64(d.Cores)*d.Run) - 0.7) / 0.2
	without := turns * min(1, max(0, pressed))
	there := d.waiting + d.communication
	if wanted := without - d.shared; wanted > 0 && there > 0 {
		part := min(1, wanted/there)
		d.shared += part * there
		d.waiting -= part * d.waiting
		d.communication -= part * d.communication
	}
	d.l.Crowded = without >= crowded*d.shared
}

// notOwn is how many times as long as the units can have kept each other from the cores
// they have to have stood ready before others are named.
const notOwn = 2

// findOthers tells whether it was mostly not the units themselves that kept each other
// from the cores. While one of n is ready and has none all c cores are busy, and n − c wait
// at most: were it their own doing, they would have had c/(n − c) of CPU time for each
// second of it.
func (d *drawing) findOthers() {
	ready := d.shared - d.blocked
	if d.Cores <= 0 || d.CPU.Data == nil || d.Blocked == nil || ready <= 0 {
		return
	}
	cores, had := float64(d.Cores), 0.0
	for u := range d.Wall.Units {
		had += sum(d.CPU.Row(u))
	}
	active := float64(d.Wall.Units - len(d.l.Idle))
	if own := had / cores * max(0, active-cores); ready > notOwn*own {
		d.l.OwnCores = min(1, had/(cores*d.Run))
	}
}

// sum adds up what is positive.
func sum(of []float64) float64 {
	out := 0.0
	for _, v := range of {
		out += max(0, v)
	}
	return out
}
