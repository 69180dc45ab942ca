package platform

import "strconv"

// torus is the routing of a TORUS cluster: hosts on a grid of any number of
// dimensions, wrapped around in each, host 1 next to host 0 in the first one.
// A message goes through the dimensions in order, each the shorter way round.
type torus struct {
	leaves
	dims  []int32
	split bool
	grid  int32 // first link; host by host, in each the links to the next host of every dimension
}

func (t *torus) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	if a == b && t.loopback {
		return append(links, t.loopbackOf(a)), -1, -1, nil
	}
	at, step := a, int32(1) // step is the distance of neighbours in a dimension
	for d, size := range t.dims {
		here, there := a/step%size, b/step%size
		for up := upward(here, there, size); here != there; {
			if t.limiter {
				links = append(links, t.limiterOf(at))
			}
			if up {
				links = append(links, t.link(at, d))
				here, at = here+1, at+step
				if here == size {
					here, at = 0, at-step*size
				}
				continue
			}
			if here == 0 {
				here, at = size, at+step*size
			}
			here, at = here-1, at-step
			links = append(links, t.back(at, d))
		}
		step *= size
	}
	if t.limiter {
		links = append(links, t.limiterOf(b))
	}
	return links, -1, -1, nil
}

// upward tells whether SimGrid goes up: the target is at most half the size
// above, directly or, from the upper half, over the wrap-around.
func upward(here, there, size int32) bool {
	return there > here && there <= here+size/2 ||
		here > size/2 && (here+size/2)%size >= there
}

// link is the link from a host to the next one of a dimension, used forwards.
func (t *torus) link(host int32, d int) int32 {
	i := host*int32(len(t.dims)) + int32(d)
	if t.split {
		i *= 2
	}
	return t.grid + i
}

// back is the same link used backwards.
func (t *torus) back(host int32, d int) int32 {
	if t.split {
		return t.link(host, d) + 1
	}
	return t.link(host, d)
}

func (b *builder) addTorus(c *cluster) error {
	dims, err := dimensions(c.parameters)
	if err != nil {
		return err
	}
	size, err := product(dims...)
	if err != nil {
		return err
	}
	if err := c.checkSize(size); err != nil {
		return err
	}
	t := &torus{dims: dims, split: c.split}
	if err := b.openZone(c.name, "TORUS", t); err != nil {
		return err
	}
	if t.leaves, err = b.addLeaves(c); err != nil {
		return err
	}
	t.grid = int32(len(b.p.Links))
	for host := range size {
		step := int32(1)
		for _, n := range dims {
			next := host + step
			if host/step%n == n-1 {
				next -= step * n
			}
			name := b.names.join(c.name, "_link_from_", strconv.Itoa(int(host)), "_to_", strconv.Itoa(int(next)))
			if _, err := b.addLinks(c, named(name), 1); err != nil {
				return err
			}
			step *= n
		}
	}
	return b.closeZone()
}
