package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"auspex/analyze"
	"auspex/fuzzy"
)

// routes is the whole API.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, rt := range []route{
		{"GET /about", s.about, false, ""},
		{"GET /experiments", s.experiments, false, ""},
		{"GET /experiments/{name}", s.experiment, true, "top"},
		{"GET /experiments/{name}/regions", s.regions, true, "metric least top"},
		{"GET /experiments/{name}/units", s.units, true, ""},
		{"GET /experiments/{name}/metrics", s.metrics, true, "vocabulary logic"},
		{"GET /experiments/{name}/heatmap", s.heatmap, true, "metric scope normalise region depth collapsed from_unit to_unit from_row to_row rows cols vocabulary logic"},
		{"GET /experiments/{name}/diagnose", s.diagnose, true, "units metric region_of with_mpi details vocabulary logic"},
		{"GET /experiments/{name}/samples", s.samples, true, ""},
		{"GET /experiments/{name}/rules", s.rules, true, "baseline vocabulary logic"},
		{"POST /experiments/{name}/check", s.check, false, ""},
		{"GET /experiments/{name}/classify", s.classify, true, "metric term across top vocabulary logic"},
		{"GET /experiments/{name}/bottlenecks", s.bottlenecks, true, "metric threshold upper severity negligible no_negligible top vocabulary logic"},
		{"GET /experiments/{name}/terms", s.termsOf, true, "vocabulary logic"},
		{"POST /experiments/{name}/terms", s.tryTerms, false, ""},
		{"GET /experiments/{name}/trace", s.trace, false, "from to from_lane to_lane rows cols messages change"},
		{"GET /experiments/{name}/waits", s.waits, true, ""},
		{"GET /experiments/{name}/efficiency", s.efficiency, true, ""},
		{"GET /experiments/{name}/whatif", s.whatif, true, "change"},
		{"GET /experiments/{name}/sources", s.sourceFiles, false, ""},
		{"GET /experiments/{name}/source", s.sourceFile, false, "file"},
		{"GET /compare", s.compare, true, "a b over top"},
		{"GET /similar", s.similar, true, "experiment metric region factor distance over paper_base vocabulary logic"},
		{"GET /terms", s.terms, false, "vocabulary logic"},
		{"GET /vocabularies", s.vocabularies, false, ""},
		{"POST /vocabularies", s.saveVocabulary, false, ""},
		{"POST /query", s.query, false, ""},
		{"POST /complete", s.complete, false, ""},
		{"GET /predictions", s.predictions, false, ""},
		{"GET /predictions/{name}", s.prediction, false, ""},
		{"GET /simulations", s.simulations, false, ""},
		{"GET /simulations/{name}", s.simulation, false, ""},
		{"GET /simulations/{name}/timeline", s.timeline, false, "from to from_rank to_rank rows cols"},
	} {
		method, path, _ := strings.Cut(rt.pattern, " ")
		mux.HandleFunc(method+" /api/v1"+path, s.handle(rt))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "the API has no such address; docs/api.md lists them")
	})
	return mux
}

// identity tells apart the experiments and words behind names, which may
// change their meaning while the server runs.
func (s *Server) identity(q *asked) (string, error) {
	var ids []string
	names := []string{q.path("name"), q.query.Get("a"), q.query.Get("b"), q.query.Get("baseline")}
	for _, name := range append(names, q.query["experiment"]...) {
		if name == "" {
			continue
		}
		e, err := analyze.Find(s.config.Store, name)
		if err != nil {
			return "", err
		}
		ids = append(ids, e.ID)
	}
	for _, name := range q.query["vocabulary"] {
		data, err := s.config.Store.Vocabulary(name)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		ids = append(ids, hex.EncodeToString(sum[:8]))
	}
	return strings.Join(ids, ","), nil
}

// dataset opens the experiment of the route.
func (s *Server) dataset(q *asked) (*analyze.Dataset, error) { return s.datasets.get(q.path("name")) }

// opened opens the experiment of the route and the words to speak of it with.
func (s *Server) opened(q *asked) (*analyze.Dataset, analyze.Words, error) {
	words, err := s.words(q.query["vocabulary"], q.query.Get("logic"))
	if err != nil {
		return nil, words, err
	}
	d, err := s.dataset(q)
	return d, words, err
}

func (s *Server) openAll(names []string) ([]*analyze.Dataset, error) {
	var all []*analyze.Dataset
	for _, name := range names {
		d, err := s.datasets.get(name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// words merges saved vocabularies over the shipped one.
func (s *Server) words(vocabularies []string, logic string) (analyze.Words, error) {
	words := analyze.ShippedWords()
	for _, name := range vocabularies {
		data, err := s.config.Store.Vocabulary(name)
		if err != nil {
			return words, err
		}
		own, err := fuzzy.ReadVocabulary(s.config.Store.VocabularyFile(name), data)
		if err != nil {
			return words, err
		}
		words.Vocabulary = words.Merge(own)
	}
	if logic == "" {
		return words, nil
	}
	var err error
	words.Logic, err = parsed(fuzzy.ParseLogic(logic))
	return words, err
}

func (s *Server) about(context.Context, *asked) (any, error) {
	return map[string]any{
		"version": s.config.Version, "store": s.config.Store.Dir(), "sources": len(s.sources) > 0, "writable": true,
	}, nil
}
