package simulate

// smpSetup is what SimGrid's ranks do before their first algorithm that looks
// at who shares a host: they find out, by small collectives, who their
// leaders are, whether hosts have equally many ranks, and whether neighbours
// share a host.
func (p *plan) smpSetup(c *call) {
	if c.place.setUp {
		return
	}
	c.place.setUp = true
	const word = 4
	leaders, local := c.byHost()
	p.tag = tagSetUp
	p.ringOf(c.me, c.size, word)
	if local[0] == c.me {
		p.tag = tagSetUpLeaders
		p.via = leaders
		p.ringOf(indexOf(leaders, c.me), len(leaders), word)
	}
	if len(local) > 1 {
		p.tag = tagSetUpLocal
		p.via = local
		p.scatterRing(&call{me: indexOf(local, c.me), size: len(local), unit: 1, send: word})
	}
	p.via = nil
	p.tag = tagSetUp
	p.gatherTo(c, 0, word)
	p.binomialDown(c, 0, word)
}

// byHost returns the first rank of every host, and all ranks of mine.
func (c *call) byHost() (leaders, local []int) {
	seen := map[int32]bool{}
	hosts := c.place.comm.hosts
	for i, h := range hosts {
		if !seen[h] {
			seen[h] = true
			leaders = append(leaders, i)
		}
		if h == hosts[c.me] {
			local = append(local, i)
		}
	}
	return leaders, local
}

func indexOf(list []int, x int) int {
	for i, v := range list {
		if v == x {
			return i
		}
	}
	return -1
}

// ringOf exchanges with ever farther neighbours on both sides.
func (p *plan) ringOf(me, size int, bytes int64) {
	for i := 1; i < size; i++ {
		p.exchange((me+i)%size, bytes, (me-i+size)%size, bytes)
	}
}
