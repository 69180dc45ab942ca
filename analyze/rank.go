package analyze

import (
	"cmp"
	"slices"

	"auspex/fuzzy"
)

// Ranking orders regions or units by their aggregate score and tells which
// metrics put them there.
type Ranking struct {
	Experiment string        `json:"experiment"`
	Base       string        `json:"base"`
	By         By            `json:"by"`
	Meaning    Meaning       `json:"meaning"`
	Metrics    []ScoreMetric `json:"metrics"`
	Rows       []Ranked      `json:"rows"`
	Warnings   []string      `json:"warnings"`
	Folded     []Folding     `json:"-"` // by metric
}

// Ranked is one region or unit. Those with the same aggregate share a rank.
type Ranked struct {
	Rank      int       `json:"rank"` // from 1
	Region    string    `json:"region,omitempty"`
	Unit      any       `json:"unit,omitempty"`
	Share     Real      `json:"share"` // of the run, the region's own time; missing of units
	Aggregate Real      `json:"aggregate"`
	Because   []Because `json:"because"` // the weightiest metric first
}

// Because is what one metric adds to an aggregate score.
type Because struct {
	Metric string `json:"metric"`
	Score  Real   `json:"score"`
	Value  Real   `json:"value"`
	Share  Real   `json:"share"` // of the aggregate
	// Word is the vocabulary's word that fits the value best, "" where it has
	// none; Sharp tells that it stands at an end of the scale.
	Word   string `json:"word"`
	Degree Real   `json:"degree"`
	Sharp  bool   `json:"-"`
}

// Rank orders what was scored and says it in words. Rows without a score are
// left out.
func Rank(d *Dataset, words Words, s *Scores) (*Ranking, error) {
	rows, err := d.Rows(s.By)
	if err != nil {
		return nil, err
	}
	speakers := make([]*speaker, len(s.Metrics))
	for k, m := range s.Metrics {
		if speakers[k], err = newSpeaker(d, words, rows, m.Metric); err != nil {
			return nil, err
		}
	}
	r := &Ranking{Experiment: s.Experiment, Base: s.Base, By: s.By, Meaning: s.Meaning, Metrics: s.Metrics, Rows: []Ranked{}, Warnings: s.Warnings, Folded: s.Folded}
	for i, row := range s.Rows {
		if row.Aggregate.IsMissing() {
			break // the rest are missing too
		}
		ranked := Ranked{Rank: i + 1, Region: row.Region, Unit: row.Unit, Share: row.Share, Aggregate: row.Aggregate}
		if i > 0 && row.Aggregate == s.Rows[i-1].Aggregate {
			ranked.Rank = r.Rows[i-1].Rank
		}
		sum := 0.0
		for k, m := range s.Metrics {
			if !row.Scores[k].IsMissing() {
				sum += float64(row.Scores[k]) * m.Weight
			}
		}
		for k, m := range s.Metrics {
			part := Ratio(float64(row.Scores[k])*m.Weight, sum)
			because := Because{Metric: m.Metric, Score: row.Scores[k], Value: row.Values[k], Share: part, Degree: Missing}
			speakers[k].say(row.row, &because)
			ranked.Because = append(ranked.Because, because)
		}
		slices.SortStableFunc(ranked.Because, func(a, b Because) int { return cmp.Compare(b.Share, a.Share) })
		r.Rows = append(r.Rows, ranked)
	}
	return r, nil
}

// speaker finds words for a metric's values by row; nil where the vocabulary
// has none.
type speaker struct {
	variable *fuzzy.Variable
	values   []float64
}

func newSpeaker(d *Dataset, words Words, rows *Rows, metric string) (*speaker, error) {
	q, err := d.quantity(words, metric)
	if err != nil || q.variable == nil {
		return nil, err
	}
	values, err := rows.Eval(q.node)
	if err != nil {
		return nil, err
	}
	return &speaker{q.variable, values}, nil
}

func (s *speaker) say(row int, b *Because) {
	if s == nil {
		return
	}
	b.Word, b.Degree = degreesIn(s.variable, Real(s.values[row])).Best()
	terms := s.variable.Terms
	b.Sharp = b.Word == terms[0].Name || b.Word == terms[len(terms)-1].Name
}
