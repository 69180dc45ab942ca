package sweep

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// sentences are what words can say, each known by some words of its own.
var sentences = map[string]string{
	"none": "None of", "some": "are done", "failed": "failed", "same": "about the same", "shortest": "The shortest is", "tie": "as short",
	"longest": "the longest", "one axis": "matters most", "two axes": "matter most", "next axis": "Then comes", "next axes": "Then come ", "combinations": "no axis alone", "scatter": "the times scatter", "cliff": "There is a cliff",
}

// TestEachSentenceOnlyWhereItHolds says for each of a number of planted studies
// which sentences it must get; it gets no other. Every sentence is said of some and
// not of others.
func TestEachSentenceOnlyWhereItHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 6))
	measured := strings.Replace(strings.Replace(answerStudy, "simulate", "run", 1), "trace = \"t\"\nplatform = \"p-", "command = \"p-", 1)
	value := func(v map[string]float64, name string) float64 { return v[name] }
	even := func(v map[string]float64) float64 { return math.Log2(value(v, "n")) }
	odd := func(v map[string]float64) float64 { // what only the pair of n and m decides
		return math.Pow(-1, math.Log2(v["n"])) * math.Pow(-1, v["k"])
	}
	for name, c := range map[string]struct {
		study   string
		seconds func(v map[string]float64) float64 // 0 for one that failed, NaN for one that is missing
		said    string
	}{
		"nothing is done": {answerStudy, func(map[string]float64) float64 { return math.NaN() }, "none"},
		"all failed":      {answerStudy, func(map[string]float64) float64 { return 0 }, "none failed"},
		"all alike":       {answerStudy, func(v map[string]float64) float64 { return 3 + 0.001*v["n"]/32 }, "same"},
		"one axis":        {answerStudy, func(v map[string]float64) float64 { return 10 / v["n"] * (1 + v["k"]/1e3 + v["m"]/700) }, "shortest longest, one axis"},
		"ties":            {answerStudy, func(v map[string]float64) float64 { return 10 / v["n"] }, "shortest longest tie, one axis"},
		"two axes alike": {answerStudy, func(v map[string]float64) float64 {
			return math.Exp(even(v)/5) * math.Exp(0.418*v["m"]) * (1 + v["k"]/1e3)
		}, "shortest longest, two axes"},
		"three axes": {answerStudy, func(v map[string]float64) float64 { return v["n"] * v["m"] * math.Pow(6, v["k"]) }, "shortest longest, one axis, next axes"},
		"two axes":   {answerStudy, func(v map[string]float64) float64 { return v["n"] * v["m"] * (1 + v["k"]/1e3) }, "shortest longest, one axis, next axis"},
		"some missing": {answerStudy, func(v map[string]float64) float64 {
			return pickTime(v["n"] == 32, math.NaN(), 10/v["n"]*(1+v["m"]/1e3+v["k"]/400))
		}, "some, shortest longest, one axis"},
		"some failed": {answerStudy, func(v map[string]float64) float64 {
			return pickTime(v["n"] == 32, 0, 10/v["n"]*(1+v["m"]/1e3+v["k"]/400))
		}, "some failed, shortest longest, one axis"},
		"only pairs matter":    {answerStudy, func(v map[string]float64) float64 { return math.Exp(odd(v) + v["m"]/1e2 + v["n"]/400) }, "shortest longest, combinations"},
		"only pairs, measured": {measured, func(v map[string]float64) float64 { return math.Exp(odd(v) + v["m"]/1e2 + v["n"]/400) }, "shortest longest, combinations scatter"},
		"scatter alone":        {measured, func(map[string]float64) float64 { return math.Exp(0.1 * random.NormFloat64()) }, "shortest longest, combinations scatter"},
		"a cliff": {answerStudy, func(v map[string]float64) float64 {
			return pickTime(v["n"] >= 16, 3, 1) * (1 + v["m"]/1e3 + v["k"]/400)
		}, "shortest longest tie, one axis, cliff"},
		"even growth": {answerStudy, func(v map[string]float64) float64 { return v["n"] * (1 + v["m"]/1e3 + v["k"]/400) }, "shortest longest, one axis"},
		"too few to tell what matters": {answerStudy, func(v map[string]float64) float64 {
			return pickTime(v["n"]+v["m"]+v["k"] > 4, math.NaN(), v["n"]*v["m"]*v["m"]*v["k"]*7)
		}, "some, shortest longest"},
		"two points": {answerStudy, func(v map[string]float64) float64 {
			return pickTime(v["n"] > 2 || v["m"] > 1 || v["k"] > 1, math.NaN(), v["n"])
		}, "some, shortest longest"},
	} {
		s := parse(t, c.study)
		points, err := s.Points()
		if err != nil {
			t.Fatal(err)
		}
		l := &Ledger{of: map[string]entry{}, times: map[string]int{}}
		for _, p := range points {
			e := entry{Key: p.Key, Outcome: Outcome{Seconds: c.seconds(numbersOf(s, &p))}}
			switch {
			case math.IsNaN(e.Seconds):
				continue
			case e.Seconds == 0:
				e.Error = "it broke"
			}
			l.add(e)
		}
		words := Tabulate(s, points, l).Words
		wanted := map[string]bool{}
		for key := range sentences {
			for _, part := range strings.Split(c.said, ",") {
				part = strings.TrimSpace(part)
				if part == key || len(strings.Fields(key)) == 1 && strings.Contains(" "+part+" ", " "+key+" ") {
					wanted[key] = true
				}
			}
		}
		for key, text := range sentences {
			if strings.Contains(words, text) != wanted[key] {
				t.Errorf("%s: %q is said: %v\n%s", name, text, !wanted[key], words)
			}
		}
	}
}

func pickTime(condition bool, yes, no float64) float64 {
	if condition {
		return yes
	}
	return no
}

// TestScatterMattersSeldom counts studies of mere scatter in which an axis is said
// to matter, and studies in which one does a little and is told.
func TestScatterMattersSeldom(t *testing.T) {
	const studies = 300
	random := rand.New(rand.NewPCG(21, 7))
	alarms, found := 0, 0
	for range studies {
		scatter, _, _, _ := answered(t, answerStudy, func(map[string]float64) float64 { return math.Exp(0.05 * random.NormFloat64()) }, nil)
		if strings.Contains(scatter.Words, "matter") {
			alarms++
		}
		little, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 { return math.Exp(0.04*v["m"] + 0.03*random.NormFloat64()) }, nil)
		if strings.Contains(little.Words, "M matters most") {
			found++
		}
	}
	t.Logf("%d of %d studies of scatter have an axis that matters; in %d of %d the one that does is told", alarms, studies, found, studies)
	if alarms > studies*3/100 || found < studies*95/100 {
		t.Errorf("%d of %d false, %d of %d found", alarms, studies, found, studies)
	}
}
