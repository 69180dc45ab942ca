package diagnose

import (
	"slices"

	"auspex/account"
	"auspex/analyze"
)

// Serial is what main threads do while the other threads of their processes are
// outside of any region.
type Serial struct {
	Region string       `json:"region"`
	Share  analyze.Real `json:"share"` // of the run: the time of the others meanwhile
}

// serial finds the region that has more than half of the time of idle threads: main
// threads are in it and none of the others. It is nil where there is none.
func (s *study) serial() (*Serial, error) {
	idle := 0.0
	for _, line := range s.ledger.Lines {
		if line.Kind == account.Idle && !line.Joining {
			idle += line.Seconds
		}
	}
	if idle < account.Trouble*s.ledger.RunSeconds*float64(s.ledger.Units) {
		return nil, nil
	}
	t, err := s.d.Times()
	if err != nil {
		return nil, err
	}
	times, err := s.d.Matrix(t.Metric + ".exc")
	if err != nil {
		return nil, err
	}
	types, roles, err := s.d.UnitTypes()
	if err != nil {
		return nil, err
	}
	mains, helpers := map[int]int{}, map[int][]int{} // by process
	for u, unit := range s.d.Units {
		switch {
		case types[u] == analyze.StreamUnit:
		case roles[u] == analyze.Main:
			mains[unit.Process] = u
		default:
			helpers[unit.Process] = append(helpers[unit.Process], u)
		}
	}
	best, most := -1, idle/2
	for r := range s.d.Regions {
		if c := s.d.Classes[r]; c == account.Beginning || c == account.Asleep {
			continue
		}
		sum := 0.0
		for process, u := range mains {
			taken := false
			for _, h := range helpers[process] {
				taken = taken || times.At(h, r) > 0
			}
			if v := times.At(u, r); v > 0 && !taken {
				sum += v * float64(len(helpers[process]))
			}
		}
		if sum > most {
			best, most = r, sum
		}
	}
	if best < 0 {
		return nil, nil
	}
	return &Serial{s.d.Paths[best], analyze.Real(min(most, idle) / (s.ledger.RunSeconds * float64(s.ledger.Units)))}, nil
}

// byThread tells whether what differs most does so between the threads of a process
// rather than between processes: the process of the slowest thread has less than half
// of what that thread has more than others.
func (s *study) byThread() bool {
	if s.ledger == nil || s.ledger.Units == len(s.units.names) || len(s.ledger.Spreads) == 0 {
		return false
	}
	spread := s.ledger.Spreads[0]
	process := s.units.of[spread.Slowest]
	if spread.Lost < account.Trouble*s.ledger.RunSeconds*float64(s.ledger.Units) || process < 0 {
		return false
	}
	p := place{region: spread.Region, group: s.groups != nil, self: s.groups == nil && len(s.top.nested[spread.Region]) > 0}
	mean := s.time.column(s.d, p)[process] / float64(max(1, s.threadsIn(p, process)))
	return mean-spread.Mean < (spread.Most-spread.Mean)/2
}

// threadsIn counts the threads of a process that spend time in a region: what the main
// thread alone does is no difference between threads.
func (s *study) threadsIn(p place, process int) int {
	t, err := s.d.Times()
	if err != nil {
		return 0
	}
	times, err := s.d.Matrix(t.Metric + ".exc")
	if err != nil {
		return 0
	}
	regions := []int{p.region}
	if p.group {
		regions = s.members(p.region)
	}
	threads := 0
	for u, k := range s.units.of {
		if k == process && slices.ContainsFunc(regions, func(r int) bool { return times.At(u, r) > 0 }) {
			threads++
		}
	}
	return threads
}
