package web

import (
	"bytes"
	"context"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/store"
	"auspex/view"
)

func (s *Server) terms(_ context.Context, q *asked) (any, error) {
	words, err := s.words(q.query["vocabulary"], "")
	if err != nil {
		return nil, err
	}
	return map[string]any{"variables": view.DrawTerms(words)}, nil
}

func (s *Server) termsOf(_ context.Context, q *asked) (any, error) {
	d, words, err := s.opened(q)
	if err != nil {
		return nil, err
	}
	variables, err := view.DrawTermsOf(d, words)
	return map[string]any{"variables": variables}, err
}

// tryTerms says what words would tell if some meant something else.
func (s *Server) tryTerms(_ context.Context, q *asked) (any, error) {
	var question struct {
		Variable   string            `json:"variable"`
		Meanings   map[string]string `json:"meanings"`
		Across     analyze.Across    `json:"across"`
		Vocabulary []string          `json:"vocabulary"`
	}
	if err := q.json(&question); err != nil {
		return nil, err
	}
	if question.Across == "" {
		question.Across = analyze.AcrossMean
	}
	words, err := s.words(question.Vocabulary, "")
	if err != nil {
		return nil, err
	}
	words, variable, err := words.Retell(question.Variable, question.Meanings)
	if err != nil {
		return nil, err
	}
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	c, err := analyze.Classify(d, words, variable.Metric.String(), nil, nil, question.Across)
	if err != nil {
		return nil, err
	}
	return map[string]any{"variable": view.DrawVariable(variable), "classification": cutClassification(c, shownRows)}, nil
}

// vocabulary is one that is kept in the store.
type vocabulary struct {
	Name      string   `json:"name"`
	File      string   `json:"file"`
	Variables []string `json:"variables"`
	TOML      string   `json:"toml"`
}

func (s *Server) vocabulary(name string) (*vocabulary, error) {
	data, err := s.config.Store.Vocabulary(name)
	if err != nil {
		return nil, err
	}
	v := &vocabulary{Name: name, File: s.config.Store.VocabularyFile(name), Variables: []string{}, TOML: string(data)}
	read, err := fuzzy.ReadVocabulary(v.File, data)
	if err != nil {
		return nil, err
	}
	for _, variable := range read.Variables {
		v.Variables = append(v.Variables, variable.Name)
	}
	return v, nil
}

func (s *Server) vocabularies(context.Context, *asked) (any, error) {
	names, err := s.config.Store.Vocabularies()
	if err != nil {
		return nil, err
	}
	all := []*vocabulary{}
	for _, name := range names {
		if v, err := s.vocabulary(name); err == nil { // a damaged one says so where it is used
			all = append(all, v)
		}
	}
	return map[string]any{"vocabularies": all}, nil
}

// saveVocabulary keeps changed words in the store.
func (s *Server) saveVocabulary(_ context.Context, q *asked) (any, error) {
	var question struct {
		Name      string   `json:"name"`
		Replace   bool     `json:"replace"`
		BasedOn   []string `json:"based_on"`
		Variables []struct {
			Variable string            `json:"variable"`
			Meanings map[string]string `json:"meanings"`
		} `json:"variables"`
	}
	if err := q.json(&question); err != nil {
		return nil, err
	}
	words, err := s.words(question.BasedOn, "")
	if err != nil {
		return nil, err
	}
	changed := &fuzzy.Vocabulary{}
	for _, c := range question.Variables {
		var variable *fuzzy.Variable
		if words, variable, err = words.Retell(c.Variable, c.Meanings); err != nil {
			return nil, err
		}
		changed = changed.Merge(&fuzzy.Vocabulary{Variables: []*fuzzy.Variable{variable}})
	}
	if len(changed.Variables) == 0 {
		return nil, badf("there is nothing to save: no word was changed")
	}
	var text bytes.Buffer
	if err := changed.WriteTOML(&text); err != nil {
		return nil, err
	}
	if err := store.CheckName(question.Name); err != nil {
		return nil, badf("%w", err)
	}
	if err := s.config.Store.PutVocabulary(question.Name, text.Bytes(), question.Replace); err != nil {
		return nil, err
	}
	return s.vocabulary(question.Name)
}
