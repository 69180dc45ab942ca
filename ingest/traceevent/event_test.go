package traceevent

import (
	"strings"
	"testing"
)

func TestNanoseconds(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1000, "-2.5": -2500, "1682725898236567": 1682725898236567000, "1419247332692.737": 1419247332692737,
		"0.0015": 1, "1e3": 1000000, "12.": 12000, "1.5E-1": 150,
	} {
		if got, err := nanoseconds([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", "x", "1e30", "99999999999999999999", "1.2.3"} {
		if got, err := nanoseconds([]byte(text)); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}

func TestRanks(t *testing.T) {
	for name, want := range map[string]int{"dir9/job_rank-12.json": 12, "RANK3.json.gz": 3, "trace.json": -1, "rank/x.json": -1, "job/10.json.gz": 10, "3.pt.trace.json": 3, "170000123.json": -1, "3x.json": -1} {
		if got := RankInName(name); got != want {
			t.Errorf("%s: %d, not %d", name, got, want)
		}
	}
	for text, want := range map[string]int{"7": 7, "-1": -1, "x": -1, "9999999999": -1} {
		if got := Rank(text); got != want {
			t.Errorf("%s: %d, not %d", text, got, want)
		}
	}
}

// FuzzRead: nothing makes the reader panic, and events come with a phase of one
// letter or none.
func FuzzRead(f *testing.F) {
	f.Add(`{"deviceProperties":[{"name":"H200"}],"distributedInfo":{"rank":1},"traceEvents":[{"ph":"X","name":"a","ts":1.5,"dur":2,"args":{"bytes":3}}]}`)
	f.Add(`[{"ph":"X","name":"gloo:all_reduce","ts":1,"dur":2,"args":{"Input type":["float",["x"]],"Input Dims":[[2,3],[[4],[]],{"a":1}]}}]`)
	f.Add(`[{"ph":"M","name":"thread_name","args":{"name":"main"}},{"ph":"B"`)
	f.Fuzz(func(t *testing.T, text string) {
		Read(t.Context(), "t.json", strings.NewReader(text), Reading{
			Links: true, Inputs: func([]byte) bool { return true }, Event: func(*Event) error { return nil }, Value: func(_, _, _ string) {}, Device: func(string) {}, Section: func(string) {},
		})
	})
}
