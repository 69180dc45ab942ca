package truth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"auspex/account"
	"auspex/analyze/diagnose"
	"auspex/model"
)

// What is planted into a run of Teams, besides None, Straggler and SerialRegion.
const (
	SlowRegion Trouble = "slow region"   // on some ranks
	SlowLink   Trouble = "slow link"     // between two of them, in the exchange
	BesideIdle Trouble = "beside others" // a slow region, beside servers that work little
)

// OfTeams are the kinds of trouble of Teams.
var OfTeams = []Trouble{None, SlowRegion, Straggler, SerialRegion, SlowLink, BesideIdle}

// TeamProfile is a run of processes on a grid, and what is true of it.
type TeamProfile struct {
	Experiment *model.Experiment
	Kind       Trouble
	Region     string // the last name of its path
	Ranks      []int  // that have it
	Lost       float64
}

// teams is such a run under way.
type teams struct {
	*rand.Rand
	TeamProfile
	columns, ranks, threads, servers int
	parts                            []teamPart
	clock                            []float64
	times                            []map[string]float64 // by thread of all ranks: by region
}

// teamPart is a region, and who meets behind it.
type teamPart struct {
	name    string
	seconds float64
	shared  bool // by the threads
	meet    func(rank int) int
}

// Teams makes the profile of a seed: ranks on a grid, whose rows, columns or pairs meet,
// with one thread or several, which are idle outside of parallel regions.
func Teams(seed uint64) TeamProfile {
	m := &teams{Rand: rand.New(rand.NewPCG(seed, 0x6211d)), threads: 1}
	m.columns = 2 + m.IntN(6)
	m.ranks = m.columns * (2 + m.IntN(5))
	if m.IntN(3) == 0 {
		m.threads = 2 << m.IntN(3)
	}
	m.Kind = OfTeams[m.IntN(len(OfTeams))]
	if m.Kind == BesideIdle {
		m.servers = max(1, m.ranks/8)
	}
	m.layOut()
	factor := m.factors()
	m.times = make([]map[string]float64, m.ranks*m.threads)
	for i := range m.times {
		m.times[i] = map[string]float64{}
	}
	m.clock = make([]float64, m.ranks)
	for range 10 + m.IntN(20) {
		m.step(factor)
	}
	m.score()
	return m.build(seed)
}

func (m *teams) between(low, high float64) float64 { return low + (high-low)*m.Float64() }

func (m *teams) layOut() {
	groups := []func(rank int) int{
		nil, nil, func(int) int { return 0 }, func(rank int) int { return rank / m.columns },
		func(rank int) int { return rank % m.columns }, func(rank int) int { return rank / 2 },
	}
	for k := range 4 + m.IntN(25) {
		m.parts = append(m.parts, teamPart{fmt.Sprint("part_", k), math.Exp(m.between(-1.5, 2.3)), m.threads > 1 && m.IntN(4) > 0, groups[m.IntN(len(groups))]})
	}
	m.parts[len(m.parts)-1].meet = groups[2]
}

// whole is the time of all parts of a step.
func (m *teams) whole() float64 {
	sum := 0.0
	for _, p := range m.parts {
		sum += p.seconds
	}
	return sum
}

// factors plants the trouble: by how much longer than others a rank takes in a part.
func (m *teams) factors() [][]float64 {
	lasting := math.Exp(m.between(math.Log(0.002), math.Log(0.02)))
	out := make([][]float64, m.ranks)
	for u := range out {
		for range m.parts {
			out[u] = append(out[u], math.Exp(lasting*m.NormFloat64()))
		}
	}
	one := m.IntN(m.ranks - m.servers)
	switch m.Kind {
	case SlowRegion, BesideIdle:
		k := m.IntN(len(m.parts))
		m.parts[k].seconds = max(m.parts[k].seconds, m.between(0.1, 0.3)*m.whole())
		m.Region, m.Ranks = m.parts[k].name, []int{one}
		if m.Kind == SlowRegion && m.IntN(2) == 0 {
			m.Ranks = m.Perm(m.ranks)[:max(1, m.ranks/4)]
		}
		for by, i := m.between(1.6, 2.8), 0; i < len(m.Ranks); i++ {
			out[m.Ranks[i]][k] *= by
		}
	case Straggler:
		m.Ranks = []int{one}
		for by, k := m.between(1.1, 1.5), 0; k < len(m.parts); k++ {
			out[one][k] *= by
		}
	case SerialRegion:
		m.Region, m.Ranks = "write_restart", []int{0}
	case SlowLink:
		m.Region, m.Ranks = "MPI_Sendrecv", []int{one / 2 * 2, one/2*2 + 1}
		m.Ranks = slices.DeleteFunc(m.Ranks, func(u int) bool { return u >= m.ranks })
	}
	return out
}

func (m *teams) step(factor [][]float64) {
	for k, p := range m.parts {
		for u := range m.ranks - m.servers {
			m.work(u, p, p.seconds*factor[u][k])
		}
		if p.meet != nil {
			m.meet("MPI_Allreduce", p.meet)
		}
	}
	extra := 0.25 * m.whole()
	switch m.Kind {
	case SerialRegion:
		m.spend(0, m.Region, extra*m.between(0.97, 1.03))
	case SlowLink:
		for u := range m.ranks {
			if slices.Contains(m.Ranks, u) {
				m.spend(u, m.Region, extra*m.between(0.97, 1.03))
			}
			m.spend(u, m.Region, 0.003*extra)
		}
	}
	m.meet("MPI_Bcast", func(int) int { return 0 })
}

// work is a part of a step on one rank: by its threads, or by the first alone.
func (m *teams) work(u int, p teamPart, seconds float64) {
	longest, own := 0.0, make([]float64, m.threads)
	for th := range m.threads {
		if p.shared || th == 0 {
			own[th] = seconds * max(0.7, 1+0.02*m.NormFloat64())
			longest = max(longest, own[th])
		}
	}
	for th, v := range own {
		if v > 0 {
			m.times[u*m.threads+th][p.name] += v
			if p.shared {
				m.times[u*m.threads+th]["OpenMP barrier"] += longest - v
			}
		}
	}
	m.clock[u] += longest
}

func (m *teams) spend(u int, region string, seconds float64) {
	m.times[u*m.threads][region] += seconds
	m.clock[u] += seconds
}

// meet has the ranks of each group wait for each other.
func (m *teams) meet(call string, group func(rank int) int) {
	latest := map[int]float64{}
	for u := range m.ranks - m.servers {
		latest[group(u)] = max(latest[group(u)], m.clock[u])
	}
	for u := range m.ranks - m.servers {
		m.spend(u, call, latest[group(u)]-m.clock[u]+0.0005*m.whole())
	}
}

// score tells what is lost by what was planted: what the rank with most has more of it
// than the mean.
func (m *teams) score() {
	if m.Kind == None {
		return
	}
	most, mean, run := 0.0, 0.0, slices.Max(m.clock)
	for u := range m.ranks - m.servers {
		own := 0.0
		for name, v := range m.times[u*m.threads] {
			if name == m.Region || m.Region == "" && name[:3] != "MPI" {
				own += v
			}
		}
		most, mean = max(most, own), mean+own/float64(m.ranks-m.servers)
	}
	m.Lost = (most - mean) / run
}

func (m *teams) build(seed uint64) TeamProfile {
	b := model.NewBuilder()
	main := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	kinds := map[string]model.Kind{"MPI_Allreduce": model.MPI, "MPI_Bcast": model.MPI, "MPI_Sendrecv": model.MPI, "MPI_Recv": model.MPI, "OpenMP barrier": model.Barrier, "fwrite": model.IO}
	run := slices.Max(m.clock)
	for u := m.ranks - m.servers; u < m.ranks; u++ {
		files := m.between(0.1, 0.3) * run
		m.times[u*m.threads]["fwrite"], m.times[u*m.threads]["MPI_Recv"] = files, run-files
	}
	for i, of := range m.times {
		unit := b.Unit(model.Unit{Process: i / m.threads, Thread: i % m.threads})
		names := []string{}
		for name, v := range of {
			if v > 0 {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			kind, ok := kinds[name]
			if !ok {
				kind = model.Function
			}
			b.Set(unit, b.Region(model.Region{Name: name, Kind: kind, Parent: main}), wall, of[name])
		}
	}
	e, err := b.Build(model.Header{Name: fmt.Sprintf("teams-%d", seed)})
	if err != nil {
		panic(err) // a generated profile has values
	}
	m.Experiment = e
	return m.TeamProfile
}

// Finds tells whether a diagnosis tells of the trouble, in which region and on which
// ranks, and what it tells of that is not so.
func (p *TeamProfile) Finds(d *diagnose.Diagnosis) (found bool, untrue string) {
	if d.Slower != nil {
		if found = p.Kind == Straggler && p.are(d.Slower.Units); !found {
			untrue = fmt.Sprint("slower: ", d.Slower.Units)
		}
		return found, untrue
	}
	for _, c := range d.Causes {
		if c.LostShare < account.Trouble {
			continue
		}
		names := model.SplitPath(c.Region)
		switch named := told(c); {
		case p.Kind == Straggler: // a region of many; whether it is told as all is what counts
		case names[len(names)-1] == p.Region && p.are(named):
			found = true
		case p.Kind != BesideIdle || names[len(names)-1] == "fwrite": // servers do lack the others' work
			untrue = fmt.Sprint(c.Region, ": ", named)
		}
	}
	return found, untrue
}

// told are the units that the words name.
func told(c diagnose.Cause) []diagnose.Name {
	switch {
	case len(c.Only) > 0:
		return c.Only
	case len(c.Evidence) > 0:
		return c.Evidence[0].High
	case len(c.Slow) > 0:
		return c.Slow
	}
	return []diagnose.Name{c.Slowest}
}

// are tells whether units, or the processes that they are threads of, are those with the
// trouble.
func (p *TeamProfile) are(units []diagnose.Name) bool {
	of := map[int]bool{}
	for _, n := range units {
		of[n.Process] = true
	}
	return len(of) == len(p.Ranks) && !slices.ContainsFunc(p.Ranks, func(u int) bool { return !of[u] })
}
