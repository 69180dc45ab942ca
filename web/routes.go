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
		{"GET /about", s.about, false},
		{"GET /experiments", s.experiments, false},
		{"GET /experiments/{name}", s.experiment, true},
		{"GET /experiments/{name}/regions", s.regions, true},
		{"GET /experiments/{name}/units", s.units, true},
		{"GET /experiments/{name}/metrics", s.metrics, true},
		{"GET /experiments/{name}/heatmap", s.heatmap, true},
		{"GET /experiments/{name}/diagnose", s.diagnose, true},
		{"GET /experiments/{name}/samples", s.samples, true},
		{"GET /experiments/{name}/rules", s.rules, true},
		{"POST /experiments/{name}/check", s.check, false},
		{"GET /experiments/{name}/classify", s.classify, true},
		{"GET /experiments/{name}/bottlenecks", s.bottlenecks, true},
		{"GET /experiments/{name}/terms", s.termsOf, true},
		{"POST /experiments/{name}/terms", s.tryTerms, false},
		{"GET /experiments/{name}/sources", s.sourceFiles, false},
		{"GET /experiments/{name}/source", s.sourceFile, false},
		{"GET /compare", s.compare, true},
		{"GET /similar", s.similar, true},
		{"GET /terms", s.terms, false},
		{"GET /vocabularies", s.vocabularies, false},
		{"POST /vocabularies", s.saveVocabulary, false},
		{"POST /query", s.query, false},
		{"POST /complete", s.complete, false},
		{"GET /predictions", s.predictions, false},
		{"GET /predictions/{name}", s.prediction, false},
		{"GET /simulations", s.simulations, false},
		{"GET /simulations/{name}", s.simulation, false},
		{"GET /simulations/{name}/timeline", s.timeline, false},
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
