package whatif_test

import (
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestHandsOut: where a rank hands out work, a replay tells nothing of balancing; one
// that answers all others by turns hands out nothing.
func TestHandsOut(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  func(worker int32) int32
		order []int32
		want  bool
	}{
		{"whoever is done", func(w int32) int32 { return w }, []int32{1, 2, 1, 1, 2, 2, 1, 1, 2, 1}, true},
		{"whoever is done, received from any", func(int32) int32 { return trace.AnySource }, []int32{1, 2, 1, 1, 2, 2, 1, 1, 2, 1}, true},
		{"by turns", func(w int32) int32 { return w }, []int32{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, false},
		{"in an order that repeats", func(w int32) int32 { return w }, []int32{1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2}, false},
		{"one worker, and messages to itself", func(w int32) int32 { return w }, []int32{1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, false},
		{"one worker", func(w int32) int32 { return w }, []int32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, false},
	} {
		tr := programs(3, func(r int, b *trace.Builder) {
			for _, w := range c.order {
				if r == 0 && w == 0 {
					b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: 0, Tag: 1, Count: 4})
					b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Tag: 1, Count: 4})
				} else if r == 0 {
					b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: c.from(w), Tag: 1, Count: 4})
					b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: w, Count: 4})
				} else if r == int(w) {
					compute(b, "task", 0.1*float64(r))
					b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 0, Tag: 1, Count: 4})
					b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Count: 4})
				}
			}
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
		if err != nil {
			t.Fatal(c.name, err)
		}
		l, err := w.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(l.Notes, ""), "rank 0 answers the others in the order in which they come")
		for _, o := range l.Opportunities {
			if c.want && (strings.HasPrefix(o.Change, "--balance") || strings.HasPrefix(o.Change, "--like-median")) {
				t.Errorf("%s: %s gains %g", c.name, o.Change, o.Gain)
			}
		}
		slower, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.LikeMedian, Rank: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if noted := strings.Contains(strings.Join(slower.Notes, ""), "balancing or a faster rank would bring"); noted != c.want {
			t.Errorf("%s: of a faster rank %q", c.name, slower.Notes)
		}
		if w.HandsOut() != c.want || said != c.want {
			t.Errorf("%s: hands out %v, %q", c.name, w.HandsOut(), l.Notes)
		}
	}
}

// TestNeighboursHandOutNothing: borders are exchanged with several neighbours, in whatever
// order.
func TestNeighboursHandOutNothing(t *testing.T) {
	const ranks = 4
	tr := programs(ranks, func(r int, b *trace.Builder) {
		beside, across := int32(r^1), int32(r^2)
		for _, p := range []int32{beside, beside, beside, across, across, beside, beside, beside, across, across, beside, beside, beside, across, across} {
			b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: p, Count: 4})
			b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: p, Count: 4})
			compute(b, "inside", 0.1*float64(1+r%2))
		}
	})
	w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	if w.HandsOut() {
		t.Error("neighbours are taken for one who hands out work")
	}
}

// order is one of few ranks, drawn as they might come, that does not repeat.
func order(from int32, ranks int, n int) []int32 {
	var out []int32
	for i, x := 0, uint32(7); i < n; i++ {
		x = x*1664525 + 1013904223
		out = append(out, from+int32(x>>16)%int32(ranks))
	}
	return out
}

// TestWhoHandsOut: masters of few and of many workers, and of groups, hand out work; lines,
// pipelines, rings, butterflies and collectives written by hand do not.
func TestWhoHandsOut(t *testing.T) {
	send := func(b *trace.Builder, to int32) {
		b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: to, Count: 4})
	}
	recv := func(b *trace.Builder, from int32) {
		b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: from, Count: 4})
	}
	// serve has a master answer its workers; each worker asks after its task.
	serve := func(b *trace.Builder, r int, master int32, row []int32, parts int) {
		for _, w := range row {
			switch int32(r) {
			case master:
				recv(b, w)
				for range parts {
					send(b, w)
				}
			case w:
				send(b, master)
				for range parts {
					recv(b, master)
				}
				compute(b, "task", 0.1)
			}
		}
	}
	swap := func(b *trace.Builder, other int32) {
		b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: other, Count: 4})
		recv(b, other)
	}
	steps := func(body func(step int)) {
		for step := range 12 {
			body(step)
		}
	}
	for _, c := range []struct {
		name  string
		ranks int
		add   func(r int, b *trace.Builder)
		words string // of who hands out; nothing where nobody does
	}{
		{"two workers", 3, func(r int, b *trace.Builder) { serve(b, r, 0, order(1, 2, 30), 1) }, "rank 0 answers the others in"},
		{"eight workers", 9, func(r int, b *trace.Builder) { serve(b, r, 0, order(1, 8, 60), 1) }, "rank 0 answers the others in"},
		{"tasks in two messages", 4, func(r int, b *trace.Builder) { serve(b, r, 0, order(1, 3, 30), 2) }, "rank 0 answers the others in"},
		{"the master is last", 4, func(r int, b *trace.Builder) { serve(b, r, 3, order(0, 3, 30), 1) }, "rank 3 answers the others in"},
		{"masters of groups", 7, func(r int, b *trace.Builder) {
			for _, master := range []int32{1, 4} {
				for i, w := range order(master+1, 2, 40) {
					if i%5 != 0 || int32(r) == w {
						serve(b, r, master, []int32{w}, 1)
						continue
					}
					if int32(r) == master { // the group's tasks are used up
						recv(b, w)
						send(b, 0)
						recv(b, 0)
						send(b, w)
					}
					if r == 0 {
						recv(b, master)
						send(b, master)
					}
				}
			}
		}, "rank 1 answers ranks 2 and 3 in"},
		{"a line of three, six fields, sub-steps that differ", 3, func(r int, b *trace.Builder) {
			steps(func(step int) {
				for _, other := range []int32{int32(r - 1), int32(r + 1)} {
					for range order(4, 3, 12)[step] {
						if other >= 0 && other < 3 {
							swap(b, other)
						}
					}
				}
				compute(b, "inside", 0.1)
			})
		}, ""},
		{"the same by MPI_Sendrecv", 3, func(r int, b *trace.Builder) {
			steps(func(step int) {
				for _, other := range []int32{int32(r - 1), int32(r + 1)} {
					for range order(4, 3, 12)[step] {
						if other >= 0 && other < 3 {
							b.Add(&trace.Action{Kind: trace.SendRecv, Type: trace.Byte, Type2: trace.Byte, Peer: other, Peer2: other, Count: 4, Count2: 4})
						}
					}
				}
			})
		}, ""},
		{"a pipeline", 4, func(r int, b *trace.Builder) {
			steps(func(int) {
				if r > 0 {
					recv(b, int32(r-1))
				}
				compute(b, "stage", 0.1)
				if r < 3 {
					send(b, int32(r+1))
				}
			})
		}, ""},
		{"a ring", 3, func(r int, b *trace.Builder) {
			steps(func(int) {
				b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: int32((r + 1) % 3), Count: 4})
				recv(b, int32((r+2)%3))
			})
		}, ""},
		{"a butterfly", 4, func(r int, b *trace.Builder) {
			steps(func(int) { swap(b, int32(r^1)); swap(b, int32(r^2)) })
		}, ""},
		{"gather and scatter by hand, whoever comes first", 4, func(r int, b *trace.Builder) {
			steps(func(step int) {
				if r > 0 {
					send(b, 0)
					recv(b, 0)
					return
				}
				for i := range 3 {
					recv(b, int32((step*step+i)%3+1))
				}
				for w := range int32(3) {
					send(b, w+1)
				}
			})
		}, ""},
	} {
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: programs(c.ranks, c.add), Network: whatif.SharedMemory()})
		if err != nil {
			t.Fatal(c.name, err)
		}
		l, err := w.Opportunities(t.Context())
		if err != nil {
			t.Fatal(c.name, err)
		}
		notes := strings.Join(l.Notes, "; ")
		if w.HandsOut() != (c.words != "") || !strings.Contains(notes, c.words) || c.words == "" && strings.Contains(notes, "in the order in which they come") {
			t.Errorf("%s: hands out %v: %s", c.name, w.HandsOut(), notes)
		}
	}
}
