package truth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"auspex/model"
)

// stepped is a run that is stepped through: in every step each rank does its part
// of every region, as long as it takes in that step, and waits where all meet.
type stepped struct {
	*rand.Rand
	ranks, steps int
	names        []string
	parent       []int     // of each region; -1 for main
	base         []float64 // seconds of each region's own work in a step
	meets        []bool    // all wait for each other after the region
	factor       [][]float64
	persistent   float64 // noise of a rank's regions over the whole run
	momentary    float64 // noise of a step
	absent       map[int]func(rank int) bool
	planted      []Planted
	inWhole      []bool // of each cause: all of the region's parts have it
}

// Stepped makes the profile of a seed: heavy-tailed ranks, causes in a region's own
// time and in all of its parts, two causes that make up for one another, regions that
// some ranks never enter, noise from step to step that evens out over the run.
func Stepped(seed uint64) Profile {
	m := &stepped{Rand: rand.New(rand.NewPCG(seed, 0x57e9)), absent: map[int]func(int) bool{}}
	m.ranks = []int{4, 5, 8, 16, 27, 64, 128, 512}[m.IntN(8)]
	m.steps = 5 + m.IntN(40)
	m.persistent = math.Exp(m.between(math.Log(0.002), math.Log(0.03)))
	m.momentary = math.Exp(m.between(math.Log(0.01), math.Log(0.1)))
	m.tree()
	m.plant()
	return m.build(seed)
}

func (m *stepped) between(low, high float64) float64 { return low + (high-low)*m.Float64() }

// tree makes regions that have work of their own, half of them with parts, which have
// too.
func (m *stepped) tree() {
	add := func(parent int, weight float64) int {
		m.names = append(m.names, fmt.Sprintf("%s_%d", []string{"advect", "project", "halo", "eos", "kernel", "filter"}[m.IntN(6)], len(m.names)))
		m.parent, m.base, m.meets = append(m.parent, parent), append(m.base, weight), append(m.meets, false)
		return len(m.names) - 1
	}
	together := m.IntN(3) // all meet after each region, after some, or after a step
	for range 3 + m.IntN(6) {
		at := add(-1, math.Exp(m.between(0, 2.5)))
		if m.IntN(2) == 0 {
			for range 1 + m.IntN(4) {
				add(at, m.base[at]*m.between(0.1, 0.8))
			}
		}
		m.meets[len(m.names)-1] = together == 0 || together == 1 && m.IntN(2) == 0
	}
	if m.IntN(2) == 0 { // some ranks never enter a small region
		at, every := add(-1, 0.01*m.all()), 2+m.IntN(3)
		m.absent[at] = func(rank int) bool { return rank%every != 0 }
	}
	m.meets[len(m.names)-1] = true
}

func (m *stepped) all() float64 {
	sum := 0.0
	for _, b := range m.base {
		sum += b
	}
	return sum
}

func (m *stepped) plant() {
	m.factor = make([][]float64, len(m.names))
	for k := range m.factor {
		m.factor[k] = make([]float64, m.ranks)
		for u := range m.factor[k] {
			m.factor[k][u] = math.Exp(m.persistent * m.NormFloat64())
		}
	}
	total := m.all()
	who := m.Perm(m.ranks)
	taken := map[int]bool{}
	for n := range []int{0, 1, 1, 1, 2, 2}[m.IntN(6)] {
		k := m.IntN(len(m.names))
		for up := k; up >= 0; up = m.parent[up] {
			if taken[up] {
				k = -1
			}
		}
		if k < 0 || m.absent[k] != nil {
			continue
		}
		c := Planted{region: k, Cause: causes[m.IntN(len(causes))], Pattern: []string{"tail", "one", "half", "stair"}[m.IntN(4)], factor: make([]float64, m.ranks)}
		if n > 0 && m.IntN(3) == 0 {
			who = m.Perm(m.ranks) // else the same ranks have both
		}
		parts := []int{k}
		for j := range m.names {
			if m.parent[j] == k {
				parts = append(parts, j)
			}
		}
		whole := len(parts) > 1 && m.IntN(2) == 0
		if !whole {
			parts = parts[:1]
		}
		own := 0.0
		for _, j := range parts {
			own += m.base[j]
			taken[j] = true
		}
		taken[k] = true
		if least := m.between(0.15, 0.4) * total; own < least {
			for _, j := range parts {
				m.base[j] *= least / own
			}
			own = least
		}
		lost := m.between(0.06, 0.25) * total / own
		mean := 0.0
		for i, u := range who {
			x := 0.0
			switch c.Pattern {
			case "tail": // Pareto
				x = math.Min(math.Pow(1-m.Float64(), -1/1.5)-1, 10)
			case "one":
				if i == 0 {
					x = 1
				}
			case "half":
				if i < m.ranks/2 {
					x = 1
				}
			case "stair":
				x = float64(i*4/m.ranks) / 3
			}
			c.factor[u] = x
			mean += x / float64(m.ranks)
		}
		most := 0.0
		for _, x := range c.factor {
			most = max(most, x)
		}
		for u, x := range c.factor {
			c.factor[u] = 1 + lost*x/(most-mean)
			for _, j := range parts {
				m.factor[j][u] *= c.factor[u]
			}
		}
		m.planted, m.inWhole = append(m.planted, c), append(m.inWhole, whole)
	}
}

// run steps through the run: the time of each rank in each region, what it waits, and
// the run time.
func (m *stepped) run() (times [][]float64, waits []float64, runtime float64) {
	times, waits = make([][]float64, m.ranks), make([]float64, m.ranks)
	clock := make([]float64, m.ranks)
	for u := range times {
		times[u] = make([]float64, len(m.names))
	}
	for range m.steps {
		for k := range m.names {
			for u := range times {
				if absent := m.absent[k]; absent != nil && absent(u) {
					continue
				}
				t := m.base[k] * m.factor[k][u] * math.Exp(m.momentary*m.NormFloat64())
				times[u][k] += t
				clock[u] += t
			}
			if !m.meets[k] {
				continue
			}
			for u := range clock {
				runtime = max(runtime, clock[u])
			}
			for u := range clock {
				waits[u] += runtime - clock[u]
				clock[u] = runtime
			}
		}
	}
	return times, waits, runtime
}

func (m *stepped) build(seed uint64) Profile {
	times, waits, runtime := m.run()
	cost := m.between(0.002, 0.015) * runtime // of communication
	runtime += cost
	b := model.NewBuilder()
	main := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	at := make([]int, len(m.names))
	regions := []model.Region{{Name: "main", Kind: model.Function, Parent: model.NoParent}}
	for k, name := range m.names {
		parent := main
		if m.parent[k] >= 0 {
			parent = at[m.parent[k]]
		}
		r := model.Region{Name: name, Kind: model.Function, Parent: parent}
		at[k] = b.Region(r)
		regions = append(regions, r)
	}
	meet := b.Region(model.Region{Name: []string{"MPI_Allreduce", "MPI_Barrier", "MPI_Waitall"}[m.IntN(3)], Kind: model.MPI, Parent: main})
	paths := model.Paths(regions)
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	cpu := -1
	if m.IntN(2) == 0 {
		cpu = b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	}
	for u := range m.ranks {
		unit := b.Unit(model.Unit{Process: u})
		for k, r := range at {
			if times[u][k] == 0 {
				continue
			}
			b.Set(unit, r, wall, times[u][k])
			if cpu >= 0 {
				b.Set(unit, r, cpu, times[u][k]*m.between(0.995, 1))
			}
		}
		b.Set(unit, meet, wall, waits[u]+cost)
		if cpu >= 0 {
			b.Set(unit, meet, cpu, waits[u]+cost)
		}
	}
	m.count(b, at)
	p := Profile{Lost: map[string]float64{}, CommShare: cost / runtime}
	own := func(u, k int) float64 { return times[u][k] }
	whole := func(u, k int) float64 {
		sum := times[u][k]
		for j := range m.names {
			if m.parent[j] == k {
				sum += times[u][j]
			}
		}
		return sum
	}
	for k := range m.names {
		p.Lost[paths[k+1]] = max(m.lost(own, k), m.lost(whole, k)) / runtime
	}
	for i, c := range m.planted {
		c.Region = paths[c.region+1]
		c.Lost = m.lost(own, c.region) / runtime
		if m.inWhole[i] {
			c.Lost = m.lost(whole, c.region) / runtime
			c.Pattern += ", in the whole"
			for j := range m.names {
				if m.parent[j] == c.region {
					c.Parts = append(c.Parts, paths[j+1])
				}
			}
		}
		p.Planted = append(p.Planted, c)
	}
	e, err := b.Build(model.Header{Name: fmt.Sprintf("stepped-%d", seed)})
	if err != nil {
		panic(err) // a generated profile has values
	}
	p.Experiment = e
	return p
}

// lost is what ranks wait in the mean for the one that takes longest.
func (m *stepped) lost(takes func(rank, region int) float64, region int) float64 {
	sum, most := 0.0, 0.0
	for u := range m.ranks {
		sum += takes(u, region)
		most = max(most, takes(u, region))
	}
	return most - sum/float64(m.ranks)
}

// count has metrics follow the work, and what is behind a cause grow with it.
func (m *stepped) count(b *model.Builder, at []int) {
	for _, name := range []string{model.Instructions, model.L1Misses, model.L2Misses, model.L3Misses, model.IORead, model.IOWritten, model.PageFaults, model.BytesSent, model.Iterations, "elements"} {
		needed := false
		for _, c := range m.planted {
			needed = needed || c.Cause == name
		}
		if !needed && m.IntN(3) == 0 {
			continue
		}
		rate := map[string]float64{model.Instructions: 2e9, model.L1Misses: 4e7, model.L2Misses: 1e7, model.L3Misses: 3e6, model.IORead: 1e5, model.IOWritten: 2e5, model.PageFaults: 300, model.BytesSent: 1e6, model.Iterations: 5e4, "elements": 1e4}[name]
		scatter := math.Exp(m.between(math.Log(0.001), math.Log(0.03)))
		id := b.Metric(model.NewMetric(name, "", model.Exclusive))
		odd := m.IntN(2 * len(at)) // a region in which it varies for reasons of its own
		for k, r := range at {
			level := rate * m.base[k] * float64(m.steps) * math.Exp(m.between(-1, 1))
			steep := m.between(1.5, 4)
			for u := range m.ranks {
				if absent := m.absent[k]; absent != nil && absent(u) {
					continue
				}
				v := level * math.Exp(scatter*m.NormFloat64())
				if k == odd {
					v *= math.Exp(0.15 * m.NormFloat64())
				}
				for i, c := range m.planted {
					if c.region != k && !(m.inWhole[i] && m.parent[k] == c.region) {
						continue
					}
					switch more := c.factor[u]; {
					case c.Cause == "":
					case moreWork(c.Cause) && (moreWork(name) || name == model.L1Misses || name == model.L2Misses || name == model.L3Misses):
						v *= more
					case c.Cause == name:
						v *= 1 + (more-1)*steep
					}
				}
				b.Set(b.Unit(model.Unit{Process: u}), r, id, math.Round(v))
			}
		}
	}
}

func moreWork(cause string) bool {
	return cause == model.Instructions || cause == model.Iterations || cause == "elements"
}
