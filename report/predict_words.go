package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"auspex/predict"
)

// FillPredictionWords says which prediction is the best, for JSON and the store.
func FillPredictionWords(r *predict.Report) {
	name := platformNames(r)
	best := &r.Predictions[r.Best]
	var b strings.Builder
	fmt.Fprintf(&b, "The program takes %s on %s with %s at -O%s", seconds(best.Predicted), name(best), plural(best.NP, "process"), best.Opt)
	if n := len(r.Predictions); n > 1 {
		fmt.Fprintf(&b, ", the shortest of %d predictions", n)
	}
	b.WriteString(".")
	for _, p := range othersBest(r) {
		fmt.Fprintf(&b, " On %s it takes at best %s, %.1f times as long (%s at -O%s).", name(p), seconds(p.Predicted), p.Predicted/best.Predicted, plural(p.NP, "process"), p.Opt)
	}
	r.Words = b.String()
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
