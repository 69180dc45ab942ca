package simulate

// crowdTime is the progress of a crowd's flows. All of them move at level/p, so
// in a time that runs by the level each has its arrival fixed from the start:
// when V = ∫ level dt reaches V₀ + remains·p/factor (the virtual time of
// weighted fair queueing; Parekh and Gallager, 1993).
type crowdTime struct {
	virtual float64
	at      float64 // the date when virtual was right
	order   []int32 // flows by their target, a heap
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

func (c *crowdTime) enqueue(t []transfer, id int32) {
	t[id].crowded = true
	c.order = append(c.order, id)
	c.up(t, len(c.order)-1)
}

func (c *crowdTime) unqueue(t []transfer, id int32) {
	t[id].crowded = false
	i := int(t[id].place)
	last := len(c.order) - 1
	moved := c.order[last]
	c.order = c.order[:last]
	if i < last {
		c.order[i] = moved
		t[moved].place = int32(i)
		c.up(t, i)
		c.down(t, int(t[moved].place))
	}
}

func (c *crowdTime) up(t []transfer, i int) {
	id := c.order[i]
	target := t[id].target
	for i > 0 {
		p := (i - 1) / 4
		if t[c.order[p]].target <= target {
			break
		}
		c.order[i] = c.order[p]
		t[c.order[i]].place = int32(i)
		i = p
	}
	c.order[i] = id
	t[id].place = int32(i)
}

func (c *crowdTime) down(t []transfer, i int) {
	id := c.order[i]
	target := t[id].target
	for {
		first := 4*i + 1
		if first >= len(c.order) {
			break
		}
		least := first
		for k := first + 1; k < min(first+4, len(c.order)); k++ {
			if t[c.order[k]].target < t[c.order[least]].target {
				least = k
			}
		}
		if t[c.order[least]].target >= target {
			break
		}
		c.order[i] = c.order[least]
		t[c.order[i]].place = int32(i)
		i = least
	}
	c.order[i] = id
	t[id].place = int32(i)
}
