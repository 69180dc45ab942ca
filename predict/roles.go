package predict

// cast is how the ranks of a program divide into roles: those of one role do the same.
// They are laid out in a line or grid.
type cast struct {
	layout func(np int) grid
	kind   castKind
}

type castKind uint8

const (
	everyone castKind = iota // all ranks do the same
	ends                     // in each dimension, the first, the last and those between
	turns                    // the same, and of those between odd ones and even ones
)

// casts are tried in this order.
var casts = func() (list []cast) {
	for _, layout := range layouts {
		for _, kind := range []castKind{everyone, ends, turns} {
			list = append(list, cast{layout, kind})
		}
	}
	return list
}()

// role is the role of a rank, by number.
func (c cast) role(g grid, rank int) int {
	if c.kind == everyone {
		return 0
	}
	role, odd, place := 0, 0, g.at(rank)
	for d, n := range g {
		role *= 4
		switch {
		case n == 1:
			role += 3
		case place[d] == n-1:
			role += 2
		case place[d] > 0:
			role++
		}
		odd += place[d]
	}
	if c.kind == turns {
		role = 2*role + odd%2
	}
	return role
}

// like is the rank of one grid that does what a rank of another does; -1 where none has
// its role.
func (c cast) like(rank int, from, to grid) int {
	place := from.at(rank)
	for d, n := range from {
		if c.kind == everyone {
			place[d] = place[d] * to[d] / n
		} else {
			place[d] = min(counterpart(place[d], n, to[d]), to[d]-1)
		}
	}
	role, near := c.role(from, rank), to.rank(place)
	for apart := range to.size() {
		for _, other := range []int{near - apart, near + apart} {
			if other >= 0 && other < to.size() && c.role(to, other) == role {
				return other
			}
		}
	}
	return -1
}

// counterpart is the place in a row of p that is as one in a row of n.
func counterpart(place, n, p int) int {
	switch {
	case place == 0:
		return 0
	case place == n-1:
		return p - 1
	}
	return 1 + (place-1)*(p-2)/(n-2)
}
