package pop_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"auspex/events/paraver"
	"auspex/pop"
)

// written is a program of n processes as Extrae writes it, worked out on paper.
// In µs: process r computes 1000 + 10 r and meets the others in a reduction,
// which ends 20 after the last has come. Then each but the first waits for a
// message of the one before it, computes 100 and passes it on; a receive ends 5
// after its send began, a send takes 5, and at the end all meet in a barrier,
// which takes 20.
type written struct {
	nodes    int  // that the processes are on
	apart    bool // an event record for each type of event
	states   bool // there are states
	counters bool
	split    bool // the reduction is one of the even and one of the odd processes
	names    bool // there is a .pcf
}

func (w written) lines(n int) []string {
	var tasks, all []string
	var halves [2][]string
	for r := range n {
		tasks = append(tasks, fmt.Sprintf("1:%d", r*w.nodes/n+1))
		all = append(all, fmt.Sprint(r+1))
		halves[r%2] = append(halves[r%2], fmt.Sprint(r+1))
	}
	cpus := strings.TrimSuffix(strings.Repeat("64,", w.nodes), ",")
	start := 1000 + 10*(n-1) + 20 // when the last leaves the reduction
	end := start + n*100 + (n-1)*5 + 20
	list := []string{
		fmt.Sprintf("#Paraver (16/11/2026 at 20:15):%d_ns:%d(%s):1:%d(%s),3", end*1000, w.nodes, cpus, n, strings.Join(tasks, ",")),
		fmt.Sprintf("c:1:1:%d:%s", n, strings.Join(all, ":")),
		fmt.Sprintf("c:1:7:%d:%s", len(halves[0]), strings.Join(halves[0], ":")),
		fmt.Sprintf("c:1:9:%d:%s", len(halves[1]), strings.Join(halves[1], ":")),
	}
	for r := range n {
		at := fmt.Sprintf("%d:1:%d:1", r+1, r+1)
		clock := 0
		state := func(from, to, number int) {
			if w.states && to > from {
				list = append(list, fmt.Sprintf("1:%s:%d:%d:%d", at, from*1000, to*1000, number))
			}
		}
		record := func(time int, pairs ...int) {
			if w.counters {
				pairs = append(pairs, 42000050, 1000, 42000059, 2000)
			}
			text := fmt.Sprintf("2:%s:%d", at, time*1000)
			for i := 0; i < len(pairs); i += 2 {
				if i > 0 && w.apart {
					list = append(list, text)
					text = fmt.Sprintf("2:%s:%d", at, time*1000)
				}
				text += fmt.Sprintf(":%d:%d", pairs[i], pairs[i+1])
			}
			list = append(list, text)
		}
		compute := func(to int) { state(clock, to, 1); clock = to }
		call := func(to, kind, number, mode int, more ...int) {
			state(clock, to, mode)
			record(clock, append([]int{kind, number}, more...)...)
			clock = to
			record(clock, kind, 0)
		}
		compute(1000 + 10*r)
		comm := 1
		if w.split {
			comm = 7 + 2*(r%2)
		}
		call(start, 50000002, 10, 9, 50100001, 8, 50100002, 8, 50100004, comm)
		if r > 0 {
			call(clock+r*100+r*5, 50000001, 2, 3)
		}
		compute(clock + 100)
		if r < n-1 {
			list = append(list, fmt.Sprintf("3:%s:%d:%d:%d:1:%d:1:%d:%d:64:5", at, clock*1000, clock*1000, r+2, r+2, start*1000, (clock+5)*1000))
			call(clock+5, 50000001, 1, 4)
		}
		call(end, 50000002, 8, 9, 50100004, 1)
	}
	// By time, as Extrae writes them; of one time states, events, messages.
	slices.SortStableFunc(list[4:], func(a, b string) int { return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a[0], b[0])) })
	return list
}

// at is when a record happens.
func at(record string) int {
	time, _ := strconv.Atoi(strings.SplitN(record, ":", 7)[5])
	return time
}

// TestCounts: other numbers of processes than those of the traces at hand, and
// other ways to write them down.
func TestCounts(t *testing.T) {
	for _, w := range []written{
		{nodes: 1, states: true},
		{nodes: 2, states: true, counters: true, names: true},
		{nodes: 1, apart: true, counters: true},
		{nodes: 4, states: true, apart: true, names: true},
		{nodes: 2, states: true, split: true},
		{nodes: 2, counters: true, split: true, names: true},
	} {
		for _, n := range []int{4, 16, 32} {
			f := of(t, w, n)
			// On paper:
			useful, most := 0.0, 0.0
			for r := range n {
				s := 1000 + 10*float64(r) + 100
				useful, most = useful+s, max(most, s)
			}
			reduced := 1000 + 10*float64(n-1)
			end := reduced + 20 + float64(n)*100 + float64(n-1)*5 + 20
			ideal := reduced + float64(n)*100
			if w.split { // the even ones, of which the first starts the chain, are ready 10 before
				ideal -= 10
			}
			for _, c := range []struct {
				name      string
				got, want float64
			}{
				{"ranks", float64(f.Ranks), float64(n)},
				{"run time", *f.RunSeconds, end / 1e6},
				{"load balance", *f.LoadBalance, useful / float64(n) / most},
				{"communication", *f.Communication, most / end},
				{"ideal run time", *f.Ideal, ideal / 1e6},
				{"serialization", *f.Serialization, most / ideal},
				{"transfer", *f.Transfer, ideal / end},
			} {
				if math.Abs(c.got-c.want) > 1e-9 {
					t.Errorf("%+v, %d processes: %s is %.9f, on paper %.9f", w, n, c.name, c.got, c.want)
				}
			}
			if len(f.Notes) > 0 {
				t.Errorf("%+v, %d processes: noted %v", w, n, f.Notes)
			}
		}
	}
}

func of(t *testing.T, w written, n int) pop.Factors {
	t.Helper()
	path := filepath.Join(t.TempDir(), "counts.prv")
	files := map[string]string{path: strings.Join(w.lines(n), "\n") + "\n"}
	if w.names {
		files[strings.TrimSuffix(path, ".prv")+".pcf"] = "EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n0 Outside MPI\n\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n8 MPI_Barrier\n10 MPI_Allreduce\n0 Outside MPI\n"
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src, err := paraver.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return pop.Of(r)
}
