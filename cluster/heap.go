package cluster

// seeds is the priority queue of OPTICS: positions seen but not yet ordered,
// the one with the smallest reachability first, ties by the caller's own
// numbering so that the answer does not depend on the index.
type seeds struct {
	key  []float64 // by position: squared reachability so far
	id   []int32   // by position
	heap []int32
	slot []int32 // by position: place in heap, -1 when not in it
}

func (s *seeds) before(a, b int32) bool {
	if s.key[a] != s.key[b] {
		return s.key[a] < s.key[b]
	}
	return s.id[a] < s.id[b]
}

// lower gives pos the smaller key, adding it if it is new.
func (s *seeds) lower(pos int32, key float64) {
	s.key[pos] = key
	k := s.slot[pos]
	if k < 0 {
		k = int32(len(s.heap))
		s.heap = append(s.heap, pos)
	}
	for k > 0 {
		up := (k - 1) / 2
		if !s.before(pos, s.heap[up]) {
			break
		}
		s.place(k, s.heap[up])
		k = up
	}
	s.place(k, pos)
}

// pop removes the first of the queue.
func (s *seeds) pop() int32 {
	top := s.heap[0]
	last := s.heap[len(s.heap)-1]
	s.heap = s.heap[:len(s.heap)-1]
	s.slot[top] = -1
	if n := int32(len(s.heap)); n > 0 {
		k := int32(0)
		for {
			c := 2*k + 1
			if c >= n {
				break
			}
			if c+1 < n && s.before(s.heap[c+1], s.heap[c]) {
				c++
			}
			if !s.before(s.heap[c], last) {
				break
			}
			s.place(k, s.heap[c])
			k = c
		}
		s.place(k, last)
	}
	return top
}

func (s *seeds) place(k, pos int32) { s.heap[k], s.slot[pos] = pos, k }
