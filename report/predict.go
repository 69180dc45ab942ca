package report

import (
	"fmt"
	"slices"
	"time"

	"auspex/analyze"
	"auspex/predict"
	"auspex/simulate"
)

// Predictions writes what was predicted, what it cost and what was assumed.
func (p *Page) Predictions(r *predict.Report) {
	p.Paragraph(r.Words)
	p.predicted(r)
	p.predictedRanks(r)
	p.predictionCost(r)
	p.cutLoops(r)
	p.settling(r)
	for _, note := range r.Notes {
		p.Paragraph("Note: " + note)
	}
}

func seconds(v float64) string { return Seconds(analyze.Real(v)) }

func (p *Page) predicted(r *predict.Report) {
	p.Heading("Predicted times")
	platform, measured := platformNames(r), false
	for _, x := range r.Predictions {
		measured = measured || x.Measured != nil
	}
	columns := []column{number("processes"), words("level"), region("platform"), words("method"), number("predicted"), number("from"), number("to")}
	if measured {
		columns = append(columns, number("measured"), number("error"))
	}
	var rows [][]string
	for i, x := range r.Predictions {
		name := platform(&x)
		if i == r.Best && len(r.Predictions) > 1 {
			name += " (best)"
		}
		method := string(x.Method)
		if x.Extrapolated {
			method += ", not run"
		}
		row := []string{fmt.Sprint(x.NP), level(x.Opt), name, method, seconds(x.Predicted), seconds(x.Low), seconds(x.High)}
		if x.Measured != nil {
			off := "–"
			if x.Error != nil {
				off = unsignedZero(fmt.Sprintf("%+.1f", 100**x.Error)) + " %"
			}
			row = append(row, seconds(*x.Measured), off)
		}
		rows = append(rows, row)
	}
	p.table(columns, rows)
}

// predictedRanks breaks the best prediction down.
func (p *Page) predictedRanks(r *predict.Report) {
	best := &r.Predictions[r.Best]
	if best.NP == 1 {
		return
	}
	p.Heading(fmt.Sprintf("Where the time goes on %s with %s%s", platformNames(r)(best), plural(best.NP, "rank"), atLevel(best.Opt)))
	paused := slices.ContainsFunc(best.Ranks, func(t simulate.RankTime) bool { return t.Sleep > 0 })
	var rows [][]string
	for _, rank := range shownRanks(best.Ranks) {
		t := best.Ranks[rank]
		row := []string{fmt.Sprint(rank), seconds(t.Finish), seconds(t.Compute)}
		if paused {
			row = append(row, seconds(t.Sleep))
		}
		rows = append(rows, append(row, seconds(t.Send), seconds(t.Recv), seconds(t.Wait), seconds(t.Collective)))
	}
	columns := []column{number("rank"), number("finish"), number("compute")}
	if paused {
		columns = append(columns, number("pauses"))
	}
	p.table(append(columns, number("send"), number("receive"), number("wait"), number("collective")), rows)
}

func (p *Page) predictionCost(r *predict.Report) {
	p.Heading("What it cost")
	platform := platformNames(r)
	var rows [][]string
	for _, x := range r.Predictions {
		rows = append(rows, []string{fmt.Sprint(x.NP), level(x.Opt), platform(&x), seconds(x.Build), seconds(x.Obtain), seconds(x.Simulation), seconds(x.PerPrediction),
			ratio(x.Slowdown), ratio(x.Gain)})
	}
	p.table([]column{number("processes"), words("level"), region("platform"), number("build"), number("traces"), number("simulation"), number("a prediction"), number("slowdown"), number("gain")}, rows)
	any := func(known func(x predict.Prediction) bool) bool { return slices.ContainsFunc(r.Predictions, known) }
	switch {
	case any(func(x predict.Prediction) bool { return x.Slowdown != nil }):
	case any(func(x predict.Prediction) bool { return x.Measured != nil }):
		p.Paragraph("Slowdown and gain are not known: the runs that were timed used processors of another speed than this machine's.")
	default:
		p.Paragraph("Slowdown and gain are not known: no run was timed beside the prediction (--validate).")
	}
	if !r.Scaled {
		p.Line("This machine counts as one of %.4g Gflop/s.", r.ReferenceSpeed/1e9)
	}
}

// ratio is a number that may not be known.
func ratio(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3g", *v)
}

// ListedPrediction is what a listing tells of a stored prediction: the shortest
// time in it.
type ListedPrediction struct {
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	Program   string    `json:"program"`
	Count     int       `json:"predictions"`
	Platform  string    `json:"platform"`
	NP        int       `json:"np"`
	Opt       string    `json:"opt"`
	Predicted float64   `json:"predicted_seconds"`
}

// PredictionList writes the predictions of a store.
func (p *Page) PredictionList(list []ListedPrediction) {
	p.Heading("Predictions")
	var rows [][]string
	for _, x := range list {
		rows = append(rows, []string{x.Name, x.Program, fmt.Sprint(x.Count), day(x.Created), seconds(x.Predicted), fmt.Sprint(x.NP), level(x.Opt), x.Platform})
	}
	p.table([]column{words("name"), words("program"), number("predictions"), words("created"), number("shortest"), number("processes"), words("level"), region("platform")}, rows)
}

// level is a compiler level, as far as the build command names one.
func level(opt string) string {
	if opt == "" {
		return "–"
	}
	return "-O" + opt
}

// atLevel tells it behind other words.
func atLevel(opt string) string {
	if opt == "" {
		return ""
	}
	return " at -O" + opt
}
