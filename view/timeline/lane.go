package timeline

import "sort"

// block is a stretch of a lane's time and the part that took most of it.
type block struct {
	begin, end int64 // ns
	part       int32
	share      float32 // of the stretch that the part took
}

// lane is what one location did, in order of time.
type lane struct {
	levels [][]block // from fine to coarse
}

// between are the blocks of a level within a window.
func between(list []block, from, to int64) []block {
	i := sort.Search(len(list), func(i int) bool { return list[i].end > from })
	j := i + sort.Search(len(list)-i, func(k int) bool { return list[i+k].begin >= to })
	return list[i:j]
}

// coarser sums up stretches shorter than a quantum with their neighbours. What
// comes out is ordered as well, and its sums by part are those of what went in,
// as far as it told them.
type coarser struct {
	spent   []float64 // ns, by part
	touched []int32
	begin   int64
	end     int64
	open    int // stretches summed up so far
	only    block
	out     []block
}

// of appends a coarser form of a list to out.
func (c *coarser) of(list []block, quantum int64, out []block) []block {
	c.out = out
	for _, b := range list {
		if b.end-b.begin >= quantum || c.open > 0 && b.begin-c.end >= quantum {
			c.flush()
		}
		if b.end-b.begin >= quantum {
			c.out = append(c.out, b)
			continue
		}
		c.add(b)
		if c.end-c.begin >= quantum {
			c.flush()
		}
	}
	c.flush()
	return c.out
}

func (c *coarser) add(b block) {
	if c.open == 0 {
		c.begin, c.only = b.begin, b
	}
	c.open++
	c.end = b.end
	for len(c.spent) <= int(b.part) {
		c.spent = append(c.spent, 0)
	}
	if c.spent[b.part] == 0 {
		c.touched = append(c.touched, b.part)
	}
	c.spent[b.part] += float64(b.end-b.begin) * float64(b.share)
}

func (c *coarser) flush() {
	if c.open == 0 {
		return
	}
	if c.open == 1 {
		c.out = append(c.out, c.only)
	} else {
		best := block{begin: c.begin, end: c.end, part: c.touched[0]}
		most := -1.0
		for _, p := range c.touched {
			if c.spent[p] > most || c.spent[p] == most && p < best.part {
				best.part, most = p, c.spent[p]
			}
		}
		if c.end > c.begin {
			best.share = float32(min(most/float64(c.end-c.begin), 1))
		}
		c.out = append(c.out, best)
	}
	for _, p := range c.touched {
		c.spent[p] = 0
	}
	c.touched, c.open = c.touched[:0], 0
}
