package simulate

// crowdTime is the progress of a crowd's flows. All of them move at level/p, so
// in a time that runs by the level each has its arrival fixed from the start:
// when V = ∫ level dt reaches V₀ + remains·p/factor (the virtual time of
// weighted fair queueing; Parekh and Gallager, 1993).
type crowdTime struct {
	virtual float64
	at      float64   // the date when virtual was right
	order   []arrival // a heap
}

// arrival is a flow with the crowd's time at which it arrives.
type arrival struct {
	target float64
	flow   int32
}

// advance moves the crowd's time on.
func (c *crowdTime) advance(level, now float64) {
	if now > c.at {
		if level > 0 && len(c.order) > 0 {
			c.virtual += level * (now - c.at)
		}
		c.at = now
	}
}

func (c *crowdTime) enqueue(t []transfer, id int32, target float64) {
	c.order = append(c.order, arrival{})
	c.up(t, len(c.order)-1, arrival{target, id})
}

// unqueue takes a flow out and returns its target.
func (c *crowdTime) unqueue(t []transfer, id int32) float64 {
	i := int(t[id].place)
	t[id].place = alone
	target := c.order[i].target
	last := len(c.order) - 1
	moved := c.order[last]
	c.order = c.order[:last]
	if i < last {
		if moved.target < target {
			c.up(t, i, moved)
		} else {
			c.down(t, i, moved)
		}
	}
	return target
}

// up puts an arrival into the free place i or, as it is early, above it.
func (c *crowdTime) up(t []transfer, i int, a arrival) {
	for i > 0 {
		p := (i - 1) / 4
		if c.order[p].target <= a.target {
			break
		}
		c.order[i] = c.order[p]
		t[c.order[i].flow].place = int32(i)
		i = p
	}
	c.order[i] = a
	t[a.flow].place = int32(i)
}

// down puts an arrival into the free place i or, as it is late, below it.
func (c *crowdTime) down(t []transfer, i int, a arrival) {
	h := c.order
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for k := first + 1; k < min(first+4, len(h)); k++ {
			if h[k].target < h[least].target {
				least = k
			}
		}
		if h[least].target >= a.target {
			break
		}
		h[i] = h[least]
		t[h[i].flow].place = int32(i)
		i = least
	}
	h[i] = a
	t[a.flow].place = int32(i)
}
