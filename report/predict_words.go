package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"auspex/predict"
	"auspex/simulate"
)

// FillPredictionWords says which prediction is the best, for JSON and the store.
func FillPredictionWords(r *predict.Report) {
	name := platformNames(r)
	best := &r.Predictions[r.Best]
	var b strings.Builder
	fmt.Fprintf(&b, "The program takes %s on %s with %s%s", seconds(best.Predicted), name(best), plural(best.NP, "process"), atLevel(best.Opt))
	if n := len(r.Predictions); n > 1 {
		fmt.Fprintf(&b, ", the shortest of %d predictions", n)
		if near := overlapping(r); near > 0 {
			fmt.Fprintf(&b, " (its interval overlaps with %s)", plural(near, "other"))
		}
	}
	b.WriteString(".")
	for _, p := range othersBest(r) {
		fmt.Fprintf(&b, " On %s it takes at best %s, %.1f times as long (%s%s).", name(p), seconds(p.Predicted), p.Predicted/best.Predicted, plural(p.NP, "process"), atLevel(p.Opt))
	}
	for _, words := range cliffs(r) {
		b.WriteString(" " + words)
	}
	r.Words = b.String()
}

// overlapping counts the predictions that the best is not surely shorter than.
func overlapping(r *predict.Report) (n int) {
	best := &r.Predictions[r.Best]
	for i := range r.Predictions {
		if i != r.Best && r.Predictions[i].Low < best.High {
			n++
		}
	}
	return n
}

// cliff is how many times as long more processes must take to be explained, and
// mostCliffs how often that is done.
const (
	cliff      = 2
	mostCliffs = 3
)

// cliffs say where more processes make it much slower, and what grows there: the
// part of the ranks' time, and the link that was the busiest.
func cliffs(r *predict.Report) []string {
	name, last, all := platformNames(r), map[string]*predict.Prediction{}, []string{}
	order := make([]*predict.Prediction, len(r.Predictions))
	for i := range r.Predictions {
		order[i] = &r.Predictions[i]
	}
	slices.SortStableFunc(order, func(a, b *predict.Prediction) int { return cmp.Compare(a.NP, b.NP) })
	for _, p := range order {
		series := p.Platform + "\x00" + p.Opt + "\x00" + string(p.Method)
		before := last[series]
		last[series] = p
		if before == nil || before.NP == p.NP || !(p.Predicted > cliff*before.Predicted) || len(all) == mostCliffs {
			continue
		}
		words := fmt.Sprintf("With %d processes instead of %d%s on %s it takes %.1f times as long, %s instead of %s", p.NP, before.NP, atLevel(p.Opt), name(p), p.Predicted/before.Predicted, seconds(p.Predicted), seconds(before.Predicted))
		if part, more := grown(before.Ranks, p.Ranks); more >= (p.Predicted-before.Predicted)/2 {
			words += fmt.Sprintf(": a rank spends %s more %s in the mean", seconds(more), part)
		}
		if p.Busiest != nil && p.Busiest.Utilisation >= 0.5 {
			words += fmt.Sprintf("; the link %s is in use for %s of the run", p.Busiest.Name, percentOf(p.Busiest.Utilisation))
		}
		all = append(all, words+".")
	}
	return all
}

// grown is the part of a rank's time, in the mean, that grew most.
func grown(before, after []simulate.RankTime) (part string, more float64) {
	for _, x := range []struct {
		doing string
		of    func(simulate.RankTime) float64
	}{
		{"computing", func(t simulate.RankTime) float64 { return t.Compute }},
		{"sending", func(t simulate.RankTime) float64 { return t.Send }},
		{"receiving", func(t simulate.RankTime) float64 { return t.Recv }},
		{"waiting for messages", func(t simulate.RankTime) float64 { return t.Wait }},
		{"in collectives", func(t simulate.RankTime) float64 { return t.Collective }},
	} {
		if by := meanOf(after, x.of) - meanOf(before, x.of); by > more {
			part, more = x.doing, by
		}
	}
	return part, more
}

func meanOf(ranks []simulate.RankTime, of func(simulate.RankTime) float64) float64 {
	sum := 0.0
	for _, t := range ranks {
		sum += of(t)
	}
	return sum / float64(max(1, len(ranks)))
}

// othersBest are the best predictions of the platforms that are not the best.
func othersBest(r *predict.Report) []*predict.Prediction {
	var list []*predict.Prediction
	at := map[string]int{}
	for i := range r.Predictions {
		p := &r.Predictions[i]
		k, known := at[p.Platform]
		switch {
		case p.Platform == r.Predictions[r.Best].Platform:
		case !known:
			at[p.Platform] = len(list)
			list = append(list, p)
		case p.Predicted < list[k].Predicted:
			list[k] = p
		}
	}
	return list
}

// platformNames calls platforms by their files without folder and ending, where
// that tells them apart.
func platformNames(r *predict.Report) func(*predict.Prediction) string {
	short := map[string]string{}
	of := map[string]string{}
	for _, p := range r.Predictions {
		base := strings.TrimSuffix(filepath.Base(p.Platform), filepath.Ext(p.Platform))
		if other, taken := of[base]; taken && other != p.Platform {
			return func(p *predict.Prediction) string { return p.Platform }
		}
		of[base], short[p.Platform] = p.Platform, base
	}
	return func(p *predict.Prediction) string { return short[p.Platform] }
}
