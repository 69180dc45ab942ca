package truth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"auspex/model"
)

// Trouble is the kind of what was planted into a noisy profile.
type Trouble string

// The kinds; none of them is a well-balanced run.
const (
	None          Trouble = "none"
	Computation   Trouble = "computation"
	Communication Trouble = "communication"
	InOut         Trouble = "input and output"
	Memory        Trouble = "memory"
	SerialRegion  Trouble = "serial region"
	Straggler     Trouble = "straggler rank"
	ThreadWork    Trouble = "threads"
)

// Troubles are all kinds.
var Troubles = []Trouble{None, Computation, Communication, InOut, Memory, SerialRegion, Straggler, ThreadWork}

// Noises are the kinds of noise.
var Noises = []string{"pareto", "lognormal", "ar1", "neighbour"}

// NoisyProfile is a run under noise that is no scatter around a mean: delays with a
// heavy tail, or what lasts.
type NoisyProfile struct {
	Experiment *model.Experiment
	Noise      string
	Kind       Trouble
	Region     string // where it was planted; empty for the whole run
	Unit       int    // the one that has it, -1 for all
	Slowed     int    // the one that a neighbour slowed, -1 for none
	Lost       float64
}

// noisy is such a run under way.
type noisy struct {
	*rand.Rand
	units, steps int
	base         []float64 // seconds of each region in a step
	more         [][]float64
	everyRegion  bool // all meet after each region, else after each step
	NoisyProfile
}

// Noisy makes the profile of a seed: Pareto delays, log-normal steps, paces that drift
// (AR(1)) or units that a neighbour slows for a part of the run; with nothing planted in
// half of them, and one cause of 10 to 30 % of the run in the others. A third has its
// times by 300 to 3,000 samples of a unit.
func Noisy(seed uint64) NoisyProfile {
	m := &noisy{Rand: rand.New(rand.NewPCG(seed, 0x4e01))}
	m.units = []int{4, 6, 8, 16, 32, 64}[m.IntN(6)]
	m.steps = 10 + m.IntN(60)
	m.Noise = Noises[m.IntN(len(Noises))]
	m.everyRegion = m.IntN(2) == 0
	m.Unit, m.Slowed = -1, -1
	total := 0.0
	for range 4 + m.IntN(7) {
		m.base = append(m.base, math.Exp(m.between(0, 2)))
		total += m.base[len(m.base)-1]
	}
	m.Kind = None
	if m.IntN(2) == 0 {
		m.Kind = Troubles[1+m.IntN(len(Troubles)-1)]
	}
	m.more = make([][]float64, len(m.base))
	for k := range m.more {
		m.more[k] = make([]float64, m.units)
		for u := range m.more[k] {
			m.more[k][u] = math.Exp(0.003 * m.NormFloat64())
		}
	}
	return m.build(seed, total)
}

func (m *noisy) between(low, high float64) float64 { return low + (high-low)*m.Float64() }

// delays are the factors by which noise stretches a unit's work, step by step and region
// by region.
func (m *noisy) delays() func(step, unit, region int) float64 {
	switch m.Noise {
	case "pareto":
		tail, size := m.between(1.2, 2.5), math.Exp(m.between(math.Log(0.005), math.Log(0.03)))
		return func(int, int, int) float64 {
			return 1 + size*math.Min(math.Pow(1-m.Float64(), -1/tail)-1, 100)
		}
	case "lognormal":
		size := math.Exp(m.between(math.Log(0.03), math.Log(0.2)))
		return func(int, int, int) float64 { return math.Exp(size * m.NormFloat64()) }
	case "ar1":
		kept, size := m.between(0.7, 0.99), math.Exp(m.between(math.Log(0.01), math.Log(0.05)))
		pace := make([]float64, m.units)
		at := make([]int, m.units)
		return func(step, unit, _ int) float64 {
			for at[unit] <= step {
				pace[unit] = kept*pace[unit] + math.Sqrt(1-kept*kept)*size*m.NormFloat64()
				at[unit]++
			}
			return math.Exp(pace[unit])
		}
	}
	slowed, by, part := m.IntN(m.units), m.between(1.05, 1.6), m.between(0.1, 0.6)
	m.Slowed = slowed
	first := int(m.between(0, 1-part) * float64(m.steps))
	last := first + int(part*float64(m.steps))
	return func(step, unit, _ int) float64 {
		f := math.Exp(0.02 * m.NormFloat64())
		if unit == slowed && step >= first && step < last {
			f *= by
		}
		return f
	}
}

// build steps through the run and makes the experiment.
func (m *noisy) build(seed uint64, total float64) NoisyProfile {
	k := m.IntN(len(m.base))
	lost := m.between(0.13, 0.3)
	named := map[Trouble]bool{Computation: true, Memory: true, ThreadWork: true}
	if named[m.Kind] {
		m.base[k] = max(m.base[k], m.between(0.15, 0.4)*total)
		m.Region = m.path(k)
		m.uneven(k, lost*total/m.base[k])
	}
	if m.Kind == Straggler {
		m.Unit = m.IntN(m.units)
		for _, of := range m.more {
			of[m.Unit] *= 1 + lost
		}
	}
	delay := m.delays()
	stolen := m.IntN(2) == 0 // noise takes the core, and not its speed
	times, cpus := m.zero(), m.zero()
	waits, wire, clock := make([]float64, m.units), make([]float64, m.units), make([]float64, m.units)
	files, alone := make([]float64, m.units), make([]float64, m.units)
	meet := func() {
		most := 0.0
		for _, c := range clock {
			most = max(most, c)
		}
		for u, c := range clock {
			waits[u] += most - c
			clock[u] = most
		}
	}
	spend := func(on []float64, u int, seconds float64) { on[u] += seconds; clock[u] += seconds }
	share := lost / (1 - lost) * total
	for step := range m.steps {
		for r := range m.base {
			for u := range m.units {
				own := m.base[r] * m.more[r][u]
				t := own * delay(step, u, r)
				spend(times[r], u, t)
				if stolen {
					t = min(t, own*1.002)
				}
				cpus[r][u] += t
			}
			if m.everyRegion {
				meet()
			}
		}
		for u := range m.units {
			switch {
			case m.Kind == InOut:
				spend(files, u, share*m.between(0.95, 1.05))
			case m.Kind == SerialRegion && u == 0:
				spend(alone, u, share*m.between(0.98, 1.02))
			}
		}
		meet()
		own := m.between(0.004, 0.01) * total
		if m.Kind == Communication {
			own = share * m.between(0.97, 1.03)
		}
		for u := range m.units {
			spend(wire, u, own*m.between(1, 1.01))
		}
		meet()
	}
	m.score(times, alone, clock[0])
	return m.experiment(seed, times, cpus, waits, wire, files, alone)
}

// sample shares a unit's time out among its regions by as many samples as fall there.
func (m *noisy) sample(u int, times, cpus [][]float64) []float64 {
	rate, wall, cpu, all := math.Exp(m.between(math.Log(300), math.Log(3000))), 0.0, 0.0, 0.0
	for k := range times {
		wall += times[k][u]
		cpu += cpus[k][u]
	}
	fell := make([]float64, len(times))
	for k := range fell {
		mean := rate * times[k][u] / wall
		fell[k] = math.Max(0, math.Round(mean+math.Sqrt(mean)*m.NormFloat64()))
		all += fell[k]
	}
	for k, n := range fell {
		times[k][u], cpus[k][u] = wall*n/all, cpu*n/all
	}
	return fell
}

func (m *noisy) zero() [][]float64 {
	out := make([][]float64, len(m.base))
	for k := range out {
		out[k] = make([]float64, m.units)
	}
	return out
}

func (m *noisy) path(k int) string { return fmt.Sprintf("main/region_%d", k) }

// uneven gives one unit, some or half of them more to do in a region, so much that as
// much of its time is lost.
func (m *noisy) uneven(k int, lost float64) {
	slow := []int{1, max(1, m.units/6), m.units / 2}[m.IntN(3)]
	for i, u := range m.Perm(m.units) {
		if i < slow {
			m.more[k][u] *= 1 + lost/(1-float64(slow)/float64(m.units))
			m.Unit = u
		}
	}
	if slow > 1 {
		m.Unit = -1
	}
}

// score tells what is lost where something was planted, and by noise there.
func (m *noisy) score(times [][]float64, alone []float64, run float64) {
	n := float64(m.units)
	mean, most := 0.0, 0.0
	for u := range m.units {
		own := alone[u]
		for k := range times {
			if m.Region == "" || m.Region == m.path(k) {
				own += times[k][u]
			}
		}
		mean += own / n
		most = max(most, own)
	}
	m.Lost = (most - mean) / run
}

func (m *noisy) experiment(seed uint64, times, cpus [][]float64, waits, wire, files, alone []float64) NoisyProfile {
	b := model.NewBuilder()
	main := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	at := make([]int, len(m.base))
	for k := range at {
		at[k] = b.Region(model.Region{Name: fmt.Sprintf("region_%d", k), Kind: model.Function, Parent: main})
	}
	serial := b.Region(model.Region{Name: "collect", Kind: model.Function, Parent: main})
	file := b.Region(model.Region{Name: "fwrite", Kind: model.IO, Parent: main})
	meet, exchange := model.Region{Name: "MPI_Allreduce", Kind: model.MPI, Parent: main}, model.Region{Name: "MPI_Alltoall", Kind: model.MPI, Parent: main}
	if m.Kind == ThreadWork {
		meet, exchange = model.Region{Name: "GOMP_barrier_wait", Kind: model.Barrier, Parent: main}, model.Region{Name: "reduce", Kind: model.Function, Parent: main}
	}
	waiting, sending := b.Region(meet), b.Region(exchange)
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	cpu := -1
	if m.IntN(2) == 0 {
		cpu = b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	}
	counted := m.Kind == Computation || m.Kind == ThreadWork || m.IntN(2) == 0
	instructions, misses := -1, -1
	if counted {
		instructions = b.Metric(model.NewMetric(model.Instructions, "", model.Exclusive))
	}
	if m.Kind == Memory || m.IntN(2) == 0 {
		misses = b.Metric(model.NewMetric(model.L2Misses, "", model.Exclusive))
	}
	looks := -1
	if m.IntN(3) == 0 {
		looks = b.Metric(model.NewMetric(model.Samples, "", model.Exclusive))
	}
	for u := range m.units {
		name := model.Unit{Process: u}
		if m.Kind == ThreadWork {
			name = model.Unit{Thread: u}
		}
		unit := b.Unit(name)
		set := func(r int, seconds, onCPU float64) {
			if seconds > 0 {
				b.Set(unit, r, wall, seconds)
				if cpu >= 0 {
					b.Set(unit, r, cpu, onCPU)
				}
			}
		}
		if looks >= 0 {
			for k, n := range m.sample(u, times, cpus) {
				b.Set(unit, at[k], looks, n)
			}
		}
		for k, r := range at {
			set(r, times[k][u], cpus[k][u])
			work, missing := m.more[k][u], m.more[k][u]
			if m.Region == m.path(k) && m.Kind == Memory {
				work, missing = 1, 1+3*(work-1)
			}
			if m.Kind == Straggler {
				work, missing = 1, 1
			}
			count := m.base[k] * float64(m.steps) * math.Exp(0.003*m.NormFloat64())
			if instructions >= 0 {
				b.Set(unit, r, instructions, math.Round(2e9*count*work))
			}
			if misses >= 0 {
				b.Set(unit, r, misses, math.Round(1e7*count*missing))
			}
		}
		set(serial, alone[u], alone[u])
		set(file, files[u], files[u]/10)
		set(waiting, waits[u], waits[u])
		set(sending, wire[u], wire[u])
	}
	e, err := b.Build(model.Header{Name: fmt.Sprintf("noisy-%d", seed)})
	if err != nil {
		panic(err) // a generated profile has values
	}
	m.Experiment = e
	if m.Kind == SerialRegion {
		m.Region, m.Unit = "main/collect", 0
	}
	return m.NoisyProfile
}
