package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// route is one address of the API.
type route struct {
	pattern string // without /api/v1
	answer  endpoint
	// fixed answers are about experiments alone and may be kept.
	fixed bool
	// light questions read no experiment's values: they wait for nobody.
	light bool
	// params are the names of what may follow the question mark.
	params string
}

// handle makes a handler of a route.
func (s *Server) handle(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := ask(r)
		if err == nil {
			err = q.only(rt.params)
		}
		if err != nil {
			status, f := describe(err)
			writeFailure(w, status, f)
			return
		}
		a, leave, err := s.start(r, rt, q)
		if err != nil {
			status, f := describe(err)
			writeFailure(w, status, f)
			return
		}
		defer leave()
		if strings.Contains(r.Header.Get("Accept"), "application/x-ndjson") {
			s.stream(w, r, a)
			return
		}
		select {
		case <-a.done:
			writeAnswer(w, r, a)
		case <-r.Context().Done():
		}
	}
}

// start begins to answer, or finds the answer.
func (s *Server) start(r *http.Request, rt route, q *asked) (*answer, func(), error) {
	compute := func(ctx context.Context) ([]byte, error) { return s.compute(ctx, rt, q) }
	if rt.fixed {
		id, err := s.identity(q)
		if err != nil {
			return nil, nil, err
		}
		key := id + " " + r.URL.Path + "?" + q.query.Encode()
		a := s.answers.get(key, q, func(ctx context.Context) ([]byte, error) {
			if body := s.shelf.get(key); body != nil {
				return body, nil
			}
			began := time.Now()
			body, err := compute(ctx)
			if err == nil {
				s.shelf.put(key, body, time.Since(began))
			}
			return body, err
		})
		return a, func() { s.answers.leave(a) }, nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	a := &answer{stage: q.stage, done: make(chan struct{})}
	go func() {
		a.fill(compute(ctx))
		close(a.done)
	}()
	return a, cancel, nil
}

// compute answers a question when its turn has come. A panic in an analysis is
// an answer as well: the server stays.
func (s *Server) compute(ctx context.Context, rt route, q *asked) (body []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			body, err = nil, s.defect(rt.pattern, value, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	if !rt.light {
		leave, err := s.enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	q.tell("reading")
	result, err := rt.answer(ctx, q)
	s.datasets.trim()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	if err := encoder.Encode(result); err != nil { // < and > are escaped: a report can hold it
		return nil, err
	}
	return b.Bytes(), nil
}

// enter waits until one of the places for heavy questions is free. There are as
// many as cores, so that memory is bounded by them and not by those who ask.
func (s *Server) enter(ctx context.Context) (leave func(), err error) {
	if s.waiting.Add(1) > maxWaiting {
		s.waiting.Add(-1)
		return nil, statusError{http.StatusServiceUnavailable, "too many questions at once; ask again in a moment"}
	}
	defer s.waiting.Add(-1)
	select {
	case s.work <- struct{}{}:
		return func() { <-s.work }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// writeAnswer sends an answer that is there.
func writeAnswer(w http.ResponseWriter, r *http.Request, a *answer) {
	if a.err != nil {
		if r.Context().Err() != nil {
			return
		}
		status, f := describe(a.err)
		writeFailure(w, status, f)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding, Accept, Cookie")
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	send(w, r, a.body, a.packed)
}

// send writes a body, compressed where the client can read that.
func send(w http.ResponseWriter, r *http.Request, body, packed []byte) {
	if packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = packed
	}
	w.Write(body) // who left does not read it
}

// toldEvery is how often those who wait hear something.
const toldEvery = 200 * time.Millisecond

type progress struct {
	Stage   string  `json:"stage"`
	Seconds float64 `json:"seconds"`
}

// stream tells how far the answer is, line by line, and gives it at last.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a *answer) {
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	start := time.Now()
	lines := json.NewEncoder(w)
	tick := time.NewTicker(toldEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			stage, _ := a.stage.Load().(string)
			if lines.Encode(map[string]any{"progress": progress{stage, time.Since(start).Seconds()}}) != nil || flush.Flush() != nil {
				return
			}
		case <-a.done:
			if a.err != nil {
				_, f := describe(a.err)
				lines.Encode(map[string]any{"error": f})
				return
			}
			w.Write([]byte(`{"answer":`))
			w.Write(bytes.TrimSuffix(a.body, []byte("\n")))
			w.Write([]byte("}\n"))
			return
		}
	}
}
