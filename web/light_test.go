package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// Questions that cannot be answered say so.
func TestQuestionsThatCannotBe(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	for path, want := range map[string]int{
		"/experiments/unbalanced/table?by=colour":        http.StatusBadRequest,
		"/experiments/unbalanced/region?region=nowhere":  http.StatusBadRequest,
		"/experiments/unbalanced/heatmap?arrange=upside": http.StatusBadRequest,
		"/experiments/unbalanced/heatmap?opened=first":   http.StatusBadRequest,
		"/experiments/unbalanced/calltree?against=none":  http.StatusNotFound,
		"/scaling?experiment=unbalanced":                 http.StatusBadRequest,
		"/glances?experiment=nobody":                     http.StatusNotFound,
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
