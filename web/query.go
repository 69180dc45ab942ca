package web

import (
	"context"

	"auspex/analyze"
	"auspex/perfql"
	"auspex/perfql/complete"
	"auspex/report"
)

// questionText is a query and what it is about.
type questionText struct {
	Experiments []string `json:"experiments"`
	Query       string   `json:"query"`
	Cursor      int      `json:"cursor"` // in UTF-16 units
	Top         int      `json:"top"`
	Vocabulary  []string `json:"vocabulary"`
	Logic       string   `json:"logic"`
}

// queryAnswer is one whose rows may have been cut.
type queryAnswer struct {
	*analyze.Answer
	Words string `json:"words"`
	Total int    `json:"total"`
}

func (s *Server) query(ctx context.Context, q *asked) (any, error) {
	question := questionText{Top: shownRows}
	if err := q.json(&question); err != nil {
		return nil, err
	}
	words, err := s.words(question.Vocabulary, question.Logic)
	if err != nil {
		return nil, err
	}
	parsed, err := perfql.Parse(question.Query)
	if err != nil {
		return nil, err
	}
	experiments := analyze.ToSearch(parsed, question.Experiments, s.datasets.get)
	if len(experiments) == 0 {
		return nil, badf("no experiment to search: choose some, or name them with OVER in the query")
	}
	q.tell("searching")
	found, err := analyze.Query(ctx, s.engine, parsed, words, experiments)
	if err != nil {
		return nil, err
	}
	answer := queryAnswer{found, report.AnswerWords(found), len(found.Rows)}
	found.Rows = found.Rows[:min(max(question.Top, 0), len(found.Rows))]
	return answer, nil
}

func (s *Server) complete(_ context.Context, q *asked) (any, error) {
	var question questionText
	if err := q.json(&question); err != nil {
		return nil, err
	}
	words, err := s.words(question.Vocabulary, question.Logic)
	if err != nil {
		return nil, err
	}
	all, err := s.openAll(question.Experiments)
	if err != nil {
		return nil, err
	}
	names, err := s.config.Store.Names()
	if err != nil {
		return nil, err
	}
	var experiments []complete.Experiment
	for _, d := range all {
		experiments = append(experiments, d.Completing(words))
	}
	c := complete.At(question.Query, fromUTF16(question.Query, question.Cursor), words.Vocabulary, experiments, names)
	c.From, c.To = utf16Length(question.Query[:c.From]), utf16Length(question.Query[:c.To])
	return c, nil
}
