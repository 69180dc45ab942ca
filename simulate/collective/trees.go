package collective

// tree is a rank's place in a spanning tree of the communicator.
type tree struct {
	prev int
	next []int
}

// karyTree is Open MPI's balanced tree of the given fanout: children are a
// level's width apart.
func karyTree(fanout int, c *Call) tree {
	shifted := (c.Me - c.Root + c.Size) % c.Size
	// The width of my level, and the number of ranks on the levels above.
	width, above := 1, 0
	for above+width <= shifted {
		above += width
		width *= fanout
	}
	var t tree
	for i := 1; i <= fanout && shifted+width*i < c.Size; i++ {
		t.next = append(t.next, (shifted+width*i+c.Root)%c.Size)
	}
	parent := shifted
	if parent < fanout {
		parent = 0
	} else {
		for parent >= above {
			parent -= width / fanout
		}
	}
	t.prev = (parent + c.Root) % c.Size
	return t
}

// flatTree has all ranks under root.
func flatTree(c *Call) tree {
	t := tree{prev: c.Root}
	if c.Me == c.Root {
		for i := 1; i < c.Size; i++ {
			t.next = append(t.next, (c.Root+i)%c.Size)
		}
	}
	return t
}

// binomialTree is the binomial tree in which the ranks of a round follow those of the
// rounds before.
func binomialTree(c *Call) tree {
	shifted := (c.Me - c.Root + c.Size) % c.Size
	t, mask := tree{prev: -1}, 1
	for ; mask <= shifted; mask <<= 1 {
		t.prev = (shifted - mask + c.Root) % c.Size // of the last mask: the highest bit
	}
	for ; shifted+mask < c.Size; mask <<= 1 {
		t.next = append(t.next, (shifted+mask+c.Root)%c.Size)
	}
	return t
}

// inOrderBinomial is the binomial tree in which a subtree holds neighbours.
func inOrderBinomial(c *Call, root int) tree {
	virtual := (c.Me - root + c.Size) % c.Size
	t := tree{prev: root}
	for mask := 1; mask < c.Size; mask <<= 1 {
		remote := virtual ^ mask
		if remote < virtual {
			t.prev = (remote + root) % c.Size
			break
		}
		if remote < c.Size {
			t.next = append(t.next, (remote+root)%c.Size)
		}
	}
	return t
}

// inOrderBinary is the binary tree, rooted at the last rank, whose subtrees
// hold neighbours.
func inOrderBinary(c *Call) tree {
	t := tree{prev: -1}
	me, size, parent, delta := c.Me, c.Size, c.Size-1, 0
	for {
		right := size >> 1
		lchild, rchild := -1, -1
		if size > 1 {
			lchild = parent - 1
			if lchild > 0 {
				rchild = right - 1
			}
		}
		switch {
		case me == parent:
			if lchild >= 0 {
				t.next = append(t.next, lchild+delta)
			}
			if rchild >= 0 {
				t.next = append(t.next, rchild+delta)
			}
			return t
		case me > rchild: // in the left subtree
			if me == lchild {
				t.prev = parent + delta
			}
			size -= right + 1
			delta += right
			me -= right
			parent = size - 1
		default:
			if me == rchild {
				t.prev = parent + delta
			}
			size = right
			parent = rchild
		}
	}
}

// chainTree is a number of chains that start at root.
func chainTree(fanout int, c *Call) tree {
	fanout = min(max(fanout, 1), c.Size-1, 32)
	shifted := (c.Me - c.Root + c.Size) % c.Size
	unshift := func(r int) int { return (r + c.Root) % c.Size }
	t := tree{prev: -1}
	if fanout <= 1 {
		if shifted > 0 {
			t.prev = unshift(shifted - 1)
		}
		if shifted+1 < c.Size {
			t.next = []int{unshift(shifted + 1)}
		}
		return t
	}
	longest := (c.Size - 1 + fanout - 1) / fanout
	mark := (c.Size - 1) % fanout // chains of full length
	if mark == 0 {
		mark = fanout + 1
	}
	if shifted == 0 {
		next := (c.Root + 1) % c.Size
		t.next = append(t.next, next)
		for i := 1; i < fanout; i++ {
			next += longest
			if i > mark {
				next--
			}
			next %= c.Size
			t.next = append(t.next, next)
		}
		return t
	}
	var head, length int
	if shifted-1 < mark*longest {
		column := (shifted - 1) / longest
		head, length = 1+column*longest, longest
	} else {
		column := mark + (shifted-1-mark*longest)/(longest-1)
		head, length = mark*longest+1+(column-mark)*(longest-1), longest-1
	}
	if shifted == head {
		t.prev = c.Root
	} else {
		t.prev = unshift(shifted - 1)
	}
	if shifted != head+length-1 && shifted+1 < c.Size {
		t.next = []int{unshift(shifted + 1)}
	}
	return t
}

// segmentCount is how many elements go into a segment of the given bytes.
func segmentCount(segment, unit, count int64) int64 {
	if segment >= unit && segment < unit*count {
		n := segment / unit
		if segment-n*unit > unit/2 {
			n++
		}
		return n
	}
	return count
}
