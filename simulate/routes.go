package simulate

// routeTable finds routes by source and destination: a hash table with open
// addressing, since it is asked for every message.
type routeTable struct {
	keys   []uint64 // 0 is free; a key is one more than it says
	routes []*route
	used   int
}

func routeKey(src, dst int32) uint64 { return uint64(uint32(src))<<32 | uint64(uint32(dst)) + 1 }

// slot is where a key is, or where it would go.
func (t *routeTable) slot(key uint64) int {
	mask := len(t.keys) - 1
	h := key * 0x9e3779b97f4a7c15
	i := int(h>>32) & mask
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (t *routeTable) get(src, dst int32) *route {
	if len(t.keys) == 0 {
		return nil
	}
	return t.routes[t.slot(routeKey(src, dst))]
}

func (t *routeTable) put(src, dst int32, r *route) {
	if 4*(t.used+1) > 3*len(t.keys) {
		old := *t
		n := max(64, 2*len(old.keys))
		t.keys, t.routes = make([]uint64, n), make([]*route, n)
		for i, k := range old.keys {
			if k != 0 {
				j := t.slot(k)
				t.keys[j], t.routes[j] = k, old.routes[i]
			}
		}
	}
	key := routeKey(src, dst)
	i := t.slot(key)
	t.keys[i], t.routes[i] = key, r
	t.used++
}
