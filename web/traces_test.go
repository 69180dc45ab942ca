package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"auspex/internal/sample"
	"auspex/store"
	"auspex/view/timeline"
	"auspex/whatif/kept"
)

// putTraced stores an experiment of two ranks with its trace: one computes twice as
// long as the other.
func putTraced(t testing.TB, s *store.Store, name string) {
	t.Helper()
	if err := s.Put(synthetic(name, 2, 3), false, store.Attachment{Name: kept.TraceName, Data: sample.UnevenTrace(t, 2)}); err != nil {
		t.Fatal(err)
	}
}

func TestTraces(t *testing.T) {
	s := testStore(t)
	putTraced(t, s, "traced")
	l := serve(t, Config{Store: s, Loopback: true})
	get := func(path string, into any) int {
		t.Helper()
		status, _, text := l.send("GET", "/api/v1/experiments/"+path, "")
		if status == http.StatusOK && into != nil {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
		return status
	}
	var p timeline.Picture
	if status := get("traced/trace", &p); status != http.StatusOK || p.Ranks != 2 || p.RunSeconds < 10 || len(p.Waits.Row) != 5 || p.Causes[p.Waits.Part[0]] != "main/work" {
		t.Errorf("%d: %+v", status, p)
	}
	before := p.RunSeconds
	if status := get("traced/trace?balance="+url.QueryEscape("main/work"), &p); status != http.StatusOK || p.RunSeconds > 0.8*before {
		t.Errorf("balanced: %d, %g s after %g s", status, p.RunSeconds, before)
	}
	if status := get("traced/trace?from=1&to=3&cols=50&from_lane=1", &p); status != http.StatusOK || p.From != 1 || len(p.Rows) != 1 {
		t.Errorf("a window: %d, %+v", status, p)
	}
	var w struct {
		Waited float64 `json:"waited_seconds"`
	}
	if status := get("traced/waits", &w); status != http.StatusOK || w.Waited < 4.9 || w.Waited > 5.1 {
		t.Errorf("waits: %d, %+v", status, w)
	}
	var f struct {
		LoadBalance float64  `json:"load_balance"`
		Look        []string `json:"look_at"`
	}
	if status := get("traced/efficiency", &f); status != http.StatusOK || f.LoadBalance != 0.75 || len(f.Look) == 0 || f.Look[0] != "load balance" {
		t.Errorf("efficiency: %d, %+v", status, f)
	}
	var o struct {
		Opportunities []struct {
			Change string `json:"change"`
		} `json:"opportunities"`
		NewSeconds float64 `json:"new_seconds"`
	}
	if status := get("traced/opportunities", &o); status != http.StatusOK || len(o.Opportunities) == 0 {
		t.Errorf("whatif: %d, %+v", status, o)
	}
	if status := get("traced/whatif?balance=all", &o); status != http.StatusOK || o.NewSeconds <= 0 {
		t.Errorf("whatif --balance all: %d, %+v", status, o)
	}
	for path, want := range map[string]int{
		"unbalanced/trace": http.StatusNotFound, "unbalanced/opportunities": http.StatusNotFound, "nobody/waits": http.StatusNotFound,
		"traced/trace?from=99": http.StatusBadRequest, "traced/whatif?faster=better": http.StatusBadRequest,
		"traced/whatif?faster=" + url.QueryEscape("nowhere=2"): http.StatusBadRequest, "traced/trace?colour=red": http.StatusBadRequest,
	} {
		if status := get(path, nil); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}
