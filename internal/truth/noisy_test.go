package truth

import (
	"flag"
	"testing"

	"auspex/store"
)

var odd = flag.Bool("odd", false, "take the odd seeds, which nothing was tuned on")

// Under noise with a heavy tail, or that lasts, nothing is told of runs in which nothing
// was planted but what is so, and what costs a tenth of the run is found.
func TestNoisy(t *testing.T) {
	s := store.Open(t.TempDir())
	told := map[Trouble]map[Trouble]int{}
	quiet, alarms := map[string]int{}, map[string]int{}
	planted, found := 0, 0
	for i := range uint64(*runs) {
		seed := 2 * (*from + i)
		if *odd {
			seed++
		}
		p := Noisy(seed)
		d := diagnosed(t, s, p.Experiment)
		what := p.Told(d)
		if told[p.Kind] == nil {
			told[p.Kind] = map[Trouble]int{}
		}
		told[p.Kind][what]++
		wrong := what != p.Kind
		if p.Kind == None {
			quiet[p.Noise]++
			if wrong = IsAlarm(what); wrong {
				alarms[p.Noise]++
			}
		} else if planted++; !wrong {
			found++
		}
		if wrong && *tell {
			t.Logf("%s, %s, %d units: %s in %s by %d, %.3f, told %s: %+v %+v %d causes", p.Experiment.Name, p.Noise, len(p.Experiment.Units), p.Kind, p.Region, p.Unit, p.Lost, what, d.Headline, d.Second, len(d.Causes))
		}
	}
	for _, kind := range Troubles {
		t.Logf("%s: %v", kind, told[kind])
	}
	all, wrong := 0, 0
	for noise, n := range quiet {
		all, wrong = all+n, wrong+alarms[noise]
		t.Logf("%s: %d alarms in %d", noise, alarms[noise], n)
	}
	t.Logf("found %d of %d, %d false alarms in %d", found, planted, wrong, all)
	if share(found, planted) < 0.95 || float64(wrong) > 0.05*float64(all) {
		t.Error("below the bars")
	}
}
