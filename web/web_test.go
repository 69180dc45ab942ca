package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/longtable"
	"auspex/model"
	"auspex/store"
)

const testToken = "0123456789abcdef"

// evilName is a name that would run if it were ever taken for markup.
const evilName = `</script><img src=x onerror=alert(1)><!-- "'&`

// testStore holds the examples and one experiment whose names are markup.
func testStore(t testing.TB) *store.Store {
	t.Helper()
	s := store.Open(filepath.Join(t.TempDir(), "store"))
	for name, file := range map[string]string{
		"unbalanced": "diagnose/unbalanced.csv", "balanced": "diagnose/balanced.csv", "after": "profiles/heat-after.csv", "3dpic": "soft/3dpic.csv",
	} {
		data, err := os.ReadFile(filepath.Join("../examples", file))
		if err != nil {
			t.Fatal(err)
		}
		e, err := longtable.ReadCSV(context.Background(), file, bytes.NewReader(data), longtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e.Name = name
		put(t, s, e)
	}
	e := synthetic(evilName, 3, 4)
	e.Regions[1].Name = evilName
	e.Regions[1].File = evilName
	e.SetFactor(model.NewFactor(evilName, evilName))
	put(t, s, e)
	return s
}

func put(t testing.TB, s *store.Store, e *model.Experiment) {
	t.Helper()
	if err := analyze.PutWith(s, e, false, Ahead); err != nil {
		t.Fatal(err)
	}
}

// synthetic is an experiment of any size: a tree of regions with times and
// seven counters, three kinds of units that differ in every seventh region,
// and 2 % of noise.
func synthetic(name string, units, regions int) *model.Experiment {
	return syntheticOf(name, units, regions, 8)
}

// syntheticOf is one with so many metrics.
func syntheticOf(name string, units, regions, metrics int) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: name, Runs: 1}}
	for u := range units {
		e.Units = append(e.Units, model.Unit{Process: u, Node: fmt.Sprint("node", u/16)})
	}
	for r := range regions {
		e.Regions = append(e.Regions, model.Region{Name: fmt.Sprint("region", r), Kind: model.Function, File: "main.c", Line: r + 1, Parent: (r+1)/2 - 1})
	}
	e.Metrics = append(e.Metrics, model.NewMetric(model.WallTime, "", model.Exclusive))
	for m := range metrics - 1 {
		e.Metrics = append(e.Metrics, model.NewMetric(fmt.Sprint("count", m), "", model.Exclusive))
	}
	random := rand.New(rand.NewPCG(1, 2))
	s := &e.Summaries
	s.Values = make([][]float64, len(e.Metrics))
	for u := range units {
		for r := range regions {
			s.Unit, s.Region = append(s.Unit, int32(u)), append(s.Region, int32(r))
			work := float64(1 + r*7919%13)
			if r%7 == 3 {
				work *= float64(1 + u%3)
			}
			for m := range e.Metrics {
				s.Values[m] = append(s.Values[m], work*(1+0.04*(random.Float64()-0.5)))
			}
		}
	}
	return e
}

// live is a server that listens.
type live struct {
	t       testing.TB
	server  *Server
	address string
}

func serve(t testing.TB, c Config) *live {
	t.Helper()
	c.Token = testToken
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l := httptest.NewServer(s.Handler())
	t.Cleanup(l.Close)
	return &live{t, s, l.URL}
}

// send makes a request with the token in place.
func (l *live) send(method, path, body string, headers ...string) (status int, header http.Header, text string) {
	l.t.Helper()
	r, err := http.NewRequest(method, l.address+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch headers[i] {
		case "Host":
			r.Host = headers[i+1]
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(data)
}

// ask gets an answer that has to be there.
func (l *live) ask(path string, into any) {
	l.t.Helper()
	l.read(into)(l.send("GET", "/api/v1"+path, ""))
}

// post asks with a body.
func (l *live) post(path string, body, into any) {
	l.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		l.t.Fatal(err)
	}
	l.read(into)(l.send("POST", "/api/v1"+path, string(data)))
}

func (l *live) read(into any) func(int, http.Header, string) {
	return func(status int, _ http.Header, text string) {
		l.t.Helper()
		if status != http.StatusOK {
			l.t.Fatalf("status %d: %s", status, text)
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			l.t.Fatalf("%v in %.200s", err, text)
		}
	}
}
