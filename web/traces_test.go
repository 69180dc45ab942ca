package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"auspex/analyze"
	"auspex/events"
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
	var shown struct {
		Efficiency analyze.Efficiency `json:"efficiency"`
	}
	if status := get("traced", &shown); status != http.StatusOK || shown.Efficiency.Serialization == nil || shown.Efficiency.Transfer == nil {
		t.Errorf("as show tells it: %d, %+v", status, shown)
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

// The times of an imported trace are drawn, judged and changed like those of a
// replay: a recording of one gives the same picture.
func TestImportedTimes(t *testing.T) {
	s := testStore(t)
	putTraced(t, s, "traced")
	e, err := analyze.Find(s, "traced")
	if err != nil {
		t.Fatal(err)
	}
	run, err := kept.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	source, err := run.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var spans bytes.Buffer
	if err := events.Record(t.Context(), &spans, source); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(synthetic("imported", 2, 3), false, store.Attachment{Name: kept.SpansName, Data: spans.Bytes()}); err != nil {
		t.Fatal(err)
	}
	l := serve(t, Config{Store: s, Loopback: true})
	for question, keys := range map[string][]string{
		"/trace": {"bars", "waits", "critical_path", "messages", "run_seconds"}, "/trace?from=1&to=3": {"bars", "waits", "critical_path"},
		"/efficiency": {"load_balance"}, "/waits": {"waited_seconds"},
	} {
		var of [2]map[string]any
		for i, name := range []string{"traced", "imported"} {
			status, _, text := l.send("GET", "/api/v1/experiments/"+name+question, "")
			if err := json.Unmarshal([]byte(text), &of[i]); status != http.StatusOK || err != nil {
				t.Fatalf("%s%s: %d %s", name, question, status, text)
			}
		}
		for _, key := range keys {
			a, _ := json.Marshal(of[0][key])
			b, _ := json.Marshal(of[1][key])
			if !bytes.Equal(a, b) || string(a) == "null" {
				t.Errorf("%s, %s: %s, imported %s", question, key, a, b)
			}
		}
	}
	var summary struct{ Traced bool }
	if status, _, text := l.send("GET", "/api/v1/experiments/imported", ""); status != http.StatusOK || json.Unmarshal([]byte(text), &summary) != nil || !summary.Traced {
		t.Errorf("an imported trace is not offered: %d %s", status, text)
	}
	if status, _, text := l.send("GET", "/api/v1/experiments/imported/whatif?balance=all", ""); status != http.StatusOK {
		t.Errorf("what if: %d %s", status, text)
	}
}
