package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
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
		// What is misspelt or would be lost is refused, not ignored.
		"/about?verbose=true":                                http.StatusBadRequest,
		"/experiments/unbalanced/heatmap?colums=3":           http.StatusBadRequest,
		"/experiments/unbalanced/heatmap?cols=3;rows=4":      http.StatusBadRequest,
		"/experiments/unbalanced/bottlenecks?metric=a%3Bb":   http.StatusBadRequest, // read, and no such metric
		"/experiments/unbalanced/region?region=main%3Bother": http.StatusBadRequest,
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

// Light questions, the page itself and answers that are known are there at once
// while every place for heavy ones is taken and two hundred wait for one; and a
// heavy one that nobody waits for any longer gives its turn back.
func TestLightBesideHeavy(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	answered := func(path string) {
		t.Helper()
		if status, _, text := l.send("GET", path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
	answered("/api/v1/experiments/unbalanced") // known from now on
	for range cap(l.server.work) {
		l.server.work <- struct{}{}
	}
	const readers = 200
	var heavy sync.WaitGroup
	for i := range readers {
		heavy.Go(func() { answered(fmt.Sprintf("/api/v1/experiments/unbalanced/heatmap?cols=%d", i+1)) })
	}
	for l.server.waiting.Load() < readers {
		runtime.Gosched()
	}
	for _, path := range []string{"about", "experiments", "terms", "vocabularies", "predictions", "simulations", "studies", "experiments/unbalanced"} {
		answered("/api/v1/" + path)
	}
	answered("/")
	answered("/app.js")
	if n := l.server.waiting.Load(); n != readers {
		t.Errorf("%d heavy questions wait, not %d", n, readers)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.server.enter(ctx); err == nil || l.server.waiting.Load() != readers {
		t.Errorf("a cancelled question got a place: %v, %d wait", err, l.server.waiting.Load())
	}
	for range cap(l.server.work) {
		<-l.server.work
	}
	heavy.Wait()
	leave, err := l.server.enter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	leave()
}
