package web

import (
	"context"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/report"
	"auspex/view"
)

func (s *Server) classify(_ context.Context, q *asked) (any, error) {
	top, err := q.whole("top", shownRows)
	if err != nil {
		return nil, err
	}
	d, words, err := s.openedBy(q)
	if err != nil {
		return nil, err
	}
	c, err := analyze.Classify(d, words, q.text("metric", analyze.TimeShare), q.query["term"], q.query["region"], analyze.Across(q.text("across", string(analyze.AcrossMean))))
	if err != nil {
		return nil, err
	}
	return cutClassification(c, top), nil
}

func (s *Server) bottlenecks(_ context.Context, q *asked) (any, error) {
	var o analyze.BottleneckOptions
	var err error
	if o.Threshold, err = q.number("threshold", 0.1); err != nil {
		return nil, err
	}
	if o.Upper, err = q.number("upper", 0); err != nil {
		return nil, err
	}
	if o.NoBand, err = q.flag("no_negligible"); err != nil {
		return nil, err
	}
	for _, text := range q.query["severity"] {
		term, err := parsed(analyze.ParseSeverity(text))
		if err != nil {
			return nil, err
		}
		o.Severity = append(o.Severity, term)
	}
	if text := q.query.Get("negligible"); text != "" {
		if o.Negligible, err = parsed(analyze.ShapeOf(text)); err != nil {
			return nil, err
		}
	}
	d, words, err := s.openedBy(q)
	if err != nil {
		return nil, err
	}
	top, err := q.whole("top", shownRows)
	if err != nil {
		return nil, err
	}
	found, err := view.DrawBottlenecks(d, words, q.text("metric", analyze.TimeShare), o)
	if err != nil {
		return nil, err
	}
	return cutBottlenecks(found, top), nil
}

func (s *Server) rules(_ context.Context, q *asked) (any, error) {
	d, words, err := s.openedBy(q)
	if err != nil {
		return nil, err
	}
	var base *analyze.Dataset
	if name := q.query.Get("baseline"); name != "" {
		if base, err = s.datasets.get(name); err != nil {
			return nil, err
		}
		if base, _, err = base.By(d.ByWord()); err != nil {
			return nil, err
		}
	}
	found, err := analyze.ApplyRules(d, words, analyze.ShippedRules(), base, fuzzy.Centroid)
	if err != nil {
		return nil, err
	}
	told := problems{Problems: found, Words: report.ProblemsWords(found), Because: [][]string{}}
	for _, problem := range found.Problems {
		why := []string{}
		for _, place := range problem.Places {
			why = append(why, report.EvidenceWords(place.Evidence))
		}
		told.Because = append(told.Because, why)
	}
	return told, nil
}

// problems are what the rules found, as the terminal says it.
type problems struct {
	*analyze.Problems
	Words   string     `json:"words"`
	Because [][]string `json:"because"` // of each problem: what each of its places rests on
}

func (s *Server) check(_ context.Context, q *asked) (any, error) {
	var question struct {
		Contract   string   `json:"contract"`
		Baseline   string   `json:"baseline"`
		Vocabulary []string `json:"vocabulary"`
	}
	if err := q.json(&question); err != nil {
		return nil, err
	}
	contract, err := parsed(fuzzy.ReadContract("the contract", []byte(question.Contract)))
	if err != nil {
		return nil, err
	}
	if question.Baseline != "" {
		contract.Baseline = question.Baseline
	}
	words, err := s.words(question.Vocabulary, "")
	if err != nil {
		return nil, err
	}
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	checked, err := analyze.Check(d, words, contract, s.datasets.get)
	if err != nil {
		return nil, err
	}
	report.FillClauseWords(checked)
	return checked, nil
}

func (s *Server) compare(_ context.Context, q *asked) (any, error) {
	over := analyze.Over(q.text("over", string(analyze.OverMean)))
	pair, note, err := s.openAlike(q, q.query.Get("a"), q.query.Get("b"))
	if err != nil {
		return nil, err
	}
	top, err := q.whole("top", shownRows)
	if err != nil {
		return nil, err
	}
	force, err := q.flag("force")
	if err != nil {
		return nil, err
	}
	found, err := analyze.Compare(pair[0], pair[1], analyze.ShippedWords(), analyze.CompareOptions{Over: over, Force: force})
	if err != nil {
		return nil, err
	}
	if note != "" {
		found.Warnings = append(found.Warnings, note)
	}
	return cutComparison(found, top), nil
}

func (s *Server) similar(_ context.Context, q *asked) (any, error) {
	o := analyze.SimilarOptions{Over: analyze.Over(q.text("over", string(analyze.OverMean))), Regions: q.query["region"], Factors: q.query["factor"]}
	var err error
	if o.Distance, err = parsed(fuzzy.ParseDistance(q.text("distance", fuzzy.Euclidean.String()))); err != nil {
		return nil, err
	}
	if o.PaperBase, err = q.flag("paper_base"); err != nil {
		return nil, err
	}
	for _, text := range q.query["metric"] {
		m, err := parsed(analyze.ParseScoreMetric(text))
		if err != nil {
			return nil, err
		}
		o.Metrics = append(o.Metrics, m)
	}
	words, err := s.words(q.query["vocabulary"], q.query.Get("logic"))
	if err != nil {
		return nil, err
	}
	all, err := s.openAll(q.query["experiment"])
	if err != nil {
		return nil, err
	}
	q.tell("comparing")
	return compareAll(words, all, o)
}

// compareAll compares experiments; within one, regions, and units within one
// region.
func compareAll(words analyze.Words, all []*analyze.Dataset, o analyze.SimilarOptions) (any, error) {
	if len(all) == 0 {
		return nil, badf("name the experiments to compare, the base first")
	}
	if len(all) > 1 {
		found, err := analyze.SimilarExperiments(words, all, o)
		if err != nil {
			return nil, err
		}
		cut := similarExperiments{Kind: "experiments", Words: append([]string{}, report.FindingsWords(found)...), ExperimentSimilarity: found}
		found.Regions, cut.Total = first(found.Regions, shownRows)
		return cut, nil
	}
	chosen, err := analyze.ChosenRegions(all[0], o.Regions)
	switch {
	case err != nil:
		return nil, err
	case len(chosen) == 0:
		return nil, badf("name other experiments to compare %s with, or regions of it", all[0].Name)
	case len(chosen) == 1:
		found, err := analyze.SimilarUnits(all[0], words, chosen[0], o)
		if err != nil {
			return nil, err
		}
		return similarUnits{"units", report.UnitSimilarityWords(found), found}, nil
	}
	found, err := analyze.SimilarRegions(all[0], words, o)
	if err != nil {
		return nil, err
	}
	return similarRegions{"regions", report.RegionSimilarityWords(found), found}, nil
}

// What was compared, with its kind.
type (
	similarExperiments struct {
		Kind  string   `json:"kind"`
		Words []string `json:"words"` // a sentence a finding
		*analyze.ExperimentSimilarity
		Total int `json:"total"` // regions there are, before they were cut
	}
	similarUnits struct {
		Kind  string `json:"kind"`
		Words string `json:"words"`
		*analyze.UnitSimilarity
	}
	similarRegions struct {
		Kind  string `json:"kind"`
		Words string `json:"words"`
		*analyze.RegionSimilarity
	}
)
