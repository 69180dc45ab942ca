package analyze

import (
	"context"
	"fmt"
	"strings"

	"auspex/cluster"
	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
)

// Learned is a variable whose terms were learned from data.
type Learned struct {
	Variable *fuzzy.Variable
	Values   int // learned from
	Method   LearnMethod
}

// LearnMethod says where the centres of learned terms come from.
type LearnMethod string

// The ways to learn.
const (
	FromQuantiles LearnMethod = "quantiles" // equally frequent parts
	FromCMeans    LearnMethod = "cmeans"    // the centres of fuzzy C-means
)

// LearnTerms makes terms for a metric from what experiments hold (Soft
// performance analysis, §6.1: terms can be defined based on training data).
// Names rise from the smallest values to the largest.
func LearnTerms(ctx context.Context, words Words, datasets []*Dataset, metric, name string, terms []string, by By, method LearnMethod) (*Learned, error) {
	var data []float64
	var node expr.Node
	for _, d := range datasets {
		var err error
		if node, err = d.QuantityAsWritten(words, metric); err != nil {
			return nil, err
		}
		rows, err := d.Rows(by)
		if err != nil {
			return nil, err
		}
		values, err := rows.Eval(node)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if v == v {
				data = append(data, v)
			}
		}
	}
	if len(data) == 0 {
		return nil, mistake.Refuse("%s has no values to learn from", metric)
	}
	learned, err := learn(ctx, terms, data, method)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = variableName(node)
	}
	variable, err := fuzzy.LearnedVariable(name, node, learned, data)
	if err != nil {
		return nil, err
	}
	variable.About = fmt.Sprintf("learned from %d values by %s", len(data), method)
	return &Learned{Variable: variable, Values: len(data), Method: method}, nil
}

func learn(ctx context.Context, terms []string, data []float64, method LearnMethod) ([]*fuzzy.Term, error) {
	switch method {
	case FromQuantiles:
		return fuzzy.TermsFromQuantiles(terms, data)
	case FromCMeans:
		points := cluster.Points{Data: data, N: len(data), Dim: 1}
		found, err := cluster.CMeans(ctx, points, len(terms))
		if err != nil {
			return nil, err
		}
		if found.Centres.N < len(terms) {
			return nil, mistake.Refuse("the data have only %d different values, fewer than the %d terms", found.Centres.N, len(terms))
		}
		return fuzzy.TermsFromCentres(terms, found.Centres.Data)
	}
	return nil, mistake.Refuse("terms are learned by %s or %s, not by %q", FromQuantiles, FromCMeans, method)
}

// variableName makes a name for the words of an expression.
func variableName(n expr.Node) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, strings.ReplaceAll(n.String(), "/", "_per_"))
	return strings.Trim(name, "_")
}
