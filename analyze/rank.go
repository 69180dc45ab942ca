package analyze

import (
	"cmp"
	"slices"
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
}

// Ranked is one region or unit. Those with the same aggregate share a rank.
type Ranked struct {
	Rank      int       `json:"rank"` // from 1
	Region    string    `json:"region,omitempty"`
	Unit      any       `json:"unit,omitempty"`
	Aggregate Real      `json:"aggregate"`
	Because   []Because `json:"because"` // the weightiest metric first
}

// Because is what one metric adds to an aggregate score.
type Because struct {
	Metric string `json:"metric"`
	Score  Real   `json:"score"`
	Value  Real   `json:"value"`
	Share  Real   `json:"share"` // of the aggregate
}

// Rank orders what was scored. Rows without a score are left out.
func Rank(s *Scores) *Ranking {
	r := &Ranking{Experiment: s.Experiment, Base: s.Base, By: s.By, Meaning: s.Meaning, Metrics: s.Metrics, Rows: []Ranked{}, Warnings: s.Warnings}
	for i, row := range s.Rows {
		if row.Aggregate.IsMissing() {
			break // the rest are missing too
		}
		ranked := Ranked{Rank: i + 1, Region: row.Region, Unit: row.Unit, Aggregate: row.Aggregate}
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
			part := ratio(float64(row.Scores[k])*m.Weight, sum)
			ranked.Because = append(ranked.Because, Because{Metric: m.Metric, Score: row.Scores[k], Value: row.Values[k], Share: part})
		}
		slices.SortStableFunc(ranked.Because, func(a, b Because) int { return cmp.Compare(b.Share, a.Share) })
		r.Rows = append(r.Rows, ranked)
	}
	return r
}
