package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"auspex/analyze"
)

// WriteReport writes the page and what it shows of some experiments,
// predictions and simulations as one file that needs neither server nor
// network. What cannot be answered, such as a comparison of things that cannot
// be compared, is left out of it and returned as notes.
func (s *Server) WriteReport(ctx context.Context, w io.Writer, names []string) (notes []string, err error) {
	about, err := s.sort(names)
	if err != nil {
		return nil, err
	}
	r := &reporter{server: s, ctx: ctx, answers: map[string]json.RawMessage{}}
	for _, question := range about.questions() {
		if err := r.add(question); err != nil {
			return nil, err
		}
	}
	if err := r.list(about); err != nil {
		return nil, err
	}
	for _, name := range about.experiments {
		if err := r.addSimilar(name); err != nil {
			return nil, err
		}
		if err := r.addSources(name); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(map[string]any{"answers": r.answers}) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	document, err := s.selfContained(strings.Join(names, ", "), data)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(document)
	return r.notes, err
}

// subjects are what a report is about, by kind.
type subjects struct{ experiments, predictions, simulations []string }

// sort tells experiments, predictions and simulations apart. With a prediction
// come the replays behind it.
func (s *Server) sort(names []string) (about subjects, err error) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		if _, err = analyze.Find(s.config.Store, name); err == nil {
			about.experiments = append(about.experiments, name)
		} else if p, predictionErr := s.predicted(name); predictionErr == nil {
			about.predictions = append(about.predictions, name)
			for _, row := range p.Rows {
				if row.Simulation != nil {
					about.simulations = append(about.simulations, *row.Simulation)
				}
			}
		} else if _, simulationErr := s.config.Store.Simulation(name); simulationErr == nil {
			about.simulations = append(about.simulations, name)
		} else {
			return about, err
		}
	}
	if len(names) == 0 {
		return about, errors.New("a report needs an experiment")
	}
	return about, nil
}

// question is an address of the API with its parameters, and those that only
// say how much fits the screen.
type question struct {
	path   string
	params url.Values
	layout url.Values
	needed bool // without an answer there is no report
	// optional answers are missing without a word: most runs have none, or they
	// are of programs that cannot be compared.
	optional bool
}

// The size of heat maps and timelines in a report.
var (
	heatmapLayout  = url.Values{"rows": {"30"}, "cols": {"200"}}
	timelineLayout = url.Values{"rows": {"128"}, "cols": {"800"}}
)

// questions are those the page asks where nobody changes anything.
func (about *subjects) questions() []question {
	all := []question{{path: "/vocabularies"}}
	for _, name := range about.predictions {
		all = append(all, question{path: "/predictions/" + escapeSegment(name), needed: true})
	}
	for _, name := range about.simulations {
		at := "/simulations/" + escapeSegment(name)
		all = append(all, question{path: at, needed: true}, question{path: at + "/timeline", layout: timelineLayout})
	}
	names := about.experiments
	for _, name := range names {
		at := "/experiments/" + escapeSegment(name)
		all = append(all, question{path: at, needed: true}, question{path: at, params: url.Values{"by": {"path"}}, needed: true})
		for _, part := range []string{"/units", "/metrics", "/samples", "/rules", "/classify", "/terms", "/bottlenecks", "/sources", "/diagnose", "/stragglers", "/devices"} {
			all = append(all, question{path: at + part})
		}
		all = append(all, question{path: at + "/diagnose", params: url.Values{"details": {"true"}}})
		for _, scope := range []string{"", "inclusive"} {
			for _, normalise := range []string{"", "region", "unit"} {
				params := url.Values{}
				if scope != "" {
					params.Set("scope", scope)
				}
				if normalise != "" {
					params.Set("normalise", normalise)
				}
				all = append(all, question{path: at + "/heatmap", params: params, layout: heatmapLayout})
			}
		}
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			// Different programs are not compared.
			all = append(all, question{path: "/compare", params: url.Values{"a": {a}, "b": {b}}, optional: true}, question{path: "/compare", params: url.Values{"a": {b}, "b": {a}}, optional: true})
		}
	}
	if len(names) > 0 {
		all = append(all, question{path: "/glances", params: url.Values{"experiment": names}})
	}
	if len(names) > 1 {
		all = append(all, question{path: "/scaling", params: url.Values{"experiment": names}, optional: true})
		all = append(all, question{path: "/similar", params: url.Values{"experiment": names}})
	}
	return all
}

// reporter collects answers.
type reporter struct {
	server  *Server
	ctx     context.Context
	answers map[string]json.RawMessage
	notes   []string
}

// add asks one question of the API itself.
func (r *reporter) add(q question) error {
	body, err := r.ask(q)
	if own := (statusError{}); errors.As(err, &own) && !q.needed {
		if q.optional {
			return r.ctx.Err()
		}
		r.notes = append(r.notes, q.path+": "+own.message)
		return r.ctx.Err()
	}
	if err != nil {
		return err
	}
	r.answers[address(q.path, q.params)] = body
	return nil
}

func (r *reporter) ask(q question) (json.RawMessage, error) {
	params := url.Values{}
	for _, some := range []url.Values{q.params, q.layout} {
		for name, values := range some {
			params[name] = values
		}
	}
	request, err := http.NewRequestWithContext(r.ctx, http.MethodGet, address(q.path, params), nil)
	if err != nil {
		return nil, err
	}
	var got recorder
	r.server.api.ServeHTTP(&got, request)
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if got.status != 0 && got.status != http.StatusOK {
		var refused struct{ Error failure }
		if err := json.Unmarshal(got.body.Bytes(), &refused); err != nil {
			return nil, err
		}
		return nil, statusError{got.status, refused.Error.Message}
	}
	return bytes.TrimSpace(got.body.Bytes()), nil
}

// list makes listings of what the report is about, and nothing else.
func (r *reporter) list(about subjects) error {
	for kind, names := range map[string][]string{"experiments": about.experiments, "predictions": about.predictions, "simulations": about.simulations} {
		body, err := r.ask(question{path: "/" + kind})
		if err != nil {
			return err
		}
		var listing map[string][]json.RawMessage
		if err := json.Unmarshal(body, &listing); err != nil {
			return err
		}
		listing[kind] = inOrder(listing[kind], names)
		if listing["problems"] != nil {
			listing["problems"] = []json.RawMessage{}
		}
		if r.answers[address("/"+kind, nil)], err = json.Marshal(listing); err != nil {
			return err
		}
	}
	server, err := json.Marshal(map[string]any{"version": r.server.config.Version, "store": "", "sources": len(r.server.sources) > 0, "writable": false, "made": time.Now().Format(time.RFC3339)})
	r.answers[address("/about", nil)] = server
	return err
}

// inOrder chooses the named ones, in the order they were asked for.
func inOrder(listed []json.RawMessage, names []string) []json.RawMessage {
	chosen := []json.RawMessage{}
	for _, name := range names {
		for _, one := range listed {
			var named struct{ Name string }
			if json.Unmarshal(one, &named) == nil && named.Name == name {
				chosen = append(chosen, one)
			}
		}
	}
	return chosen
}

// maxReportSources is how many source files a report holds of an experiment.
const maxReportSources = 20

// addSimilar compares the units in the heaviest region of an experiment, and its
// heaviest regions.
func (r *reporter) addSimilar(name string) error {
	var summary struct{ Heaviest []struct{ Region string } }
	if err := json.Unmarshal(r.answers[address("/experiments/"+escapeSegment(name), url.Values{"by": {"path"}})], &summary); err != nil {
		return err
	}
	var regions []string
	for _, h := range summary.Heaviest {
		regions = append(regions, h.Region)
	}
	if len(regions) == 0 {
		return nil
	}
	ask := func(regions []string) error {
		return r.add(question{path: "/similar", params: url.Values{"experiment": {name}, "region": regions}})
	}
	if err := ask(regions[:1]); err != nil || len(regions) == 1 {
		return err
	}
	return ask(regions)
}

// addSources adds the source files that are at hand, the dearest first.
func (r *reporter) addSources(name string) error {
	at := "/experiments/" + escapeSegment(name)
	var listed struct{ Files []shownFile }
	body, there := r.answers[address(at+"/sources", nil)]
	if !there {
		return nil
	}
	if err := json.Unmarshal(body, &listed); err != nil {
		return err
	}
	added := 0
	for _, f := range listed.Files {
		if f.Available && added < maxReportSources {
			if err := r.add(question{path: at + "/source", params: url.Values{"file": {f.File}}}); err != nil {
				return err
			}
			added++
		}
	}
	return nil
}

// recorder is a response that stays here.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func (r *recorder) WriteHeader(status int)      { r.status = status }
