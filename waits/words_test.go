package waits_test

import (
	"strings"
	"testing"

	"auspex/events"
	"auspex/waits"
)

// TestWords: each sentence where it is true, and not where it is not.
func TestWords(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"a rank alone", "0 compute A 0 3", "There is a single rank, which has nobody to wait for."},
		{"hardly any waiting", "0 compute A 0 100\n0 barrier X 100 101\n1 compute A 0 101\n1 barrier X 101 101",
			"The ranks hardly wait for one another: 1 s of 202 s."},
		{"hardly any waiting of threads", "0 compute A 0 100\n0 omp O 100 101\n0 compute A 0 101 thread=1\n0 omp O 101 101 thread=1",
			"The threads hardly wait for one another: 1 s of 202 s."},
		{"ranks", "0 compute A 0 3\n0 send S 3 3.1 ->1\n1 compute A 0 1\n1 recv R 1 3.1 <-0",
			"The ranks wait 32 % of their time for one another. `R` waits 2 s, 2 s of it for `A` on rank 0."},
		{"a pause, whose place is that of the next call", "0 compute A 0 1\n0 pause /home/me/a.c:15/pause 1 3\n0 send /home/me/a.c:15/S 3 3.1 ->1\n1 compute A 0 1\n1 recv R 1 3.1 <-0",
			"`R` waits 2 s, 2 s of it for pauses of rank 0 (blocked, asleep, or in input and output) before a.c:15."},
		{"threads of one rank", "0 compute A 0 1\n0 omp O 1 3\n0 compute A 0 3 thread=1\n0 omp O 3 3 thread=1",
			"The threads wait 33 % of their time for one another. `O` waits 2 s, 2 s of it for `A` on rank 0."},
		{"threads of two ranks, which do not wait", "0 compute A 0 1\n0 omp O 1 3\n0 compute A 0 3 thread=1\n0 omp O 3 3 thread=1\n1 compute A 0 3",
			"The threads wait 22 % of their time for one another. `O` waits 2 s, 2 s of it for `A` on rank 0."},
		{"both", "0 compute A 0 1\n0 omp O 1 3\n0 compute A 0 3 thread=1\n0 omp O 3 3 thread=1\n0 barrier X 3 3\n1 compute A 0 1\n1 barrier X 1 3",
			"The ranks and threads wait 44 % of their time for one another."},
		{"to complete", "0 compute A 0 1\n0 barrier X 1 2\n1 compute A 0 1\n1 barrier X 1 3",
			"`X` waits 1 s to complete after its first rank has left."},
		{"called from somewhere, for two ranks", "0 compute A 0 1\n0 barrier main/step/X 1 3\n1 compute A 0 3\n1 barrier main/step/X 3 3\n0 compute A 3 6\n0 barrier main/step/X 6 6\n1 compute A 3 4\n1 barrier main/step/X 4 6",
			"`X` in step waits 4 s, 4 s of it for `A` on ranks 0 and 1."},
		{"for one rank, and by a trifle for another", "0 compute A 0 1\n0 barrier main/step/X 1 3\n1 compute A 0 3\n1 barrier main/step/X 3 3\n0 compute A 3 4.01\n0 barrier main/step/X 4.01 4.01\n1 compute A 3 4\n1 barrier main/step/X 4 4.01",
			"`X` in step waits 2.01 s, 2.01 s of it for `A` on rank 1."},
	} {
		r, err := waits.Analyze(t.Context(), write(t, c.trace, []int32{0, 1}))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Words, c.want) {
			t.Errorf("%s: %s\nwant: %s", c.name, r.Words, c.want)
		}
	}
}

// TestWithin: a function is said where one is known.
func TestWithin(t *testing.T) {
	r, err := waits.Analyze(t.Context(), write(t, "0 compute A 0 3\n0 send S 3 3.1 ->1\n1 compute A 0 1\n1 recv R 1 3.1 <-0", []int32{0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ function, want string }{
		{"solve", "2 s of it for `A` on rank 0, by samples most of it in `solve`."},
		{"", "2 s of it for `A` on rank 0."},
	} {
		r.Within(func(*waits.Cause) string { return c.function })
		if !strings.HasSuffix(r.Words, c.want) || r.Rows[0].Causes[0].Mostly != c.function {
			t.Errorf("%q: %s\nwant: %s", c.function, r.Words, c.want)
		}
	}
}

// TestWithoutCore: what is waited for is a core, not the call.
func TestWithoutCore(t *testing.T) {
	src := write(t, "0 barrier m.c:1/X 0 1\n1 barrier m.c:1/X 0 1\n1 compute m.c:1/X/still 1 3\n0 barrier m.c:2/Y 1 3\n1 barrier m.c:2/Y 3 3", []int32{0, 1})
	for i, p := range src.Header().Paths {
		src.Header().Paths[i].Name = strings.Replace(p.Name, "still", events.NoCore, 1)
	}
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if want := "`Y` in m.c:2 waits 2 s, 2 s of it for rank 1 without a core within `X`."; !strings.HasSuffix(r.Words, want) || r.NoCore != 2 {
		t.Errorf("%s\nwant: %s (%g s without a core)", r.Words, want, r.NoCore)
	}
}
