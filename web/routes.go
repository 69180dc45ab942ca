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
	const words = " vocabulary logic"
	for _, rt := range []route{
		{pattern: "GET /about", answer: s.about, light: true},
		{pattern: "GET /experiments", answer: s.experiments, light: true},
		{pattern: "GET /glances", answer: s.glances, fixed: true, params: "experiment"},
		{pattern: "GET /experiments/{name}", answer: s.experiment, fixed: true, params: "top by"},
		{pattern: "GET /experiments/{name}/regions", answer: s.regions, fixed: true, params: "metric least top"},
		{pattern: "GET /experiments/{name}/table", answer: s.regionTable, fixed: true, params: "metric by find top"},
		{pattern: "GET /experiments/{name}/region", answer: s.region, fixed: true, params: "region by"},
		{pattern: "GET /experiments/{name}/calltree", answer: s.callTree, fixed: true, params: "metric against top"},
		{pattern: "GET /experiments/{name}/units", answer: s.units, fixed: true},
		{pattern: "GET /experiments/{name}/metrics", answer: s.metrics, fixed: true, params: words},
		{pattern: "GET /experiments/{name}/heatmap", answer: s.heatmap, fixed: true, params: "metric by scope normalise region depth arrange opened closed whole from_unit to_unit from_row to_row rows cols" + words},
		{pattern: "GET /experiments/{name}/diagnose", answer: s.diagnose, fixed: true, params: "units metric region_of with_mpi details" + words},
		{pattern: "GET /experiments/{name}/samples", answer: s.samples, fixed: true},
		{pattern: "GET /experiments/{name}/rules", answer: s.rules, fixed: true, params: "baseline by" + words},
		{pattern: "POST /experiments/{name}/check", answer: s.check},
		{pattern: "GET /experiments/{name}/classify", answer: s.classify, fixed: true, params: "metric term across top by" + words},
		{pattern: "GET /experiments/{name}/bottlenecks", answer: s.bottlenecks, fixed: true, params: "metric threshold upper severity negligible no_negligible top by" + words},
		{pattern: "GET /experiments/{name}/terms", answer: s.termsOf, fixed: true, params: words},
		{pattern: "POST /experiments/{name}/terms", answer: s.tryTerms},
		{pattern: "GET /experiments/{name}/sources", answer: s.sourceFiles},
		{pattern: "GET /experiments/{name}/source", answer: s.sourceFile, params: "file"},
		{pattern: "GET /experiments/{name}/trace", answer: s.trace, fixed: true, params: "from to from_lane to_lane rows cols messages " + changeFlags},
		{pattern: "GET /experiments/{name}/waits", answer: s.waits, fixed: true},
		{pattern: "GET /experiments/{name}/stragglers", answer: s.stragglers, fixed: true},
		{pattern: "GET /experiments/{name}/devices", answer: s.devices, fixed: true},
		{pattern: "GET /experiments/{name}/efficiency", answer: s.efficiency, fixed: true},
		{pattern: "GET /experiments/{name}/opportunities", answer: s.opportunities, fixed: true},
		{pattern: "GET /experiments/{name}/whatif", answer: s.price, fixed: true, params: changeFlags},
		{pattern: "GET /compare", answer: s.compare, fixed: true, params: "a b over top by force"},
		{pattern: "GET /scaling", answer: s.scaling, fixed: true, params: "experiment force"},
		{pattern: "GET /similar", answer: s.similar, fixed: true, params: "experiment metric region factor distance over paper_base" + words},
		{pattern: "GET /terms", answer: s.terms, params: words, light: true},
		{pattern: "GET /vocabularies", answer: s.vocabularies, light: true},
		{pattern: "POST /vocabularies", answer: s.saveVocabulary, light: true},
		{pattern: "POST /query", answer: s.query},
		{pattern: "POST /complete", answer: s.complete},
		{pattern: "GET /studies", answer: s.studies, light: true},
		{pattern: "GET /studies/{name}", answer: s.study},
		{pattern: "GET /predictions", answer: s.predictions, light: true},
		{pattern: "GET /predictions/{name}", answer: s.prediction},
		{pattern: "GET /simulations", answer: s.simulations, light: true},
		{pattern: "GET /simulations/{name}", answer: s.simulation},
		{pattern: "GET /simulations/{name}/timeline", answer: s.timeline, params: "from to from_rank to_rank rows cols"},
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
	names := []string{q.path("name"), q.query.Get("a"), q.query.Get("b"), q.query.Get("baseline"), q.query.Get("against")}
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
