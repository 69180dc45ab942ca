package truth

import (
	"testing"

	"auspex/store"
)

// Of processes with several threads, in groups that meet, or beside servers: what was
// planted is told with its ranks, and nothing that is not so.
func TestTeams(t *testing.T) {
	s := store.Open(t.TempDir())
	planted, found := map[Trouble]int{}, map[Trouble]int{}
	all, right, wrong := 0, 0, 0
	for i := range uint64(*runs / 2) {
		seed := 2 * (*from + i)
		if *odd {
			seed++
		}
		p := Teams(seed)
		if p.Kind != None && p.Lost < 0.04 {
			continue // less than is worth a word beside the noise
		}
		d := diagnosed(t, s, p.Experiment)
		ok, untrue := p.Finds(d)
		planted[p.Kind]++
		if ok {
			found[p.Kind]++
		}
		if untrue != "" {
			wrong++
		}
		if *tell && (untrue != "" || !ok && p.Kind != None) {
			t.Logf("%s, %d units: %s in %s on %v, %.3f, found %v, untrue %q: %+v", p.Experiment.Name, len(p.Experiment.Units), p.Kind, p.Region, p.Ranks, p.Lost, ok, untrue, d.Headline)
		}
		if p.Kind != None {
			all++
			if ok {
				right++
			}
		}
	}
	for _, kind := range OfTeams {
		t.Logf("%s: %d of %d", kind, found[kind], planted[kind])
	}
	t.Logf("found %d of %d, untrue in %d of %d", right, all, wrong, all+planted[None])
	if share(right, all) < 0.95 || float64(wrong) > 0.03*float64(all+planted[None]) {
		t.Error("below the bars")
	}
}
