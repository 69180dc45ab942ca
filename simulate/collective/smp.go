package collective

// smpSetup is what SimGrid's ranks do before their first algorithm that looks
// at who shares a host: they find out, by small collectives, who their
// leaders are, whether hosts have equally many ranks, and whether neighbours
// share a host.
func (p *Plan) smpSetup(c *Call) {
	if c.Place.SetUp {
		return
	}
	c.Place.SetUp = true
	const word = 4
	leaders, local := c.byHost()
	p.Tag = tagSetUp
	p.ringOf(c.Me, c.Size, word)
	if local[0] == c.Me {
		p.Tag = tagSetUpLeaders
		p.via = leaders
		p.ringOf(indexOf(leaders, c.Me), len(leaders), word)
	}
	if len(local) > 1 {
		p.Tag = tagSetUpLocal
		p.via = local
		p.scatterRing(&Call{Me: indexOf(local, c.Me), Size: len(local), Unit: 1, Send: word})
	}
	p.via = nil
	p.Tag = tagSetUp
	p.gatherTo(c, 0, word)
	p.binomialDown(c, 0, word)
}

// byHost returns the first rank of every host, and all ranks of mine.
func (c *Call) byHost() (leaders, local []int) {
	seen := map[int32]bool{}
	hosts := c.Place.Hosts
	for i, h := range hosts {
		if !seen[h] {
			seen[h] = true
			leaders = append(leaders, i)
		}
		if h == hosts[c.Me] {
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
func (p *Plan) ringOf(me, size int, bytes int64) {
	for i := 1; i < size; i++ {
		p.exchange((me+i)%size, bytes, (me-i+size)%size, bytes)
	}
}
