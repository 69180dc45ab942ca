package truth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"auspex/model"
)

// Planted is a cause put into a profile.
type Planted struct {
	Region  string   // path
	Pattern string   // one, some, half, gradient
	Cause   string   // the metric behind it; empty where nothing measured explains it
	Lost    float64  // (slowest − mean) / run time
	Parts   []string // paths of the parts of the region that have it, too
	factor  []float64
	region  int
}

// Profile is a generated run and what is true of it.
type Profile struct {
	Experiment *model.Experiment
	Planted    []Planted
	CommShare  float64            // communication's own cost
	Lost       map[string]float64 // by path: what each region loses, planted or not; nil where that is not kept
}

// maker builds one profile.
type maker struct {
	*rand.Rand
	ranks   int
	regions []model.Region
	work    []int     // the regions with work of their own
	base    []float64 // by work region: seconds
	noise   float64
	time    [][]float64 // rank × work region
	metrics map[string][][]float64
}

// Generate makes the profile of a seed.
func Generate(seed uint64) Profile {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 0x7275)), metrics: map[string][][]float64{}}
	m.ranks = []int{4, 6, 8, 12, 16, 24, 32, 48, 64, 96}[m.IntN(10)]
	m.noise = math.Exp(m.between(math.Log(0.002), math.Log(0.03)))
	m.tree()
	p := Profile{}
	m.plant(&p)
	m.fill(p.Planted)
	m.confound(p.Planted)
	p.Experiment = m.build(&p, seed)
	return p
}

func (m *maker) between(low, high float64) float64 { return low + (high-low)*m.Float64() }

// jitter is a factor around 1.
func (m *maker) jitter(share float64) float64 { return math.Exp(share * m.NormFloat64()) }

// tree makes regions: flat, or nested in main up to four deep.
func (m *maker) tree() {
	count := 3 + m.IntN(16)
	flat := m.IntN(4) == 0
	if !flat {
		m.regions = append(m.regions, model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	}
	for i := range count {
		r := model.Region{Name: fmt.Sprintf("%s_%d", []string{"assemble", "solve", "flux", "update", "sweep", "gather", "norm"}[m.IntN(7)], i), Kind: model.Function, Parent: model.NoParent}
		if !flat {
			r.Parent = 0
			if len(m.regions) > 2 && m.IntN(2) == 0 {
				r.Parent = m.IntN(len(m.regions))
				for depth, at := 0, r.Parent; at != model.NoParent; at = m.regions[at].Parent {
					if depth++; depth > 3 {
						r.Parent = 0
						break
					}
				}
			}
		}
		m.regions = append(m.regions, r)
		if i < 3 || m.IntN(5) > 0 {
			m.work = append(m.work, len(m.regions)-1)
			m.base = append(m.base, math.Exp(m.between(0, 3)))
		}
	}
}

// causes are the metrics that may be behind a difference.
var causes = []string{model.Instructions, model.Instructions, model.L1Misses, model.L2Misses, model.L3Misses, model.IORead, model.IOWritten, model.PageFaults, model.BytesSent, model.Iterations, "elements", ""}

// plant chooses what goes wrong.
func (m *maker) plant(p *Profile) {
	number := []int{0, 0, 1, 1, 1, 1, 2, 2}[m.IntN(8)]
	taken := map[int]bool{}
	total := 0.0
	for _, b := range m.base {
		total += b
	}
	for range number {
		k := m.IntN(len(m.work))
		if taken[k] {
			continue
		}
		taken[k] = true
		c := Planted{region: k, Cause: causes[m.IntN(len(causes))], factor: make([]float64, m.ranks)}
		c.Pattern = []string{"one", "some", "half", "gradient", "gradient"}[m.IntN(5)]
		who := m.Perm(m.ranks)
		// The region gets big enough, and the slow ranks slow enough, that
		// somebody who looks can see it.
		m.base[k] = max(m.base[k], m.between(0.1, 0.4)*total)
		lost := m.between(0.05, 0.25) * total / m.base[k] // of the region's time
		for i, u := range who {
			x := 0.0
			switch c.Pattern {
			case "one":
				if i == 0 {
					x = lost
				}
			case "some":
				if i < max(2, m.ranks/6) {
					x = lost * 1.2
				}
			case "half":
				if i < m.ranks/2 {
					x = 2 * lost
				}
			case "gradient":
				at := u // along the ranks
				if k%2 == 0 {
					at = i // in any order
				}
				x = 2 * lost * float64(at) / float64(m.ranks-1)
			}
			c.factor[u] = 1 + x
		}
		p.Planted = append(p.Planted, c)
	}
}

// fill makes times, and metrics in proportion to the work.
func (m *maker) fill(planted []Planted) {
	m.time = m.table(func(u, k int) float64 { return m.base[k] * m.jitter(m.noise) })
	rates := map[string]float64{model.Instructions: 2e9, model.L1Misses: 4e7, model.L2Misses: 1e7, model.L3Misses: 3e6, model.IORead: 1e5, model.IOWritten: 2e5, model.PageFaults: 300, model.BytesSent: 1e6, model.Iterations: 5e4, "elements": 1e4}
	counted := math.Exp(m.between(math.Log(0.0005), math.Log(0.02))) // counters scatter too
	for _, name := range []string{model.Instructions, model.L1Misses, model.L2Misses, model.L3Misses, model.IORead, model.IOWritten, model.PageFaults, model.BytesSent, model.Iterations, "elements"} {
		needed := false
		for _, c := range planted {
			needed = needed || c.Cause == name
		}
		if !needed && m.IntN(3) == 0 {
			continue
		}
		perRegion := make([]float64, len(m.work))
		for k := range perRegion {
			perRegion[k] = rates[name] * m.base[k] * math.Exp(m.between(-1, 1))
		}
		m.metrics[name] = m.table(func(u, k int) float64 { return perRegion[k] * m.jitter(counted) })
	}
	for _, c := range planted {
		for u, f := range c.factor {
			m.time[u][c.region] *= f
			switch c.Cause {
			case "":
			case model.Instructions, model.Iterations, "elements":
				// More work: what goes with it grows with it.
				for _, name := range []string{model.Instructions, model.Iterations, "elements", model.L1Misses, model.L2Misses, model.L3Misses} {
					if values, ok := m.metrics[name]; ok {
						values[u][c.region] *= f
					}
				}
			default:
				// A cost beside the work: it grows faster than the time.
				m.metrics[c.Cause][u][c.region] *= 1 + (f-1)*(1.5+3*float64(c.region%3))
			}
		}
	}
}

func (m *maker) table(value func(u, k int) float64) [][]float64 {
	out := make([][]float64, m.ranks)
	for u := range out {
		out[u] = make([]float64, len(m.work))
		for k := range out[u] {
			out[u][k] = value(u, k)
		}
	}
	return out
}

// confound lets metrics vary that cause nothing: at the borders, on rank 0, at
// random.
func (m *maker) confound(planted []Planted) {
	for _, name := range []string{model.IORead, model.PageFaults, model.BytesSent, model.L2Misses} {
		values, ok := m.metrics[name]
		if !ok || m.IntN(2) == 0 {
			continue
		}
		k := m.IntN(len(m.work))
		cause := false
		for _, c := range planted {
			cause = cause || c.Cause == name && c.region == k
		}
		if cause {
			continue
		}
		kind := m.IntN(3)
		for u := range values {
			switch {
			case kind == 0 && (u == 0 || u == m.ranks-1):
				values[u][k] *= 0.5
			case kind == 1:
				values[u][k] *= m.jitter(0.2)
			case kind == 2 && u%2 == 1:
				values[u][k] *= 1.3
			}
		}
	}
}

// build lets the ranks wait for each other and makes the experiment.
func (m *maker) build(p *Profile, seed uint64) *model.Experiment {
	totals := make([]float64, m.ranks)
	slowest := 0.0
	for u, row := range m.time {
		for _, v := range row {
			totals[u] += v
		}
		slowest = max(slowest, totals[u])
	}
	own := m.between(0.005, 0.04) * slowest
	synchronised := m.IntN(2) == 0 // after each region, or at the end only
	wait := make([]float64, m.ranks)
	if synchronised {
		for k := range m.work {
			most := 0.0
			for u := range m.time {
				most = max(most, m.time[u][k])
			}
			for u := range m.time {
				wait[u] += most - m.time[u][k]
			}
		}
	} else {
		for u, t := range totals {
			wait[u] = slowest - t
		}
	}
	run := totals[0] + wait[0] + own
	p.CommShare = own / run
	for i := range p.Planted {
		c := &p.Planted[i]
		sum, most := 0.0, 0.0
		for u := range m.time {
			sum += m.time[u][c.region]
			most = max(most, m.time[u][c.region])
		}
		c.Lost = (most - sum/float64(m.ranks)) / run
		c.Region = model.Paths(m.regions)[m.work[c.region]]
	}
	b := model.NewBuilder()
	for _, r := range m.regions {
		b.Region(r)
	}
	parent := model.NoParent
	if m.regions[0].Name == "main" {
		parent = 0
	}
	collective := b.Region(model.Region{Name: "MPI_Allreduce", Kind: model.MPI, Parent: parent})
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	cpu := -1
	if m.IntN(2) == 0 {
		cpu = b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	}
	for u := range m.ranks {
		unit := b.Unit(model.Unit{Process: u})
		for k, r := range m.work {
			b.Set(unit, r, wall, m.time[u][k])
			if cpu >= 0 {
				b.Set(unit, r, cpu, m.time[u][k]*m.between(0.997, 1))
			}
		}
		b.Set(unit, collective, wall, own*m.jitter(0.02)+wait[u])
		if cpu >= 0 {
			b.Set(unit, collective, cpu, own+0.9*wait[u])
		}
	}
	for _, name := range []string{model.Instructions, model.L1Misses, model.L2Misses, model.L3Misses, model.IORead, model.IOWritten, model.PageFaults, model.BytesSent, model.Iterations, "elements"} {
		values, ok := m.metrics[name]
		if !ok {
			continue
		}
		at := b.Metric(model.NewMetric(name, "", model.Exclusive))
		for u := range m.ranks {
			unit := b.Unit(model.Unit{Process: u})
			for k, r := range m.work {
				b.Set(unit, r, at, math.Round(values[u][k]))
			}
		}
	}
	e, err := b.Build(model.Header{Name: fmt.Sprintf("seed-%d", seed)})
	if err != nil {
		panic(err) // a generated profile has values
	}
	return e
}
