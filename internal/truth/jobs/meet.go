package jobs

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"auspex/training"
)

// group is ranks that meet in collectives.
type group struct {
	name    string
	members []int
	mu      sync.Mutex
	meets   map[int64]*meet
}

type meet struct {
	ready int64
	left  int
	all   chan struct{}
}

func newGroup(name string, members []int) *group {
	return &group{name: name, members: members, meets: map[int64]*meet{}}
}

func (g *group) ranks() string {
	return "[" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(g.members), "[]")), ", ") + "]"
}

// arrive waits for all of the group and tells when the last was ready.
func (g *group) arrive(seq, ready int64) int64 {
	g.mu.Lock()
	m := g.meets[seq]
	if m == nil {
		m = &meet{ready: ready, left: len(g.members), all: make(chan struct{})}
		g.meets[seq] = m
	}
	m.ready = max(m.ready, ready)
	if m.left--; m.left == 0 {
		close(m.all)
	}
	g.mu.Unlock()
	<-m.all
	return m.ready
}

// member is a rank's place in a group.
type member struct {
	*group
	seq int64
}

// collective is what a rank asks of its group.
type collective struct {
	name, kernel string
	bytes, time  int64
	after        bool // begins when the device has computed what was launched before
}

// meets launches a collective. Alone in its group, a rank meets nobody.
func (r *rank) meets(m *member, c collective) {
	if len(m.members) < 2 {
		return
	}
	m.seq++
	r.during(training.Operator, "c10d::"+c.name+"_", func() {
		r.works(5 * us)
		r.during(training.Annotation, "nccl:"+c.name, func() {
			if c.after {
				r.follows(network, compute)
			}
			link, ready := r.launch("cudaLaunchKernelExC", network)
			last := m.arrive(m.seq, ready)
			r.now[network] = last + c.time
			i := r.add(training.Kernel, network, c.kernel, ready, r.now[network], link)
			r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Bytes: c.bytes, Collective: strings.TrimPrefix(c.name, "_"), Group: m.name, GroupSize: len(m.members), Ranks: m.ranks(), Seq: m.seq})
		})
	})
}

// post is where messages between two ranks wait for who receives them.
type post struct {
	mu   sync.Mutex
	sent map[[3]int64]chan int64
}

func (p *post) box(from, to int, seq int64) chan int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := [3]int64{int64(from), int64(to), seq}
	if p.sent[key] == nil {
		p.sent[key] = make(chan int64, 1)
	}
	return p.sent[key]
}

// message launches the sending or the receiving half of one.
func (r *rank) message(p *post, sends bool, other int, seq, bytes, time int64) {
	from, to, name := other, r.t.Rank, "recv"
	if sends {
		from, to, name = r.t.Rank, other, "send"
	}
	r.during(training.Operator, "c10d::"+name, func() {
		r.works(5 * us)
		r.during(training.Annotation, "nccl:"+name, func() {
			r.follows(pipe, compute)
			link, ready := r.launch("cudaLaunchKernelExC", pipe)
			end := ready + time
			if sends {
				p.box(from, to, seq) <- ready
			} else {
				end = max(ready, <-p.box(from, to, seq)) + time
				r.now[pipe] = end
				r.follows(compute, pipe)
			}
			i := r.add(training.Kernel, pipe, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", ready, end, link)
			pair := []int{min(from, to), max(from, to)}
			r.t.Messages = append(r.t.Messages, training.Message{
				Interval: i, Bytes: bytes, Collective: name, Group: fmt.Sprintf("pp%d_%d", pair[0], pair[1]), GroupSize: 2,
				Ranks: fmt.Sprintf("[%d, %d]", pair[0], pair[1]), Seq: -1, Source: &from, Target: &to,
			})
		})
	})
}

// every lists each n-th number from one on, below an end.
func every(n, from, end int) []int {
	var list []int
	for i := from; i < end; i += n {
		list = append(list, i)
	}
	return slices.Clip(list)
}
