package training

// peersOf says with whom each rank is compared: with all others, or, where
// ranks also send to each other in pairs as the stages of a pipeline do, with
// those that it meets most in collectives, as these hold the same part of the
// model. A rank that meets nobody is compared with all.
func peersOf(ranks []*Rank, meetings []meeting) [][]int {
	met := make([][]int, len(ranks))
	for r := range met {
		met[r] = make([]int, len(ranks))
	}
	pipeline := false
	for i := range meetings {
		m := &meetings[i]
		if m.pair {
			pipeline = true
			continue
		}
		for r, c := range m.calls {
			for o, d := range m.calls {
				if c != nil && d != nil && r != o {
					met[r][o]++
				}
			}
		}
	}
	peers := make([][]int, len(ranks))
	for r := range ranks {
		most := 0
		for _, n := range met[r] {
			most = max(most, n)
		}
		for o := range ranks {
			if o != r && (!pipeline || 2*met[r][o] >= most) {
				peers[r] = append(peers[r], o)
			}
		}
	}
	return peers
}

// chainsOf gives each rank the ranks that it sends to or receives from in
// pairs, directly or over others, itself among them: where one of a pipeline is
// slow, the last of its chain may be the one that the others wait for.
func chainsOf(ranks []*Rank, meetings []meeting) [][]int {
	root := make([]int, len(ranks))
	for r := range root {
		root[r] = r
	}
	find := func(r int) int {
		for root[r] != r {
			r = root[r]
		}
		return r
	}
	for i := range meetings {
		first := -1
		for r, c := range meetings[i].calls {
			if c == nil || !meetings[i].pair {
				continue
			}
			if first < 0 {
				first = r
			}
			root[find(r)] = find(first)
		}
	}
	members := make([][]int, len(ranks))
	for r := range ranks {
		members[find(r)] = append(members[find(r)], r)
	}
	chains := make([][]int, len(ranks))
	for r := range ranks {
		chains[r] = members[find(r)]
	}
	return chains
}
