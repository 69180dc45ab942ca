package analyze

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"auspex/internal/sample"
	"auspex/perfql"
	"auspex/store"
)

// manyExperiments are n names for a few stored experiments, each opened from its
// files when its turn comes.
func manyExperiments(t testing.TB, n int) []Searched {
	t.Helper()
	s := store.Open(t.TempDir())
	const stored = 5
	for i := range stored {
		e := sample.Scored(t, float64(1+i))
		e.Name = fmt.Sprint("e", i)
		if err := s.Put(e, false); err != nil {
			t.Fatal(err)
		}
	}
	var all []Searched
	for i := range n {
		all = append(all, func() (*Dataset, error) {
			e, err := s.Get(fmt.Sprint("e", i%stored))
			if err != nil {
				return nil, err
			}
			e.Name = fmt.Sprintf("run-%04d", i)
			return Open(e)
		})
	}
	return all
}

// 5,000 experiments are searched with few files open at a time and without the
// database.
func TestQueryOverThousands(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Skip(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	const n = 5000
	q, err := perfql.Parse("wtime is S(0, 100) ORDER BY wtime, region LIMIT 3")
	if err != nil {
		t.Fatal(err)
	}
	noEngine := func() (*store.Engine, error) { return nil, fmt.Errorf("the database was asked") }
	answer, err := Query(context.Background(), noEngine, q, ShippedWords(), manyExperiments(t, n))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Experiments != n || len(answer.Rows) != 3 || answer.Rows[0].Experiment != "run-0004" || *answer.Rows[0].Region != "main/solve" || answer.Rows[2].Experiment != "run-0014" {
		t.Errorf("%d searched; %+v", answer.Experiments, answer.Rows)
	}
}

func BenchmarkQueryOverThousands(b *testing.B) {
	q, err := perfql.Parse("(wtime is high) AND (imbalance is high) LIMIT 20")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{100, 400, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := manyExperiments(b, n)
			for b.Loop() {
				if _, err := Query(context.Background(), sharedEngine, q, ShippedWords(), all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An experiment that is named twice is searched once, and an error says where in
// the query the name stands.
func TestToSearch(t *testing.T) {
	opened := []string{}
	open := func(name string) (*Dataset, error) {
		opened = append(opened, name)
		if name == "none" {
			return nil, fmt.Errorf("there is no experiment %q", name)
		}
		return &Dataset{}, nil
	}
	for text, want := range map[string]string{
		"wtime is high":              "a b",
		"wtime is high OVER c, d, c": "c d",
	} {
		q, err := perfql.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		opened = opened[:0]
		for _, s := range ToSearch(q, []string{"a", "b", "a"}, open) {
			if _, err := s(); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(opened, " "); got != want {
			t.Errorf("%s searches %s, not %s", text, got, want)
		}
	}
	q, err := perfql.Parse("wtime is high OVER none")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ToSearch(q, nil, open)[0](); err == nil || !strings.Contains(err.Error(), "column 20") {
		t.Errorf("got %v", err)
	}
}
