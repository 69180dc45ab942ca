package web

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"auspex/store"
	"auspex/trace"
)

// putTraced stores an experiment with the trace of the integer sort beside it.
func putTraced(t *testing.T, s *store.Store, name string) {
	t.Helper()
	read, err := trace.Open(context.Background(), filepath.Join("..", "examples", "traces", "intsort-8.txt"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := trace.Write(&data, read); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(synthetic(name, 8, 5), false, store.Attachment{Name: "run.trace", Data: data.Bytes()}); err != nil {
		t.Fatal(err)
	}
}

func TestTracedRun(t *testing.T) {
	s := testStore(t)
	putTraced(t, s, "traced")
	l := serve(t, Config{Store: s, Loopback: true})
	var of struct{ Traced bool }
	if l.ask("/experiments/traced", &of); !of.Traced {
		t.Error("the summary does not tell of the trace")
	}
	var whole, part struct {
		Ranks      int
		RunSeconds float64 `json:"run_seconds"`
		From, To   float64
		Bars       struct{ Row []int }
	}
	l.ask("/experiments/traced/trace?cols=200", &whole)
	if whole.Ranks != 8 || whole.RunSeconds <= 0 || len(whole.Bars.Row) == 0 {
		t.Errorf("the trace is %+v", whole)
	}
	l.ask("/experiments/traced/trace?to="+strconv.FormatFloat(whole.RunSeconds/2, 'g', -1, 64), &part)
	if part.To >= whole.To || len(part.Bars.Row) == 0 {
		t.Errorf("half of it is %+v", part)
	}
	var list struct {
		BaseSeconds float64 `json:"base_seconds"`
		Regions     []string
	}
	l.ask("/experiments/traced/opportunities", &list)
	var priced struct {
		BaseSeconds float64 `json:"base_seconds"`
		NewSeconds  float64 `json:"new_seconds"`
	}
	l.ask("/experiments/traced/whatif?network=ideal", &priced)
	if priced.BaseSeconds != list.BaseSeconds || priced.NewSeconds > priced.BaseSeconds {
		t.Errorf("an ideal network makes %v of %v, the list has %v", priced.NewSeconds, priced.BaseSeconds, list.BaseSeconds)
	}
	for path, want := range map[string]int{
		"/experiments/unbalanced/trace":                  http.StatusNotFound,
		"/experiments/unbalanced/whatif?balance=all":     http.StatusNotFound,
		"/experiments/traced/whatif":                     http.StatusBadRequest,
		"/experiments/traced/whatif?faster=solve":        http.StatusBadRequest,
		"/experiments/traced/whatif?ranks-per-node=2":    http.StatusBadRequest,
		"/experiments/traced/trace?from=5e9":             http.StatusBadRequest,
		"/experiments/unbalanced/table?by=colour":        http.StatusBadRequest,
		"/experiments/unbalanced/region?region=nowhere":  http.StatusBadRequest,
		"/scaling?experiment=unbalanced":                 http.StatusBadRequest,
		"/experiments/unbalanced/heatmap?arrange=upside": http.StatusBadRequest,
	} {
		if status, _, text := l.send("GET", "/api/v1"+path, ""); status != want {
			t.Errorf("%s: %d %s, not %d", path, status, text, want)
		}
	}
}

// A person with an old address gets a page, a program JSON.
func TestAddressWithoutToken(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	status, header, text := l.send("GET", "/", "", "Authorization", "", "Accept", "text/html,*/*")
	if status != http.StatusUnauthorized || !strings.HasPrefix(header.Get("Content-Type"), "text/html") || !strings.Contains(text, "--token-file") {
		t.Errorf("%d %s %.200s", status, header.Get("Content-Type"), text)
	}
	for _, path := range []string{"/api/v1/about", "/"} {
		accept := map[string]string{"/": "*/*"}[path]
		if accept == "" {
			accept = "text/html"
		}
		if status, header, _ := l.send("GET", path, "", "Authorization", "", "Accept", accept); status != http.StatusUnauthorized || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s", path, status, header.Get("Content-Type"))
		}
	}
}

// Light questions are answered while every place for heavy ones is taken, and a
// heavy one that nobody waits for any longer gives its turn back.
func TestLightBesideHeavy(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	for range cap(l.server.work) {
		l.server.work <- struct{}{}
	}
	for _, path := range []string{"/about", "/experiments", "/terms", "/vocabularies", "/predictions", "/simulations"} {
		if status, _, text := l.send("GET", "/api/v1"+path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.server.enter(ctx); err == nil || l.server.waiting.Load() != 0 {
		t.Errorf("a cancelled question got a place: %v, %d wait", err, l.server.waiting.Load())
	}
	<-l.server.work
	leave, err := l.server.enter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	leave()
}
