package paraver

import (
	"slices"
	"strings"
	"testing"

	"auspex/events"
)

func sorted(lines string) string {
	list := strings.SplitAfter(lines, "\n")
	slices.Sort(list)
	return strings.Join(list, "")
}

// TestOpenMP: functions that OpenMP made are regions, and in barriers and the state
// of synchronization threads wait for one another.
func TestOpenMP(t *testing.T) {
	path := file(t, `#Paraver (01/01/2026 at 00:00):5000_ns:1(2):1:1(2:1),0
1:1:1:1:1:0:4000:1
1:2:1:1:2:0:1000:1
2:1:1:1:1:0:60000018:1
2:2:1:1:2:0:60000018:1
1:2:1:1:2:1000:4000:5
2:2:1:1:2:1000:60000005:1
1:1:1:1:1:4000:4100:5
2:1:1:1:1:4000:60000005:1
2:1:1:1:1:4100:60000005:0:60000018:0
2:2:1:1:2:4100:60000005:0:60000018:0
1:1:1:1:1:4100:5000:1
1:2:1:1:2:4100:5000:5
`, `EVENT_TYPE
0    60000018    Executed OpenMP parallel function
VALUES
0   End
1   kernel_omp_fn.0 [kernel]
EVENT_TYPE
0    60000005    OpenMP barrier
VALUES
0      End
1      Begin
`)
	want := `0 compute kernel 0-4000
1 compute kernel 0-1000
0 unknown kernel/OpenMP barrier 4000-4100
1 unknown kernel/OpenMP barrier 1000-4100
0 compute program 4100-5000
1 unknown program/synchronization 4100-5000
`
	if got := told(t, path); sorted(got) != sorted(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	numbers := []int32{}
	src := open(t, path)
	err := src.Each(t.Context(), func(s *events.Span) error {
		if s.Kind == events.ThreadBarrier {
			numbers = append(numbers, s.Comm)
		}
		return nil
	})
	if slices.Sort(numbers); err != nil || !slices.Equal(numbers, []int32{-1, 0, 0}) {
		t.Errorf("the barriers are %v (%v)", numbers, err)
	}
}
