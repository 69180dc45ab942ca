package pop_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"auspex/pop"
)

// shape is the trace of 8 processes made into another one.
type shape struct {
	order   []int           // the processes that are kept, from 1, in their new order
	nodes   int             // that they are on
	threads int             // that each of them has; the first one does everything
	apps    int             // programs that the processes are shared among
	place   func(i int) int // where records of one process and time go; nil for as they are
}

// place is the program and the number in it of a process in its new order.
func (s shape) number(i int) (app, task int) {
	each := len(s.order) / max(s.apps, 1)
	return i/each + 1, i%each + 1
}

// lines makes the trace; useful is the running time of each process in ns.
func (s shape) lines(t *testing.T) (lines []string, useful []int) {
	t.Helper()
	from := eight(t)
	place := map[int]int{}
	var list []string
	for i, old := range s.order {
		place[old] = i
		list = append(list, fmt.Sprintf("%d:%d", max(s.threads, 1), i*max(s.nodes, 1)/len(s.order)+1))
	}
	n, apps := len(s.order), max(s.apps, 1)
	head, _, _ := strings.Cut(from[0], "_ns:")
	head += fmt.Sprintf("_ns:%d(%s):%d", max(s.nodes, 1), strings.TrimSuffix(strings.Repeat("8,", max(s.nodes, 1)), ","), apps)
	var comms []string
	for a := range apps {
		mine := list[a*n/apps : (a+1)*n/apps]
		head += fmt.Sprintf(":%d(%s),1", len(mine), strings.Join(mine, ","))
		line := fmt.Sprintf("c:%d:1:%d", a+1, len(mine))
		for k := range mine {
			line += fmt.Sprintf(":%d", k+1)
		}
		comms = append(comms, line)
	}
	useful = make([]int, n)
	type record struct {
		line     string
		time, by int // by: what goes before others of the same time
		kind     byte
	}
	var records []record
	for _, line := range from[1:] {
		f := strings.Split(line, ":")
		if f[0] == "c" {
			continue
		}
		old, _ := strconv.Atoi(f[3])
		i, ok := place[old]
		if !ok {
			continue
		}
		move := func(at, i int) {
			app, task := s.number(i)
			f[at], f[at+1], f[at+2] = strconv.Itoa(i+1), strconv.Itoa(app), strconv.Itoa(task)
		}
		move(1, i)
		if f[0] == "3" {
			peer, _ := strconv.Atoi(f[9])
			k, ok := place[peer]
			if !ok {
				continue
			}
			move(7, k)
		}
		time, _ := strconv.Atoi(f[5])
		if f[0] == "1" && f[7] == "1" {
			end, _ := strconv.Atoi(f[6])
			useful[i] += end - time
		}
		records = append(records, record{strings.Join(f, ":"), time, i, f[0][0]})
	}
	if s.place != nil {
		slices.SortStableFunc(records, func(a, b record) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(s.place(a.by), s.place(b.by)))
		})
		// Within a process and time, states and messages go after the events, or
		// before them.
		for from := 0; from < len(records); {
			to := from
			for to < len(records) && records[to].time == records[from].time && records[to].by == records[from].by {
				to++
			}
			sign := 1
			if s.place(from)%2 == 0 {
				sign = -1
			}
			slices.SortStableFunc(records[from:to], func(a, b record) int {
				return sign * (boolean(a.kind != '2') - boolean(b.kind != '2'))
			})
			from = to
		}
	}
	lines = append([]string{head}, comms...)
	for _, r := range records {
		lines = append(lines, r.line)
	}
	return lines, useful
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestShapes: the same run written down otherwise has the same factors.
func TestShapes(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8}
	want := measured(t, eight(t))
	r := rand.New(rand.NewPCG(17, 8))
	at := make([]int, 1<<17)
	for i := range at {
		at[i] = r.IntN(1 << 20)
	}
	for _, c := range []struct {
		name string
		shape
	}{
		{"other numbers", shape{order: []int{5, 3, 8, 1, 7, 2, 6, 4}}},
		{"four nodes", shape{order: all, nodes: 4}},
		{"records of one time in another order", shape{order: all, place: func(i int) int { return at[i] }}},
		{"other numbers and another order, on two nodes", shape{order: []int{8, 7, 6, 5, 4, 3, 2, 1}, nodes: 2, place: func(i int) int { return at[i+8] }}},
	} {
		lines, _ := c.lines(t)
		got := measured(t, lines)
		like(t, c.name+": load balance", got.LoadBalance, want.LoadBalance, 1e-9)
		like(t, c.name+": communication", got.Communication, want.Communication, 1e-9)
		like(t, c.name+": serialization", got.Serialization, want.Serialization, 1e-9)
		like(t, c.name+": transfer", got.Transfer, want.Transfer, 1e-9)
		like(t, c.name+": ideal run time", got.Ideal, want.Ideal, 1e-9)
	}
}

// TestParts: any part of the processes, as a trace of its own, has all factors.
// Without the messages to the others it is another program, so that only what
// follows from the states is known on paper.
func TestParts(t *testing.T) {
	reference := pop.Run{}
	for _, c := range []shape{
		{order: []int{4}},
		{order: []int{2, 1}},
		{order: []int{1, 4, 7}, nodes: 3},
		{order: []int{8, 6, 4, 2}, threads: 4},
		{order: []int{1, 2, 3, 5, 8}},
		{order: []int{3, 4, 5, 6, 7, 8}, apps: 2},
		{order: []int{7, 6, 5, 4, 3, 2, 1}, nodes: 2},
		{order: []int{1, 2, 3, 4, 5, 6, 7, 8}, apps: 4, nodes: 2},
	} {
		lines, useful := c.lines(t)
		r := run(t, lines)
		if reference.Ranks == 0 {
			reference = r
		}
		_, both := pop.Scale([]pop.Run{reference, r})
		f := both[1]
		if f.Ranks != len(c.order) {
			t.Errorf("%+v: %d ranks", c.order, f.Ranks)
		}
		sum, most, ends := 0, 0, 0
		for _, u := range useful {
			sum, most = sum+u, max(most, u)
		}
		for _, line := range lines[1:] {
			if p := strings.Split(line, ":"); p[0] == "1" {
				end, _ := strconv.Atoi(p[6])
				ends = max(ends, end)
			}
		}
		units := float64(len(c.order) * max(c.threads, 1))
		balance, communication := float64(sum)/units/float64(most), float64(most)/float64(ends)
		like(t, fmt.Sprint(c.order, ": load balance"), f.LoadBalance, &balance, 1e-9)
		like(t, fmt.Sprint(c.order, ": communication"), f.Communication, &communication, 1e-9)
		if f.Computation == nil || f.Serialization == nil || f.Transfer == nil || f.Ideal == nil {
			t.Errorf("%v: %+v", c.order, f)
			continue
		}
		if *f.Serialization > 1+1e-9 || *f.Ideal > *f.RunSeconds*(1+1e-9) || *f.Ideal*1e9 < float64(most) {
			t.Errorf("%v: serialization %v, ideal run time %v of %v", c.order, *f.Serialization, *f.Ideal, *f.RunSeconds)
		}
	}
}
