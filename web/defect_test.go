package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"auspex/analyze"
	"auspex/internal/crew"
	"auspex/internal/mistake"
	"auspex/store"
)

// A panic in an analysis, or in a goroutine it started, is an answer with
// status 500; the server goes on.
func TestAPanicIsAnAnswer(t *testing.T) {
	var told bytes.Buffer
	l := serve(t, Config{Store: testStore(t), Defects: &told})
	for name, fall := range map[string]func(){
		"plain": func() { panic("index out of range") },
		"crew": func() {
			var c crew.Crew
			c.Go(func() { panic("index out of range") })
			c.Wait()
		},
	} {
		for kind, fixed := range map[string]bool{"kept": true, "fresh": false} {
			answer := func(context.Context, *asked) (any, error) { fall(); return nil, nil }
			l.server.api.HandleFunc("GET /api/v1/"+name+kind, l.server.handle(route{pattern: "GET /" + name + kind, answer: answer, fixed: fixed}))
			told.Reset()
			for range 2 {
				status, _, body := l.send("GET", "/api/v1/"+name+kind, "")
				if status != http.StatusInternalServerError || !strings.Contains(body, "a defect of auspex (index out of range)") {
					t.Errorf("%s, %s: %d %s", name, kind, status, body)
				}
			}
			if !strings.Contains(told.String(), "defect_test.go") {
				t.Errorf("%s, %s: the terminal was told %q, which does not name the place", name, kind, told.String())
			}
		}
	}
	if status, _, _ := l.send("GET", "/api/v1/experiments", ""); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
}

// A fault of the data is none of the one who asks.
func TestFaultsAndMistakesHaveTheirStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("the query engine does not start"), http.StatusInternalServerError},
		{fmt.Errorf("experiment %q is damaged: %w", "a", io.ErrUnexpectedEOF), http.StatusInternalServerError},
		{badf("scope is exclusive or inclusive"), http.StatusBadRequest},
		{fmt.Errorf("rule 1: %w", mistake.Refuse("no such metric")), http.StatusBadRequest},
		{fmt.Errorf("%w: %q", store.ErrNotFound, "a"), http.StatusNotFound},
	} {
		if status, _ := describe(c.err); status != c.want {
			t.Errorf("%v: %d, want %d", c.err, status, c.want)
		}
	}
}

// Questions that cannot be answered as asked are refused with 400.
func TestMistakesAreRefused(t *testing.T) {
	l := serve(t, Config{Store: testStore(t)})
	for _, path := range []string{
		"/experiments/unbalanced/heatmap?metric=nothing",
		"/experiments/unbalanced/heatmap?normalise=both",
		"/experiments/unbalanced/regions?metric=nothing",
		"/experiments/unbalanced/diagnose?units=cores",
		"/experiments/unbalanced/diagnose?units=nodes",
		"/experiments/unbalanced/diagnose?region_of=nothing",
		"/experiments/unbalanced/diagnose?metric=nothing",
		"/experiments/unbalanced/classify?metric=nothing",
		"/experiments/unbalanced/classify?across=all",
		"/experiments/unbalanced/classify?term=nothing",
		"/experiments/unbalanced/bottlenecks?severity=high",
		"/experiments/unbalanced/bottlenecks?threshold=2&upper=1",
		"/experiments/unbalanced/bottlenecks?negligible=S(1)",
		"/experiments/unbalanced/rules?logic=nothing",
		"/compare?a=unbalanced&b=balanced&over=nothing",
		"/similar?experiment=unbalanced&region=nothing",
		"/similar?experiment=unbalanced&experiment=balanced&distance=nothing",
		"/similar?experiment=unbalanced&experiment=balanced&metric=cpu_time:0",
		"/similar?experiment=unbalanced",
		"/experiments/unbalanced/heatmap?metrics=cpu_time",
		"/experiments/unbalanced/units?metric=cpu_time",
		"/experiments?nmae=unbalanced",
		"/experiments/unbalanced/regions?metric=cpu_time;top=3",
	} {
		if status, _, body := l.send("GET", "/api/v1"+path, ""); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// One experiment that takes long to open keeps nobody from the others.
func TestASlowOpenHoldsNobodyElse(t *testing.T) {
	s := testStore(t)
	k := newDatasets(s, 1<<30)
	open := make(chan struct{})
	begun := make(chan struct{})
	k.load = func(e *store.Experiment) (*analyze.Dataset, error) {
		if e.Name == "balanced" {
			close(begun)
			<-open
		}
		return analyze.Open(e)
	}
	slow := make(chan error, 1)
	go func() {
		_, err := k.get("balanced")
		slow <- err
	}()
	<-begun
	others := make(chan error, 1)
	go func() {
		k.trim()
		_, err := k.get("unbalanced")
		k.trim()
		others <- err
	}()
	select {
	case err := <-others:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("opening another experiment waits for the slow one")
	}
	close(open)
	if err := <-slow; err != nil {
		t.Error(err)
	}
	if len(k.byID) != 2 {
		t.Errorf("%d experiments are kept, not 2", len(k.byID))
	}
}

// What could not be opened is tried anew.
func TestAFailedOpenIsForgotten(t *testing.T) {
	k := newDatasets(testStore(t), 1<<30)
	k.load = func(*store.Experiment) (*analyze.Dataset, error) { panic("damaged") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		k.get("balanced")
	}()
	k.load = analyze.Open
	if _, err := k.get("balanced"); err != nil {
		t.Error(err)
	}
}
