package predict

import (
	"fmt"
	"strings"
)

// conclude finds the best prediction and says so.
func (r *Report) conclude(platforms, counts, levels int) {
	for i := range r.Predictions {
		if r.Predictions[i].Predicted < r.Predictions[r.Best].Predicted {
			r.Best = i
		}
	}
	best := &r.Predictions[r.Best]
	var b strings.Builder
	fmt.Fprintf(&b, "The program takes %s on %s with %s at -O%s", seconds(best.Predicted), best.Platform, processes(best.NP), best.Opt)
	if len(r.Predictions) == 1 {
		b.WriteString(".")
		r.Words = b.String()
		return
	}
	fmt.Fprintf(&b, ", the shortest of %d predictions.", len(r.Predictions))
	if platforms > 1 {
		for _, p := range r.others(best) {
			fmt.Fprintf(&b, " On %s it takes at best %s, %.1f times as long (%s at -O%s).", p.Platform, seconds(p.Predicted), p.Predicted/best.Predicted, processes(p.NP), p.Opt)
		}
	}
	r.Words = b.String()
}

// others are the best predictions of the other platforms.
func (r *Report) others(best *Prediction) []*Prediction {
	var list []*Prediction
	at := map[string]int{}
	for i := range r.Predictions {
		p := &r.Predictions[i]
		if p.Platform == best.Platform {
			continue
		}
		k, known := at[p.Platform]
		switch {
		case !known:
			at[p.Platform] = len(list)
			list = append(list, p)
		case p.Predicted < list[k].Predicted:
			list[k] = p
		}
	}
	return list
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

func seconds(s float64) string { return fmt.Sprintf("%.4g s", s) }
