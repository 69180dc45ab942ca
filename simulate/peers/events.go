package peers

// What may happen.
const (
	iterated = iota // a peer has computed an iteration
	arrived         // a message has come
	vacant          // the sender's link has taken a message that was not waited for
	heard           // a word of the detection has come
	thawed          // a frozen message has come
	failed          // a peer dies
	back            // and its successor begins
	resumed         // a peer that waits for its turn looks again
	asked           // a question for a frozen message has come
	turned          // on a core that hosts share, a piece of work or a turn ends
	freed           // on a host that peers share, an iteration ends
	started         // a peer begins to compute again what it had
)

type event struct {
	at    float64
	order uint64 // of two at once the one that was made first
	kind  uint8
	word  uint8
	yes   bool
	peer  int32
	by    int32 // of a question, who asks
	slot  int32 // of a message, the place among those the receiver receives from
	epoch uint32
	error float64
	phase uint64 // or number of a message
}

// events is a heap by time.
type events struct {
	list []event
	made uint64
}

func (h *events) add(e event) {
	h.made++
	e.order = h.made
	h.list = append(h.list, e)
	i := len(h.list) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !before(&e, &h.list[up]) {
			break
		}
		h.list[i] = h.list[up]
		i = up
	}
	h.list[i] = e
}

func before(a, b *event) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

func (h *events) next() event {
	first, last := h.list[0], h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	n := len(h.list)
	if n == 0 {
		return first
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && before(&h.list[down+1], &h.list[down]) {
			down++
		}
		if !before(&h.list[down], &last) {
			break
		}
		h.list[i] = h.list[down]
		i = down
	}
	h.list[i] = last
	return first
}
